"""The transforms as curves: for numbers that were not among the values, such as limits, and back to values.

`transforms` bends values and standardizes them; here are its constants. Below the point where a curve bends it goes on
straight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Column
from hedgerow.methods.auto.transforms import TRANSFORMS, unit_of

_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Curve:
    """target = (bent((value - origin) / unit) - mean) / spread."""

    origin: float
    unit: float
    mean: float
    spread: float
    is_bent: bool
    # The target of the highest value, and the slope there.
    top: float = np.inf
    slope: float = 0.0

    @classmethod
    def of(cls, transform: int, values: Column) -> Curve:
        """Return the curve that a transform, by its place in `TRANSFORMS`, makes of values."""
        low, high = float(values.min()), float(values.max())
        median, deviation = float(np.median(values)), float(values.std())
        if TRANSFORMS[transform].__name__.startswith("standard"):
            return cls(0.0, 1.0, float(values.mean()), deviation, is_bent=False)
        origin = median if TRANSFORMS[transform].__name__ == "tamed" else low
        # Two values and their targets say what was divided by; the targets are known exactly.
        unit = _unit(transform, values, median)
        targets = TRANSFORMS[transform](values).values
        bent = _bent((np.array([low, high]) - origin) / unit)
        spread = float((bent[1] - bent[0]) / (targets.max() - targets.min()))
        mean = float(bent[0] - spread * targets.min())
        slope = spread * (unit + max(high - origin, 0.0))
        return cls(origin, unit, mean, spread, is_bent=True, top=float(targets.max()), slope=slope)

    def targets(self, values: Column) -> Column:
        """Return the targets of values."""
        scaled = (values - self.origin) / self.unit
        return np.asarray(((_bent(scaled) if self.is_bent else scaled) - self.mean) / self.spread)

    def values(self, targets: Column) -> Column:
        """Return the values of targets."""
        bent = targets * self.spread + self.mean
        scaled = np.where(bent > 0, np.expm1(np.clip(bent, 0.0, 500.0)), bent) if self.is_bent else bent
        return np.asarray(self.origin + self.unit * scaled)

    def believed(self, targets: Column) -> Column:
        """Return the values of targets that are believed and were not told: beyond the highest value straight on.

        The mean of exponentials of Gaussians goes by their tails, of which a few observations know nothing.
        """
        beyond = np.maximum(targets - self.top, 0.0)
        return np.asarray(self.values(np.minimum(targets, self.top)) + self.slope * beyond)


def in_unit(unit: float, scaled: Column) -> Column:
    """Return numbers in a unit; what is beyond the largest float is the largest float."""
    with np.errstate(over="ignore"):
        return np.clip(unit * scaled, -_LARGEST, _LARGEST)


def mean_and_deviation(numbers: Column, shares: Column) -> tuple[float, float]:
    """Return both of numbers of any magnitude, whose squares may overflow or vanish."""
    largest = float(np.abs(numbers).max()) or 1.0
    scaled = numbers / largest
    # Shares add up to one but for rounding.
    mean = float(np.clip(shares @ scaled, scaled.min(), scaled.max()))
    return mean * largest, math.sqrt(float(shares @ (scaled - mean) ** 2)) * largest


def _unit(transform: int, values: Column, median: float) -> float:
    if TRANSFORMS[transform].__name__ == "tamed":
        found = float(np.median(np.abs(values - median)))
        return unit_of(found, values, straight=median - float(values.min()))
    return unit_of(0.3 * (median - float(values.min())), values)


def _bent(scaled: Column) -> Column:
    return np.asarray(np.minimum(scaled, 0.0) + np.log1p(np.maximum(scaled, 0.0)))
