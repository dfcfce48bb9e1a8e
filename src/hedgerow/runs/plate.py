"""Telling many results at once: all are checked before the first is stored, and telling them again changes nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.errors import HedgerowError, StudyError
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
    space = study.problem.space
    outcomes = {item.number: (item.row.tobytes(), item.value) for item in read.told}
    waiting = {asked.number: asked.point for asked in study.pending_by_hand()}
    finished = {trial.number for trial in read.trials if trial.state in (StoredState.COMPLETE, StoredState.FAIL)}
    new: list[tuple[Point, float | None]] = []
    known: list[int] = []
    for result in results:
        try:
            if result.number is None:
                row = encode(space, result.point or {})
                point = decode(space, row)
                same = [
                    n for n, (key, value) in outcomes.items() if key == row.tobytes() and _same(value, result.value)
                ]
            elif result.number in waiting:
                point, same = waiting[result.number], []
            else:
                point, same = {}, _known(result, outcomes, finished)
        except HedgerowError as error:
            raise StudyError(f"{result.place} of the results: {error}") from None
        if same:
            known.append(same[0])
        else:
            new.append((point, result.value))
    return PlateReport(tuple(study.tell(point, value) for point, value in new), tuple(known))


def _known(result: TableResult, outcomes: dict[int, tuple[bytes, float]], finished: set[int]) -> list[int]:
    """Return the trial where it has this outcome already; one with another outcome, or none, is a mistake."""
    assert result.number is not None
    if result.number not in outcomes or result.number not in finished:
        raise StudyError(f"no trial {result.number} waits for a value; hedgerow status lists those that do.")
    if not _same(outcomes[result.number][1], result.value):
        raise StudyError(f"trial {result.number} was told already, as {outcomes[result.number][1]:g}.")
    return [result.number]


def _same(stored: float, told: float | None) -> bool:
    return math.isnan(stored) if told is None else stored == told
