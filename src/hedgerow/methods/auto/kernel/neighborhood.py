"""Predictions of a conditioned process around one row, where a search looks at thousands of small changes.

A change touches one or two factors of the kernel's product, so its covariances come from those of the row by one or two
multiplications, whatever the number of slots. Means are exact. Standard deviations come in two ways: exact, and as what
the few observations most correlated with the row would leave, which is an upper bound and many times cheaper.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Column, Places
from hedgerow.methods.auto.kernel.neighborhood_loops import changed_products, changed_sums, literal_ratios, single_sums
from hedgerow.methods.auto.kernel.process import KernelSurrogate
from hedgerow.methods.auto.kernel.triangular import lower_factor, solve_lower

# How many of the observations most correlated with a row bound the deviations around it.
_N_CLOSEST = 32


@dataclass(frozen=True, eq=False)
class KernelNeighborhood:
    """What changes of one row are predicted from.

    `slots` are those of the literals, codes that a change may lead to; `ratios` (n_literals, n_kinds) says by what
    such a change multiplies the covariance with an observation, for every code that observations have there.
    """

    model: KernelSurrogate
    slots: Places
    ratios: NDArray[np.float64]
    products: Column
    closest: Places

    @classmethod
    def of(cls, model: KernelSurrogate, row: Codes, slots: Places, codes: Codes) -> KernelNeighborhood:
        """Prepare a row of the kernel's slots, and the literals of these slots and codes, slot by slot."""
        products = model.factor.kernel.products(row[None, :], model.factor.codes, model.tables)[0]
        n_closest = min(_N_CLOSEST, products.size)
        closest = np.argpartition(-products, n_closest - 1)[:n_closest]
        ratios = literal_ratios(row, slots, codes, model.tables, model.observed.codes)
        return cls(model, slots, ratios, products, closest)

    @cached_property
    def single_means(self) -> Column:
        """The mean after each single change, literal by literal."""
        return self.model.mean + single_sums(self._weighted, self.model.observed.kinds, self.ratios, self.slots)

    def means(self, first: Places, second: Places) -> Column:
        """Return the means after changes to one literal, or to two where `second` is not -1."""
        means = self.single_means[first]
        is_double = second >= 0
        if is_double.any():
            literals = first[is_double], second[is_double]
            sums = changed_sums(self._weighted, self.model.observed.kinds, self.ratios, self.slots, *literals)
            means[is_double] = self.model.mean + sums
        return means

    def deviations(self, first: Places, second: Places) -> Column:
        """Return the standard deviations after changes."""
        shared = changed_products(self.products, self.model.observed.kinds, self.ratios, self.slots, first, second)
        return self.model.deviation(self.model.factor.solve(shared.T))

    def bounds(self, first: Places, second: Places) -> Column:
        """Return upper bounds of the standard deviations after changes."""
        kinds = np.ascontiguousarray(self.model.observed.kinds[:, self.closest])
        shared = changed_products(self.products[self.closest], kinds, self.ratios, self.slots, first, second)
        return self.model.deviation(solve_lower(self._lower, shared.T))

    @cached_property
    def _weighted(self) -> Column:
        return self.products * self.model.weights

    @cached_property
    def _lower(self) -> NDArray[np.float64]:
        """The factor of the closest observations alone."""
        factor = self.model.factor
        codes = factor.codes[self.closest]
        noisy = factor.kernel.own_products(codes, self.model.tables)
        noisy.flat[:: codes.shape[0] + 1] += factor.kernel.noise(factor.parameters)
        return lower_factor(noisy)
