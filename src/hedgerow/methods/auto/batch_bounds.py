"""Bounds of all listed rows while points are out: what the told trials say of them is worked out once for a batch.

Points that are out are believed to turn out as predicted, so they move no mean. What they take of the deviations is
bounded by each of them alone, beside the told trials: more can only take more. So the bounds are the same to the last
digit whether they were kept from the last ask or are worked out anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hedgerow.arrays import Codes, Column, Matrix
from hedgerow.methods.auto.belief import Fit
from hedgerow.methods.auto.kernel.many_rows import ManyRows
from hedgerow.methods.auto.kernel.process import LEAST_LEFT, KernelFactor, KernelSurrogate
from hedgerow.methods.auto.kernel.triangular import solve_lower

# Points that are out whose products with a list are held at once.
_AT_ONCE = 16


@dataclass(frozen=True, eq=False)
class _Known:
    """Of all listed rows the mean, what some of the told rows explain, and the part of the variance that they leave.

    `left` is what is left of it beside the points in `out`.
    """

    mean: Column
    factor: KernelFactor
    explained: Matrix
    left_by_told: Column
    left: Column
    out: Codes

    @classmethod
    def of(cls, told: KernelSurrogate, rows: ManyRows, n_used: int) -> _Known:
        """Work out what the told rows say, of which so many bound the deviations."""
        factor = told.spread_out(n_used)
        explained = factor.solve(rows.products(factor.codes, told.tables))
        left = 1.0 - np.einsum("ij,ij->j", explained, explained)
        return cls(told.predict_mean(rows), factor, explained, left, left, factor.codes[:0])

    def beside(self, out: Codes, rows: ManyRows) -> _Known:
        """Return the same beside these points, which may go on with those that are known."""
        goes_on = np.array_equal(out[: self.out.shape[0]], self.out)
        left, start = (self.left, self.out.shape[0]) if goes_on else (self.left_by_told, 0)
        kernel, tables = self.factor.kernel, self.factor.tables
        noise = kernel.noise(self.factor.parameters)
        for first in range(start, out.shape[0], _AT_ONCE):
            some = out[first : first + _AT_ONCE]
            near, everywhere = kernel.products(some, self.factor.codes, tables), rows.products(some, tables)
            # One by one, since the last digit of a product of matrices depends on how many rows they have.
            for beside_used, beside_all in zip(near, everywhere, strict=True):
                across = solve_lower(self.factor.lower, beside_used[:, None])[:, 0]
                taken = (beside_all - across @ self.explained) ** 2 / (1.0 + noise - float(across @ across))
                left = np.minimum(left, self.left_by_told - taken)
        return replace(self, left=left, out=out)


class ToldBounds:
    """The bounds of one told history, belief by belief."""

    def __init__(self, fit: Fit, newer: Codes, values: Column) -> None:
        self.fit, self.newer, self.values = fit, newer, values
        self._known: dict[tuple[int, int], _Known] = {}

    def bound(
        self, place: int, told: KernelSurrogate, rows: ManyRows, n_used: int, out: Codes, variance: float
    ) -> tuple[Column, Column]:
        """Return the mean and an upper bound of the standard deviation of all listed rows, by the belief at a place.

        `told` is the process of the told rows alone, of which `n_used` bound the deviations; `variance` is that of the
        process to which the points that are out belong as well.
        """
        known = self._known.get((place, n_used))
        if known is None:
            known = _Known.of(told, rows, n_used)
        self._known[place, n_used] = known = known.beside(out, rows)
        return known.mean, np.sqrt(variance * np.maximum(known.left, LEAST_LEFT))


class BatchBounds:
    """Keeps the bounds of the last told history. What is missing is worked out anew, so none are sent on."""

    def __init__(self) -> None:
        self._last: ToldBounds | None = None

    def of(self, fit: Fit, newer: Codes, values: Column) -> ToldBounds:
        """Return the bounds of a history: `newer` are the rows told since the fit, `values` those of all told rows."""
        last = self._last
        if (
            last is None
            or last.fit is not fit
            or not all(map(np.array_equal, (last.newer, last.values), (newer, values)))
        ):
            self._last = last = ToldBounds(fit, newer, values)
        return last

    def __reduce__(self) -> tuple[type[BatchBounds], tuple[()]]:
        return BatchBounds, ()
