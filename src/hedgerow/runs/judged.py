"""Which trials of a study are good where they give more than one number: pooled readings, limits and margins, fronts.

Points are judged by the mean of their readings here, which every look at a study can afford; `with_belief` asks the
model, as an optimizer does.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.errors import RuleWarning, TrialWarning
from hedgerow.optuna.trials import FinishedRow
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.observation import Observation, front_of
from hedgerow.outcomes.reading import TrialOutcome
from hedgerow.runs.problem import Problem
from hedgerow.space import Point
from hedgerow.space.encoding import decode

if TYPE_CHECKING:
    from hedgerow.feasible import FeasibleSet
    from hedgerow.optimizer import Optimizer


@dataclass(frozen=True)
class PooledPoint:
    """A point with all its readings, and the trials that took them."""

    numbers: tuple[int, ...]
    seen: Observation
    n_readings: int

    def to_dict(self) -> dict[str, Any]:
        """Return the facts for programs."""
        slacks = {name: None if math.isnan(slack) else slack for name, slack in self.seen.slacks.items()}
        believed = self.seen.believed
        return {
            "trial": self.numbers[0],
            "point": self.seen.point,
            **({"outcomes": dict(self.seen.outcomes)} if self.seen.outcomes else {}),
            **({"slacks": slacks} if slacks else {}),
            **({"readings": self.n_readings} if self.n_readings > 1 else {}),
            **({} if believed is None else {"believed": {"mean": believed.mean, "sd": believed.sd}}),
        }


@dataclass(frozen=True)
class StudyOutcomes:
    """What the feasible trials of a study amount to."""

    goals: Goals
    best: PooledPoint | None
    front: tuple[PooledPoint, ...]
    n_within: int
    n_points: int
    # The standard deviation of single readings of an outcome, where points have several.
    noise: dict[str, float]
    # Outcomes that objectives or limits name and no trial has given, once there are trials.
    never_given: tuple[str, ...]

    @property
    def is_believed(self) -> bool:
        """Whether the best point is known by a belief: where one objective is measured again and again."""
        return self.best is not None and self.goals.may_repeat and not self.goals.objectives.are_several

    @property
    def first(self) -> tuple[int | None, float | None, Point | None]:
        """The best: its trial, its value, its point; with several objectives one of the front, which has no value."""
        if self.best is not None:
            return self.best.numbers[0], self.best.seen.value, self.best.seen.point
        return None, None, None

    def to_dict(self) -> dict[str, Any]:
        """Return the facts for programs."""
        return {
            "objectives": dict(zip(self.goals.objectives.names, self.goals.objectives.directions, strict=True)),
            **({"front": [point.to_dict() for point in self.front]} if self.goals.objectives.are_several else {}),
            **({"limits": self._limits()} if self.goals.limits else {}),
            **({"repeats": self.goals.repeats, "noise": self.noise} if self.goals.may_repeat else {}),
        }

    def _limits(self) -> dict[str, Any]:
        texts = {limit.name: limit.text for limit in self.goals.limits}
        return {"texts": texts, "points_within": self.n_within, "points": self.n_points}


def judge(feasible: Sequence[FinishedRow], problem: Problem) -> StudyOutcomes:
    """Judge the trials whose points keep the rules."""
    goals = problem.goals
    points = pooled_points(feasible, problem)
    sign = goals.objectives.signs[0]
    able = [point for point in points if point.seen.value is not None and not point.seen.broken_limits]
    best = min(able, key=lambda point: (sign * (point.seen.value or 0.0), point.numbers[0]), default=None)
    front = {id(seen) for seen in front_of([point.seen for point in points], goals)}
    return StudyOutcomes(
        goals,
        best,
        tuple(point for point in points if id(point.seen) in front),
        sum(not point.seen.broken_limits for point in points),
        len(points),
        goals.ordered(noise_of(feasible)),
        _never_given(feasible, goals),
    )


def pooled_points(feasible: Sequence[FinishedRow], problem: Problem) -> list[PooledPoint]:
    """Return the points that gave anything, with the readings of all their trials, in the order of the first."""
    groups: dict[bytes, list[FinishedRow]] = defaultdict(list)
    for item in feasible:
        if item.outcome.readings:
            groups[item.row.tobytes()].append(item)
    points = []
    for group in groups.values():
        readings = tuple(reading for item in group for reading in item.outcome.readings)
        point = decode(problem.space, group[0].row)
        seen = Observation.of(point, True, TrialOutcome(readings), problem.goals)
        points.append(PooledPoint(tuple(item.number for item in group), seen, len(readings)))
    return points


def noise_of(told: Sequence[FinishedRow]) -> dict[str, float]:
    """Return how far single readings of one point lie apart, by outcome: a standard deviation pooled over points."""
    groups: dict[tuple[str, bytes], list[float]] = defaultdict(list)
    for item in told:
        for reading in item.outcome.readings:
            for name, number in reading.items():
                groups[name, item.row.tobytes()].append(number)
    squares: dict[str, float] = defaultdict(float)
    freedom: dict[str, int] = defaultdict(int)
    for (name, _), numbers in groups.items():
        if len(numbers) > 1:
            squares[name] += float(np.var(numbers) * len(numbers))
            freedom[name] += len(numbers) - 1
    return {name: math.sqrt(squares[name] / freedom[name]) for name in squares}


def _never_given(told: Sequence[FinishedRow], goals: Goals) -> tuple[str, ...]:
    given = {name for item in told for reading in item.outcome.readings for name in reading}
    return tuple(name for name in goals.names if given and name not in given)


def told_optimizer(problem: Problem, told: Sequence[FinishedRow]) -> Optimizer:
    """Return an optimizer that was told what a study's trials gave: for everything that can be asked of one."""
    from hedgerow.optimizer import Optimizer  # noqa: PLC0415 - counts and means need no model

    with warnings.catch_warnings():
        # What there is to say about rules and trials was said when they were made.
        warnings.simplefilter("ignore", RuleWarning)
        optimizer = Optimizer(
            problem.space,
            problem.rules,
            method="random",
            seed=problem.seed,
            direction=problem.direction,
            objectives=problem.objectives,
            limits=problem.limits,
            repeats=problem.repeats,
            reference=problem.reference,
            node_budget=problem.node_budget,
        )
        for item in told:
            tell_row(optimizer, problem, item)
    return optimizer


def tell_row(optimizer: Optimizer, problem: Problem, item: FinishedRow) -> None:
    """Tell an optimizer what a trial of a study gave."""
    point = decode(problem.space, item.row)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrialWarning)
        optimizer.tell(point, Observation.of(point, True, at_once(item.outcome, problem.goals), problem.goals).told)


def at_once(outcome: TrialOutcome, goals: Goals) -> TrialOutcome:
    """Return an outcome as these goals take it: readings of a time when points were repeated are one now."""
    is_one = goals.may_repeat or len(outcome.readings) < 2
    return outcome if is_one else TrialOutcome((outcome.numbers,))


def with_belief(
    judged: StudyOutcomes, problem: Problem, feasible: FeasibleSet, told: Sequence[FinishedRow]
) -> StudyOutcomes:
    """Return the same with the best point by what is believed, where readings are noisy: an optimizer's `best`."""
    from hedgerow.questions import questions_after  # noqa: PLC0415 - counts and means need no model

    best = questions_after(feasible, problem.goals, problem.seed, ((item.row, item.outcome) for item in told)).best
    points = [] if best is None else [point for point in pooled_points(told, problem) if point.seen.point == best.point]
    return replace(judged, best=replace(points[0], seen=best)) if best is not None and points else judged
