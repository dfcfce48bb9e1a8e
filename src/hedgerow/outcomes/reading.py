"""What is told of a trial, read: a number, numbers by name, several readings, or a failure.

Every reading is a dict of the finite numbers in it. An outcome that is None, NaN or infinite is one that the trial did
not give: the others still count. A trial that gave nothing at all has failed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow import checks
from hedgerow.errors import PointError
from hedgerow.outcomes.failure import Failure
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.numbers import as_value, no_number
from hedgerow.outcomes.objectives import check_name

Reading = dict[str, float]


@dataclass(frozen=True)
class TrialOutcome:
    """What one trial gave: its readings, none of them empty, or none at all and perhaps a reason."""

    readings: tuple[Reading, ...] = ()
    reason: str | None = None

    @property
    def numbers(self) -> Reading:
        """The mean of all readings of each outcome."""
        names = dict.fromkeys(name for reading in self.readings for name in reading)
        return {name: _mean([reading[name] for reading in self.readings if name in reading]) for name in names}

    def readings_of(self, name: str) -> tuple[float, ...]:
        """Return all readings of one outcome."""
        return tuple(reading[name] for reading in self.readings if name in reading)


def _mean(numbers: list[float]) -> float:
    with np.errstate(over="ignore"):
        mean = float(np.mean(numbers))
    # The sum of numbers near the largest float is none.
    return mean if math.isfinite(mean) else float(np.sum(np.array(numbers) / len(numbers)))


def read_outcome(given: Any, goals: Goals) -> TrialOutcome:
    """Return what a trial gave, or raise PointError where it cannot be meant."""
    if isinstance(given, Failure):
        return TrialOutcome(reason=given.reason)
    if isinstance(given, Mapping):
        return _kept(_by_name(given, goals))
    if is_list(given):
        return _kept(_several(list(given), goals))
    number = as_value(given)
    if goals.objectives.are_several and number is not None:
        raise PointError(
            f"A trial gives {_wanted(goals)}, but the number {number!r} was given. Tell a dict of numbers by name."
        )
    return TrialOutcome() if number is None else TrialOutcome(({goals.objectives.names[0]: number},))


def is_list(given: Any) -> bool:
    """Return whether this is a list of readings."""
    return isinstance(given, list | tuple) or (isinstance(given, np.ndarray) and given.ndim == 1)


def _kept(readings: list[Reading]) -> TrialOutcome:
    return TrialOutcome(tuple(reading for reading in readings if reading))


def _by_name(given: Mapping[Any, Any], goals: Goals) -> list[Reading]:
    """Read numbers by name; each may be a list of readings, of which the first belong together, and so on."""
    if not goals.objectives.is_named and not goals.limits:
        raise no_number(given, "Numbers by name need names: objectives={'time': 'minimize'}, or limits.")
    if not given:
        raise PointError("An empty dict was told. Tell None for a trial that failed.")
    columns: dict[str, list[float | None]] = {}
    for name, value in given.items():
        check_name("outcome", name)
        columns[name] = list(_numbers(list(value), name, goals)) if is_list(value) else [_named(name, value)]
    n_readings = max(len(column) for column in columns.values())
    rows = ({name: column[k] for name, column in columns.items() if k < len(column)} for k in range(n_readings))
    return [{name: number for name, number in row.items() if number is not None} for row in rows]


def _named(name: str, value: Any) -> float | None:
    try:
        return as_value(value)
    except PointError as error:
        raise PointError(f"The outcome '{name}' cannot be read. {error}") from None


def _several(given: list[Any], goals: Goals) -> list[Reading]:
    if not goals.may_repeat:
        raise no_number(given, "Several readings of one point need repeats: a number, or 'auto'.")
    if given and all(isinstance(reading, Mapping) for reading in given):
        return [reading for one in given for reading in _by_name(one, goals)]
    if goals.objectives.are_several:
        raise PointError(
            f"A trial gives {_wanted(goals)}, but the readings {checks.shown(given)} were given. "
            "Tell a list of dicts, or a dict of lists."
        )
    name = goals.objectives.names[0]
    return [{name: number} for number in _numbers(given, name, goals)]


def _numbers(given: list[Any], name: str, goals: Goals) -> list[float]:
    if not goals.may_repeat:
        raise no_number(given, f"Several readings of '{name}' need repeats: a number, or 'auto'.")
    try:
        numbers = [as_value(value) for value in given]
    except PointError:
        numbers = [None]
    if not numbers or None in numbers:
        raise PointError(
            f"Readings of one point are numbers, all of them, but {checks.shown(given)} was given. "
            "Tell a failure on its own, and leave out readings that mean nothing."
        )
    return [number for number in numbers if number is not None]


def _wanted(goals: Goals) -> str:
    return "numbers by name, " + " and ".join(f"'{name}'" for name in goals.objectives.names)
