"""Variables whose values are numbers: listed levels, integers, reals.

A `Real` without levels takes any float between its ends: the code of a float is its place among all floats (`floats`),
so that a row of codes holds it exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

from hedgerow.errors import SpaceError
from hedgerow.expressions import Scalar
from hedgerow.space import floats
from hedgerow.space.scalars import as_float, check_levels, check_size, is_float, plain, plain_values, shown
from hedgerow.space.variable import Variable


@dataclass(frozen=True, repr=False)
class Levels(Variable):
    """Numbers in increasing order; what a plain list of numbers in a space means.

    When one of them is a float all are, so that a level has one type.

    Parameters
    ----------
    levels : iterable of float
        The numbers, in any order.
    when : str, optional
        The condition under which it exists, in the language of rules, over variables that come before it.

    Raises
    ------
    SpaceError
        Where a level is no finite number, or there twice, or there is none.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"kind": ["tiled", "naive"], "tile": hr.Levels([16, 64], when="kind == 'tiled'")})
    >>> list(hr.FeasibleSet(space))
    [{'kind': 'tiled', 'tile': 16}, {'kind': 'tiled', 'tile': 64}, {'kind': 'naive'}]
    """

    type_name: ClassVar[str] = "levels"
    levels: tuple[int | float, ...]

    def __init__(self, levels: Iterable[int | float], *, when: object = None) -> None:
        self._set_when(when)
        plain = plain_values(levels, "Levels")
        for value in plain:
            if isinstance(value, bool | str):
                raise SpaceError(
                    f"Levels takes numbers, but {value!r} was given. Use Categorical for unordered values of any type."
                )
        numbers = [as_float(value) for value in plain] if any(isinstance(v, float) for v in plain) else plain
        check_levels(numbers, "Levels")
        object.__setattr__(self, "levels", tuple(sorted(numbers)))

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The numbers, smallest first."""
        return self.levels

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use."""
        return self._with_when({"type": self.type_name, "values": list(self.levels)})


@dataclass(frozen=True, repr=False)
class Integer(Variable):
    """Whole numbers from `low` to `high`, both included.

    Parameters
    ----------
    low : int
        The smallest.
    high : int
        The largest that may occur; where `step` does not lead to it, the last one below it is.
    step : int, optional
        How far one is from the next.
    when : str, optional
        The condition under which it exists, in the language of rules, over variables that come before it.

    Raises
    ------
    SpaceError
        Where an argument is no whole number, the range is empty, or it has more than 100,000 levels.

    Examples
    --------
    >>> import hedgerow as hr
    >>> hr.Integer(16, 64, step=16).values
    (16, 32, 48, 64)
    """

    type_name: ClassVar[str] = "integer"
    low: int
    high: int
    step: int = 1

    def __post_init__(self) -> None:
        self._set_when(self.when)
        for name in ("low", "high", "step"):
            value = plain(getattr(self, name))
            if isinstance(value, bool) or not isinstance(value, int):
                raise SpaceError(f"Integer takes whole numbers, but {name} is {value!r}. Use Real for other numbers.")
            object.__setattr__(self, name, value)
        if self.step < 1:
            raise SpaceError(f"Integer needs a step of at least 1, but step is {self.step}.")
        if self.high < self.low:
            raise SpaceError(
                f"Integer({self.low}, {self.high}) is empty: high is below low. Swap them or widen the range."
            )
        check_size(
            (self.high - self.low) // self.step + 1,
            f"Integer({self.low}, {self.high}, step={self.step})",
        )

    @cached_property
    def _values(self) -> tuple[int, ...]:
        return tuple(range(self.low, self.high + 1, self.step))

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The whole numbers, smallest first."""
        return self._values

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use."""
        step = {} if self.step == 1 else {"step": self.step}
        return self._with_when({"type": self.type_name, "low": self.low, "high": self.high, **step})


@dataclass(frozen=True, repr=False)
class Real(Variable):
    """Numbers from `low` to `high`: any float between them, or some that are evenly spaced.

    Levels are rounded to 12 significant digits, so that the third tenth is 0.3 and not 0.30000000000000004.

    Parameters
    ----------
    low : float
        The smallest.
    high : float
        The largest.
    levels : int, optional
        How many, both ends included; without it, every float between the ends.
    log : bool, optional
        Whether equal factors count as equal distances, instead of equal differences.
    when : str, optional
        The condition under which it exists, in the language of rules, over variables that come before it.

    Raises
    ------
    SpaceError
        Where an argument is no finite number, the range is empty, fewer than 2 levels are wanted, or `log` meets a
        `low` that is not above 0.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"rate": hr.Real(1e-5, 1e-1, log=True), "depth": hr.Integer(2, 12)})
    >>> point = hr.FeasibleSet(space, ["rate * depth <= 0.2"]).sample(1, seed=0)[0]
    >>> 1e-5 <= point["rate"] <= 1e-1
    True
    >>> hr.Real(0.0, 1.0, levels=5).values
    (0.0, 0.25, 0.5, 0.75, 1.0)
    >>> hr.Real(0.001, 10, levels=5, log=True).values
    (0.001, 0.01, 0.1, 1.0, 10.0)
    """

    type_name: ClassVar[str] = "real"
    low: float
    high: float
    levels: int | None = None
    log: bool = False

    def __post_init__(self) -> None:
        self._set_when(self.when)
        for name in ("low", "high"):
            value = plain(getattr(self, name))
            if isinstance(value, bool | str) or not isinstance(value, int | float) or not is_float(value):
                raise SpaceError(f"Real takes finite numbers, but {name} is {shown(value)}.")
            # Minus zero is zero: they are equal, and a point has one form.
            object.__setattr__(self, name, float(value) + 0.0)
        levels = plain(self.levels)
        if levels is not None and (isinstance(levels, bool) or not isinstance(levels, int) or levels < 2):
            raise SpaceError(f"Real needs at least 2 levels as a whole number, but levels is {levels!r}.")
        object.__setattr__(self, "levels", levels)
        if not isinstance(self.log, bool):
            raise SpaceError(f"log is True or False, but {shown(self.log)} was given to Real.")
        if self.high < self.low:
            raise SpaceError(f"Real({self.low}, {self.high}) is empty: high must be above low. Swap them.")
        if self.high == self.low:
            raise SpaceError(
                f"Real({self.low}, {self.high}) is empty but for its ends, which are equal: high must be above low. "
                f"Write [{self.low}] for a single value."
            )
        if self.log and self.low <= 0:
            raise SpaceError(f"Real with log=True needs a positive low, but low is {self.low}.")
        if not math.isfinite(self.high - self.low):
            raise SpaceError(f"Real({self.low}, {self.high}) is wider than the largest float. Use log=True, or less.")
        if self.log and not math.isfinite(self.high / self.low):
            raise SpaceError(
                f"Real({self.low}, {self.high}, log=True) has ends whose ratio is beyond the largest float. Move one."
            )
        if levels is not None:
            check_size(levels, f"Real({self.low}, {self.high})")
            check_levels(self._values, f"Real({self.low}, {self.high}, levels={levels})")

    @cached_property
    def _values(self) -> tuple[float, ...]:
        if self.levels is None:
            return (self.low, self.high)
        shares = [i / (self.levels - 1) for i in range(1, self.levels - 1)]
        if self.log:
            low, high = math.log(self.low), math.log(self.high)
            inner = [math.exp(low * (1 - share) + high * share) for share in shares]
        else:
            inner = [self.low * (1 - share) + self.high * share for share in shares]
        rounded = [float(f"{value:.12g}") for value in inner]
        # Where the bounds agree in 12 digits, rounding would put levels outside them or on top of each other.
        is_fine = all(a < b for a, b in pairwise([self.low, *rounded, self.high]))
        return (self.low, *(rounded if is_fine else inner), self.high)

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The levels, smallest first; the two ends where there are none."""
        return self._values

    @property
    def is_continuous(self) -> bool:
        """Whether it takes any float between its ends."""
        return self.levels is None

    @property
    def n_levels(self) -> int:
        """How many values it can take: without levels, as many as there are floats between the ends."""
        return floats.place_of(self.high) - floats.place_of(self.low) + 1 if self.levels is None else self.levels

    def value_at(self, code: int) -> Scalar:
        """Return the value that a code stands for."""
        return floats.float_at(code) if self.levels is None else self._values[code]

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use."""
        levels = {} if self.levels is None else {"levels": self.levels}
        log = {"log": True} if self.log else {}
        form = {"type": self.type_name, "low": self.low, "high": self.high, **levels, **log}
        return self._with_when(form)
