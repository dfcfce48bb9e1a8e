"""How a study stands: its trials by state, the best feasible one, what runs and what came last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from hedgerow.feasible import FeasibleSet
from hedgerow.optuna.trials import LOST, WITHDRAWN, Snapshot, is_lost
from hedgerow.runs.leases import LEASE, Lease
from hedgerow.space import Point
from hedgerow.space.encoding import decode

# Set on trials that a person or another program evaluates: they have no lease and wait as long as it takes.
BY_HAND = "hedgerow:by_hand"
# What proposed a trial's point: method, seed and version.
ASKED_WITH = "hedgerow:asked_with"
# Set on trials whose outcomes were told without being asked for.
UNASKED = "hedgerow:unasked"
# The trial in whose place a value arrived after that trial had been given up.
LATE = "hedgerow:late_for"
# Where a trial keeps what its evaluation said besides the value.
DETAILS = "hedgerow"


@dataclass(frozen=True)
class Standing:
    """One look at a study. Budgets count what was asked here and not lost; what was told unasked is free."""

    n_complete: int
    n_failed: int
    n_lost: int
    n_running: int
    n_by_hand: int
    n_waiting: int
    n_counted: int
    n_counted_finished: int
    n_broken: int
    workers: tuple[str, ...]
    best_number: int | None
    best_value: float | None
    best_point: Point | None

    def to_dict(self) -> dict[str, Any]:
        """Return the facts for programs."""
        best = None
        if self.best_number is not None:
            best = {"trial": self.best_number, "value": self.best_value, "point": self.best_point}
        return {
            "complete": self.n_complete,
            "failed": self.n_failed,
            "running": self.n_running,
            "by_hand": self.n_by_hand,
            "waiting": self.n_waiting,
            "lost": self.n_lost,
            "breaking_rules": self.n_broken,
            "workers": len(self.workers),
            "best": best,
        }


def standing(trials: Sequence[FrozenTrial], snapshot: Snapshot, feasible: FeasibleSet, is_maximised: bool) -> Standing:
    """Count the trials and find the best one among those that satisfy the rules as they are now."""
    complete = {trial.number: trial for trial in trials if trial.state is TrialState.COMPLETE}
    running = [trial for trial in trials if trial.state is TrialState.RUNNING]
    leased = [trial for trial in running if LEASE in trial.system_attrs]
    counted = [trial for trial in trials if is_counted(trial)]
    told = [item for item in snapshot.told if item.number in complete]
    rows = np.array([item.row for item in told], dtype=np.int64).reshape(-1, len(feasible.space.slots))
    kept = {item.number for item, keeps in zip(told, feasible.codes.accepts(rows), strict=True) if keeps}
    sign = -1.0 if is_maximised else 1.0
    ranked = [item for item in told if item.number in kept and item.value == item.value]
    best = min(ranked, key=lambda item: (sign * item.value, item.number), default=None)
    return Standing(
        n_complete=len(complete),
        n_failed=sum(trial.state in (TrialState.FAIL, TrialState.PRUNED) and not is_lost(trial) for trial in trials),
        n_lost=sum(is_lost(trial) and trial.system_attrs[LOST] != WITHDRAWN for trial in trials),
        n_running=len(leased),
        n_by_hand=sum(BY_HAND in trial.system_attrs for trial in running),
        n_waiting=sum(trial.state is TrialState.WAITING for trial in trials),
        n_counted=len(counted),
        n_counted_finished=sum(trial.state.is_finished() for trial in counted),
        n_broken=len(told) - len(kept),
        workers=tuple(sorted({lease.worker for trial in leased if (lease := Lease.of(trial)) is not None})),
        best_number=None if best is None else best.number,
        best_value=None if best is None else best.value,
        best_point=None if best is None else decode(feasible.space, best.row),
    )


def is_counted(trial: FrozenTrial) -> bool:
    """Whether a trial uses up budget."""
    attrs = trial.system_attrs
    if is_lost(trial) or trial.state is TrialState.WAITING or UNASKED in attrs:
        return False
    return LEASE in attrs or (BY_HAND in attrs and trial.state.is_finished())
