"""How a trial gets its point: alone in one step, or among others who are at it at the same time.

Either way the study is read twice: before the suggestion, and after the claim, to see what others did meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import TrialState

from hedgerow import __version__, schema
from hedgerow.errors import StudyError
from hedgerow.optuna.claims import keeps_row
from hedgerow.optuna.trials import RowKey, TrialRows
from hedgerow.runs.changes import asked_with
from hedgerow.runs.leases import Lease
from hedgerow.runs.stored import Asked, StoredStudy
from hedgerow.schema import StoredState, StoredTrial
from hedgerow.space.encoding import encode

_MAX_ATTEMPTS = 20

Hold = Callable[[int], object]


def ask(stored: StoredStudy, lease: Lease | None, budget: int | None, hold: Hold) -> Asked | None:
    """Return a new trial with a point of its own, or None where the budget is used up.

    Without a lease the trial is one that somebody evaluates by hand; with one, `hold` is called as soon as there is a
    lease to keep alive. A trial that is given up by others all the same is left to them, and another made. With a
    budget the end is known, and the last trials confirm what is best.
    """
    stored.sampler.n_trials = budget
    for _ in range(_MAX_ATTEMPTS):
        with suppress(UpdateFinishedTrialError):
            return _ask(stored, lease, budget, hold)
    raise StudyError(
        f"{_MAX_ATTEMPTS} trials in a row were given up by other workers while they got their points. "
        "Set a longer 'lease' in [run]."
    )


def ask_for(stored: StoredStudy, point: Mapping[str, Any]) -> Asked:
    """Return a new trial of a given point, which somebody evaluates by hand; one that is somebody's already is refused.

    The point must keep the rules; whoever calls has seen to that.
    """
    row = encode(stored.problem.space, point)
    claim = stored.sampler.claim(row)
    seen = stored.read()
    key = (row.tobytes(), seen.next_reading(row) if stored.problem.goals.may_repeat else 0)
    if (taken := _taken_by(key, seen)) is None:
        reading = stored.reading(key[1])
        attrs = {schema.BY_HAND: True, schema.CLAIM: claim, **reading, **_again(key, seen)}
        trial_id, number = stored.create(attrs, claim)
        now = stored.read()
        if keeps_row(number, key, now.with_row(key[0])):
            return stored.asked_as(trial_id, number, row)
        stored.lose(trial_id, schema.WITHDRAWN)
        taken = _taken_by(key, now)
    raise StudyError(f"The point was tried or is being tried in trial {taken}: {dict(point)}.")


def _taken_by(key: RowKey, seen: TrialRows) -> int | None:
    return next((item.number for item in seen.with_row(key[0]) if item.key == key), None)


def _ask(stored: StoredStudy, lease: Lease | None, budget: int | None, hold: Hold) -> Asked | None:
    attrs: dict[str, Any] = {schema.BY_HAND: True} if lease is None else {schema.LEASE: lease.to_dict()}
    attrs[schema.ASKED_WITH] = asked_with(stored.problem, __version__)
    seen = stored.read()
    waiting = _take_waiting(stored, seen, attrs, hold)
    if waiting is not None:
        return waiting
    if budget is not None and seen.n_counted() >= budget:
        return None
    if not _are_others_at_work(seen.unfinished, lease):
        asked = _ask_alone(stored, seen, attrs, budget, hold)
        if asked is not None:
            return asked
        seen = stored.read()
    return _ask_among_others(stored, seen, attrs, budget, hold)


def _ask_alone(
    stored: StoredStudy, seen: TrialRows, attrs: Mapping[str, Any], budget: int | None, hold: Hold
) -> Asked | None:
    """Create a trial with its point in one step; None where somebody else took that, or the budget, before."""
    row = stored.sampler.suggest(stored.in_optuna, seen)
    claim = stored.sampler.claim(row)
    key = (row.tobytes(), seen.next_reading(row))
    declared = _again(key, seen)
    trial_id, number = stored.create({**attrs, schema.CLAIM: claim, **stored.reading(key[1]), **declared}, claim)
    hold(trial_id)
    now = stored.read()
    if _is_within(budget, number, now) and keeps_row(number, key, now.with_row(key[0])):
        _declare(stored, trial_id, _again(key, now), declared)
        return stored.asked_as(trial_id, number, row)
    stored.lose(trial_id, schema.WITHDRAWN)
    return None


def _ask_among_others(
    stored: StoredStudy, seen: TrialRows, attrs: Mapping[str, Any], budget: int | None, hold: Hold
) -> Asked | None:
    """Create a trial first and claim its point against those who are claiming too."""
    if budget is not None and seen.n_counted() >= budget:
        return None
    trial_id, _ = stored.create(attrs, {})
    hold(trial_id)
    try:
        return _give_point(stored, trial_id, seen, budget)
    except BaseException:
        stored.lose(trial_id, schema.WITHDRAWN)
        raise


def _give_point(stored: StoredStudy, trial_id: int, seen: TrialRows, budget: int | None = None) -> Asked | None:
    """Claim a trial's point against all others, and store its parameters; None where others took the budget."""
    trial = stored.storage.get_trial(trial_id)
    row, now = stored.sampler.claim_row(stored.in_optuna, trial, seen)
    if not _is_within(budget, trial.number, now):
        stored.lose(trial_id, schema.WITHDRAWN)
        return None
    mine = next((claim.reading for claim in now.claimed if claim.number == trial.number), 0)
    declared = {key: value for key, value in trial.system_attrs.items() if key == schema.AGAIN}
    _declare(stored, trial_id, {**declared, **_again((row.tobytes(), mine), now)}, declared)
    given = {name: value for name, value in stored.sampler.claim(row).items() if name not in trial.params}
    stored.bulk.give(trial_id, given)
    return stored.asked(trial, row)


def _take_waiting(stored: StoredStudy, seen: TrialRows, attrs: Mapping[str, Any], hold: Hold) -> Asked | None:
    """Take up a trial that somebody enqueued with Optuna or its dashboard."""
    for trial in seen.unfinished:
        if trial.state != StoredState.WAITING:
            continue
        trial_id = stored.id_of(trial.number)
        try:
            stored.set_attrs(trial_id, attrs)
            if stored.storage.set_trial_state_values(trial_id, TrialState.RUNNING):
                # Another worker may have set its own in between, without getting the trial.
                stored.set_attrs(trial_id, attrs)
                hold(trial_id)
                return _give_point(stored, trial_id, seen)
        except UpdateFinishedTrialError:
            continue
    return None


def _is_within(budget: int | None, number: int, seen: TrialRows) -> bool:
    return budget is None or seen.n_counted_before(number) < budget


def _are_others_at_work(trials: Sequence[StoredTrial], lease: Lease | None) -> bool:
    running = (trial for trial in trials if trial.state == StoredState.RUNNING)
    leases = [found for trial in running if (found := Lease.of(trial)) is not None]
    return any(lease is None or found.worker != lease.worker for found in leases)


def _again(key: RowKey, seen: TrialRows) -> dict[str, list[int]]:
    """Return the declaration that a point is tried again, where it is."""
    before = seen.lost_with(key)
    return {schema.AGAIN: before} if before else {}


def _declare(
    stored: StoredStudy, trial_id: int, wanted: Mapping[str, list[int]], declared: Mapping[str, list[int]]
) -> None:
    """Say what came to be known of a point since it was suggested: others may have tried and lost it in between."""
    if wanted != declared:
        stored.set_attrs(trial_id, wanted)
