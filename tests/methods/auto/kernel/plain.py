"""What the hot loops of the kernel compute, in plain NumPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Column, Matrix, Places, Tables


def table_products_plain(left: Codes, right: Codes, tables: Tables) -> Matrix:
    """The plain twin of `table_products`."""
    result = np.ones((left.shape[0], right.shape[0]))
    for k in range(left.shape[1]):
        result *= tables[k][np.abs(left[:, None, k] - right[None, :, k])]
    return result


def pair_sums_plain(codes: Codes, weights: Matrix, n_differences: int) -> Tables:
    """The plain twin of `pair_sums`."""
    same = np.eye(n_differences)[np.abs(codes[:, None] - codes[None, :])]
    return np.asarray(np.einsum("ijkd,ij->kd", same, weights))


def half_sums_plain(
    lefts: Matrix, rights: Matrix, left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The plain twin of `half_sums`."""
    return np.asarray((lefts[left] * rights[right]).sum(axis=1))


def literal_ratios_plain(row: Codes, slots: Places, codes: Codes, tables: Matrix, observed: Codes) -> Matrix:
    """The plain twin of `literal_ratios`."""
    own = slots[:, None]
    after = tables[own, np.abs(codes[:, None] - observed[slots])]
    return np.asarray(after / tables[own, np.abs(row[own] - observed[slots])])


def single_sums_plain(weights: Column, kinds: Places, ratios: Matrix, slots: Places) -> Column:
    """The plain twin of `single_sums`."""
    return np.asarray(_of_observations(kinds, ratios, slots) @ weights)


def changed_sums_plain(
    weights: Column, kinds: Places, ratios: Matrix, slots: Places, first: Places, second: Places
) -> Column:
    """The plain twin of `changed_sums`."""
    by_literal = _of_observations(kinds, ratios, slots)
    return np.asarray((by_literal[first] * by_literal[second]) @ weights)


def changed_products_plain(
    products: Column, kinds: Places, ratios: Matrix, slots: Places, first: Places, second: Places
) -> Matrix:
    """The plain twin of `changed_products`."""
    by_literal = _of_observations(kinds, ratios, slots)
    return products * by_literal[first] * np.where(second[:, None] >= 0, by_literal[second], 1.0)


def _of_observations(kinds: Places, ratios: Matrix, slots: Places) -> Matrix:
    """Return the ratio of each literal for each observation."""
    return np.stack([ratio[kinds[slot]] for ratio, slot in zip(ratios, slots, strict=True)])
