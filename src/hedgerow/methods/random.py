"""Uniform feasible draws without repetition: the baseline that costs nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import Reason, RowSuggestion


@dataclass(frozen=True)
class Random:
    """Uniform draws among the feasible points that have not been tried; it has no settings.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Integer(0, 9)})
    >>> hr.minimize(lambda point: (point["x"] - 4) ** 2, space, budget=10, method=hr.methods.Random()).best_point
    {'x': 4}
    """

    @property
    def may_break_rules(self) -> bool:
        """Never."""
        return False

    @property
    def knows_outcomes(self) -> bool:
        """It draws whatever trials give."""
        return True

    def start(self, problem: CodeProblem) -> RandomRun:
        """Return what draws for one problem."""
        return RandomRun(problem)


class RandomRun:
    """Draws rows that have not been tried."""

    def __init__(self, problem: CodeProblem) -> None:
        self._problem = problem

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return a uniform draw among what is left."""
        self._problem.check_left(history)
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.DRAWN)
