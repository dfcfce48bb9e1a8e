"""Arithmetic on intervals that holds whatever the evaluator may compute, in arrays, one interval per box.

The evaluator works in floats. Rounding to nearest keeps order, so for `+ * /` the rounded ends of an interval are the
ends of the rounded results, and nothing has to be widened; an interval of one number gives exactly Python's float.
Widened are whole numbers beyond 2**53, which Python holds exactly, and powers, which no standard rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from hedgerow.arrays import Column, Mask

_EXACT = 2.0**53
# Powers are right to about one unit in the last place in common libraries.
_POWER_MARGIN = 8e-16


@dataclass(frozen=True, eq=False)
class Interval:
    """Numbers from `low` to `high` for every box, and whether computing them may fail as Python would."""

    low: Column
    high: Column
    may_fail: Mask

    @classmethod
    def of(cls, low: Column, high: Column) -> Interval:
        """Return intervals that surely can be computed."""
        return cls(low, high, np.zeros(np.shape(low), dtype=np.bool_))

    @classmethod
    def constant(cls, value: float, n: int) -> Interval:
        """Return one number for every box; a whole number that no float holds lies between two."""
        try:
            number = float(value)
        except OverflowError:
            return cls.anything(n)
        low, high = (np.full(n, number),) * 2
        return cls.of(*_widened(low, high)) if number != value else cls.of(low, high)

    @classmethod
    def anything(cls, n: int) -> Interval:
        """Return what is known where nothing is known."""
        return cls(np.full(n, -np.inf), np.full(n, np.inf), np.ones(n, dtype=np.bool_))

    @property
    def is_single(self) -> Mask:
        """Where only one number is possible."""
        return np.asarray(self.low == self.high)


def negative(a: Interval) -> Interval:
    """Return -a."""
    return Interval(-a.high, -a.low, a.may_fail)


def absolute(a: Interval) -> Interval:
    """Return abs(a)."""
    low = np.where(a.low > 0, a.low, np.where(a.high < 0, -a.high, 0.0))
    return Interval(low, np.maximum(np.abs(a.low), np.abs(a.high)), a.may_fail)


def add(a: Interval, b: Interval) -> Interval:
    """Return a + b."""
    with np.errstate(all="ignore"):
        return _closed(a.low + b.low, a.high + b.high, a.may_fail | b.may_fail)


def multiply(a: Interval, b: Interval) -> Interval:
    """Return a * b."""
    with np.errstate(all="ignore"):
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    # Nothing times an unbounded number: Python's 0.0 * inf is no number, and never meant.
    corners = [np.where(np.isnan(corner), 0.0, corner) for corner in corners]
    ends = (a.low, a.high, b.low, b.high)
    unsure = reduce(np.logical_or, [~np.isfinite(end) for end in ends])
    return _closed(reduce(np.minimum, corners), reduce(np.maximum, corners), a.may_fail | b.may_fail | unsure)


def divide(a: Interval, b: Interval) -> Interval:
    """Return a / b; anything where b may be 0."""
    has_zero = (b.low <= 0) & (b.high >= 0)
    low, high = np.where(has_zero, 1.0, b.low), np.where(has_zero, 1.0, b.high)
    with np.errstate(all="ignore"):
        corners = [x / y for x in (a.low, a.high) for y in (low, high)]
    result = _closed(reduce(np.minimum, corners), reduce(np.maximum, corners), a.may_fail | b.may_fail | has_zero)
    return Interval(np.where(has_zero, -np.inf, result.low), np.where(has_zero, np.inf, result.high), result.may_fail)


def floor_divide(a: Interval, b: Interval) -> Interval:
    """Return a // b, which may be one below the floor of the rounded quotient."""
    quotient = divide(a, b)
    return Interval(np.floor(quotient.low) - 1.0, np.floor(quotient.high), quotient.may_fail)


def remainder(a: Interval, b: Interval) -> Interval:
    """Return a % b: between 0 and b, or a itself where it is."""
    may_fail = a.may_fail | b.may_fail | ((b.low <= 0) & (b.high >= 0)) | ~np.isfinite(a.low) | ~np.isfinite(a.high)
    is_itself = (a.low >= 0) & (a.high < b.low)
    low = np.where(is_itself, a.low, np.minimum(b.low, 0.0))
    high = np.where(is_itself, a.high, np.maximum(b.high, 0.0))
    return Interval(low, high, may_fail)


def power(a: Interval, b: Interval) -> Interval:
    """Return a ** b: for bases above 0, or for one whole exponent."""
    is_whole = b.is_single & (b.low == np.floor(b.low)) & (np.abs(b.low) < 1e6)
    exponent = np.where(is_whole, b.low, 0.0)
    with np.errstate(all="ignore"):
        corners = [x**y for x in (np.abs(a.low), np.abs(a.high)) for y in (b.low, b.high)]
        # Along the base the power is monotone on either side of 0, along the exponent everywhere.
        low, high = reduce(np.fmin, corners), reduce(np.fmax, corners)
        ends = [a.low**exponent, a.high**exponent]
    is_even = np.mod(exponent, 2.0) == 0
    spans = (a.low < 0) & (a.high > 0)
    signed_low = np.where(is_even, np.where(spans, np.minimum(0.0, low), low), np.minimum(*ends))
    signed_high = np.where(is_even, high, np.maximum(*ends))
    is_positive = (a.low > 0) | ((a.low == 0) & (b.low > 0))
    is_known = is_positive | (is_whole & ((exponent > 0) | (a.low > 0) | (a.high < 0)))
    low = np.where(is_known, np.where(is_positive, low, signed_low), -np.inf)
    high = np.where(is_known, np.where(is_positive, high, signed_high), np.inf)
    low, high = low - _POWER_MARGIN * np.abs(low), high + _POWER_MARGIN * np.abs(high)
    # Python raises where a power of floats overflows.
    return _closed(low, high, a.may_fail | b.may_fail | ~is_known | ~np.isfinite(high) | ~np.isfinite(low))


def lowest(parts: list[Interval]) -> Interval:
    """Return min(...)."""
    return Interval(
        reduce(np.minimum, [part.low for part in parts]),
        reduce(np.minimum, [part.high for part in parts]),
        reduce(np.logical_or, [part.may_fail for part in parts]),
    )


def highest(parts: list[Interval]) -> Interval:
    """Return max(...)."""
    return negative(lowest([negative(part) for part in parts]))


def hull(a: Interval, b: Interval) -> Interval:
    """Return what holds both."""
    return Interval(np.minimum(a.low, b.low), np.maximum(a.high, b.high), a.may_fail | b.may_fail)


def _closed(low: Column, high: Column, may_fail: Mask) -> Interval:
    """Return the interval, unbounded where an end is no number, wider where floats are no longer exact."""
    low, high = np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)
    wide_low, wide_high = _widened(low, high)
    is_exact = (np.abs(low) < _EXACT) & (np.abs(high) < _EXACT)
    return Interval(np.where(is_exact, low, wide_low), np.where(is_exact, high, wide_high), may_fail)


def _widened(low: Column, high: Column) -> tuple[Column, Column]:
    return np.nextafter(low, -np.inf), np.nextafter(high, np.inf)
