"""All pairs of the rows that a kernel is fitted on: its parameters change a hundred times, the rows do not.

Unordered slots only ask whether two codes are equal. Their part of the kernel is the exponential of a sum over slots,
and sums over pairs with equal codes are needed for its gradient: both are matrix products of indicators, one column per
slot and code that occurs, which is many times faster than visiting every slot of every pair.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Matrix, Tables
from hedgerow.methods.auto.kernel.loops import own_products, pair_sums
from hedgerow.methods.auto.kernel.tensor_kernel import TensorKernel


@dataclass(frozen=True, eq=False)
class Pairs:
    """Rows, the slots that only compare codes, and the indicators of these slots' codes."""

    kernel: TensorKernel
    codes: Codes
    unordered: NDArray[np.int64]
    ordered_codes: Codes
    # For each kind of motifs how many of them one row of a pair has and the other has not.
    motif_differences: list[Codes]
    # (n_rows, n_literals), and the place in `unordered` that each literal belongs to.
    indicators: Matrix
    owners: NDArray[np.int64]

    @classmethod
    def of(cls, kernel: TensorKernel, codes: Codes) -> Pairs:
        """Prepare rows of the kernel's slots."""
        unordered = np.setdiff1d(np.arange(kernel.n_slots), kernel.ordered)
        levels = [np.unique(codes[:, k]) for k in unordered]
        owners = np.repeat(np.arange(unordered.size), [level.size for level in levels])
        indicators = (codes[:, unordered][:, owners] == np.concatenate([*levels, owners[:0]])).astype(np.float64)
        ordered_codes = np.ascontiguousarray(codes[:, kernel.ordered[kernel.ordered < kernel.n_columns]])
        differences = [] if kernel.motifs is None else kernel.motifs.differences(codes)
        return cls(kernel, codes, unordered, ordered_codes, differences, indicators, owners)

    def products(self, tables: Tables) -> Matrix:
        """Return for each pair of rows the product of the tables at their codes."""
        result = own_products(self.ordered_codes, tables[self.kernel.ordered])
        for differences, table in zip(self.motif_differences, tables[self.kernel.n_columns :], strict=True):
            result *= table[differences]
        if self.unordered.size:
            equal, other = tables[self.unordered, 0], tables[self.unordered, 1]
            weights = np.log(equal / other)
            exponents = (self.indicators * weights[self.owners]) @ self.indicators.T
            result *= np.exp(exponents + np.log(other).sum())
        return result

    def sums(self, weights: Matrix) -> Tables:
        """Return for each slot and difference of codes the sum of symmetric weights over pairs of rows.

        In unordered slots all pairs of different codes stand in one place, since the kernel does not tell them apart.
        """
        n_differences = self.kernel.n_differences
        sums = np.zeros((self.kernel.n_slots, n_differences))
        in_columns = self.kernel.ordered[: self.ordered_codes.shape[1]]
        sums[in_columns] = pair_sums(self.ordered_codes, weights, n_differences)
        for place, differences in enumerate(self.motif_differences, start=self.kernel.n_columns):
            sums[place] = np.bincount(differences.ravel(), weights.ravel(), minlength=n_differences)
        if self.unordered.size:
            by_literal = np.einsum("im,im->m", weights @ self.indicators, self.indicators)
            equal = np.bincount(self.owners, by_literal, minlength=self.unordered.size)
            sums[self.unordered, 0] = equal
            sums[self.unordered, 1] = weights.sum() - equal
        return sums
