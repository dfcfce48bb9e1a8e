"""How outcomes get into the storage, each exactly once, however late they come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import TrialState

from hedgerow import schema
from hedgerow.arrays import Codes
from hedgerow.runs.leases import Lease
from hedgerow.runs.status import by_hand
from hedgerow.runs.stored import Asked, StoredStudy
from hedgerow.runs.workers.job import Outcome
from hedgerow.space import Point
from hedgerow.space.encoding import decode, encode


def finish(stored: StoredStudy, asked: Asked, outcome: Outcome) -> None:
    """Store the outcome of a trial; one that was given up in the meantime keeps its value as a trial of its own."""
    try:
        _end(stored, asked.trial_id, outcome)
    except UpdateFinishedTrialError:
        tell_late(stored, asked, outcome)
    stored.spool.drop(asked.number)


def tell_late(stored: StoredStudy, asked: Asked, outcome: Outcome) -> None:
    """Store a value that came after its trial had been given up as a trial of its own, if nobody else has."""
    if outcome.value is None:
        return
    # Its worker, and whoever finds what that left behind, may come here at the same time.
    with stored.spool.alone():
        complete = [trial for trial in stored.trials() if trial.state is TrialState.COMPLETE]
        if not any(asked.number in (trial.number, trial.system_attrs.get(schema.LATE)) for trial in complete):
            add(stored, asked.point, outcome, {schema.LATE: asked.number})


def add(stored: StoredStudy, point: Point, outcome: Outcome, attrs: Mapping[str, Any]) -> int:
    """Store an outcome that no trial waits for, and return the number of its trial.

    First a running trial and then its end, because an end can be told apart from its repetition, and a beginning
    cannot: where the answer of the storage gets lost, a second beginning is given up as any trial without a worker.
    """
    claim = stored.sampler.claim(encode(stored.problem.space, point))
    lease = {schema.LEASE: Lease.mine().to_dict()}
    trial_id = stored.create({schema.CLAIM: claim, schema.UNASKED: True, **lease, **attrs}, claim)
    _end(stored, trial_id, outcome)
    return stored.storage.get_trial(trial_id).number


def tell(stored: StoredStudy, point: Mapping[str, Any], value: float | None) -> int:
    """Store the outcome of a point that was asked by hand, or never asked; return the trial's number."""
    stored.sampler.feasible.check_presence(point)
    row = encode(stored.problem.space, point)
    outcome = Outcome(value, "" if value is not None else "told as failed")
    asked = asked_by_hand(stored, row)
    if asked is None:
        return add(stored, dict(point), outcome, {})
    finish(stored, asked, outcome)
    return asked.number


def pending_by_hand(stored: StoredStudy) -> list[Asked]:
    """Return the trials that somebody evaluates by hand."""
    return [
        Asked(stored.id_of(claim.number), claim.number, decode(stored.problem.space, claim.row))
        for claim in by_hand(stored.read())
    ]


def asked_by_hand(stored: StoredStudy, row: Codes) -> Asked | None:
    """Return the trial of a point that somebody evaluates by hand."""
    key = row.tobytes()
    pending = pending_by_hand(stored)
    return next((asked for asked in pending if encode(stored.problem.space, asked.point).tobytes() == key), None)


def _end(stored: StoredStudy, trial_id: int, outcome: Outcome) -> None:
    if outcome.output or outcome.reason or outcome.details:
        stored.storage.set_trial_user_attr(trial_id, schema.DETAILS, outcome.to_dict())
    if outcome.value is None:
        stored.storage.set_trial_state_values(trial_id, TrialState.FAIL)
    else:
        stored.storage.set_trial_state_values(trial_id, TrialState.COMPLETE, [outcome.value])
