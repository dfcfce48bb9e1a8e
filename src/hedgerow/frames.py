"""Observations as tables: data frames in and out. pandas is used where somebody asks for a frame, and nowhere else.

A table has a column for each variable (`x[0]`, `x[1]` for the components of a vector, `mix[wax]` for a share), and one
for what the trial gave: `value`, or one for each outcome by its name.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hedgerow.errors import HedgerowError, PointError
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.observation import Observation
from hedgerow.space import Permutation, Point, Space, Vector
from hedgerow.space.encoding import together
from hedgerow.wording import ending

if TYPE_CHECKING:
    from pandas import DataFrame

VALUE = "value"


def to_frame(observations: Sequence[Observation]) -> DataFrame:
    """Return observations as a data frame, one row each, in the order in which they were told."""
    return as_frame([_row(seen) for seen in observations])


def as_frame(rows: Sequence[Mapping[str, Any]]) -> DataFrame:
    """Return rows as a data frame, or say what is missing for that."""
    try:
        import pandas as pd  # noqa: PLC0415 - for those who have it
    except ImportError:
        raise HedgerowError("A data frame needs pandas: pip install 'hedgerow[pandas]'.") from None
    return pd.DataFrame(rows)


def _row(seen: Observation) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for name, value in seen.point.items():
        if isinstance(value, list | dict):
            parts = value.items() if isinstance(value, dict) else enumerate(value)
            row.update({f"{name}[{part}]": item for part, item in parts})
        else:
            row[name] = value
    numbers = dict(seen.outcomes) or {VALUE: math.nan if seen.value is None else seen.value}
    about = {"is_feasible": seen.is_feasible, "failed": seen.failed, "reason": seen.reason}
    return {**row, **numbers, **about}


def rows_in(data: Any, space: Space, goals: Goals) -> list[tuple[Point, Any]]:
    """Return the points of a table, each with what to tell of it.

    `data` is a data frame, or an iterable of mappings. Columns are matched by name; others are passed over.
    """
    rows = _records(data)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    for name, variable in space.variables.items():
        parts = _parts(name, space)
        is_there = name in columns or (parts and all(part in columns for part in parts))
        if rows and not is_there and variable.when is None:
            raise PointError(_no_column(name, columns, parts))
    outcomes = _outcome_columns(columns, space, goals) if rows else []
    return [(_point(row, space), _told(row, outcomes, goals)) for row in rows]


def _no_column(name: str, columns: Sequence[str], parts: Sequence[str] = ()) -> str:
    """Return what to say of a column that is missing; a vector may have one for each component instead."""
    if parts:
        shown = ", ".join(parts[:3]) + (", and so on" if len(parts) > 3 else "")
        return f"data has no column '{name}', nor one for each of its parts: {shown}. It has {', '.join(columns)}."
    hint = ending(name, columns)
    return f"data has no column '{name}'{hint}" + ("" if "known are" in hint else f" It has {', '.join(columns)}.")


def _records(data: Any) -> list[Mapping[str, Any]]:
    if hasattr(data, "to_dict") and hasattr(data, "columns"):
        return [dict(row) for row in data.to_dict("records")]
    listed = list(data) if isinstance(data, Iterable) and not isinstance(data, str | bytes | Mapping) else None
    if listed is None or not all(isinstance(row, Mapping) for row in listed):
        raise PointError(
            f"data is a data frame, or a list of dicts with a value for every variable and '{VALUE}', but "
            f"{type(data).__name__} was given."
        )
    return listed


def _outcome_columns(columns: Sequence[str], space: Space, goals: Goals) -> list[str]:
    """Return the columns that say what a trial gave; the only one besides the variables needs no particular name."""
    if goals.objectives.is_named or goals.limits:
        wanted = [*goals.objectives.names, *(name for limit in goals.limits for name in limit.outcomes)]
        found = [name for name in dict.fromkeys(wanted) if name in columns]
        if goals.objectives.names[0] not in found and VALUE not in columns:
            name = goals.objectives.names[0]
            raise PointError(_no_column(name, columns))
        return found or [VALUE]
    if VALUE in columns and VALUE not in space:
        return [VALUE]
    slots = {part for name in space for part in _parts(name, space)} | set(space)
    others = [name for name in columns if name not in slots]
    if len(others) == 1:
        return others
    raise PointError(
        f"data has {'no' if not others else 'several'} columns besides the variables"
        f"{': ' + ', '.join(others) if others else ''}. Name the one that holds what trials gave '{VALUE}'."
    )


def _point(row: Mapping[str, Any], space: Space) -> Point:
    point: Point = {}
    for name, variable in space.variables.items():
        parts = _parts(name, space)
        if variable.when is not None and all(_is_missing(row.get(column)) for column in (name, *parts[:1])):
            continue
        if isinstance(variable, Permutation) and name not in row:
            point[name] = [row.get(part) for part in parts]
        elif isinstance(variable, Vector) and name not in row:
            point[name] = together(variable, [row.get(part) for part in parts], 0)
        else:
            given: Any = row.get(name)
            is_sequence = (
                isinstance(variable, Vector) and isinstance(given, Iterable) and not isinstance(given, Mapping)
            )
            point[name] = list(given) if is_sequence else given
    return point


def _parts(name: str, space: Space) -> list[str]:
    """Return the columns of a vector's components, or of the places of an order; none for a variable of one value."""
    variable, start = space.variables[name], space.first_slot[name]
    if isinstance(variable, Permutation):
        return [f"{name}[{place}]" for place in range(variable.length)]
    n_parts = variable.length if isinstance(variable, Vector) else 0
    return [slot.name for slot in space.slots[start : start + n_parts]]


def _told(row: Mapping[str, Any], outcomes: Sequence[str], goals: Goals) -> Any:
    numbers = {name: row.get(name) for name in outcomes}
    known = {name: number for name, number in numbers.items() if not _is_missing(number)}
    if not known:
        return None
    return known if goals.objectives.is_named or goals.limits else next(iter(known.values()))


def _is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, or what pandas writes for it."""
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float) and math.isnan(value))
    )
