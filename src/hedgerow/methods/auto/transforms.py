"""Observed values to standardized targets, with the Jacobian that makes the evidences of transforms comparable."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Column


@dataclass(frozen=True, eq=False)
class Targets:
    """Transformed values with mean 0 and deviation 1, the logarithm of the Jacobian, and the slope at the best."""

    values: Column
    log_jacobian: float
    slope_at_best: float

    def goal(self, step: float) -> float:
        """Return the target below which a trial improves the best by `step`, in values, or by a hundredth of their
        deviation: with less, a model that is sure of a plateau would walk all over it for nothing."""
        return float(self.values.min()) - max(_LEAST_GAIN, step * self.slope_at_best)


_LEAST_GAIN = 0.01
# Where this share of the values are repetitions of others, they come in steps.
_SHARE_OF_REPEATED = 0.2
# The magnified transform is a straight line up to about this part of the way from the best to the median.
_NEAR = 0.3
# Values, of which the largest is 1, overflow in smaller units.
_LEAST_UNIT = 1e-307
# In smaller parts of what is not compressed, nothing else can be told apart, and squares may overflow.
_LEAST_PART = 1e-12


def standardized(values: Column) -> Targets:
    """Return the values shifted and scaled, nothing else. They must not all be equal."""
    spread = float(values.std())
    return Targets((values - values.mean()) / spread, -values.size * math.log(spread), 1.0 / spread)


def tamed(values: Column) -> Targets:
    """Return the values with everything above the median compressed logarithmically: bad outliers lose their pull."""
    median = float(np.median(values))
    unit = unit_of(float(np.median(np.abs(values - median))), values, straight=median - float(values.min()))
    return _bent(np.minimum(values - median, 0.0) / unit, np.maximum(values - median, 0.0) / unit, unit)


def magnified(values: Column) -> Targets:
    """Return the logarithm of the distance from the best: small differences among good values count."""
    best = float(values.min())
    unit = unit_of(_NEAR * (float(np.median(values)) - best), values)
    return _bent(np.zeros(values.size), (values - best) / unit, unit)


def unit_of(found: float, values: Column, straight: float = 0.0) -> float:
    """Return the unit that was found, or the deviation of the values where numbers in it overflow or are not precise.

    `straight` is how far values reach that are not compressed.
    """
    is_usable = found > max(_LEAST_UNIT, _LEAST_PART * straight)
    return found if is_usable else float(values.std())


def _bent(straight: Column, curved: Column, unit: float) -> Targets:
    """Return straight + log(1 + curved), standardized, for values that were divided by `unit`."""
    bent = standardized(straight + np.log1p(curved))
    log_jacobian = bent.log_jacobian - straight.size * math.log(unit) - float(np.log1p(curved).sum())
    return Targets(bent.values, log_jacobian, bent.slope_at_best / unit)


TRANSFORMS: tuple[Callable[[Column], Targets], ...] = (standardized, tamed, magnified)


def step_between(values: Column) -> float:
    """Return the smallest difference of values that come in steps (counts, scores with two digits); else 0."""
    distinct = np.unique(values)
    distinct = distinct[np.diff(distinct, prepend=-np.inf) > 1e-9 * np.ptp(values)]
    if distinct.size < 2 or values.size - distinct.size < _SHARE_OF_REPEATED * values.size:
        return 0.0
    return float(np.diff(distinct).min())
