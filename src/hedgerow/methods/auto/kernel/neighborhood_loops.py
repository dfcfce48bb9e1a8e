"""The hot loops of predictions around a row; tests compare each with a plain twin.

A literal is a slot and a code that a change may lead to; literals come slot by slot, and `slots` says whose they are.
The codes that observations have in a slot are numbered; `kinds` holds the number of every observation, slot by slot.
"""

from __future__ import annotations

import numpy as np

from hedgerow.arrays import Codes, Column, Matrix, Places
from hedgerow.compiled import compiled


@compiled
def literal_ratios(row: Codes, slots: Places, codes: Codes, tables: Matrix, observed: Codes) -> Matrix:
    """Return for each literal, and each code that is observed in its slot, by what the change multiplies."""
    result = np.empty((slots.size, observed.shape[1]))
    for literal in range(slots.size):
        slot = slots[literal]
        for kind in range(observed.shape[1]):
            code = observed[slot, kind]
            result[literal, kind] = tables[slot, abs(codes[literal] - code)] / tables[slot, abs(row[slot] - code)]
    return result


@compiled
def single_sums(weights: Column, kinds: Places, ratios: Matrix, slots: Places) -> Column:
    """Return for each literal the sum of the weights times its ratios."""
    result = np.empty(slots.size)
    by_kind = np.zeros(ratios.shape[1])
    for literal in range(slots.size):
        slot = slots[literal]
        if literal == 0 or slot != slots[literal - 1]:
            # Observations with the same code share a ratio, so their weights are added up once for a slot.
            by_kind[:] = 0.0
            for i in range(weights.size):
                by_kind[kinds[slot, i]] += weights[i]
        value = 0.0
        for kind in range(by_kind.size):
            value += by_kind[kind] * ratios[literal, kind]
        result[literal] = value
    return result


@compiled
def changed_sums(
    weights: Column, kinds: Places, ratios: Matrix, slots: Places, first: Places, second: Places
) -> Column:
    """Return for each pair of literals the sum of the weights times both ratios."""
    result = np.empty(first.size)
    part = np.empty(weights.size)
    for j in range(first.size):
        if j == 0 or first[j] != first[j - 1]:
            ratio, own = ratios[first[j]], kinds[slots[first[j]]]
            for i in range(weights.size):
                part[i] = weights[i] * ratio[own[i]]
        ratio, own = ratios[second[j]], kinds[slots[second[j]]]
        value = 0.0
        for i in range(weights.size):
            value += part[i] * ratio[own[i]]
        result[j] = value
    return result


@compiled
def changed_products(
    products: Column, kinds: Places, ratios: Matrix, slots: Places, first: Places, second: Places
) -> Matrix:
    """Return the products with each observation after each change: of two literals where `second` is not -1."""
    result = np.empty((first.size, products.size))
    for j in range(first.size):
        ratio, own = ratios[first[j]], kinds[slots[first[j]]]
        for i in range(products.size):
            result[j, i] = products[i] * ratio[own[i]]
        if second[j] >= 0:
            ratio, own = ratios[second[j]], kinds[slots[second[j]]]
            for i in range(products.size):
                result[j, i] *= ratio[own[i]]
    return result
