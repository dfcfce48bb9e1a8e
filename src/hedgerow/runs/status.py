"""The status of a study: its trials by state, the best feasible one, and who works on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import schema
from hedgerow.arrays import Codes
from hedgerow.optuna.trials import ClaimedRow, FinishedRow, TrialRows
from hedgerow.runs.judged import StudyOutcomes, judge, with_belief
from hedgerow.runs.leases import Lease
from hedgerow.runs.problem import Problem
from hedgerow.schema import StoredState, StoredTrial, has_readings, is_finished, is_lost
from hedgerow.space import Point
from hedgerow.space.encoding import decode

if TYPE_CHECKING:
    from hedgerow.feasible import FeasibleSet


@dataclass(frozen=True)
class Status:
    """A study in numbers. Budgets count what was asked here and not lost; what was told unasked is free."""

    n_complete: int
    n_failed: int
    n_lost: int
    n_running: int
    n_by_hand: int
    n_waiting: int
    n_counted: int
    n_counted_finished: int
    n_infeasible: int
    workers: tuple[str, ...]
    best_number: int | None
    best_value: float | None
    best_point: Point | None
    # Where trials give more than one number, once; None elsewhere.
    judged: StudyOutcomes | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the facts for programs."""
        best = None
        if self.best_number is not None:
            best = {"trial": self.best_number, "value": self.best_value, "point": self.best_point}
            if self.judged is not None and self.judged.best is not None:
                best |= self.judged.best.to_dict()
        return {
            "complete": self.n_complete,
            "failed": self.n_failed,
            "running": self.n_running,
            "by_hand": self.n_by_hand,
            "waiting": self.n_waiting,
            "lost": self.n_lost,
            "breaking_rules": self.n_infeasible,
            "workers": len(self.workers),
            "best": best,
            **({} if self.judged is None else self.judged.to_dict()),
        }


def status_of(read: TrialRows, problem: Problem, accepts: Callable[[Codes], NDArray[np.bool_]]) -> Status:
    """Count the trials and find the best one among those that satisfy the rules as they are now.

    `accepts` says of rows whether they do.
    """
    space = problem.space
    trials = [trial for trial in read.trials if trial.number not in read.forgotten]
    complete = {trial.number for trial in trials if trial.state == StoredState.COMPLETE or has_readings(trial)}
    running = [trial for trial in trials if trial.state == StoredState.RUNNING]
    leased = [trial for trial in running if schema.LEASE in trial.system_attrs]
    counted = [trial for trial in trials if read.is_counted(trial)]
    told = [item for item in read.told if item.number in complete]
    rows = np.array([item.row for item in told], dtype=np.int64).reshape(-1, len(space.slots))
    feasible = [item for item, is_kept in zip(told, accepts(rows), strict=True) if is_kept]
    judged = None if problem.goals.is_plain else judge(feasible, problem)
    number, value, point = _best(feasible, problem) if judged is None else judged.first
    ended = [trial for trial in trials if trial.number not in complete and not is_lost(trial)]
    failed = [trial for trial in ended if trial.state in (StoredState.FAIL, StoredState.PRUNED)]
    lost = [trial for trial in trials if is_lost(trial) and trial.system_attrs[schema.LOST] != schema.WITHDRAWN]
    return Status(
        n_complete=len(complete),
        n_failed=len(failed),
        n_lost=len(lost),
        n_running=len(leased),
        n_by_hand=sum(schema.BY_HAND in trial.system_attrs for trial in running),
        n_waiting=sum(trial.state == StoredState.WAITING for trial in trials),
        n_counted=len(counted),
        n_counted_finished=sum(is_finished(trial) for trial in counted),
        n_infeasible=len(told) - len(feasible),
        workers=tuple(sorted({lease.worker for trial in leased if (lease := Lease.of(trial)) is not None})),
        best_number=number,
        best_value=value,
        best_point=point,
        judged=judged,
    )


def believed(
    status: Status, problem: Problem, told: Sequence[FinishedRow], feasible: Callable[[], FeasibleSet]
) -> Status:
    """Return the same with the best point by what is believed, where points are measured again."""
    if status.judged is None or not status.judged.is_believed:
        return status
    return with_best_of(status, with_belief(status.judged, problem, feasible(), told))


def with_best_of(status: Status, judged: StudyOutcomes) -> Status:
    """Return the same with what its trials amount to as it was judged otherwise."""
    number, value, point = judged.first
    return replace(status, judged=judged, best_number=number, best_value=value, best_point=point)


def _best(feasible: Sequence[FinishedRow], problem: Problem) -> tuple[int | None, float | None, Point | None]:
    sign = -1.0 if problem.is_maximized else 1.0
    ranked = [item for item in feasible if item.value == item.value]
    best = min(ranked, key=lambda item: (sign * item.value, item.number), default=None)
    return (None, None, None) if best is None else (best.number, best.value, decode(problem.space, best.row))


def by_hand(read: TrialRows) -> list[ClaimedRow]:
    """Return the points that somebody evaluates by hand."""
    numbers = {trial.number for trial in read.trials if schema.BY_HAND in trial.system_attrs}
    return [claim for claim in read.claimed if claim.number in numbers]


def reasons_of(read: TrialRows, n: int) -> list[str]:
    """Return why the latest failed trials failed, the last first, each reason once."""
    failed = [t for t in reversed(read.trials) if t.state == StoredState.FAIL and t.number not in read.forgotten]
    reasons = (reason_of(trial) for trial in failed)
    return list(dict.fromkeys(reason for reason in reasons if reason is not None))[:n]


def reason_of(trial: StoredTrial) -> str | None:
    """Return why a trial failed, where that was stored."""
    details = trial.user_attrs.get(schema.DETAILS, {})
    reason = details.get("reason") if isinstance(details, dict) else None
    return str(reason) if reason else None
