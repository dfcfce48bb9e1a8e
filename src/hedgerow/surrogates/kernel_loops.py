"""The hot loops of the kernel surrogate, each beside a plain twin that tests compare it with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.compiled import compiled
from hedgerow.space.encoding import Codes

Matrix = NDArray[np.float64]
Tables = NDArray[np.float64]  # (n_tables, n_codes, n_codes), padded to the largest number of codes


@compiled
def table_products(left: Codes, right: Codes, tables: Tables) -> Matrix:
    """Return for each pair of rows the product over slots of `tables[slot, left code, right code]`."""
    result = np.ones((left.shape[0], right.shape[0]))
    columns = np.ascontiguousarray(right.T)
    for i in range(left.shape[0]):
        # Slots outside, rows inside: multiplications that do not wait for each other.
        for k in range(left.shape[1]):
            table = tables[k, left[i, k]]
            for j in range(right.shape[0]):
                result[i, j] *= table[columns[k, j]]
    return result


@compiled
def pair_sums(codes: Codes, weights: Matrix, n_codes: int) -> Tables:
    """Return for each slot and pair of codes the sum of `weights` over the pairs of rows with these codes there."""
    sums = np.zeros((codes.shape[1], n_codes, n_codes))
    for i in range(codes.shape[0]):
        for j in range(codes.shape[0]):
            for k in range(codes.shape[1]):
                sums[k, codes[i, k], codes[j, k]] += weights[i, j]
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


@compiled
def change_ratios(row: Codes, columns: Codes, tables: Tables, sizes: NDArray[np.int64]) -> Matrix:
    """Return by what the product with each observation is multiplied when one code of a row changes.

    `columns` holds the observed codes slot by slot; the result has a line for every slot and code in turn.
    """
    result = np.empty((sizes.sum(), columns.shape[1]))
    line = 0
    for k in range(columns.shape[0]):
        for code in range(sizes[k]):
            for i in range(columns.shape[1]):
                observed = columns[k, i]
                result[line, i] = tables[k, code, observed] / tables[k, row[k], observed]
            line += 1
    return result


@compiled
def changed_sums(
    weights: NDArray[np.float64], ratios: Matrix, first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the sum of weights times the ratios of each change of one place (`second` is negative) or two."""
    result = np.empty(first.size)
    for j in range(first.size):
        value = 0.0
        if second[j] < 0:
            for i in range(weights.size):
                value += weights[i] * ratios[first[j], i]
        else:
            for i in range(weights.size):
                value += weights[i] * ratios[first[j], i] * ratios[second[j], i]
        result[j] = value
    return result


def table_products_plain(left: Codes, right: Codes, tables: Tables) -> Matrix:
    """The plain twin of `table_products`."""
    result = np.ones((left.shape[0], right.shape[0]))
    for k in range(left.shape[1]):
        result *= tables[k][np.ix_(left[:, k], right[:, k])]
    return result


def pair_sums_plain(codes: Codes, weights: Matrix, n_codes: int) -> Tables:
    """The plain twin of `pair_sums`."""
    marks = np.eye(n_codes)[codes]
    return np.asarray(np.einsum("ika,ij,jkb->kab", marks, weights, marks))


def half_sums_plain(
    lefts: Matrix, rights: Matrix, left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The plain twin of `half_sums`."""
    return np.asarray((lefts[left] * rights[right]).sum(axis=1))


def change_ratios_plain(row: Codes, columns: Codes, tables: Tables, sizes: NDArray[np.int64]) -> Matrix:
    """The plain twin of `change_ratios`."""
    lines = [tables[k, :size][:, columns[k]] / tables[k, row[k]][columns[k]] for k, size in enumerate(sizes)]
    return np.concatenate(lines)


def changed_sums_plain(
    weights: NDArray[np.float64], ratios: Matrix, first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The plain twin of `changed_sums`."""
    return np.asarray((ratios[first] * np.where(second[:, None] >= 0, ratios[second], 1.0)) @ weights)
