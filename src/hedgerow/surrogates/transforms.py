"""Observed values to standardised targets, with the Jacobian that makes the evidences of transforms comparable."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hedgerow.surrogates.surrogate import Column


@dataclass(frozen=True, eq=False)
class Targets:
    """Transformed values with mean 0 and deviation 1, and the logarithm of the transform's Jacobian."""

    values: Column
    log_jacobian: float


def standardised(values: Column) -> Targets:
    """Return the values shifted and scaled, nothing else. They must not all be equal."""
    spread = float(values.std())
    return Targets((values - values.mean()) / spread, -values.size * math.log(spread))


def tamed(values: Column) -> Targets:
    """Return the values with everything above the median compressed logarithmically: bad outliers lose their pull."""
    median = float(np.median(values))
    unit = float(np.median(np.abs(values - median))) or float(values.std())
    relative = (values - median) / unit
    above = np.maximum(relative, 0.0)
    bent = standardised(np.where(relative > 0, np.log1p(above), relative))
    log_jacobian = bent.log_jacobian - values.size * math.log(unit) - float(np.log1p(above).sum())
    return Targets(bent.values, log_jacobian)


TRANSFORMS: tuple[Callable[[Column], Targets], ...] = (standardised, tamed)
