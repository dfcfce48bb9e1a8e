"""What becomes of trials whose workers are gone: told where they left an outcome, tried again where they did not.

A run that is killed says nothing about the point it was evaluating, so the point is free again, as often as it takes.
But a point may be what brings its machine down. So a loss is held against it where the evaluation had begun and ended
together with its run, or where that cannot be known because it happened on another machine; after `max_losses` of
these the point is told as failed. An evaluation that never began, or outlived its run, is never held against a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, TrialState

from hedgerow.arrays import Codes
from hedgerow.optuna.trials import INTERRUPTED, LOST, VANISHED, WITHDRAWN, Claimed, Told
from hedgerow.runs.asking import AGAIN
from hedgerow.runs.leases import Lease
from hedgerow.runs.opened import OpenStudy
from hedgerow.runs.standing import DETAILS
from hedgerow.runs.telling import finish, tell_late
from hedgerow.runs.workers.job import Outcome
from hedgerow.runs.workers.spool import Fate


def reclaim(opened: OpenStudy, trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """End the trials whose workers vanished, and return them; those still evaluated on this machine go on."""
    ended = [trial for trial in trials if opened.spool.fate(trial.number) is not Fate.GOING_ON]
    for trial in ended:
        row = opened.sampler.row_of(trial)
        outcome = None if row is None else opened.spool.take(trial.number, opened.asked(trial, row).point)
        if row is not None and outcome is not None:
            finish(opened, opened.asked(trial, row), outcome)
        else:
            _give_up(opened, trial, row)
            opened.spool.drop_marks(trial.number)
    return ended


def recover(opened: OpenStudy) -> None:
    """Tell what was measured on this machine for trials that have been given up since."""
    numbers = list(opened.spool)
    trials = {trial.number: trial for trial in opened.trials()} if numbers else {}
    for number in numbers:
        trial = trials.get(number)
        if trial is not None and not trial.state.is_finished():
            # Its worker tells it, or those who find the worker gone.
            continue
        row = None if trial is None else opened.sampler.row_of(trial)
        if trial is not None and row is not None:
            asked = opened.asked(trial, row)
            outcome = opened.spool.take(number, asked.point)
            if outcome is not None:
                tell_late(opened, asked, outcome)
        opened.spool.drop(number)


def _give_up(opened: OpenStudy, trial: FrozenTrial, row: Codes | None) -> None:
    """Free a lost trial's point, or tell it as failed where it may be what makes workers vanish."""
    trials = {other.number: other for other in opened.trials()}
    snapshot = opened.snapshot(list(trials.values()))
    key = None if row is None else row.tobytes()
    everyone: list[Told | Claimed] = [*snapshot.told, *snapshot.claimed, *snapshot.lost]
    same = [item.number for item in everyone if item.row.tobytes() == key and item.number != trial.number]
    if AGAIN not in trial.system_attrs and any(number < trial.number for number in same):
        # Its worker vanished before it could see that the point was taken; it never began.
        opened.lose(trial._trial_id, WITHDRAWN)
        return
    if row is None or not _is_suspect(opened, trial):
        opened.lose(trial._trial_id, INTERRUPTED)
        return
    n_losses = 1 + sum(trials[number].system_attrs.get(LOST) == VANISHED for number in same)
    if n_losses < opened.plan.max_losses:
        opened.lose(trial._trial_id, VANISHED)
        return
    with suppress(UpdateFinishedTrialError):
        details = Outcome(None, f"its evaluation and its worker vanished together, {n_losses} times").to_dict()
        opened.storage.set_trial_user_attr(trial._trial_id, DETAILS, details)
        opened.storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)


def _is_suspect(opened: OpenStudy, trial: FrozenTrial) -> bool:
    """Whether the evaluation of a trial may be what ended its worker."""
    fate = opened.spool.fate(trial.number)
    if fate is not Fate.UNSEEN:
        return fate is Fate.ENDED
    lease = Lease.of(trial)
    is_seen_from_here = opened.spool.is_kept and lease is not None and lease.holder.is_here
    return not is_seen_from_here
