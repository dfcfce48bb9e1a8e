"""The logarithm of the Gaussian expected improvement as a compiled loop; `acquisition` has its plain twin."""

from __future__ import annotations

import math

import numpy as np

from hedgerow.arrays import Column
from hedgerow.compiled import compiled, inlined

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_SQRT_HALF_PI = math.sqrt(math.pi / 2.0)
_SQRT_HALF = math.sqrt(0.5)
# Below this the asymptotic series is exact to the last digits, and above it the complementary error function is far
# from its underflow.
_FAR_BELOW = -25.0


@compiled
def log_improvements(mean: Column, sd: Column, best: float) -> Column:
    """Return log E max(0, best - Y) for Gaussian Y; where sd is 0 the improvement is certain."""
    result = np.empty(mean.size)
    for j in range(mean.size):
        gain = best - mean[j]
        if sd[j] > 0.0:
            result[j] = math.log(sd[j]) + _log_standard(gain / sd[j])
        elif gain > 0.0:
            result[j] = math.log(gain)
        else:
            result[j] = -np.inf
    return result


@inlined
def _log_standard(z: float) -> float:
    """Return log(phi(z) + z Phi(z))."""
    log_density = -0.5 * z * z - _LOG_SQRT_2PI
    if z > -1.0:
        return math.log(math.exp(log_density) + z * 0.5 * math.erfc(-z * _SQRT_HALF))
    if z > _FAR_BELOW:
        x = -z * _SQRT_HALF
        mills = _SQRT_HALF_PI * math.exp(x * x) * math.erfc(x)
        return log_density + math.log1p(z * mills)
    w = 1.0 / (z * z)
    series = 1.0 - w * (3.0 - w * (15.0 - w * (105.0 - w * (945.0 - w * 10395.0))))
    return log_density - 2.0 * math.log(-z) + math.log(series)
