"""Predictions of a conditioned process around one row, where a search looks at thousands of small changes.

A change touches one or two factors of the kernel's product, so its covariances come from those of the row by one or two
multiplications, whatever the number of slots. The mean is exact. The standard deviation is what the observations most
alike the row alone would leave: an upper bound, and a close one near the row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular  # type: ignore[import-untyped]

from hedgerow.space.encoding import Codes
from hedgerow.surrogates.kernel import KernelSurrogate
from hedgerow.surrogates.kernel_loops import change_ratios, changed_sums, table_products
from hedgerow.surrogates.surrogate import Column

Places = NDArray[np.int64]

# How many of the observations most alike a row bound the deviations around it.
_N_ALIKE = 128


@dataclass(frozen=True, eq=False)
class Around:
    """What changes of one row are predicted from: `ratios` (n_changes, n_observations), a line per slot and code."""

    model: KernelSurrogate
    products: Column
    ratios: NDArray[np.float64]
    alike: Places
    lower: NDArray[np.float64]

    @classmethod
    def of(cls, model: KernelSurrogate, row: Codes) -> Around:
        """Prepare a row of the kernel's slots."""
        kernel, codes = model.factor.kernel, model.factor.codes
        products = table_products(row[None, :], codes, model.tables)[0]
        n_alike = min(_N_ALIKE, products.size)
        alike = np.sort(np.argpartition(-products, n_alike - 1)[:n_alike])
        # The matrix of these rows lies in the factor of all; multiplying it out is cheaper than visiting every slot.
        part = model.factor.lower[alike]
        lower = cholesky(part @ part.T, lower=True, check_finite=False)
        ratios = change_ratios(row, model.columns, model.tables, np.array(kernel.sizes))
        return cls(model, products, ratios, alike, lower)

    def single_means(self) -> Column:
        """Return the mean after each single change, slot by slot and code by code."""
        return self.model.mean + self.ratios @ (self.products * self.model.weights)

    def predict(self, first: Places, second: Places) -> tuple[Column, Column]:
        """Return means and bounds of deviations after changes: lines of `ratios`, -1 where nothing more changes."""
        sums = changed_sums(self.products * self.model.weights, self.ratios, first, second)
        shared = self.products[self.alike] * self.ratios[first][:, self.alike]
        is_double = second >= 0
        shared[is_double] *= self.ratios[second[is_double]][:, self.alike]
        explained = solve_triangular(self.lower, shared.T, lower=True, check_finite=False)
        return self.model.mean + sums, self.model.deviation(explained)
