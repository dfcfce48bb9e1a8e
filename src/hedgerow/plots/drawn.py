"""What is drawn: a result, as far as pictures need to know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hedgerow.feasible import FeasibleSet
from hedgerow.observations import Observation
from hedgerow.space import Point


class Drawn(Protocol):
    """Observations in order, with the best of them."""

    @property
    def observations(self) -> Sequence[Observation]:
        """Everything told."""

    @property
    def best_point(self) -> Point | None:
        """The best feasible point."""

    @property
    def best_value(self) -> float | None:
        """Its value."""

    @property
    def is_maximized(self) -> bool:
        """Whether larger values are better."""

    @property
    def feasible(self) -> FeasibleSet | None:
        """The space and its rules, where they are known."""

    def best_so_far(self) -> list[float]:
        """Return the best value after each trial."""
