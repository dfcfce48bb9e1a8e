"""The hot loops of coordinates that are computed from rows; tests compare each with a plain twin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow.arrays import Codes, Column, Matrix, Places
from hedgerow.compiled import compiled


class Looks(NamedTuple):
    """Slot by slot the coordinates that look at it and what its codes count for there; the codes of all sums."""

    starts: Places
    places: Places
    counts_for: Codes
    codes: Codes


class Center(NamedTuple):
    """A row with its sums, the coordinates of observations, the tables, and one over the factors at the row."""

    row: Codes
    sums: Places
    observed: Codes
    tables: Matrix
    inverses: Matrix


@compiled
def coordinate_sums(rows: Codes, looks: Looks, first_sums: Places) -> Codes:
    """Return for each row and coordinate where its sum stands in the list of all sums."""
    result = np.empty((rows.shape[0], first_sums.size), dtype=np.int64)
    for i in range(rows.shape[0]):
        result[i] = first_sums
        for slot in range(rows.shape[1]):
            code = rows[i, slot]
            for look in range(looks.starts[slot], looks.starts[slot + 1]):
                result[i, looks.places[look]] += looks.counts_for[look, code]
    return result


@compiled
def moved_products(
    products: Matrix, first: Places, second: Places, slots: Places, codes: Codes, looks: Looks, center: Center
) -> None:
    """Multiply products with observations, a row for each change, by what the change does to coordinates.

    A change is to one literal, or to two where `second` is not -1; `slots` and `codes` are those of literals.
    """
    sums = center.sums
    moved = sums.copy()
    is_listed = np.zeros(sums.size, dtype=np.bool_)
    listed = np.empty(sums.size, dtype=np.int64)
    for j in range(first.size):
        n_listed = 0
        for turn in range(2):
            literal = first[j] if turn == 0 else second[j]
            if literal < 0:
                continue
            slot = slots[literal]
            for look in range(looks.starts[slot], looks.starts[slot + 1]):
                place = looks.places[look]
                counts_for = looks.counts_for[look]
                moved[place] += counts_for[codes[literal]] - counts_for[center.row[slot]]
                if not is_listed[place]:
                    is_listed[place] = True
                    listed[n_listed] = place
                    n_listed += 1
        for k in range(n_listed):
            place = listed[k]
            code = looks.codes[moved[place]]
            if code != looks.codes[sums[place]]:
                table, own, inverse = center.tables[place], center.observed[place], center.inverses[place]
                for i in range(products.shape[1]):
                    products[j, i] *= table[abs(code - own[i])] * inverse[i]
            moved[place] = sums[place]
            is_listed[place] = False


@compiled
def factors_at(codes: Codes, observed: Codes, tables: Matrix) -> Matrix:
    """Return the factor of each coordinate between one row's codes and each observation."""
    result = np.empty(observed.shape)
    for place in range(codes.size):
        for i in range(observed.shape[1]):
            result[place, i] = tables[place, abs(codes[place] - observed[place, i])]
    return result


@compiled
def weighted_sums(products: Matrix, weights: Column) -> Column:
    """Return the sum of each row's products, weighted."""
    result = np.empty(products.shape[0])
    for j in range(products.shape[0]):
        value = 0.0
        for i in range(weights.size):
            value += products[j, i] * weights[i]
        result[j] = value
    return result
