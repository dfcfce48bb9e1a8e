"""The hot loop of sparse fits; a test compares it with conditions that hold at the solution alone."""

from __future__ import annotations

import numpy as np

from hedgerow.arrays import Column, Matrix
from hedgerow.compiled import compiled

# Sweeps over the coefficients, and the change of the fit, as a part of the targets, at which they end.
_MAX_SWEEPS = 300
_TOLERANCE = 1e-4


@compiled
def sparse_fit(columns: Matrix, targets: Column, penalty: float) -> Column:
    """Return the coefficients of least squared error over two plus `penalty` times the sum of their magnitudes.

    A coefficient at a time, over all columns and then over those in use until these rest (coordinate descent).
    `columns` has a row for each of them, with an entry per target.
    """
    n_columns, n = columns.shape
    coefficients = np.zeros(n_columns)
    left_over = targets.copy()
    squares = np.zeros(n_columns)
    for k in range(n_columns):
        squares[k] = (columns[k] * columns[k]).sum()
    enough = _TOLERANCE * np.sqrt((targets * targets).sum())
    looks_at_all = True
    for _ in range(_MAX_SWEEPS):
        largest = 0.0
        for k in range(n_columns):
            before = coefficients[k]
            if squares[k] <= 0.0 or (before == 0.0 and not looks_at_all):
                continue
            pull = squares[k] * before
            for i in range(n):
                pull += columns[k, i] * left_over[i]
            size = max(0.0, abs(pull) - penalty) / squares[k]
            after = size if pull > 0.0 else -size
            if after != before:
                for i in range(n):
                    left_over[i] -= (after - before) * columns[k, i]
                coefficients[k] = after
                largest = max(largest, abs(after - before) * np.sqrt(squares[k]))
        if largest <= enough:
            if looks_at_all:
                break
            looks_at_all = True
        else:
            looks_at_all = False
    return coefficients
