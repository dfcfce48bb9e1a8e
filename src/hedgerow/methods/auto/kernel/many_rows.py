"""Kernel values between observations and a long list of rows, in one multiplication per pair.

Rows of a list share their halves: 24,000 sequences of eight letters have 256 distinct first halves and as many second
ones. The product over slots is taken once per distinct half; what is left per row is a product of two numbers. The
list does not change, so its halves are found once per problem. Motifs have no halves: what they multiply by is looked
up for each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Matrix, Places, Tables
from hedgerow.methods.auto.kernel.loops import half_sums, table_products
from hedgerow.methods.auto.kernel.motifs import SeenMotifs

# Rows whose products with observations are held at once.
_AT_ONCE = 500


@dataclass(frozen=True, eq=False)
class ManyRows:
    """A list of rows by its distinct halves: row j is `lefts[left[j]]` followed by `rights[right[j]]`."""

    lefts: Codes
    rights: Codes
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    # The order of slots in which rows were cut, where it is not their own.
    order: Places | None = None
    # The motifs of rows, where they are seen, and their columns.
    motifs: SeenMotifs | None = None
    parts: Sequence[Codes] = ()

    @classmethod
    def of(cls, rows: Codes, order: Places | None = None, motifs: SeenMotifs | None = None) -> ManyRows:
        """Cut where the two halves have the fewest distinct rows together."""
        if motifs is not None:
            plain = cls.of(np.ascontiguousarray(rows[:, : motifs.n_slots]), order)
            return replace(plain, motifs=motifs, parts=motifs.parts(rows))
        if order is not None:
            return replace(cls.of(rows[:, order]), order=order)
        n_lefts, n_rights = _distinct_starts(rows), _distinct_starts(rows[:, ::-1])[::-1]
        return _cut(rows, int(np.argmin(n_lefts + n_rights)))

    def products(self, codes: Codes, tables: Tables) -> Matrix:
        """Return the kernel between each row of codes and each row of the list."""
        lefts, rights = self._half_products(codes, tables)
        products = lefts[:, self.left] * rights[:, self.right]
        if self.motifs is not None:
            self.motifs.multiply(products, self.motifs.parts(codes), self.parts, tables)
        return products

    def sums(self, codes: Codes, tables: Tables, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each row of the list the weighted sum of its kernel values, without the matrix of all pairs."""
        lefts, rights = self._half_products(codes, tables)
        weighted = np.ascontiguousarray((weights[:, None] * lefts).T)
        rights = np.ascontiguousarray(rights.T)
        if self.motifs is None:
            return half_sums(weighted, rights, self.left, self.right)
        sums = np.empty(self.left.size)
        observed = self.motifs.parts(codes)
        for start in range(0, self.left.size, _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            products = weighted[self.left[some]] * rights[self.right[some]]
            self.motifs.multiply(products, [part[some] for part in self.parts], observed, tables)
            sums[some] = products.sum(axis=1)
        return sums

    def _half_products(self, codes: Codes, tables: Tables) -> tuple[Matrix, Matrix]:
        cut = self.lefts.shape[1]
        if self.order is not None:
            codes, tables = codes[:, self.order], tables[self.order]
        elif self.motifs is not None:
            codes = codes[:, : self.motifs.n_slots]
        first, second = np.ascontiguousarray(codes[:, :cut]), np.ascontiguousarray(codes[:, cut:])
        return table_products(first, self.lefts, tables[:cut]), table_products(second, self.rights, tables[cut:])


def _distinct_starts(rows: Codes) -> NDArray[np.int64]:
    """Return how many distinct rows there are of the first columns, for every number of columns.

    Rows are named by their starts, column by column: sorting numbers is many times faster than sorting rows.
    """
    names = np.zeros(rows.shape[0], dtype=np.int64)
    counts = [min(1, rows.shape[0])]
    for column in rows.T:
        known, names = np.unique(names * (int(column.max(initial=0)) + 1) + column, return_inverse=True)
        counts.append(known.size)
    return np.array(counts)


def _cut(rows: Codes, place: int) -> ManyRows:
    lefts, left = np.unique(rows[:, :place], axis=0, return_inverse=True)
    rights, right = np.unique(rows[:, place:], axis=0, return_inverse=True)
    return ManyRows(np.ascontiguousarray(lefts), np.ascontiguousarray(rights), left.reshape(-1), right.reshape(-1))
