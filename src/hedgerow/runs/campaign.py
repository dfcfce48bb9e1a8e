"""A campaign: one study in one storage, which any number of runs, people and programs ask and tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from optuna.storages import BaseStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from hedgerow.errors import SpaceExhausted, StudyError
from hedgerow.optuna.sampler import HedgerowSampler
from hedgerow.runs import asking, same_problem, telling, vanished
from hedgerow.runs.leases import Lease
from hedgerow.runs.opened import Asked, OpenStudy
from hedgerow.runs.plan import RunPlan
from hedgerow.runs.standing import DETAILS, Standing, standing
from hedgerow.runs.workers.job import Outcome
from hedgerow.space.encoding import encode


class Campaign:
    """A study of the plan's problem, opened or created."""

    def __init__(self, plan: RunPlan) -> None:
        self.plan = plan
        self._opened = OpenStudy(plan)
        same_problem.check_same_problem(self._opened)

    @property
    def sampler(self) -> HedgerowSampler:
        """What chooses the points."""
        return self._opened.sampler

    @property
    def storage(self) -> BaseStorage:
        """Where the study is kept."""
        return self._opened.storage

    @property
    def study(self) -> Study:
        """The study, for Optuna's own functions."""
        return self._opened.study

    @property
    def rule_changes(self) -> list[dict[str, Any]]:
        """The rules as they were over time, each with when and after how many trials they came."""
        return same_problem.rule_changes(self._opened)

    def trials(self) -> list[FrozenTrial]:
        """Return all trials as they are now."""
        return self._opened.trials()

    def standing(self, trials: Sequence[FrozenTrial] | None = None) -> Standing:
        """Return how the study stands."""
        listed = self.trials() if trials is None else trials
        is_maximised = self.plan.direction == "maximize"
        return standing(listed, self._opened.snapshot(listed), self.sampler.feasible, is_maximised)

    def latest_reasons(self, n: int) -> list[str]:
        """Return why the latest failed trials failed, the last first, each reason once."""
        failed = [trial for trial in reversed(self.trials()) if trial.state is TrialState.FAIL]
        reasons = (trial.user_attrs.get(DETAILS, {}).get("reason", "") for trial in failed)
        return list(dict.fromkeys(str(reason) for reason in reasons if reason))[:n]

    def ask(
        self, lease: Lease | None, budget: int | None = None, hold: Callable[[int], object] = lambda _: None
    ) -> Asked | None:
        """Return a new trial with a point of its own, or None where the budget is used up.

        Without a lease the trial is one that somebody evaluates by hand; with one, `hold` is called as soon as there
        is a lease to keep alive.
        """
        return asking.ask(self._opened, lease, budget, hold)

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
        telling.finish(self._opened, asked, outcome)

    def tell(self, point: Mapping[str, Any], value: float | None) -> int:
        """Store the outcome of a point that was asked by hand, or never asked; return the trial's number."""
        return telling.tell(self._opened, point, value)

    def forget(self, point: Mapping[str, Any]) -> int:
        """Give up a point that was asked by hand and will not be measured; return the trial's number."""
        asked = telling.asked_by_hand(self._opened, encode(self.plan.space, point))
        if asked is None:
            raise StudyError(f"No trial waits for the point {dict(point)}. hedgerow status lists those that do.")
        self.lose(asked.trial_id, "forgotten")
        return asked.number

    def pending_by_hand(self) -> list[Asked]:
        """Return the trials that somebody evaluates by hand."""
        return telling.pending_by_hand(self._opened)

    def lose(self, trial_id: int, why: str) -> None:
        """End a trial that nobody works on any more, if it has not ended; its point is free again."""
        self._opened.lose(trial_id, why)

    def reclaim(self, trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
        """End the trials whose workers vanished, and return them; those still evaluated on this machine go on."""
        return vanished.reclaim(self._opened, trials)

    def recover(self) -> None:
        """Tell what was measured on this machine for trials that have been given up since."""
        vanished.recover(self._opened)
