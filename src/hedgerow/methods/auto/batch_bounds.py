"""Bounds of all listed rows while points are out: what the told trials say of them is worked out once for a batch.

Points that are out are believed to turn out as predicted, so they move no mean. What they take of the deviations is
bounded by each of them alone, beside the told trials: more can only take more. So the bounds are the same whether they
were kept from the last ask or are worked out anew.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hedgerow.arrays import Codes, Column, Matrix
from hedgerow.methods.auto.belief import Fit
from hedgerow.methods.auto.kernel.many_rows import ManyRows
from hedgerow.methods.auto.kernel.process import LEAST_LEFT, KernelFactor, KernelSurrogate
from hedgerow.methods.auto.kernel.triangular import solve_lower


@dataclass(frozen=True, eq=False)
class _Told:
    """Of all listed rows the mean, what some of the told rows explain, and the part of the variance that they leave.

    `left` is what is left of it beside the first points that are out.
    """

    mean: Column
    factor: KernelFactor
    explained: Matrix
    left_by_told: Column
    left: Column
    n_out: int = 0


class BatchBounds:
    """The bounds of one history, belief by belief; those of another take their place."""

    def __init__(self) -> None:
        self._fit: Fit | None = None
        self._newer: Codes = np.zeros((0, 0), dtype=np.int64)
        self._values = np.zeros(0)
        self._out: Codes = np.zeros((0, 0), dtype=np.int64)
        self._told: dict[int, _Told] = {}

    def begin(self, fit: Fit, newer: Codes, values: Column, out: Codes) -> None:
        """Keep what is known if only points that are out have come to the history, else forget it.

        `newer` are the rows that were told since the fit, `values` those of all told rows.
        """
        before = self._newer, self._values, self._out
        now = newer, values, out[: self._out.shape[0]]
        goes_on = fit is self._fit and all(map(np.array_equal, before, now))
        self._fit, self._newer, self._values, self._out = fit, newer, values, out
        if not goes_on:
            self._told.clear()

    def bound(
        self, place: int, told: KernelSurrogate, rows: ManyRows, n_used: int, out: Codes, variance: float
    ) -> tuple[Column, Column]:
        """Return the mean and an upper bound of the standard deviation of all listed rows, by the belief at a place.

        `told` is the process of the told rows alone, `variance` that of the process to which those out belong as well.
        """
        known = self._told.get(place)
        if known is None:
            known = _known(told, rows, n_used)
        self._told[place] = known = _with_out(known, rows, out)
        return known.mean, np.sqrt(variance * np.maximum(known.left, LEAST_LEFT))


def _known(told: KernelSurrogate, rows: ManyRows, n_used: int) -> _Told:
    factor = told.spread_out(n_used)
    explained = factor.solve(rows.products(factor.codes, told.tables))
    left = 1.0 - np.einsum("ij,ij->j", explained, explained)
    return _Told(told.predict_mean(rows), factor, explained, left, left)


def _with_out(known: _Told, rows: ManyRows, out: Codes) -> _Told:
    """Return the same with the points that are out since."""
    factor, left = known.factor, known.left
    for row in out[known.n_out :]:
        one = row[None, :]
        across = solve_lower(factor.lower, factor.kernel.products(factor.codes, one, factor.tables))[:, 0]
        own = 1.0 + factor.kernel.noise(factor.parameters) - float(across @ across)
        taken = rows.products(one, factor.tables)[0] - across @ known.explained
        left = np.minimum(left, known.left_by_told - taken**2 / own)
    return replace(known, left=left, n_out=out.shape[0])
