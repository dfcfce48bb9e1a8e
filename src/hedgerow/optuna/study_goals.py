"""What the trials of an Optuna study are judged by: its directions, limits on what trials keep, and constraints."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from hedgerow import checks
from hedgerow.errors import StudyError
from hedgerow.expressions import Constant, Name
from hedgerow.outcomes.goals import Goals, Repeats
from hedgerow.outcomes.limits import Limit, Threshold
from hedgerow.outcomes.objectives import UNNAMED, Direction, Objectives

# What stands for "beyond" where it is not known how far: the least that Optuna does not take for within.
_BEYOND = 1e-300


@dataclass(frozen=True)
class StudyGoals:
    """What a user says besides the study's own directions."""

    named: Goals | None
    limits: tuple[Limit, ...]
    repeats: Repeats
    constraints_func: Callable[[FrozenTrial], Sequence[float]] | None

    @classmethod
    def of(cls, objectives: Any, limits: Any, repeats: Any, reference: Any, constraints_func: Any) -> StudyGoals:
        """Read what a user gives, or raise."""
        said = Goals.of("minimize", objectives, limits, repeats, reference)
        if constraints_func is not None:
            checks.function("constraints_func", constraints_func, "a trial")
        return cls(None if objectives is None else said, said.limits, said.repeats, constraints_func)

    @property
    def besides(self) -> tuple[str, ...]:
        """The outcomes that trials keep as user attributes."""
        return tuple(dict.fromkeys(name for limit in self.limits for name in limit.outcomes))

    def goals(self, study: Study, constraints: Sequence[str]) -> Goals:
        """Return what the trials of a study are judged by, with the constraints that they tell of."""
        directions = tuple(_direction(direction) for direction in study.directions)
        objectives = Objectives(_names(len(directions)), directions, is_named=len(directions) > 1)
        if self.named is not None:
            objectives = self.named.objectives
            if objectives.directions != directions:
                raise StudyError(
                    f"The study was made to {' and '.join(directions)}, but objectives says {objectives}. Make the "
                    "study with the same directions, in the same order."
                )
        # Where limits of one's own are kept as constraints, they are learned from what was measured.
        others = () if self.limits else tuple(_limit(name) for name in constraints)
        reference = None if self.named is None else self.named.reference
        return Goals(objectives, (*self.limits, *others), self.repeats, reference)

    def constraints(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> list[float] | None:
        """Return how far an ending trial is beyond each constraint, in Optuna's way; None where there are none."""
        if state not in (TrialState.COMPLETE, TrialState.PRUNED):
            return None
        own: list[float] = []
        if self.constraints_func is not None:
            own = [float(number) for number in self.constraints_func(trial)]
        if self.limits:
            goals = self.goals(study, ())
            kept = {name: trial.user_attrs[name] for name in self.besides if name in trial.user_attrs}
            own += as_constraints(goals, {**dict(zip(goals.objectives.names, values or (), strict=False)), **kept})
        return own or None


def as_constraints(goals: Goals, numbers: Mapping[str, Any]) -> list[float]:
    """Return how far each limit is exceeded, at most 0 where it holds; what was not measured does not hold."""
    known = {name: float(number) for name, number in numbers.items() if isinstance(number, int | float)}
    slacks = goals.slacks(known)
    broken = goals.broken(known)
    return [
        (_BEYOND if math.isnan(slack) else max(-slack, _BEYOND)) if name in broken else min(-slack, 0.0)
        for name, slack in slacks.items()
    ]


def _limit(name: str) -> Limit:
    threshold = Threshold(f"{name} <= 0", Constant(0), Name(name), is_strict=False)
    return Limit(name, threshold.text, (threshold,), (name,))


def _names(n: int) -> tuple[str, ...]:
    return (UNNAMED,) if n == 1 else tuple(f"{UNNAMED}_{place}" for place in range(n))


def _direction(direction: StudyDirection) -> Direction:
    return "maximize" if direction is StudyDirection.MAXIMIZE else "minimize"
