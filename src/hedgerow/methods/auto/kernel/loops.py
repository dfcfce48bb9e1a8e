"""The hot loops of the kernel surrogate; tests compare each with a plain twin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Mask, Matrix, Tables
from hedgerow.compiled import compiled, inlined


@inlined
def _flat(tables: Tables, n_pairs: int) -> Mask:
    """Return which tables tell no differences apart but none: they need not be looked up for every pair.

    To choose between two numbers the processor takes many pairs at once. For few pairs it is not worth looking.
    """
    is_flat = np.zeros(tables.shape[0], dtype=np.bool_)
    if tables.shape[1] <= n_pairs:
        for k in range(tables.shape[0]):
            difference = 2
            while difference < tables.shape[1] and tables[k, difference] == tables[k, 1]:
                difference += 1
            is_flat[k] = difference == tables.shape[1]
    return is_flat


@compiled
def table_products(left: Codes, right: Codes, tables: Tables) -> Matrix:
    """Return for each pair of rows the product over slots of `tables[slot, difference of their codes]`."""
    result = np.ones((left.shape[0], right.shape[0]))
    columns = np.ascontiguousarray(right.T)
    is_flat = _flat(tables, result.size)
    for i in range(left.shape[0]):
        # Slots outside, rows inside: multiplications that do not wait for each other.
        for k in range(left.shape[1]):
            code = left[i, k]
            if is_flat[k]:
                equal, other = tables[k, 0], tables[k, 1]
                for j in range(right.shape[0]):
                    result[i, j] *= equal if columns[k, j] == code else other
            else:
                table = tables[k]
                for j in range(right.shape[0]):
                    result[i, j] *= table[abs(columns[k, j] - code)]
    return result


@compiled
def own_products(codes: Codes, tables: Tables) -> Matrix:
    """Return the same for each pair of rows of one list, each pair once."""
    n = codes.shape[0]
    result = np.ones((n, n))
    columns = np.ascontiguousarray(codes.T)
    is_flat = _flat(tables, result.size)
    for i in range(n):
        for k in range(codes.shape[1]):
            code = codes[i, k]
            if is_flat[k]:
                equal, other = tables[k, 0], tables[k, 1]
                for j in range(i + 1):
                    result[i, j] *= equal if columns[k, j] == code else other
            else:
                table = tables[k]
                for j in range(i + 1):
                    result[i, j] *= table[abs(columns[k, j] - code)]
        for j in range(i):
            result[j, i] = result[i, j]
    return result


@compiled
def pair_sums(codes: Codes, weights: Matrix, n_differences: int) -> Tables:
    """Return for each slot and difference the sum of symmetric `weights` over the pairs of rows that differ by it."""
    sums = np.zeros((codes.shape[1], n_differences))
    for i in range(codes.shape[0]):
        for j in range(i):
            for k in range(codes.shape[1]):
                sums[k, abs(codes[i, k] - codes[j, k])] += 2.0 * weights[i, j]
        sums[:, 0] += weights[i, i]
    return sums


@compiled
def half_sums(lefts: Matrix, rights: Matrix, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each place j the inner product of row `left[j]` of `lefts` and row `right[j]` of `rights`."""
    result = np.empty(left.size)
    for j in range(left.size):
        a, b = left[j], right[j]
        value = 0.0
        for i in range(lefts.shape[1]):
            value += lefts[a, i] * rights[b, i]
        result[j] = value
    return result
