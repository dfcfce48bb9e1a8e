"""Rows of codes as points of the unit cube, where Gaussian processes measure distances.

An ordered slot is one column, its levels evenly from 0 to 1; an unordered one has a 0/1 column per level.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.space import Space


def unit_cube(space: Space, codes: Codes) -> NDArray[np.float64]:
    """Return rows of codes as inputs of a model; slots with a single level say nothing and get no column."""
    columns: list[NDArray[np.float64]] = []
    for slot, column, n_levels in zip(space.slots, codes.T, space.sizes, strict=True):
        if n_levels == 1:
            continue
        if slot.variable.is_ordered:
            columns.append(column[:, None] / (n_levels - 1))
        else:
            columns.append(np.eye(n_levels)[column])
    return np.concatenate(columns, axis=1) if columns else np.zeros((codes.shape[0], 1))
