"""A plan's study, opened or created: the storage, the sampler that reads it, and how trials come into being and end.

Every change is one that the storage keeps or refuses as a whole, so whatever process ends at whatever moment, what was
told stays told once, and what was only asked can be asked again.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import optuna
from optuna.exceptions import UpdateFinishedTrialError
from optuna.storages import BaseStorage
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from hedgerow.arrays import Codes
from hedgerow.errors import RuleWarning
from hedgerow.optuna.distributions import as_suggested
from hedgerow.optuna.sampler import HedgerowSampler
from hedgerow.optuna.trials import LOST, Snapshot
from hedgerow.runs.plan import RunPlan
from hedgerow.runs.storage import open_storage
from hedgerow.space import Point
from hedgerow.space.encoding import decode


@dataclass(frozen=True)
class Asked:
    """A trial that has its point."""

    trial_id: int
    number: int
    point: Point


class OpenStudy:
    """A study in its storage, with the sampler that chooses for it."""

    def __init__(self, plan: RunPlan) -> None:
        self.plan = plan
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuleWarning)
            self.sampler = HedgerowSampler(
                plan.space, plan.rules, method=plan.method, seed=plan.seed, node_budget=plan.node_budget
            )
        self.storage: BaseStorage = open_storage(plan.storage)
        self.study: Study = optuna.create_study(
            study_name=plan.study,
            storage=self.storage,
            sampler=self.sampler,
            direction=plan.direction,
            load_if_exists=True,
        )
        self.study_id = self.study._study_id
        self.distributions = self.sampler.distributions
        self.spool = plan.spool

    def trials(self) -> list[FrozenTrial]:
        """Return all trials as they are now."""
        return self.storage.get_all_trials(self.study_id, deepcopy=False)

    def snapshot(self, trials: Sequence[FrozenTrial]) -> Snapshot:
        """Return what the trials tell."""
        return self.sampler.snapshot(self.study, trials)

    def asked(self, trial: FrozenTrial, row: Codes) -> Asked:
        """Return a trial with its point."""
        return Asked(trial._trial_id, trial.number, decode(self.plan.space, row))

    def create(self, marks: Mapping[str, Any], claim: Mapping[str, Any]) -> int:
        """Create a running trial, with its point where it is known, and return its id."""
        template = optuna.create_trial(
            state=TrialState.RUNNING,
            params=self.parameters(claim),
            distributions={name: self.distributions[name] for name in claim},
            system_attrs=dict(marks),
        )
        return self.storage.create_new_trial(self.study_id, template)

    def mark(self, trial_id: int, marks: Mapping[str, Any]) -> None:
        """Set marks of a running trial."""
        for key, value in marks.items():
            self.storage.set_trial_system_attr(trial_id, key, value)

    def lose(self, trial_id: int, why: str) -> None:
        """End a trial that nobody works on any more, if it has not ended; its point is free again."""
        with suppress(UpdateFinishedTrialError):
            self.storage.set_trial_system_attr(trial_id, LOST, why)
            self.storage.set_trial_state_values(trial_id, TrialState.FAIL)

    def parameters(self, claim: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of a claim as Optuna's suggestions would be."""
        return {name: as_suggested(value, self.distributions[name]) for name, value in claim.items()}
