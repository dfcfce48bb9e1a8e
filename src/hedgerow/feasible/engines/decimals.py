"""Sums of floats as sums of whole numbers: what holds of the rounded sum holds of these, within a stated slack.

Numbers such as 0.05 lie on a decimal grid, where sums are exact and what rounding can do is far less than a step.
Others are rounded to a fine binary grid.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Decimal places that are tried.
_PLACES = 9
# Rounding errors are at most this share of the sum of magnitudes, for sums of a thousand terms and more.
_ROUNDING = 2.0**-40
# The binary grid has so many bits for the sum of magnitudes.
_BITS = 45


@dataclass(frozen=True)
class OnGrid:
    """Rows of whole numbers, and by how much their sum may miss zero where the sum of floats is compared with it."""

    rows: list[list[int]]
    slack: int


def on_grid(rows: Sequence[Sequence[float]]) -> OnGrid:
    """Return the rows, of each of which a sum takes one number, on the coarsest grid that fits."""
    reach = sum(max(abs(value) for value in row) for row in rows)
    for places in range(_PLACES + 1):
        scale = 10**places
        missed = sum(max(abs(value * scale - round(value * scale)) for value in row) for row in rows)
        # Less than half a step is lost in all, so that a sum of whole steps is known exactly.
        if missed + reach * scale * _ROUNDING < 0.5:
            return OnGrid([[round(value * scale) for value in row] for row in rows], 0)
    _, exponent = math.frexp(max(reach, 1e-300))
    shift = _BITS - exponent
    fine = [[round(math.ldexp(value, shift)) for value in row] for row in rows]
    return OnGrid(fine, len(rows) + math.ceil(math.ldexp(reach * _ROUNDING, shift)))
