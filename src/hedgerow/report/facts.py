"""A study as facts: every trial with what came of it, the best points, what the rules did there, what it cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import numpy as np

from hedgerow.arrays import Codes, Column
from hedgerow.errors import StudyError
from hedgerow.feasible import FeasibleSet
from hedgerow.insight.effects import Effects, NoEffects, effects_of
from hedgerow.insight.meeting import MetRule, meet
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.observation import Estimate
from hedgerow.questions import RoomLeft, importance_after
from hedgerow.runs.judged import PooledPoint, StudyOutcomes, at_once, pooled_points
from hedgerow.runs.problem import Problem
from hedgerow.runs.snapshot import Snapshot
from hedgerow.runs.status import Status
from hedgerow.runs.what_is_left import room_left_in
from hedgerow.schema import (
    ASKED_WITH,
    BY_HAND,
    DETAILS,
    LOST,
    WITHDRAWN,
    StoredState,
    StoredTrial,
    is_finished,
    is_lost,
)
from hedgerow.space import Point
from hedgerow.space.encoding import decode, encode
from hedgerow.wording import readable_number

TrialState = Literal["measured", "failed", "lost", "running", "waiting"]
N_BEST = 5


@dataclass(frozen=True, eq=False)
class TrialFact:
    """One trial. `row` is None where it has no whole point of this space; `seconds` where nobody measured them."""

    number: int
    state: TrialState
    row: Codes | None
    value: float | None
    keeps_rules: bool
    ended: datetime | None
    seconds: float | None
    reason: str
    output: str
    asked_with: str
    # What it gave by name, where trials give more than one number, and whether that is within the limits.
    numbers: Mapping[str, float] = field(default_factory=dict)
    is_within: bool = True

    @property
    def is_able(self) -> bool:
        """Whether it can be among the best."""
        return self.keeps_rules and self.is_within

    def number_of(self, objective: str) -> float | None:
        """Return what it gave of an objective."""
        if self.state != "measured":
            return None
        return self.numbers.get(objective) if self.numbers else self.value


@dataclass(frozen=True, eq=False)
class BestPoint:
    """One of the best points, or of the front, and how it meets each rule."""

    number: int
    value: float  # NaN where there are several objectives
    point: Point
    rules: tuple[MetRule, ...]
    outcomes: Mapping[str, float] = field(default_factory=dict)
    slacks: Mapping[str, float] = field(default_factory=dict)
    n_readings: int = 1
    believed: Estimate | None = None


@dataclass(frozen=True, eq=False)
class Facts:
    """Everything the page shows."""

    problem: Problem
    file_name: str
    file_text: str
    feasible: FeasibleSet
    is_maximized: bool
    status: Status
    trials: Sequence[TrialFact]  # those that ended first, in the order in which they did
    best: Sequence[BestPoint]
    effects: Mapping[str, Effects | NoEffects]  # by objective
    rule_changes: Sequence[dict[str, Any]]
    made_at: datetime
    # What else changed on the way, in words.
    changes: Sequence[str] = ()
    # What is left to gain, or in words why that is not known.
    left: RoomLeft | str = ""

    @property
    def ended(self) -> list[TrialFact]:
        """The trials that say something about their point, in the order in which they ended."""
        return [trial for trial in self.trials if trial.state in ("measured", "failed")]

    @property
    def kept(self) -> list[TrialFact]:
        """The measured trials whose points satisfy the rules as they are now."""
        return [trial for trial in self.trials if trial.state == "measured" and trial.keeps_rules]

    @property
    def goals(self) -> Goals:
        """What trials are judged by."""
        return self.problem.goals

    @property
    def objectives(self) -> tuple[str, ...]:
        """What the objectives are called, the first of them first."""
        return self.goals.objectives.names

    def maximizes(self, objective: str) -> bool:
        """Whether larger values of an objective are better."""
        return self.goals.objectives.directions[self.objectives.index(objective)] == "maximize"

    def said_of(self, words: str, objective: str) -> str:
        """Return words with the name of the objective, where it has one."""
        return f"{words} {objective}" if self.goals.objectives.is_named else ""

    def measured_in(self, name: str, outcome: str | None = None) -> str:
        """Return what an outcome is called, with its unit where it has one; `outcome` where it has another name."""
        unit = self.problem.units.get(outcome or name, "")
        return f"{name}, {unit}" if unit else name

    def in_unit(self, number: float, digits: int = 6) -> str:
        """Return a value of the first objective with its unit."""
        return self.problem.in_unit(readable_number(number, digits))

    def is_better(self, objective: str, value: float, other: float) -> bool:
        """Whether a value of an objective is better than another."""
        return value > other if self.maximizes(objective) else value < other


def gather(snapshot: Snapshot, file_name: str, file_text: str, made_at: datetime) -> Facts:
    """Return the facts of a study that has at least one trial."""
    if not snapshot.trials:
        raise StudyError(
            f"The study '{snapshot.problem.study}' has no trials yet, so there is nothing to report."
            + (f" Run it first: hedgerow run {file_name}" if file_name else "")
        )
    trials = _trials(snapshot)
    return Facts(
        snapshot.problem,
        file_name,
        file_text,
        snapshot.feasible,
        snapshot.problem.is_maximized,
        snapshot.status,
        trials,
        _best(snapshot, trials),
        _effects(snapshot, trials),
        snapshot.rule_changes,
        made_at,
        tuple(snapshot.changes),
        room_left_in(snapshot.problem, snapshot.feasible, snapshot.read.told),
    )


def measured(trials: Sequence[TrialFact], n_slots: int, objective: str) -> tuple[Codes, Column]:
    """Return the rows and values of the trials that have both."""
    pairs = [(trial.row, value) for trial in trials if (value := trial.number_of(objective)) is not None]
    known = [(row, value) for row, value in pairs if row is not None]
    rows = np.array([row for row, _ in known], dtype=np.int64).reshape(-1, n_slots)
    return rows, np.array([value for _, value in known], dtype=np.float64)


def _effects(snapshot: Snapshot, trials: Sequence[TrialFact]) -> dict[str, Effects | NoEffects]:
    """Return what the variables do to each objective."""
    problem = snapshot.problem
    objectives, n_slots = problem.goals.objectives, len(problem.space.slots)
    told = ((item.row, at_once(item.outcome, problem.goals)) for item in snapshot.read.told)
    known = importance_after(snapshot.feasible, problem.goals, problem.seed, told, objectives.names)
    return {
        name: effects_of(
            snapshot.feasible,
            *measured(trials, n_slots, name),
            is_maximized=direction == "maximize",
            importance=known.get(name),
        )
        for name, direction in zip(objectives.names, objectives.directions, strict=True)
    }


def _trials(snapshot: Snapshot) -> list[TrialFact]:
    told = {item.number: item for item in snapshot.read.told}
    rows = np.array([item.row for item in told.values()], dtype=np.int64).reshape(-1, len(snapshot.problem.space.slots))
    keeps = dict(zip(told, snapshot.feasible.codes.accepts(rows), strict=True))
    goals = snapshot.problem.goals
    facts: list[TrialFact] = []
    for trial in snapshot.trials:
        if trial.system_attrs.get(LOST) == WITHDRAWN:
            continue
        item = told.get(trial.number)
        is_forgotten = trial.number in snapshot.read.forgotten
        state: TrialState = "lost" if is_forgotten else _state(trial)
        has_numbers = item is not None and bool(item.outcome.readings)
        if state in ("measured", "failed") and trial.state != StoredState.PRUNED:
            state = "measured" if has_numbers else "failed"
        value = None if item is None or item.value != item.value or state != "measured" else item.value
        numbers = goals.ordered(item.outcome.numbers) if item is not None and not goals.is_plain else {}
        facts.append(
            TrialFact(
                trial.number,
                state,
                None if item is None else item.row,
                value,
                bool(keeps.get(trial.number, False)),
                trial.datetime_complete,
                _seconds(trial),
                _reason(trial),
                str(_details(trial).get("output", "")),
                str(trial.system_attrs.get(ASKED_WITH, "")),
                numbers,
                not goals.broken(numbers),
            )
        )
    return sorted(facts, key=lambda fact: (fact.ended is None, fact.ended or datetime.min, fact.number))


def _state(trial: StoredTrial) -> TrialState:
    if is_lost(trial):
        return "lost"
    if trial.state == StoredState.COMPLETE:
        return "measured"
    if is_finished(trial):
        return "failed"
    return "waiting" if trial.state == StoredState.WAITING or BY_HAND in trial.system_attrs else "running"


def _details(trial: StoredTrial) -> dict[str, Any]:
    details = trial.user_attrs.get(DETAILS, {})
    return details if isinstance(details, dict) else {}


def _seconds(trial: StoredTrial) -> float | None:
    """Return how long the evaluation took, or how long a person had the point; values told unasked took no time."""
    stated = _details(trial).get("seconds")
    if isinstance(stated, int | float) and stated > 0:
        return float(stated)
    was_asked = ASKED_WITH in trial.system_attrs
    if not was_asked or trial.datetime_start is None or trial.datetime_complete is None:
        return None
    return max(0.0, (trial.datetime_complete - trial.datetime_start).total_seconds())


def _reason(trial: StoredTrial) -> str:
    if trial.state == StoredState.PRUNED:
        return "pruned"
    if is_lost(trial):
        return str(trial.system_attrs[LOST])
    return str(_details(trial).get("reason", "")) or ("no reason was recorded" if _state(trial) == "failed" else "")


def _best(snapshot: Snapshot, trials: Sequence[TrialFact]) -> list[BestPoint]:
    """Return the best different points that satisfy the rules as they are now; the front where it has no best."""
    if snapshot.status.judged is not None:
        return _judged_best(snapshot, snapshot.status.judged)
    sign = -1.0 if snapshot.problem.is_maximized else 1.0
    kept = [(sign * trial.value, trial) for trial in trials if trial.value is not None and trial.keeps_rules]
    found: dict[bytes, BestPoint] = {}
    for _, trial in sorted(kept, key=lambda pair: (pair[0], pair[1].number)):
        assert trial.row is not None
        assert trial.value is not None
        if len(found) < N_BEST and trial.row.tobytes() not in found:
            point = decode(snapshot.problem.space, trial.row)
            found[trial.row.tobytes()] = BestPoint(trial.number, trial.value, point, meet(snapshot.feasible, trial.row))
    return list(found.values())


def _judged_best(snapshot: Snapshot, judged: StudyOutcomes) -> list[BestPoint]:
    """Return points of the front, or the best points within the limits, by the means of their readings."""
    if judged.goals.objectives.are_several:
        first = judged.goals.objectives.names[0]
        chosen = _spread(sorted(judged.front, key=lambda point: point.seen.outcomes[first]))
    else:
        sign = judged.goals.objectives.signs[0]
        kept = snapshot.problem.keeps_rules([item.row for item in snapshot.read.told])
        told = [item for item, is_kept in zip(snapshot.read.told, kept, strict=True) if is_kept]
        points = [p for p in pooled_points(told, snapshot.problem) if p.seen.value is not None]
        able = [point for point in points if not point.seen.broken_limits]
        top = [] if judged.best is None else [judged.best]
        others = [point for point in able if not top or point.seen.point != top[0].seen.point]
        chosen = [*top, *sorted(others, key=lambda point: sign * (point.seen.value or 0.0))]
    return [_best_point(snapshot, point) for point in chosen[:N_BEST]]


def _spread(points: Sequence[PooledPoint]) -> list[PooledPoint]:
    """Return points from one end of the front to the other, as many as are shown."""
    places = np.linspace(0, len(points) - 1, min(N_BEST, len(points))).round().astype(int)
    return [points[place] for place in dict.fromkeys(places.tolist())]


def _best_point(snapshot: Snapshot, point: PooledPoint) -> BestPoint:
    seen = point.seen
    row = encode(snapshot.problem.space, seen.point)
    return BestPoint(
        point.numbers[0],
        math.nan if seen.value is None else seen.value,
        seen.point,
        meet(snapshot.feasible, row),
        seen.outcomes,
        seen.slacks,
        point.n_readings,
        seen.believed,
    )
