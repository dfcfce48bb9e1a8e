"""An observation: a point with what was told of it; and which of several are good."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from hedgerow.outcomes.failure import Failure
from hedgerow.outcomes.front import non_dominated
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.reading import TrialOutcome
from hedgerow.space import Point


@dataclass(frozen=True)
class Estimate:
    """What is believed of one outcome at one point.

    Attributes
    ----------
    mean, sd : float
        The mean and the standard deviation of what is believed, in the unit of the outcome.
    interval : tuple of two floats
        Where the outcome lies with a chance of 90 %.

    Examples
    --------
    >>> import hedgerow as hr
    >>> hr.Estimate(mean=2.0, sd=0.5, interval=(1.18, 2.82))
    Estimate(mean=2.0, sd=0.5, interval=(1.18, 2.82))
    """

    mean: float
    sd: float
    interval: tuple[float, float]


def signed(estimate: Estimate, sign: float) -> Estimate:
    """Return the estimate of an outcome times 1 or -1."""
    low, high = (sign * end for end in estimate.interval)
    return Estimate(sign * estimate.mean, estimate.sd, (min(low, high), max(low, high)))


@dataclass(frozen=True)
class Prediction:
    """What is believed of a trial at one point; `prediction["time"]` is the estimate of one outcome.

    Attributes
    ----------
    point : dict
        The point.
    outcomes : dict
        An `Estimate` for each outcome that trials have given, by name; `"value"` where the objective has no name.
    chance : float
        The chance that the trial works.
    within_limits : float
        The chance that it keeps all limits, if it works; 1 without limits, NaN where a limit was never measured.

    Examples
    --------
    >>> import hedgerow as hr
    >>> optimizer = hr.Optimizer(hr.Space({"x": hr.Integer(0, 9)}), objectives={"time": "minimize"})
    >>> for x in (0, 2, 4, 6, 9):
    ...     optimizer.tell({"x": x}, {"time": 2.0 * x})
    >>> prediction = optimizer.predict([{"x": 5}])[0]
    >>> abs(prediction["time"].mean - 10.0) < 1.0, prediction.chance, prediction.within_limits
    (True, 1.0, 1.0)
    """

    point: Point
    outcomes: Mapping[str, Estimate]
    chance: float
    within_limits: float

    def __getitem__(self, name: str) -> Estimate:
        return self.outcomes[name]


@dataclass(frozen=True, repr=False)
class Observation:
    """A point with what was told of it.

    Attributes
    ----------
    point : dict
        The point.
    value : float or None
        The value of the objective; None when the trial failed or did not give it, and where there are several.
    is_feasible : bool
        Whether the point keeps every rule. One may tell points that do not; they inform, and are never the best.
    outcomes : dict
        The numbers by name, where they were told so; those that the trial did not give are missing.
    readings : tuple
        The single readings where several were told: numbers, or dicts of numbers. The value is their mean.
    slacks : dict
        How far within each limit the trial is, negative beyond it, NaN where that was not measured.
    broken_limits : tuple of str
        The limits that are not known to hold.
    reason : str or None
        Why the trial failed, where that was told.
    believed : Estimate or None
        Of the best point under noise: what is believed of its value.

    Examples
    --------
    >>> import hedgerow as hr
    >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}))
    >>> optimizer.tell({"x": 2}, 0.5)
    >>> optimizer.observations
    (Observation(point={'x': 2}, value=0.5, is_feasible=True),)
    """

    point: Point
    value: float | None
    is_feasible: bool = True
    outcomes: Mapping[str, float] = field(default_factory=dict)
    readings: tuple[Any, ...] = ()
    slacks: Mapping[str, float] = field(default_factory=dict)
    broken_limits: tuple[str, ...] = ()
    reason: str | None = field(default=None, compare=False)
    believed: Estimate | None = field(default=None, compare=False)

    @classmethod
    def of(cls, point: Point, is_feasible: bool, outcome: TrialOutcome, goals: Goals) -> Observation:
        """Return the observation of what a trial gave.

        Parameters
        ----------
        point : dict
            The point that was tried.
        is_feasible : bool
            Whether it keeps every rule.
        outcome : TrialOutcome
            What the trial gave, as it was read.
        goals : Goals
            Which numbers are objectives, and the limits.

        Returns
        -------
        Observation
            The same in the user's terms, with the limits that are broken.

        Examples
        --------
        >>> import hedgerow as hr
        >>> from hedgerow.outcomes.goals import Goals
        >>> from hedgerow.outcomes.reading import read_outcome
        >>> hr.Observation.of({"x": 2}, True, read_outcome([1.0, 2.0], goals := Goals(repeats=2)), goals)
        Observation(point={'x': 2}, value=1.5, is_feasible=True, readings=(1.0, 2.0))
        """
        numbers = goals.ordered(outcome.numbers)
        first, *others = goals.objectives.names
        is_named = bool(numbers) and (goals.objectives.is_named or bool(goals.limits))
        by_name: tuple[Any, ...] = tuple(dict(reading) for reading in outcome.readings)
        readings = by_name if is_named else outcome.readings_of(first)
        return cls(
            point,
            None if others else numbers.get(first),
            is_feasible,
            numbers if is_named else {},
            readings if len(readings) > 1 else (),
            goals.slacks(numbers) if numbers else {},
            goals.broken(numbers),
            outcome.reason,
        )

    @property
    def failed(self) -> bool:
        """Whether the trial gave nothing at all."""
        return self.value is None and not self.outcomes

    @property
    def n_readings(self) -> int:
        """How many readings were told at once."""
        return 0 if self.failed else max(1, len(self.readings))

    @property
    def told(self) -> Any:
        """What to tell another optimizer to make the same observation."""
        if self.failed:
            return None if self.reason is None else Failure(self.reason)
        return list(self.readings) or dict(self.outcomes) or self.value

    def outcome(self, goals: Goals) -> TrialOutcome:
        """Return what the trial gave, by name.

        Parameters
        ----------
        goals : Goals
            Which numbers are objectives.

        Returns
        -------
        TrialOutcome
            Its readings, or none and perhaps a reason where it failed.

        Examples
        --------
        >>> import hedgerow as hr
        >>> from hedgerow.outcomes.goals import Goals
        >>> hr.Observation({"x": 2}, 0.5).outcome(Goals()).readings
        ({'value': 0.5},)
        """
        name = goals.objectives.names[0]
        given = self.readings or ((dict(self.outcomes),) if self.outcomes else (self.value,))
        readings = tuple(one if isinstance(one, dict) else {name: one} for one in given)
        return TrialOutcome(reason=self.reason) if self.failed else TrialOutcome(readings)

    def __repr__(self) -> str:
        # What nobody asked for is not shown: most trials give one number.
        always = ("point", "value", "is_feasible")
        shown = [f.name for f in fields(self) if f.name in always or getattr(self, f.name) not in ({}, (), None)]
        return f"Observation({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


def pooled(told: Iterable[tuple[Hashable, Observation]], goals: Goals) -> list[Observation]:
    """Return one observation per key with the readings of all of them, in the order of the first; failures left out."""
    groups: dict[Hashable, list[Observation]] = {}
    for key, seen in told:
        if not seen.failed:
            groups.setdefault(key, []).append(seen)
    return [_together(group, goals) for group in groups.values()]


def _together(group: list[Observation], goals: Goals) -> Observation:
    first = group[0]
    if len(group) == 1:
        return first
    readings = tuple(reading for seen in group for reading in seen.outcome(goals).readings)
    return Observation.of(first.point, first.is_feasible, TrialOutcome(readings), goals)


def front_of(observations: Sequence[Observation], goals: Goals) -> tuple[Observation, ...]:
    """Return the observations that no other dominates, of those that keep rules and limits and gave all objectives."""
    able = [seen for seen in observations if seen.is_feasible and not seen.broken_limits and not seen.failed]
    if not able:
        return ()
    n_objectives = len(goals.objectives.names)
    values = np.array([goals.columns(seen.outcome(goals).numbers)[:n_objectives] for seen in able])
    return tuple(seen for seen, is_front in zip(able, non_dominated(values), strict=True) if is_front)
