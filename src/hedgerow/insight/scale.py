"""Axes: which part of the numbers they show, whether in equal steps or equal factors, and where their ticks are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from hedgerow.wording import has_exponent, readable_number

# Column that span more than this factor are drawn on a logarithmic axis: bad first trials would flatten the rest.
_WIDE = 20
_PADDING = 0.04
# Beyond these, differences of numbers overflow or vanish; such axes get their ends as ticks and nothing between.
_LARGEST, _SMALLEST = 1e300, 1e-300


def is_wide(values: Sequence[float]) -> bool:
    """Whether values are better drawn on a logarithmic axis."""
    return bool(values) and min(values) > 0 and max(values) / min(values) > _WIDE


@dataclass(frozen=True)
class Tick:
    """A place on an axis, from 0 to 1, and what is written there."""

    place: float
    label: str


@dataclass(frozen=True)
class Scale:
    """An axis from `low` to `high`."""

    low: float
    high: float
    is_log: bool = False

    def place(self, value: float) -> float:
        """Return where a value lies, 0 at the low end and 1 at the high end."""
        low, high, at = self._measured(self.low), self._measured(self.high), self._measured(value)
        return min(1.0, max(0.0, (at - low) / (high - low)))

    def numbers(self, at_most: int = 5) -> list[float]:
        """Return round numbers along the axis."""
        if max(abs(self.low), abs(self.high)) > _LARGEST or self.high - self.low < _SMALLEST:
            return [self.low, self.high]
        numbers = _round_factors(self.low, self.high, at_most) if self.is_log else []
        return numbers if len(numbers) > 1 else _round_steps(self.low, self.high, at_most)

    def ticks(self, at_most: int = 5) -> list[Tick]:
        """Return ticks at round numbers, with as many digits as tell them apart."""
        numbers = self.numbers(at_most)
        gap = min((b / 2 - a / 2 for a, b in pairwise(numbers) if b > a), default=1.0)
        digits = 2 + math.ceil(math.log10(max(abs(self.low), abs(self.high)) / 2 / gap))
        if any(has_exponent(number) for number in numbers):
            # Numbers with an exponent are written two digits shorter.
            digits += 2
        return [Tick(self.place(number), readable_number(number, max(6, digits))) for number in numbers]

    def _measured(self, value: float) -> float:
        if self.is_log:
            return math.log(max(value, 5e-324))
        return value / max(abs(self.low), abs(self.high), 5e-324)


def scale_of(values: Iterable[float], may_be_log: bool = True) -> Scale:
    """Return an axis that shows these finite values with a little room around them."""
    listed = list(values) or [0.0]
    low, high = min(listed), max(listed)
    if may_be_log and is_wide(listed):
        room = (high / low) ** _PADDING
        return Scale(low / room, min(high * room, 1.7e308), is_log=True)
    room = _PADDING * (high / 2 - low / 2) * 2
    if room <= 1e-12 * max(abs(low), abs(high)):
        room = 0.05 * abs(high) or 1.0
    return Scale(max(low - room, -1.7e308), min(high + room, 1.7e308))


def count_scale(n: int) -> Scale:
    """Return an axis for the numbers 1 to n."""
    return Scale(1.0 - 0.02 * n, n + 0.02 * n) if n > 1 else Scale(0.0, 2.0)


def count_ticks(scale: Scale, n: int, at_most: int = 6) -> list[Tick]:
    """Return whole numbers from 1 to n along an axis of counts."""
    step = max(1, math.ceil(_round_step(n, at_most)))
    numbers = [1, *range(step if step > 1 else 2, n + 1, step)]
    return [Tick(scale.place(number), f"{number:,}") for number in numbers if number == 1 or number > 0.4 * step]


def _round_step(span: float, at_most: int) -> float:
    least = span / at_most
    power = 10.0 ** math.floor(math.log10(least) + 1e-9)
    least *= 1 - 1e-6
    return next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= least)


def _round_steps(low: float, high: float, at_most: int) -> list[float]:
    step = _round_step(high - low, at_most)
    first, last = math.ceil(low / step), math.floor(high / step)
    # Twelve digits, because the third tenth should be written 0.3.
    return [float(f"{step * i:.12g}") for i in range(first, last + 1)]


def _round_factors(low: float, high: float, at_most: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        numbers = [float(f"{digit}e{power}") for power in powers for digit in digits]
        inside = [number for number in numbers if low <= number <= high]
        if len(inside) <= at_most:
            return inside
    every = math.ceil(len(inside) / at_most)
    return inside[::every]
