"""How outcomes get into the storage, each exactly once, however late they come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import TrialState

from hedgerow import schema
from hedgerow.arrays import Codes
from hedgerow.errors import PointError
from hedgerow.optuna.study_goals import as_constraints
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.reading import TrialOutcome, read_outcome
from hedgerow.runs.bulk import Ending
from hedgerow.runs.leases import Lease
from hedgerow.runs.problem import Problem
from hedgerow.runs.status import by_hand
from hedgerow.runs.stored import Asked, StoredStudy
from hedgerow.runs.workers.job import Outcome
from hedgerow.runs.workers.measured import outcome_of
from hedgerow.schema import StoredState
from hedgerow.space import Point
from hedgerow.space.encoding import decode, encode


def finish(stored: StoredStudy, asked: Asked, outcome: Outcome) -> None:
    """Store the outcome of a trial; one that was given up in the meantime keeps its value as a trial of its own."""
    try:
        stored.end(asked.trial_id, ending_of(stored.problem, outcome))
    except UpdateFinishedTrialError:
        tell_late(stored, asked, outcome)
    stored.spool.drop(asked.number)


def tell_late(stored: StoredStudy, asked: Asked, outcome: Outcome) -> None:
    """Store a value that came after its trial had been given up as a trial of its own, if nobody else has."""
    if outcome.failed:
        return
    # Its worker, and whoever finds what that left behind, may come here at the same time.
    with stored.spool.alone():
        complete = [t for t in stored.trials() if t.state is TrialState.COMPLETE or schema.has_readings(t)]
        if not any(asked.number in (trial.number, trial.system_attrs.get(schema.LATE)) for trial in complete):
            add(stored, asked.point, outcome, {schema.LATE: asked.number})


def add(stored: StoredStudy, point: Point, outcome: Outcome, attrs: Mapping[str, Any]) -> int:
    """Store an outcome that no trial waits for, and return the number of its trial.

    First a running trial and then its end, because an end can be told apart from its repetition, and a beginning
    cannot: where the answer of the storage gets lost, a second beginning is given up as any trial without a worker.
    """
    row = encode(stored.problem.space, point)
    claim = stored.sampler.claim(row)
    lease = {schema.LEASE: Lease.mine().to_dict()}
    reading = stored.reading(stored.read().next_reading(row) if stored.problem.goals.may_repeat else 0)
    trial_id, number = stored.create({schema.CLAIM: claim, schema.UNASKED: True, **lease, **attrs, **reading}, claim)
    stored.end(trial_id, ending_of(stored.problem, outcome))
    return number


def tell(stored: StoredStudy, point: Mapping[str, Any], told: Any) -> int:
    """Store the outcome of a point that was asked by hand, or never asked; return the trial's number."""
    stored.sampler.feasible.check_presence(point)
    row = encode(stored.problem.space, point)
    outcome = as_told(stored.problem, told)
    asked = asked_by_hand(stored, row)
    if asked is None:
        return add(stored, dict(point), outcome, {})
    finish(stored, asked, outcome)
    return asked.number


def as_told(problem: Problem, told: Any) -> Outcome:
    """Return what somebody told as it is stored; PointError where it cannot be meant."""
    read = read_outcome(told, problem.goals)
    if not read.readings:
        return Outcome(None, read.reason or "told as failed")
    if problem.goals.is_plain:
        return Outcome(read.readings[0][problem.goals.objectives.names[0]])
    return outcome_of(told, problem.goals)


def check_names(told: Any, goals: Goals) -> None:
    """Raise where somebody seems to have mistyped the name of an outcome: what is stored counts for good."""
    mistyped = goals.mistyped(read_outcome(told, goals).numbers)
    if mistyped is not None:
        given, missing = mistyped
        raise PointError(
            f"No objective and no limit is about '{given}', and '{missing}' is missing; did you mean '{missing}'? "
            "Nothing was stored."
        )


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


def ending_of(problem: Problem, outcome: Outcome) -> Ending:
    """Return how a trial with this outcome ends in the storage."""
    user = {schema.DETAILS: outcome.to_dict()} if outcome.output or outcome.reason or outcome.details else {}
    values, readings, system = _told_by_name(problem, outcome) if outcome.readings else ([outcome.value], {}, {})
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return Ending(StoredState.FAIL, (), {**user, **readings}, system)
    return Ending(StoredState.COMPLETE, tuple(known), {**user, **readings}, system)


def _told_by_name(
    problem: Problem, outcome: Outcome
) -> tuple[list[float | None], dict[str, Any], dict[str, list[float]]]:
    """Return the values that Optuna shows, one per objective, and the attributes that keep what was measured by name.

    Optuna knows limits as constraints, by which its own `best_trials` are chosen.
    """
    goals = problem.goals
    numbers = TrialOutcome(tuple(outcome.readings)).numbers
    system = {schema.CONSTRAINTS: as_constraints(goals, numbers)} if goals.limits else {}
    is_more = goals.limits or len(outcome.readings) > 1 or set(numbers) != set(goals.objectives.names)
    user = {schema.READINGS: outcome.readings} if is_more else {}
    return [numbers.get(name) for name in goals.objectives.names], user, system
