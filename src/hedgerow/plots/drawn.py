"""What is drawn: a result, as far as pictures need to know it, and one outcome of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hedgerow.errors import ArgumentError
from hedgerow.feasible import FeasibleSet
from hedgerow.observations import Observation
from hedgerow.outcomes.goals import Goals
from hedgerow.space import Point
from hedgerow.wording import ending, quoted


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

    @property
    def goals(self) -> Goals:
        """What trials were judged by."""


@dataclass(frozen=True)
class DrawnOutcome:
    """One outcome of a result: its name, whether it is an objective, and which way it is better."""

    name: str
    is_named: bool
    is_objective: bool
    is_maximized: bool

    def label(self, otherwise: str) -> str:
        """Return what stands at its axis: its name, or other words where nobody named it."""
        return self.name if self.is_named else otherwise

    def number(self, seen: Observation) -> float | None:
        """Return what an observation gave of it."""
        return seen.outcomes.get(self.name, seen.value if self.is_objective else None)


def outcome_of(result: Drawn, outcome: str | None) -> DrawnOutcome:
    """Return the outcome of this name, the first objective where none is given."""
    objectives = result.goals.objectives
    given = dict.fromkeys(name for seen in result.observations for name in seen.outcomes)
    names = [*dict.fromkeys((*objectives.names, *given))]
    name = objectives.names[0] if outcome is None else outcome
    if name not in names:
        raise ArgumentError(
            f"There is no outcome {name!r} to draw: trials give {quoted(names)}{ending(str(name), names)}"
        )
    signs = dict(zip(objectives.names, objectives.signs, strict=True))
    is_maximized = signs[name] < 0 if objectives.are_several and name in signs else result.is_maximized
    is_named = objectives.is_named or name not in signs
    return DrawnOutcome(name, is_named, name in signs, is_maximized and name in signs)
