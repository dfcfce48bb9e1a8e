"""When parameters are fitted anew: on a schedule that depends on the number of observations alone."""

from __future__ import annotations

import math

# Fits are redone after every observation up to so many, then after one in so many, in steps of powers of two.
_FITTED_EVERY_TIME = 20


def scheduled(n: int) -> int:
    """Fit after every observation at first, then after every twentieth part of them."""
    step = int(2 ** max(0, math.floor(math.log2(max(n, 1) / _FITTED_EVERY_TIME))))
    return n - n % step
