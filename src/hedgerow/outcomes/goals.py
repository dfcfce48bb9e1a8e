"""What trials are judged by: objectives, limits, and how often a point is measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from hedgerow import checks
from hedgerow.arrays import Column
from hedgerow.errors import ArgumentError
from hedgerow.outcomes.limits import Limit, Threshold, read_limits
from hedgerow.outcomes.numbers import as_value
from hedgerow.outcomes.objectives import Objectives
from hedgerow.wording import nearest

# False: no point twice. A number: each point so often. "auto": where another reading is worth more than a new point.
Repeats = bool | int | Literal["auto"]

# The negative float nearest to zero.
_NEXT_TO_NOTHING = -5e-324


@dataclass(frozen=True)
class Goals:
    """Everything about outcomes that is known before the first trial; `reference` is where fronts are measured from."""

    objectives: Objectives = field(default_factory=Objectives)
    limits: tuple[Limit, ...] = ()
    repeats: Repeats = False
    reference: tuple[float, ...] | None = None

    @classmethod
    def of(cls, direction: Any, objectives: Any, limits: Any, repeats: Any, reference: Any) -> Goals:
        """Read what a user gives, or raise."""
        goals = Objectives.of(direction, objectives)
        return cls(goals, read_limits(limits), _repeats(repeats), _reference(goals, reference))

    @property
    def is_plain(self) -> bool:
        """Whether a trial gives one number, once."""
        return not (self.objectives.is_named or self.limits or self.may_repeat)

    @property
    def is_single(self) -> bool:
        """Whether the method has one number to make small, and nothing else to look at."""
        return not (self.objectives.are_several or self.limits or self.repeats == "auto")

    @property
    def may_repeat(self) -> bool:
        """Whether a point may be measured more than once."""
        return self.repeats is not False

    @property
    def names(self) -> tuple[str, ...]:
        """The outcomes that objectives and limits are about, in the order in which they were given."""
        in_limits = (name for limit in self.limits for name in limit.outcomes)
        return tuple(dict.fromkeys([*self.objectives.names, *in_limits]))

    def ordered(self, numbers: Mapping[str, float]) -> dict[str, float]:
        """Return numbers by name in the order of `names`, and then the others as they came."""
        names = [*(name for name in self.names if name in numbers), *numbers]
        return {name: numbers[name] for name in dict.fromkeys(names)}

    def mistyped(self, given: Iterable[str]) -> tuple[str, str] | None:
        """Return a name that was given, and the missing one that it may be meant for; None where none is near."""
        listed = list(given)
        unknown = [name for name in listed if name not in self.names]
        pairs = ((nearest(name, unknown), name) for name in self.names if name not in listed)
        return next(((near, name) for near, name in pairs if near is not None), None)

    @property
    def thresholds(self) -> tuple[Threshold, ...]:
        """The comparisons of all limits."""
        return tuple(threshold for limit in self.limits for threshold in limit.thresholds)

    @property
    def n_columns(self) -> int:
        """How many numbers a method learns from: the objectives, and the slack of each threshold."""
        return len(self.objectives.names) + len(self.thresholds)

    def columns(self, numbers: Mapping[str, float]) -> Column:
        """Return these numbers: objectives so that less is better, then slacks; NaN where not measured.

        A strict limit does not hold where nothing is to spare: its slack is negative there, by next to nothing.
        """
        pairs = zip(self.objectives.names, self.objectives.signs, strict=True)
        values = [sign * numbers.get(name, math.nan) for name, sign in pairs]
        slacks = [
            _NEXT_TO_NOTHING if threshold.is_strict and slack == 0 else slack
            for threshold, slack in zip(self.thresholds, (each.slack(numbers) for each in self.thresholds), strict=True)
        ]
        return np.array(values + slacks)

    def slacks(self, numbers: Mapping[str, float]) -> dict[str, float]:
        """Return the slack of each limit by its name; NaN where not measured."""
        return {limit.name: limit.slack(numbers) for limit in self.limits}

    def broken(self, numbers: Mapping[str, float]) -> tuple[str, ...]:
        """Return the names of the limits that are not known to hold."""
        return tuple(limit.name for limit in self.limits if not limit.holds(numbers))

    @property
    def signed_reference(self) -> Column | None:
        """The reference so that less is better."""
        return None if self.reference is None else np.array(self.objectives.signs) * np.array(self.reference)


def _repeats(given: Any) -> Repeats:
    if given is False or (isinstance(given, str) and given == "auto"):
        return "auto" if given else False
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1:
        raise ArgumentError(
            "repeats is False (no point twice), a whole number of at least 1 (each point so often) or 'auto', but "
            f"{given!r} was given."
        )
    return int(given)


def _reference(objectives: Objectives, given: Any) -> tuple[float, ...] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping) or set(given) != set(objectives.names):
        raise ArgumentError(
            f"reference maps each objective ({', '.join(objectives.names)}) to a number that is just not good enough, "
            f"but {checks.shown(given)} was given."
        )
    numbers = [as_value(given[name]) for name in objectives.names]
    if any(number is None for number in numbers):
        raise ArgumentError(f"reference takes finite numbers, but {checks.shown(given)} was given.")
    return tuple(number for number in numbers if number is not None)
