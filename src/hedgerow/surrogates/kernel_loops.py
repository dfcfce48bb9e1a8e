"""The two hot loops of the kernel surrogate, each beside a plain twin that tests compare it with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.space.encoding import Codes
from hedgerow.tensors.compiled import compiled

Matrix = NDArray[np.float64]
Tables = NDArray[np.float64]  # (n_tables, n_codes, n_codes), padded to the largest number of codes


@compiled
def table_products(left: Codes, right: Codes, tables: Tables) -> Matrix:
    """Return for each pair of rows the product over slots of `tables[slot, left code, right code]`."""
    result = np.empty((left.shape[0], right.shape[0]))
    for i in range(left.shape[0]):
        for j in range(right.shape[0]):
            value = 1.0
            for k in range(left.shape[1]):
                value *= tables[k, left[i, k], right[j, k]]
            result[i, j] = value
    return result


@compiled
def table_sums(codes: Codes, slots: NDArray[np.int64], weights: Matrix, tables: Tables) -> NDArray[np.float64]:
    """Return for each table the sum over pairs of rows of `weights` times the entry at the codes of its slot."""
    sums = np.zeros(tables.shape[0])
    for i in range(codes.shape[0]):
        for j in range(codes.shape[0]):
            for p in range(tables.shape[0]):
                sums[p] += weights[i, j] * tables[p, codes[i, slots[p]], codes[j, slots[p]]]
    return sums


def table_products_plain(left: Codes, right: Codes, tables: Tables) -> Matrix:
    """The plain twin of `table_products`."""
    result = np.ones((left.shape[0], right.shape[0]))
    for k in range(left.shape[1]):
        result *= tables[k][np.ix_(left[:, k], right[:, k])]
    return result


def table_sums_plain(codes: Codes, slots: NDArray[np.int64], weights: Matrix, tables: Tables) -> NDArray[np.float64]:
    """The plain twin of `table_sums`."""
    pairs = [tables[p][np.ix_(codes[:, k], codes[:, k])] for p, k in enumerate(slots)]
    return np.array([(weights * entries).sum() for entries in pairs])
