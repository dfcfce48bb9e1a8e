"""How outcomes get into the storage, each exactly once, however late they come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import TrialState

from hedgerow.arrays import Codes
from hedgerow.optuna.trials import CLAIM
from hedgerow.runs.leases import LEASE, Lease
from hedgerow.runs.opened import Asked, OpenStudy
from hedgerow.runs.standing import BY_HAND, DETAILS, LATE, UNASKED
from hedgerow.runs.workers.job import Outcome
from hedgerow.space import Point
from hedgerow.space.encoding import encode


def finish(opened: OpenStudy, asked: Asked, outcome: Outcome) -> None:
    """Store the outcome of a trial; one that was given up in the meantime keeps its value as a trial of its own."""
    try:
        _end(opened, asked.trial_id, outcome)
    except UpdateFinishedTrialError:
        tell_late(opened, asked, outcome)
    opened.spool.drop(asked.number)


def tell_late(opened: OpenStudy, asked: Asked, outcome: Outcome) -> None:
    """Store a value that came after its trial had been given up as a trial of its own, if nobody else has."""
    if outcome.value is None:
        return
    # Its worker, and whoever finds what that left behind, may come here at the same time.
    with opened.spool.alone():
        complete = [trial for trial in opened.trials() if trial.state is TrialState.COMPLETE]
        if not any(asked.number in (trial.number, trial.system_attrs.get(LATE)) for trial in complete):
            add(opened, asked.point, outcome, {LATE: asked.number})


def add(opened: OpenStudy, point: Point, outcome: Outcome, marks: Mapping[str, Any]) -> int:
    """Store an outcome that no trial waits for, and return the number of its trial.

    First a running trial and then its end, because an end can be told apart from its repetition, and a beginning
    cannot: where the answer of the storage gets lost, a second beginning is given up as any trial without a worker.
    """
    claim = opened.sampler.claim(encode(opened.plan.space, point))
    lease = {LEASE: Lease.mine().to_dict()}
    trial_id = opened.create({CLAIM: claim, UNASKED: True, **lease, **marks}, claim)
    _end(opened, trial_id, outcome)
    return opened.storage.get_trial(trial_id).number


def tell(opened: OpenStudy, point: Mapping[str, Any], value: float | None) -> int:
    """Store the outcome of a point that was asked by hand, or never asked; return the trial's number."""
    row = encode(opened.plan.space, point)
    outcome = Outcome(value, "" if value is not None else "told as failed")
    asked = asked_by_hand(opened, row)
    if asked is None:
        return add(opened, dict(point), outcome, {})
    finish(opened, asked, outcome)
    return asked.number


def pending_by_hand(opened: OpenStudy) -> list[Asked]:
    """Return the trials that somebody evaluates by hand."""
    trials = opened.trials()
    by_number = {trial.number: trial for trial in trials if BY_HAND in trial.system_attrs}
    return [
        opened.asked(by_number[claim.number], claim.row)
        for claim in opened.snapshot(trials).claimed
        if claim.number in by_number
    ]


def asked_by_hand(opened: OpenStudy, row: Codes) -> Asked | None:
    """Return the trial of a point that somebody evaluates by hand."""
    key = row.tobytes()
    pending = pending_by_hand(opened)
    return next((asked for asked in pending if encode(opened.plan.space, asked.point).tobytes() == key), None)


def _end(opened: OpenStudy, trial_id: int, outcome: Outcome) -> None:
    if outcome.output or outcome.reason or outcome.details:
        opened.storage.set_trial_user_attr(trial_id, DETAILS, outcome.to_dict())
    if outcome.value is None:
        opened.storage.set_trial_state_values(trial_id, TrialState.FAIL)
    else:
        opened.storage.set_trial_state_values(trial_id, TrialState.COMPLETE, [outcome.value])
