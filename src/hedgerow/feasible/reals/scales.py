"""Where a value lies between the ends of its slot, from 0 to 1: on a straight or a logarithmic scale.

In rows of numbers a real without a value is infinity, which its code stands for; where it would lie is of no account.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hedgerow.arrays import Codes, Column, Matrix
from hedgerow.space.floats import floats_at, places_of
from hedgerow.space.numeric import Real
from hedgerow.space.space import Space


class Scales:
    """Rows of a mixed space as numbers: floats in its real slots, codes in the others."""

    def __init__(self, space: Space) -> None:
        self.space = space
        self.reals = np.array(space.reals, dtype=np.int64)

    @cached_property
    def _ends(self) -> Matrix:
        """Low, high and whether logarithmic of each real, (3, n_reals)."""
        variables = [self.space.slots[slot].variable for slot in self.space.reals]
        return np.array([[v.low, v.high, float(v.log)] for v in variables if isinstance(v, Real)]).T.reshape(3, -1)

    def numbers(self, codes: Codes) -> Matrix:
        """Return rows of codes with floats in place of the codes of reals."""
        rows = codes.astype(np.float64)
        rows[:, self.reals] = floats_at(codes[:, self.reals])
        return rows

    def codes(self, numbers: Matrix) -> Codes:
        """Return the rows of codes of such numbers."""
        rows = np.where(np.isinf(numbers), 0.0, numbers).astype(np.int64)
        rows[:, self.reals] = places_of(numbers[:, self.reals])
        return rows

    def to_unit(self, values: Matrix, reals: Sequence[int] | None = None) -> Matrix:
        """Return where values (n, n_reals) lie between their ends; `reals` says which they are, all by default."""
        low, high, log = self._ends if reals is None else self._ends[:, list(reals)]
        is_log = log > 0
        with np.errstate(all="ignore"):
            straight = (values - low) / (high - low)
            curved = np.log(values / np.where(is_log, low, 1.0)) / np.log(np.where(is_log, high / low, 2.0))
        return np.clip(np.where(is_log, curved, straight), 0.0, 1.0)

    def from_unit(self, units: Matrix, reals: Sequence[int] | None = None) -> Matrix:
        """Return the values at such places, never beyond the ends."""
        low, high, log = self._ends if reals is None else self._ends[:, list(reals)]
        is_log = log > 0
        ratio = np.where(is_log, high / np.where(is_log, low, 1.0), 1.0)
        values = np.where(is_log, low * ratio**units, low + (high - low) * units)
        # Minus zero is zero.
        return np.asarray(np.clip(values, low, high) + 0.0)

    def placed(self, rows: Matrix, units: Matrix) -> Matrix:
        """Return rows of numbers with their reals at other places; those without a value keep none."""
        result = rows.copy()
        values = self.from_unit(units)
        result[:, self.reals] = np.where(np.isinf(rows[:, self.reals]), np.inf, values)
        return result

    def units_of(self, codes: Codes, slot: int) -> Column:
        """Return where one real slot of rows of codes lies between its ends."""
        place = self.space.reals.index(slot)
        return np.asarray(self.to_unit(floats_at(codes[:, [slot]]), [place])[:, 0])

    def by_unit(self, values: Matrix) -> Matrix:
        """Return the derivative of the values by their places; 0 where there is no value."""
        low, high, log = self._ends
        ratio = np.where(log > 0, high / np.where(log > 0, low, 1.0), 1.0)
        known = np.where(np.isinf(values), 0.0, values)
        return np.where(np.isinf(values), 0.0, np.where(log > 0, known * np.log(ratio), high - low))
