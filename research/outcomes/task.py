"""A task whose trials give more than one exact number: what may be tried, what is wanted, and what a trial gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hedgerow.arrays import Codes, Column, Mask, Matrix
from hedgerow.feasible import FeasibleSet
from hedgerow.outcomes.front import non_dominated
from hedgerow.outcomes.goals import Goals
from hedgerow.rules import RuleLike
from hedgerow.search.hypervolume import hypervolume
from hedgerow.space import Point, Space
from hedgerow.space.encoding import decode

Outcomes = Mapping[str, float]
# The reference lies this part of the front's extent beyond its worst values.
_BEYOND = 0.1


@dataclass(frozen=True, eq=False)
class OutcomeTask:
    """A space with rules, objectives and limits, and what a trial truly gives: numbers by name, None where it fails."""

    name: str
    space: Space
    rules: tuple[RuleLike, ...]
    objectives: Mapping[str, str]
    truth: Callable[[Point], Outcomes | None]
    limits: Mapping[str, str] = field(default_factory=dict)
    planted: str | None = None  # the rule beyond which trials fail, where there is one

    @cached_property
    def goals(self) -> Goals:
        """Objectives and limits."""
        return Goals.of("minimize", self.objectives, self.limits, False, None)

    @cached_property
    def feasible(self) -> FeasibleSet:
        """The points that keep the rules."""
        return FeasibleSet(self.space, self.rules)

    @cached_property
    def rows(self) -> Codes:
        """All of them as codes."""
        return np.concatenate(list(self.feasible.codes.batches()))

    @cached_property
    def columns(self) -> Matrix:
        """What they give: objectives so that less is better, then slacks; NaN where a trial fails."""
        given = [self.truth(decode(self.space, row)) for row in self.rows]
        return np.array([self.goals.columns(numbers or {}) for numbers in given])

    @cached_property
    def places(self) -> dict[bytes, int]:
        """Where each feasible row stands in the list."""
        return {row.tobytes(): place for place, row in enumerate(self.rows)}

    @property
    def n_objectives(self) -> int:
        """The number of objectives."""
        return len(self.objectives)

    @cached_property
    def is_within(self) -> Mask:
        """Which points give all objectives within the limits."""
        known = np.isfinite(self.columns).all(axis=1)
        with np.errstate(invalid="ignore"):
            return np.asarray(known & (self.columns[:, self.n_objectives :] >= 0).all(axis=1))

    @cached_property
    def best_and_worst(self) -> tuple[float, float]:
        """The best value within the limits of a single objective, and the worst of all points that work."""
        values = self.columns[:, 0]
        return float(values[self.is_within].min()), float(np.nanmax(values))

    def regret(self, value: float | None) -> float:
        """Return how far a value is from the best, as a share of the range; 1 where there is none."""
        best, worst = self.best_and_worst
        return 1.0 if value is None else (value - best) / (worst - best)

    @cached_property
    def _reference(self) -> tuple[Column, float]:
        able = self.columns[self.is_within, : self.n_objectives]
        front = np.unique(able[non_dominated(able)], axis=0)
        reference = front.max(axis=0) + _BEYOND * np.maximum(np.ptp(front, axis=0), 1e-12)
        return reference, hypervolume(front, reference)

    def volume(self, values: Matrix) -> float:
        """Return the share of the volume that these rows of objectives dominate, of what all feasible points do."""
        reference, whole = self._reference
        if not values.size:
            return 0.0
        front = np.unique(values[non_dominated(values)], axis=0)
        return hypervolume(front, reference) / whole
