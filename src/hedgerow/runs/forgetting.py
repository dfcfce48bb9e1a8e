"""Trials that are to count for nothing: forgotten, or tried again because what failed was not the point.

A finished trial never changes. It is forgotten by another trial that names it: one that ends at once, or one that waits
with the same point for the next run. Either comes into being in one step, so there is no moment at which it is unclear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import optuna
from optuna.trial import FrozenTrial, TrialState

from hedgerow import schema
from hedgerow.arrays import Codes
from hedgerow.errors import StudyError
from hedgerow.optuna.trials import FinishedRow
from hedgerow.runs.changes import file_changes
from hedgerow.runs.stored import StoredStudy
from hedgerow.runs.telling import asked_by_hand, pending_by_hand
from hedgerow.schema import StoredState
from hedgerow.space.encoding import decode


@dataclass(frozen=True)
class Retried:
    """The failed trials whose points wait to be tried again, and those whose points break a rule by now."""

    waiting: tuple[int, ...]
    forbidden: tuple[int, ...]


def forget_point(stored: StoredStudy, row: Codes) -> int:
    """Give up a point that somebody has by hand, or else forget all its trials; return the number of one."""
    asked = asked_by_hand(stored, row)
    if asked is not None:
        stored.lose(asked.trial_id, schema.FORGOTTEN)
        return asked.number
    numbers = [item.number for item in stored.read().told if item.row.tobytes() == row.tobytes()]
    if not numbers:
        point = decode(stored.problem.space, row)
        raise StudyError(f"No trial has the point {point}. hedgerow status lists those that wait, export lists all.")
    _mark(stored, numbers)
    return numbers[0]


def forget_trial(stored: StoredStudy, number: int) -> int:
    """Give up a trial that somebody has by hand, or forget one that has ended."""
    for asked in pending_by_hand(stored):
        if asked.number == number:
            stored.lose(asked.trial_id, schema.FORGOTTEN)
            return number
    if number not in [item.number for item in stored.read().told]:
        raise StudyError(
            f"There is no trial {number} that waits for a value or has ended. hedgerow export lists all of them."
        )
    _mark(stored, [number])
    return number


def retry(stored: StoredStudy, reason: str | None) -> Retried:
    """Let failed trials be tried again, those whose reason contains a text, or all."""
    read = stored.read()
    states = {trial.number: trial.state for trial in read.trials}
    failed = [item for item in read.told if not item.outcome.readings and states[item.number] == StoredState.FAIL]
    chosen = [item for item in failed if reason is None or reason.lower() in (item.outcome.reason or "").lower()]
    kept = stored.problem.keeps_rules([item.row for item in chosen])
    waiting = [item for item, keeps in zip(chosen, kept, strict=True) if keeps]
    forbidden = [item.number for item, keeps in zip(chosen, kept, strict=True) if not keeps]
    for item in waiting:
        stored.storage.create_new_trial(stored.study_id, _waiting(stored, item))
    if forbidden:
        _mark(stored, forbidden)
    return Retried(tuple(item.number for item in waiting), tuple(forbidden))


def _mark(stored: StoredStudy, numbers: Sequence[int]) -> None:
    """Forget finished trials, by one that has no point and ends as it begins."""
    attrs: dict[str, Any] = {schema.FORGETS: list(numbers), schema.LOST: schema.WITHDRAWN}
    stored.storage.create_new_trial(stored.study_id, optuna.create_trial(state=TrialState.FAIL, system_attrs=attrs))


def _waiting(stored: StoredStudy, item: FinishedRow) -> FrozenTrial:
    """Return a trial that waits with the point of a failed one, and lets that one be forgotten."""
    attrs = {
        schema.FIXED: stored.sampler.claim(item.row),
        schema.FORGETS: [item.number],
        schema.AGAIN: [item.number],
        **stored.reading(item.reading),
    }
    return optuna.create_trial(state=TrialState.WAITING, system_attrs=attrs)


def check_objective(stored: StoredStudy, accept_change: bool) -> None:
    """Raise where what measures points has changed since trials were measured; write down what is new."""
    mine = stored.problem.measured_by
    attrs = stored.attrs()
    before = attrs.get(schema.MEASURED_BY)
    if mine is None:
        return
    if before != mine:
        _check_same(stored, before, mine, accept_change)
        stored.storage.set_study_user_attr(stored.study_id, schema.MEASURED_BY, mine)
    files = file_changes(stored.problem, attrs, len(stored.trials()))
    if files != attrs.get(schema.MEASURED_FILES, []):
        stored.storage.set_study_user_attr(stored.study_id, schema.MEASURED_FILES, files)


def _check_same(stored: StoredStudy, before: Any, mine: dict[str, Any], accept_change: bool) -> None:
    measured = [
        trial
        for trial in stored.trials()
        if schema.LEASE in trial.system_attrs and schema.UNASKED not in trial.system_attrs
        if trial.state is TrialState.COMPLETE or schema.has_readings(trial)
    ]
    if isinstance(before, dict) and measured and not accept_change:
        raise StudyError(
            f"The study '{stored.problem.study}' was measured by {_shown(before)}, but the file says {_shown(mine)}, "
            "and values of both would be mixed. Change it back, name another study in [run] or with --study, or say "
            "--accept-change where both measure the same."
        )


def _shown(measured_by: dict[str, Any]) -> str:
    return ", ".join(f"{kind} {what!r}" for kind, what in measured_by.items())
