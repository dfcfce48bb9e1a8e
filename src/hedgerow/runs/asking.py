"""How a trial gets its point: alone in one step, or among others who are choosing at the same time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from optuna.exceptions import UpdateFinishedTrialError
from optuna.trial import FrozenTrial, TrialState

from hedgerow import __version__
from hedgerow.arrays import Codes
from hedgerow.errors import StudyError
from hedgerow.optuna.claims import keeps_row
from hedgerow.optuna.trials import CLAIM, WITHDRAWN, Snapshot
from hedgerow.runs.leases import LEASE, Lease
from hedgerow.runs.opened import Asked, OpenStudy
from hedgerow.runs.standing import ASKED_WITH, BY_HAND, is_counted

_MAX_ATTEMPTS = 20
# The trials that tried a point before and were lost.
AGAIN = "hedgerow:again"

Hold = Callable[[int], object]


def ask(opened: OpenStudy, lease: Lease | None, budget: int | None, hold: Hold) -> Asked | None:
    """Return a new trial with a point of its own, or None where the budget is used up.

    Without a lease the trial is one that somebody evaluates by hand; with one, `hold` is called as soon as there is a
    lease to keep alive. A trial that is given up by others all the same is left to them, and another made.
    """
    for _ in range(_MAX_ATTEMPTS):
        with suppress(UpdateFinishedTrialError):
            return _ask(opened, lease, budget, hold)
    raise StudyError(
        f"{_MAX_ATTEMPTS} trials in a row were given up by other workers while they got their points. "
        "Set a longer 'lease' in [run]."
    )


def _ask(opened: OpenStudy, lease: Lease | None, budget: int | None, hold: Hold) -> Asked | None:
    marks: dict[str, Any] = {BY_HAND: True} if lease is None else {LEASE: lease.to_dict()}
    marks[ASKED_WITH] = f"method {opened.plan.method}, seed {opened.plan.seed}, hedgerow {__version__}"
    trials = opened.trials()
    waiting = _take_waiting(opened, trials, marks, hold)
    if waiting is not None:
        return waiting
    if budget is not None and _n_counted(trials) >= budget:
        return None
    if not _are_others_at_work(trials, lease):
        asked = _ask_alone(opened, trials, marks, budget, hold)
        if asked is not None:
            return asked
    return _ask_among_others(opened, marks, budget, hold)


def _ask_alone(
    opened: OpenStudy, trials: Sequence[FrozenTrial], marks: Mapping[str, Any], budget: int | None, hold: Hold
) -> Asked | None:
    """Create a trial with its point in one step; None where somebody else took that, or the budget, before."""
    snapshot = opened.snapshot(trials)
    row = opened.sampler.suggest(opened.study, snapshot)
    claim = opened.sampler.claim(row)
    declared = _again(row, snapshot)
    trial_id = opened.create({**marks, CLAIM: claim, **declared}, claim)
    hold(trial_id)
    now = opened.trials()
    trial = next(trial for trial in now if trial._trial_id == trial_id)
    is_within = budget is None or _n_counted(now, before=trial.number) < budget
    seen = opened.snapshot(now)
    if is_within and keeps_row(trial.number, row, seen):
        _declare(opened, trial_id, _again(row, seen), declared)
        return opened.asked(trial, row)
    opened.lose(trial_id, WITHDRAWN)
    return None


def _ask_among_others(opened: OpenStudy, marks: Mapping[str, Any], budget: int | None, hold: Hold) -> Asked | None:
    """Create a trial first and choose its point against those who are choosing too."""
    trial_id = opened.create(marks, {})
    hold(trial_id)
    now = opened.trials()
    number = next(trial.number for trial in now if trial._trial_id == trial_id)
    if budget is not None and _n_counted(now, before=number) >= budget:
        opened.lose(trial_id, WITHDRAWN)
        return None
    try:
        return _give_point(opened, trial_id)
    except BaseException:
        opened.lose(trial_id, WITHDRAWN)
        raise


def _give_point(opened: OpenStudy, trial_id: int) -> Asked:
    """Choose a trial's point against all others, and store its parameters."""
    trial = opened.storage.get_trial(trial_id)
    row = opened.sampler.choose(opened.study, trial)
    _declare(opened, trial_id, _again(row, opened.snapshot(opened.trials())), {})
    for name, value in opened.parameters(opened.sampler.claim(row)).items():
        if name not in trial.params:
            distribution = opened.distributions[name]
            opened.storage.set_trial_param(trial_id, name, distribution.to_internal_repr(value), distribution)
    return opened.asked(trial, row)


def _take_waiting(
    opened: OpenStudy, trials: Sequence[FrozenTrial], marks: Mapping[str, Any], hold: Hold
) -> Asked | None:
    """Take up a trial that somebody enqueued with Optuna or its dashboard."""
    for trial in trials:
        if trial.state is not TrialState.WAITING:
            continue
        try:
            opened.mark(trial._trial_id, marks)
            if opened.storage.set_trial_state_values(trial._trial_id, TrialState.RUNNING):
                # Another worker may have marked it in between, without getting it.
                opened.mark(trial._trial_id, marks)
                hold(trial._trial_id)
                return _give_point(opened, trial._trial_id)
        except UpdateFinishedTrialError:
            continue
    return None


def _n_counted(trials: Sequence[FrozenTrial], before: int | None = None) -> int:
    return sum(is_counted(trial) for trial in trials if before is None or trial.number < before)


def _are_others_at_work(trials: Sequence[FrozenTrial], lease: Lease | None) -> bool:
    running = (trial for trial in trials if trial.state is TrialState.RUNNING)
    leases = [found for trial in running if (found := Lease.of(trial)) is not None]
    return any(lease is None or found.worker != lease.worker for found in leases)


def _again(row: Codes, snapshot: Snapshot) -> dict[str, list[int]]:
    """Return the declaration that a point is tried again, where it is."""
    key = row.tobytes()
    before = [lost.number for lost in snapshot.lost if lost.row.tobytes() == key]
    return {AGAIN: before} if before else {}


def _declare(
    opened: OpenStudy, trial_id: int, wanted: Mapping[str, list[int]], declared: Mapping[str, list[int]]
) -> None:
    """Say what came to be known of a point since it was chosen: others may have tried and lost it in between."""
    if wanted != declared:
        opened.mark(trial_id, wanted)
