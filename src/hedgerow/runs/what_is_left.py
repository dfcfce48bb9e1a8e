"""Whether a study has anything left to gain, as its runs ask after each trial where the problem says so."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.optimizer import Optimizer
from hedgerow.optuna.trials import FinishedRow
from hedgerow.runs.judged import tell_row, told_optimizer
from hedgerow.runs.problem import Problem
from hedgerow.stopping import Stopping


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
