"""Draws of orders that keep some items before others where these orders cannot be counted.

A random order that keeps the rules is shuffled by many swaps of neighbors, each made with an even chance where the
rules allow it. Every order can be reached, and after enough swaps all have nearly the same chance; how many are enough
is known only roughly, so such draws are called diverse and not uniform.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes, Mask, Places
from hedgerow.compiled import compiled

# Swaps of neighbors per square of the number of items.
_SWAPS = 8


def shuffled_orders(before: Mask, n_rows: int, rng: Generator) -> Codes:
    """Return rows of positions; `before` is transitive and has no circle."""
    n = before.shape[0]
    rows = np.empty((n_rows, n), dtype=np.int64)
    for row in rows:
        order = _random_order(before, rng)
        _shuffle(order, before, rng.integers(0, 2 * (n - 1), size=_SWAPS * n * n))
        row[order] = np.arange(n)
    return rows


def _random_order(before: Mask, rng: Generator) -> Places:
    """Return the items in an order that keeps the rules: again and again one that nothing must come before."""
    n_before = before.sum(axis=0)
    order = np.empty(before.shape[0], dtype=np.int64)
    for place in range(order.size):
        ready = np.flatnonzero(n_before == 0)
        item = ready[rng.integers(ready.size)]
        order[place] = item
        n_before = n_before - before[item]
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
