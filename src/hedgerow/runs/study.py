"""A study: the stored trials of one problem, which any number of runs, people and programs ask and tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from optuna.storages import BaseStorage
from optuna.study import Study as OptunaStudy
from optuna.trial import FrozenTrial

from hedgerow import schema
from hedgerow.errors import SpaceExhausted, StudyError
from hedgerow.optuna.sampler import HedgerowSampler
from hedgerow.runs import asking, lost, telling
from hedgerow.runs.leases import Lease
from hedgerow.runs.problem import Problem
from hedgerow.runs.status import Status, status_of
from hedgerow.runs.stored import Asked, StoredStudy
from hedgerow.runs.workers.job import Outcome
from hedgerow.space.encoding import encode


class Study:
    """The study of a problem, opened or made in the problem's storage."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self._stored = StoredStudy(problem)

    @property
    def sampler(self) -> HedgerowSampler:
        """What suggests the points."""
        return self._stored.sampler

    @property
    def storage(self) -> BaseStorage:
        """Where the study is kept."""
        return self._stored.storage

    @property
    def in_optuna(self) -> OptunaStudy:
        """The study, for Optuna's own functions."""
        return self._stored.in_optuna

    @property
    def rule_changes(self) -> list[dict[str, Any]]:
        """The rules as they were over time, each with when and after how many trials they came."""
        return list(self._stored.attrs().get(schema.RULES, []))

    def trials(self) -> list[FrozenTrial]:
        """Return all trials as they are now."""
        return self._stored.trials()

    def status(self) -> Status:
        """Return the counts and the best of the study."""
        accepts = self.sampler.feasible.codes.accepts
        return status_of(self._stored.read(), self.problem.space, accepts, self.problem.is_maximized)

    def ask(
        self, lease: Lease | None, budget: int | None = None, hold: Callable[[int], object] = lambda _: None
    ) -> Asked | None:
        """Return a new trial with a point of its own, or None where the budget is used up.

        Without a lease the trial is one that somebody evaluates by hand; with one, `hold` is called as soon as there
        is a lease to keep alive.
        """
        return asking.ask(self._stored, lease, budget, hold)

    def ask_by_hand(self, n: int) -> list[Asked]:
        """Return up to n trials that somebody else evaluates; fewer where fewer feasible points are left."""
        asked: list[Asked] = []
        for _ in range(n):
            try:
                trial = self.ask(None)
            except SpaceExhausted:
                if not asked:
                    raise
                break
            assert trial is not None
            asked.append(trial)
        return asked

    def finish(self, asked: Asked, outcome: Outcome) -> None:
        """Store the outcome of a trial; one that was given up in the meantime keeps its value as a trial of its own."""
        telling.finish(self._stored, asked, outcome)

    def tell(self, point: Mapping[str, Any], value: float | None) -> int:
        """Store the outcome of a point that was asked by hand, or never asked; return the trial's number."""
        return telling.tell(self._stored, point, value)

    def forget(self, point: Mapping[str, Any]) -> int:
        """Give up a point that was asked by hand and will not be measured; return the trial's number."""
        asked = telling.asked_by_hand(self._stored, encode(self.problem.space, point))
        if asked is None:
            raise StudyError(f"No trial waits for the point {dict(point)}. hedgerow status lists those that do.")
        self.lose(asked.trial_id, schema.FORGOTTEN)
        return asked.number

    def pending_by_hand(self) -> list[Asked]:
        """Return the trials that somebody evaluates by hand."""
        return telling.pending_by_hand(self._stored)

    def lose(self, trial_id: int, why: str) -> None:
        """End a trial that nobody works on any more, if it has not ended; its point is free again."""
        self._stored.lose(trial_id, why)

    def reclaim(self, trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
        """End the trials whose workers vanished, and return them; those still evaluated on this machine go on."""
        return lost.reclaim(self._stored, trials)

    def recover(self) -> None:
        """Tell what was measured on this machine for trials that have been given up since."""
        lost.recover(self._stored)
