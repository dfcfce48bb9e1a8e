"""Whether a study has anything left to gain, which its runs ask where the problem says so, and how much it is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hedgerow.errors import HedgerowError
from hedgerow.feasible import FeasibleSet
from hedgerow.optimizer import Optimizer
from hedgerow.optuna.trials import FinishedRow
from hedgerow.questions import RoomLeft, questions_after
from hedgerow.runs.judged import at_once, tell_row, told_optimizer
from hedgerow.runs.problem import Problem
from hedgerow.stopping import Stopping

# Before so many values, what beliefs expect is not worth saying.
_LEAST_VALUES = 8


class WhatIsLeft:
    """Keeps an optimizer that was told all trials of a study, those of other runs included."""

    def __init__(self, problem: Problem, stopping: Stopping) -> None:
        self._problem = problem
        self._stopping = stopping
        self._known: set[int] = set()
        self._optimizer: Optimizer | None = None
        self.is_nothing = False

    @classmethod
    def of(cls, problem: Problem) -> WhatIsLeft | None:
        """Return it where a problem says when to stop."""
        return None if problem.stopping is None else cls(problem, problem.stopping)

    def look(self, told: Sequence[FinishedRow]) -> None:
        """Take what the study holds now, and see whether nothing is left."""
        if self._optimizer is None or not self._known <= {item.number for item in told}:
            # Compiled once; again where a trial that was told has been forgotten since.
            self._optimizer, self._known = told_optimizer(self._problem, told), {item.number for item in told}
        for item in told:
            if item.number not in self._known:
                tell_row(self._optimizer, self._problem, item)
                self._known.add(item.number)
        self.is_nothing = self._stopping.nothing_is_left(self._optimizer)


def room_left_in(problem: Problem, feasible: FeasibleSet, told: Sequence[FinishedRow]) -> RoomLeft | str:
    """Return what is left to gain after the trials of a study, or in words why that is not known."""
    goals = problem.goals
    n_values = sum(bool(item.outcome.readings) for item in told)
    if goals.objectives.are_several:
        return "With several objectives, what is left is no single number."
    if problem.space.reals:
        return "What is left is not known where variables take any real number."
    if n_values < _LEAST_VALUES:
        return f"What is left is told from {_LEAST_VALUES} measured trials on; there are {n_values} so far."
    rows = ((item.row, at_once(item.outcome, goals)) for item in told)
    try:
        with np.errstate(over="ignore"):
            left = questions_after(feasible, goals, problem.seed, rows).room_left()
    except HedgerowError as error:
        return str(error)
    return left if math.isfinite(left.cautious) else "What is left is beyond the numbers that can be computed with."
