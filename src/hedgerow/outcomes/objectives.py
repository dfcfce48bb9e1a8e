"""What is to be made small or large: one objective, or several by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hedgerow import checks
from hedgerow.errors import ArgumentError

Direction = Literal["minimize", "maximize"]
# What the objective is called where nobody named it: in limits, and in what is predicted.
UNNAMED = "value"


@dataclass(frozen=True)
class Objectives:
    """Names and directions, in the order in which they were given; `is_named` where a trial gives them by name."""

    names: tuple[str, ...] = (UNNAMED,)
    directions: tuple[Direction, ...] = ("minimize",)
    is_named: bool = False

    @classmethod
    def of(cls, direction: Any, objectives: Any) -> Objectives:
        """Read what a user gives: a direction for one objective, or a mapping from names to directions."""
        if objectives is None:
            return cls((UNNAMED,), (_direction("direction", direction),))
        if not isinstance(objectives, Mapping) or not objectives:
            raise ArgumentError(
                "objectives maps names to 'minimize' or 'maximize', as in {'time': 'minimize', 'energy': 'minimize'}, "
                f"but {checks.shown(objectives)} was given."
            )
        for name in objectives:
            check_name("objective", name)
        directions = tuple(_direction(f"The direction of '{name}'", given) for name, given in objectives.items())
        return cls(tuple(objectives), directions, is_named=True)

    @property
    def are_several(self) -> bool:
        """Whether there is no single best trial, but a front."""
        return len(self.names) > 1

    @property
    def signs(self) -> tuple[float, ...]:
        """What each value is multiplied with, so that less is better."""
        return tuple(1.0 if direction == "minimize" else -1.0 for direction in self.directions)

    def __str__(self) -> str:
        if not self.is_named:
            return self.directions[0]
        named = zip(self.directions, self.names, strict=True)
        return " and ".join(f"{direction} {name}" for direction, name in named)


def check_name(kind: str, name: object) -> None:
    """Raise where a name cannot stand in the text of a limit."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ArgumentError(
            f"The name of an {kind} is a word of letters, digits and underscores, but {checks.shown(name)} was given."
        )


def _direction(what: str, given: Any) -> Direction:
    return "minimize" if checks.one_of(what, given, ("minimize", "maximize")) == "minimize" else "maximize"
