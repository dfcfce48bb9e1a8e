"""Small spaces, and problems: a space with some random rules (`rules.writer`).

Choices are made by a `Picker`: mostly from a seeded generator, which spreads examples evenly over all there is; now
and then by hypothesis itself, which finds the smallest example of what it can break.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from hedgerow import Categorical, Integer, Ordinal, Real, Space, Vector
from hedgerow.expressions import Scalar
from hedgerow.space import Boolean, Levels, Variable
from tests.oracles import Phrase
from tests.rules.writer import LETTERS, Picker, Writer

MAX_POINTS = 400
NAMES = ("a", "b", "c", "d")
SIZES = ("tiny", "small", "medium", "large", "huge")
FLOATS = (-2.5, -1.0, 0.0, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.75, 1e16, 1e200)
LONG = (2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 10**30, 3)
MIXED: tuple[Scalar, ...] = ("G", "", 0, 1, 2.5, -3, "7")


def examples(n: int) -> settings:
    """Run a property on so many examples, the same ones every time."""
    return settings(max_examples=n, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@st.composite
def pickers(draw: st.DrawFn) -> Picker:
    """A picker by chance, or one by hypothesis."""
    seed = draw(st.one_of(st.none(), *[st.integers(0, 2**64)] * 4))
    if seed is None:
        return Picker(lambda options: draw(st.sampled_from(options)))
    return Picker(random.Random(seed).choice)


# --- spaces -------------------------------------------------------------------------------------------------------


def _integer(picker: Picker) -> Variable:
    low, n_steps, step = picker.pick(range(-2, 2)), picker.pick(range(1, 5)), picker.pick((1, 1, 2))
    return Integer(low, low + n_steps * step, step)


def _real(picker: Picker) -> Variable:
    if picker.toss(True, False):
        return Real(0.01, 100.0, picker.pick((2, 3, 5)), log=True)
    low = picker.pick((-1.0, 0.0, 0.5))
    return Real(low, low + 1.0, picker.pick((2, 3, 4)))


def _scalar(picker: Picker) -> Variable:
    kinds: tuple[Callable[[Picker], Variable], ...] = (
        _integer,
        _integer,
        _real,
        lambda p: Levels(p.some(range(-2, 6), 2, 5)),
        lambda p: Levels(p.some(FLOATS, 2, 4)),
        lambda p: Levels(p.some(LONG, 1, 3)),
        lambda p: Boolean(),
        lambda p: Boolean(),
        lambda p: Ordinal(SIZES[: p.pick((2, 3, 4))]),
        lambda p: Categorical(p.some(LETTERS, 2, 4)),
        lambda p: Categorical(p.some(MIXED, 2, 4)),
        lambda p: Categorical(p.some(range(-1, 4), 1, 3)),
    )
    return picker.pick(kinds)(picker)


def _variable(picker: Picker, room: int) -> Variable | Vector | None:
    """A variable of at most `room` values, or None where the one picked is larger."""
    variable = _scalar(picker)
    if len(variable.values) > room:
        return None
    longest = max(n for n in range(1, 6) if len(variable.values) ** n <= room)
    return Vector(variable, picker.pick(range(1, longest + 1))) if picker.toss(True, False, False) else variable


def n_points(variable: Variable | Vector) -> int:
    """The number of values of a variable, or of a whole vector."""
    return len(variable.element.values) ** variable.length if isinstance(variable, Vector) else len(variable.values)


def size_of(space: Space) -> int:
    """The number of points, computed apart from the library."""
    return math.prod(n_points(variable) for variable in space.variables.values())


def pick_space(picker: Picker, max_points: int = MAX_POINTS) -> Space:
    """A space of one to four variables of any kind, with few enough points to list them."""
    chosen: dict[str, Variable | Vector] = {}
    room = max_points
    for name in NAMES[: picker.pick((1, 2, 3, 3, 4, 4))]:
        variable = _variable(picker, room)
        if variable is not None:
            chosen[name] = variable
            room //= n_points(variable)
    return Space(chosen)


def spaces(max_points: int = MAX_POINTS) -> st.SearchStrategy[Space]:
    """Spaces with few enough points to list them."""
    return pickers().map(lambda picker: pick_space(picker, max_points))


# --- problems -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Problem:
    """A small space with some rules."""

    space: Space
    rules: tuple[Phrase, ...]

    @property
    def texts(self) -> list[str]:
        """The rules as text."""
        return [rule.text for rule in self.rules]


@st.composite
def problems(draw: st.DrawFn, max_rules: int = 3, depth: int = 3, max_points: int = MAX_POINTS) -> Problem:
    """A small space and up to `max_rules` random rules."""
    picker = draw(pickers())
    space = pick_space(picker, max_points)
    writer = Writer(picker, space)
    n_rules = picker.pick(range(1, max_rules + 1))
    return Problem(space, tuple(writer.rule(picker.pick(range(1, depth + 1))) for _ in range(n_rules)))
