"""Observed values to the unit interval and back, for any finite values: 1e-300 apart, 1e300 large, or all the same.

`Scaling` is linear, as in the paper. `TamedScaling` bends what lies above the median, so that a few bad outliers do not
press everything of interest together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]  # (n,)

# Where all values lie while they are equal, as in the paper: nothing is known yet about high and low.
_MIDDLE = 0.5
_LARGEST = np.finfo(np.float64).max


@dataclass(frozen=True)
class Scaling:
    """The linear map that takes the lowest value to 0 and the highest to 1; equal values go to 0.5.

    All values are divided by `unit`, the largest magnitude, before anything is subtracted: differences of huge values
    do not overflow then, and those of tiny ones keep their digits.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low <= self.high):
            raise ValueError(
                f"Values can be scaled between two finite numbers, low to high; got {self.low} to {self.high}. "
                "Leave failed trials (None, NaN, infinity) out."
            )

    @classmethod
    def of(cls, values: ArrayLike) -> Scaling:
        """Return the scaling that fits these values; none at all count as equal."""
        given = np.asarray(values, dtype=np.float64)
        if given.size == 0:
            return cls(0.0, 0.0)
        return cls(float(given.min()), float(given.max()))

    @property
    def unit(self) -> float:
        """The largest magnitude, or 1 where everything is zero."""
        return max(abs(self.low), abs(self.high)) or 1.0

    @property
    def _span(self) -> float:
        return self.high / self.unit - self.low / self.unit

    @property
    def is_constant(self) -> bool:
        """Whether all values are the same, as far as digits tell."""
        return self._span == 0.0

    def normalize(self, values: ArrayLike) -> Values:
        """Return the values on the unit interval; those outside of low to high lie outside of it."""
        given = np.asarray(values, dtype=np.float64)
        if self.is_constant:
            return np.full_like(given, _MIDDLE)
        return self._finite(given / self.unit - self.low / self.unit, 1.0 / self._span)

    def restore(self, normalized: ArrayLike) -> Values:
        """Return the values that these normalized ones stand for."""
        given = np.asarray(normalized, dtype=np.float64)
        if self.is_constant:
            return np.full_like(given, self.low)
        return self._finite(given * self._span + self.low / self.unit, self.unit)

    @staticmethod
    def _finite(numbers: Values, factor: float) -> Values:
        """Multiply, and stop at the largest number instead of going over."""
        with np.errstate(over="ignore"):
            return np.clip(numbers * factor, -_LARGEST, _LARGEST)


@dataclass(frozen=True)
class TamedScaling:
    """A linear scaling, bent logarithmically above the median, and stretched to the unit interval again.

    `median` and `unit`, the median distance from it, are on the scale of the linear one.
    """

    linear: Scaling
    median: float
    unit: float

    @classmethod
    def of(cls, values: ArrayLike) -> TamedScaling:
        """Return the scaling that fits these values."""
        linear = Scaling.of(values)
        normalized = linear.normalize(values)
        if normalized.size == 0 or linear.is_constant:
            return cls(linear, _MIDDLE, 1.0)
        median = float(np.median(normalized))
        return cls(linear, median, float(np.median(np.abs(normalized - median))) or float(normalized.std()))

    @property
    def _ends(self) -> tuple[float, float]:
        low, high = self._bend(np.array([0.0, 1.0]))
        return float(low), float(high)

    def normalize(self, values: ArrayLike) -> Values:
        """Return the values on the unit interval."""
        linear = self.linear.normalize(values)
        if self.linear.is_constant:
            return linear
        low, high = self._ends
        return np.asarray((self._bend(linear) - low) / (high - low))

    def restore(self, normalized: ArrayLike) -> Values:
        """Return the values that these normalized ones stand for."""
        given = np.asarray(normalized, dtype=np.float64)
        if self.linear.is_constant:
            return self.linear.restore(given)
        low, high = self._ends
        bent = given * (high - low) + low
        with np.errstate(over="ignore"):
            relative = np.where(bent > 0.0, np.expm1(np.maximum(bent, 0.0)), bent)
        return self.linear.restore(np.minimum(relative * self.unit + self.median, _LARGEST / 4))

    def _bend(self, linear: Values) -> Values:
        relative = (linear - self.median) / self.unit
        return np.where(relative > 0.0, np.log1p(np.maximum(relative, 0.0)), relative)
