"""What becomes of trials whose workers are gone: told where they left an outcome, tried again where they did not.

A run that is killed says nothing about the point it was evaluating, so the point is free again, as often as it takes.
But a point may be what brings its machine down. So a loss is held against it where the evaluation had begun and ended
together with its run, or where that cannot be known because it happened on another machine; after `max_lost` of
these the point is told as failed. An evaluation that never began, or outlived its run, is never held against a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, TrialState

from hedgerow import schema
from hedgerow.arrays import Codes
from hedgerow.optuna.trials import ClaimedRow, FinishedRow
from hedgerow.runs.leases import Lease
from hedgerow.runs.stored import StoredStudy
from hedgerow.runs.telling import finish, tell_late
from hedgerow.runs.workers.job import Outcome
from hedgerow.runs.workers.spool import EvaluationState
from hedgerow.schema import StoredTrial


def reclaim(stored: StoredStudy, trials: Sequence[StoredTrial]) -> list[StoredTrial]:
    """End the trials whose workers vanished, and return them; those still evaluated on this machine go on."""
    ended = [trial for trial in trials if stored.spool.state(trial.number) is not EvaluationState.GOING_ON]
    for trial in [stored.storage.get_trial(stored.id_of(trial.number)) for trial in ended]:
        row = stored.sampler.row_of(trial)
        outcome = None if row is None else stored.spool.take(trial.number, stored.asked(trial, row).point)
        if row is not None and outcome is not None:
            finish(stored, stored.asked(trial, row), outcome)
        else:
            _give_up(stored, trial, row)
            stored.spool.drop_signs(trial.number)
    return ended


def recover(stored: StoredStudy) -> None:
    """Tell what was measured on this machine for trials that have been given up since."""
    numbers = list(stored.spool)
    trials = {trial.number: trial for trial in stored.trials()} if numbers else {}
    for number in numbers:
        trial = trials.get(number)
        if trial is not None and not trial.state.is_finished():
            # Its worker tells it, or those who find the worker gone.
            continue
        row = None if trial is None else stored.sampler.row_of(trial)
        if trial is not None and row is not None:
            asked = stored.asked(trial, row)
            outcome = stored.spool.take(number, asked.point)
            if outcome is not None:
                tell_late(stored, asked, outcome)
        stored.spool.drop(number)


def _give_up(stored: StoredStudy, trial: FrozenTrial, row: Codes | None) -> None:
    """Free a lost trial's point, or tell it as failed where it may be what makes workers vanish."""
    read = stored.read()
    trials = {other.number: other for other in read.trials}
    everyone: list[FinishedRow | ClaimedRow] = [*read.told, *read.claimed, *read.lost]
    key = next((item.key for item in everyone if item.number == trial.number), None)
    same = [item.number for item in everyone if item.key == key and item.number != trial.number]
    if schema.AGAIN not in trial.system_attrs and any(number < trial.number for number in same):
        # Its worker vanished before it could see that the point was taken; it never began.
        stored.lose(trial._trial_id, schema.WITHDRAWN)
        return
    if row is None or not _is_suspect(stored, trial):
        stored.lose(trial._trial_id, schema.INTERRUPTED)
        return
    n_lost = 1 + sum(trials[number].system_attrs.get(schema.LOST) == schema.VANISHED for number in same)
    if n_lost < stored.problem.max_lost:
        stored.lose(trial._trial_id, schema.VANISHED)
        return
    with suppress(UpdateFinishedTrialError):
        details = Outcome(None, f"its evaluation and its worker vanished together, {n_lost} times").to_dict()
        stored.storage.set_trial_user_attr(trial._trial_id, schema.DETAILS, details)
        stored.storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)


def _is_suspect(stored: StoredStudy, trial: FrozenTrial) -> bool:
    """Whether the evaluation of a trial may be what ended its worker."""
    state = stored.spool.state(trial.number)
    if state is not EvaluationState.UNSEEN:
        return state is EvaluationState.ENDED
    lease = Lease.of(trial)
    is_seen_from_here = stored.spool.is_kept and lease is not None and lease.holder.is_here
    return not is_seen_from_here
