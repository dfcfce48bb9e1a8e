"""Telling many results at once: all are checked before the first is stored, and telling them again changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.errors import HedgerowError, StudyError
from hedgerow.optuna.trials import FinishedRow
from hedgerow.outcomes.reading import TrialOutcome, read_outcome
from hedgerow.runs.study import Study
from hedgerow.runs.table import TableResult
from hedgerow.schema import StoredState
from hedgerow.space import Point
from hedgerow.space.encoding import decode, encode


@dataclass(frozen=True)
class PlateReport:
    """The trials that were told now, and those that had the same outcome already."""

    told: tuple[int, ...]
    known: tuple[int, ...]


def tell_all(study: Study, results: Sequence[TableResult]) -> PlateReport:
    """Store results; a result that cannot be stored is told before any other is."""
    read = study.read()
    space, goals = study.problem.space, study.problem.goals
    # Each stored trial stands for one result: two equal readings of a point are two.
    outcomes = {item.number: item for item in read.told}
    waiting = {asked.number: asked.point for asked in study.pending_by_hand()}
    finished = {trial.number for trial in read.trials if trial.state in (StoredState.COMPLETE, StoredState.FAIL)}
    new: list[tuple[Point, Any]] = []
    known: list[int] = []
    for result in results:
        try:
            told = read_outcome(result.told, goals)
            if result.number is None:
                row = encode(space, result.point or {})
                point = decode(space, row)
                key = row.tobytes()
                same = [n for n, item in outcomes.items() if item.row.tobytes() == key and _same(item.outcome, told)]
            elif result.number in waiting:
                point, same = waiting[result.number], []
            else:
                point, same = {}, _known(result.number, told, outcomes, finished)
        except HedgerowError as error:
            raise StudyError(f"{result.place} of the results: {error}") from None
        if same:
            known.append(same[0])
            if result.number is None and goals.may_repeat:
                outcomes.pop(same[0])
        else:
            new.append((point, result.told))
    return PlateReport(tuple(study.tell(point, told) for point, told in new), tuple(known))


def _known(number: int, told: TrialOutcome, outcomes: dict[int, FinishedRow], finished: set[int]) -> list[int]:
    """Return the trial where it has this outcome already; one with another outcome, or none, is a mistake."""
    if number not in outcomes or number not in finished:
        raise StudyError(f"no trial {number} waits for a value; hedgerow status lists those that do.")
    if not _same(outcomes[number].outcome, told):
        raise StudyError(f"trial {number} was told already, as {_shown(outcomes[number].outcome)}.")
    return [number]


def _same(stored: TrialOutcome, told: TrialOutcome) -> bool:
    return stored.readings == told.readings


def _shown(outcome: TrialOutcome) -> str:
    if not outcome.readings:
        return "failed"
    if len(outcome.numbers) == 1:
        return f"{next(iter(outcome.numbers.values())):g}"
    return ", ".join(f"{name} = {number:g}" for name, number in outcome.numbers.items())
