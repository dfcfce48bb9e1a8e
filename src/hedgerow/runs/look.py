"""A look at a study that changes nothing: no storage is made, no trial taken up, no rule recorded."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
from optuna.storages import BaseStorage
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial
from sqlalchemy import exc as sql_errors
from sqlalchemy.engine import make_url

from hedgerow.errors import RuleWarning, StudyError
from hedgerow.feasible import FeasibleSet
from hedgerow.optuna.sampler import HedgerowSampler
from hedgerow.optuna.trials import Snapshot
from hedgerow.runs.plan import RunPlan
from hedgerow.runs.same_problem import RULES_KEY, SPACE_KEY
from hedgerow.runs.standing import Standing, standing
from hedgerow.runs.storage import open_storage, without_password


@dataclass(frozen=True, eq=False)
class Look:
    """A study at one moment."""

    plan: RunPlan
    feasible: FeasibleSet
    trials: Sequence[FrozenTrial]
    snapshot: Snapshot
    standing: Standing
    rule_changes: Sequence[dict[str, Any]]

    @property
    def is_maximised(self) -> bool:
        """Whether larger values are better."""
        return self.plan.direction == "maximize"


def look(plan: RunPlan) -> Look:
    """Read the study of a plan, or say that there is none yet."""
    study = _load(plan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuleWarning)
        sampler = HedgerowSampler(plan.space, plan.rules, node_budget=plan.node_budget)
    trials = study.get_trials(deepcopy=False)
    snapshot = sampler.snapshot(study, trials)
    seen = standing(trials, snapshot, sampler.feasible, plan.direction == "maximize")
    return Look(plan, sampler.feasible, trials, snapshot, seen, study.user_attrs.get(RULES_KEY, []))


def _load(plan: RunPlan) -> Study:
    try:
        study = optuna.load_study(study_name=plan.study, storage=_existing(plan))
    except KeyError:
        raise _nothing(plan, f"The storage {without_password(plan.storage)} has no study '{plan.study}'.") from None
    wanted = StudyDirection.MAXIMIZE if plan.direction == "maximize" else StudyDirection.MINIMIZE
    if study.direction is not wanted:
        raise StudyError(
            f"The study '{plan.study}' was started to {study.direction.name.lower()}, but the file says "
            f"{plan.direction}. Change it back, or name the study that is meant with --study."
        )
    if study.user_attrs.get(SPACE_KEY, plan.space.to_dict()) != plan.space.to_dict():
        raise StudyError(
            f"The study '{plan.study}' has another space than the file. Use the file it was run with, or name the "
            "study that is meant with --study."
        )
    return study


def _existing(plan: RunPlan) -> BaseStorage:
    """Open a storage; one in a file must be there, because opening would make it."""
    file = _file_of(plan.storage)
    if file is not None and not file.exists():
        raise _nothing(plan, f"There is no storage {file} yet.")
    return open_storage(plan.storage)


def _file_of(url: str) -> Path | None:
    if url.startswith("journal:"):
        return Path(url.removeprefix("journal:"))
    try:
        parsed = make_url(url)
    except sql_errors.ArgumentError:
        return None
    if not parsed.drivername.startswith("sqlite") or not parsed.database or parsed.database == ":memory:":
        return None
    return Path(parsed.database)


def _nothing(plan: RunPlan, what: str) -> StudyError:
    how = "hedgerow run FILE" if plan.has_objective else "hedgerow ask FILE and hedgerow tell FILE POINT VALUE"
    return StudyError(f"{what} Make trials first: {how}.")
