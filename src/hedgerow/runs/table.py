"""The trials of a study as a table, out and in: one row per trial, plain values, columns named after the variables.

A vector has a column for each of its components, `x[0]`, `x[1]` and so on. A variable whose name is that of another
column keeps its name, and the other one is called `trial_state`, `trial_value` and so on. What trials gave stands in
`value`, or in a column for each outcome by name; of several readings in one trial it is their mean.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.errors import PointError, StudyError
from hedgerow.outcomes.goals import Goals
from hedgerow.runs.snapshot import Snapshot
from hedgerow.runs.trial_list import trials_of
from hedgerow.space import Boolean, Point, Space, Variable, Vector
from hedgerow.space.encoding import encode, slot_values, together
from hedgerow.wording import ending

Row = dict[str, Any]

# The columns besides the variables.
TRIAL, STATE, VALUE = "trial", "state", "value"
_FAILED = ("", "failed", "nan", "none", "null")
_TRUTHS = {"true": True, "1": True, "1.0": True, "yes": True, "false": False, "0": False, "0.0": False, "no": False}


def rows_of(snapshot: Snapshot) -> list[Row]:
    """Return every trial that has a point, in the order of their numbers."""
    space, goals = snapshot.problem.space, snapshot.problem.goals
    trials = trials_of(snapshot)
    names = _outcome_names(goals, (trial.outcomes for trial, _ in trials))
    rows: list[Row] = []
    for trial, codes in trials:
        about = {
            **({VALUE: trial.value} if names == [VALUE] else {name: trial.outcomes.get(name) for name in names}),
            "keeps_rules": trial.is_feasible,
            "reason": trial.reason,
            "seconds": trial.seconds,
            "began": None if trial.began is None else trial.began.isoformat(),
            "ended": None if trial.ended is None else trial.ended.isoformat(),
            "asked_with": trial.asked_with,
        }
        point = {slot.name: value for slot, value in zip(space.slots, slot_values(space, codes), strict=True)}
        first = {_column(TRIAL, space): trial.number, _column(STATE, space): trial.state}
        rows.append({**first, **point, **{_column(name, space): value for name, value in about.items()}})
    return rows


def _outcome_names(goals: Goals, given: Iterable[Mapping[str, float]]) -> list[str]:
    """Return what trials give by name, what they are judged by first; of one number without a name, `value`."""
    is_named = goals.objectives.is_named or goals.limits
    if not is_named:
        return [VALUE]
    return list(dict.fromkeys([*goals.names, *(name for numbers in given for name in numbers)]))


def _column(name: str, space: Space) -> str:
    return f"trial_{name}" if name in space else name


def as_csv(rows: Sequence[Row]) -> str:
    """Return rows as the text of a CSV file; what is not known is empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]) if rows else [TRIAL], lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: "" if value is None else value for key, value in row.items()} for row in rows)
    return text.getvalue()


@dataclass(frozen=True)
class TableResult:
    """One line of results: a trial by its number, or a point, with what to tell of it; None where it failed.

    `misfit` says why the line holds no point of the space.
    """

    place: str
    told: Any
    number: int | None = None
    point: Point | None = None
    misfit: str = ""


def results_in(text: str, space: Space, goals: Goals | None = None) -> list[TableResult]:
    """Read results from the text of a CSV file: a column `value`, and `trial` or one column for every variable.

    Where trials give numbers by name, there is a column for each. Lines without anything in them are trials that nobody
    has measured yet, and are passed over; one that failed says `failed`. Places are lines of the file, whose first one
    names the columns.
    """
    header, lines = _parsed(text)
    goals = goals or Goals()
    names = _outcome_names(goals, ())
    trial = _column(TRIAL, space)
    outcomes = {name: column for name in names if (column := _column(name, space)) in header}
    if lacking := [_column(name, space) for name in goals.objectives.names if name not in outcomes]:
        raise StudyError(
            f"The results have no column '{lacking[0]}'{ending(lacking[0], header)} The columns are matched by name."
        )
    slots = [slot.name for slot in space.slots]
    missing = [name for name in slots if name not in header]
    by_number = trial in header
    if not by_number and missing:
        raise StudyError(
            f"The results have no column '{missing[0]}'{ending(missing[0], header)} Name the trials by their number in "
            f"a column '{trial}', or give every variable."
        )
    told = [
        _told(f"Line {number}", dict(zip(header, cells, strict=True)), space, outcomes, by_number, not missing)
        for number, cells in lines
    ]
    return [result for result in told if result is not None]


def pairs_in(text: str, space: Space, goals: Goals) -> list[tuple[Point, float]]:
    """Return the measured trials of a table, also where their points are not of this space: whoever takes them looks.

    What a trial gave stands in a column `value`, or under the name of the first objective.
    """
    header, lines = _parsed(text)
    wanted = dict.fromkeys([goals.objectives.names[0], VALUE])
    column = next((name for name in wanted if name in header and name not in space), None)
    if column is None:
        name = next(iter(wanted))
        raise StudyError(f"The table has no column '{name}'{ending(name, header)}")
    pairs: list[tuple[Point, float]] = []
    for number, line in lines:
        cells = dict(zip(header, line, strict=True))
        try:
            value = _value(cells[column])
        except StudyError as error:
            raise StudyError(f"Line {number} of the table: {error}") from None
        if value is not None:
            pairs.append((_point_or_text(cells, space), value))
    return pairs


def _point_or_text(cells: Mapping[str, str], space: Space) -> Point:
    try:
        return point_in(cells, space)
    except (PointError, KeyError):
        return {name: text for name, text in cells.items() if name in space}


def _told(
    place: str,
    cells: Mapping[str, str],
    space: Space,
    outcomes: Mapping[str, str],
    by_number: bool,
    has_point: bool,
) -> TableResult | None:
    said = {name: cells[column] for name, column in outcomes.items() if cells[column]}
    if not said:
        return None
    try:
        numbers = {name: _value(text) for name, text in said.items()}
        known = {name: number for name, number in numbers.items() if number is not None}
        value: Any = known if known and list(outcomes) != [VALUE] else known.get(VALUE)
        number = _number(cells[_column(TRIAL, space)]) if by_number else None
        if number is not None:
            return TableResult(place, value, number)
        if not has_point:
            raise StudyError("it has no trial number.")
        return _of_point(place, value, cells, space)
    except StudyError as error:
        raise StudyError(f"{place} of the results: {error}") from None


def _of_point(place: str, value: Any, cells: Mapping[str, str], space: Space) -> TableResult:
    try:
        point = point_in(cells, space)
        encode(space, point)
    except PointError as error:
        return TableResult(place, value, misfit=str(error))
    return TableResult(place, value, point=point)


def point_in(cells: Mapping[str, str], space: Space) -> Point:
    """Return the point in the cells of a row, each read as the kind of value that its variable has."""
    point: Point = {}
    for name, variable in space.variables.items():
        if variable.when is not None and not cells[space.slots[space.first_slot[name]].name]:
            continue
        if isinstance(variable, Vector):
            start = space.first_slot[name]
            slots = [slot.name for slot in space.slots[start : start + variable.length]]
            point[name] = together(variable, [_cell(slot, variable.element, cells[slot]) for slot in slots], 0)
        else:
            point[name] = _cell(name, variable, cells[name])
    return point


def _cell(name: str, variable: Variable, text: str) -> Any:
    """Return the value of a variable that a cell stands for."""
    by_text = {str(value): value for value in variable.values}
    if text in by_text:
        return by_text[text]
    if isinstance(variable, Boolean) and text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    try:
        number = float(text)
    except ValueError:
        raise PointError(f"'{text}' is no value of {name}{ending(text, list(by_text))}") from None
    if variable.is_continuous:
        return number
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _value(text: str) -> float | None:
    if text.lower() in _FAILED:
        return None
    try:
        number = float(text)
    except ValueError:
        raise StudyError(f"'{text}' is no value: a number, or 'failed'.") from None
    if math.isinf(number) and any(letter.isdigit() for letter in text):
        raise StudyError(f"'{text[:40]}' is larger than a number can be here (about 1.8e308).")
    return number if math.isfinite(number) else None


def _number(text: str) -> int | None:
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise StudyError(f"'{text}' is no trial number.")
    return int(text)


def _parsed(text: str) -> tuple[list[str], list[tuple[int, list[str]]]]:
    first = text.split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    try:
        stripped = ((reader.line_num, [cell.strip() for cell in cells]) for cells in reader)
        lines = [(number, cells) for number, cells in stripped if any(cells)]
    except csv.Error as error:
        raise StudyError(f"Line {reader.line_num} of the results is not CSV: {error}.") from None
    if not lines:
        raise StudyError("The results are empty. The first line must name the columns.")
    header = lines[0][1]
    if len(set(header)) < len(header):
        raise StudyError(f"The results have two columns of one name: {', '.join(header)}.")
    for number, cells in lines[1:]:
        if len(cells) != len(header):
            raise StudyError(
                f"Line {number} of the results has {len(cells)} cells, but there are {len(header)} columns."
            )
    return header, lines[1:]
