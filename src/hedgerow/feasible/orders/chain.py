"""Draws of orders that keep some items before others where these orders cannot be counted.

A random order that keeps the rules is shuffled by many swaps of neighbors, each made with an even chance where the
rules allow it. Every order can be reached, and after enough swaps all have nearly the same chance; how many are enough
is known only roughly, so such draws are called diverse and not uniform.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes, Column, Mask, Places
from hedgerow.compiled import compiled

# Swaps of neighbors per square of the number of items.
_SWAPS = 8


def shuffled_orders(before: Mask, n_rows: int, rng: Generator) -> Codes:
    """Return rows of positions; `before` is transitive and has no circle."""
    n = before.shape[0]
    rows = np.empty((n_rows, n), dtype=np.int64)
    for row in rows:
        order = _random_order(before, rng.random((n,)))
        _shuffle(order, before, rng.integers(0, 2 * (n - 1), size=_SWAPS * n * n))
        row[order] = np.arange(n)
    return rows


@compiled
def _random_order(before: Mask, chances: Column) -> Places:
    """Return the items in an order that keeps the rules: again and again one that nothing must come before."""
    n = before.shape[0]
    n_before = np.zeros(n, dtype=np.int64)
    for first in range(n):
        for second in range(n):
            n_before[second] += before[first, second]
    order = np.empty(n, dtype=np.int64)
    ready = np.empty(n, dtype=np.int64)
    for place in range(n):
        n_ready = 0
        for item in range(n):
            if n_before[item] == 0:
                ready[n_ready] = item
                n_ready += 1
        item = ready[int(chances[place] * n_ready)]
        order[place] = item
        for later in range(n):
            n_before[later] -= before[item, later]
        n_before[item] = -1
    return order


@compiled
def _shuffle(order: Places, before: Mask, turns: Places) -> None:
    for turn in turns:
        # An odd number stays: chains that never rest may go around in a circle.
        if turn % 2 == 0:
            place = turn // 2
            left, right = order[place], order[place + 1]
            if not before[left, right]:
                order[place], order[place + 1] = right, left
