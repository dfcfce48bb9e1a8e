"""Uniform draws from the whole space, rules or not: what a sampler does that cannot be told any.

Draws are independent, so that they may also repeat.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import Reason, RowSuggestion


@dataclass(frozen=True)
class Anywhere:
    """No settings."""

    @property
    def may_break_rules(self) -> bool:
        """Always: it knows of none."""
        return True

    def start(self, problem: CodeProblem) -> AnywhereRun:
        """Return what draws for one problem."""
        return AnywhereRun(problem)


class AnywhereRun:
    """Draws rows of codes."""

    def __init__(self, problem: CodeProblem) -> None:
        self._sizes = np.array(problem.space.sizes)

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return a uniform draw from the space."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        return RowSuggestion(rng.integers(self._sizes), False, Reason.DRAWN)
