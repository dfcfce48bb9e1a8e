"""The sweep of `best.py` over one large layer, compiled; the arrays there are its plain twin."""

from __future__ import annotations

import numpy as np

from hedgerow.arrays import Transitions, Whole
from hedgerow.compiled import compiled


@compiled
def best_of_layer(table: Transitions, score: Whole, after: Whole, least: int) -> Whole:
    """Return for each node the best of its codes' scores and of what lies behind them, at least `least`."""
    best = np.empty(table.shape[0], dtype=np.int64)
    for node in range(table.shape[0]):
        highest = least
        for code in range(table.shape[1]):
            highest = max(highest, after[table[node, code]] + score[code])
        best[node] = highest
    return best
