"""Fronts: which rows no other dominates. Less is better in every column."""

from __future__ import annotations

import numpy as np

from hedgerow.arrays import Mask, Matrix


def non_dominated(values: Matrix) -> Mask:
    """Return which rows no other row dominates: none is at least as good in all columns and better in one.

    Equal rows stand together. Rows with NaN dominate nothing and are never on the front.
    """
    is_front: Mask = np.asarray(np.isfinite(values).all(axis=1))
    for place in np.flatnonzero(is_front):
        others = values[is_front]
        is_beaten = (others <= values[place]).all(axis=1) & (others < values[place]).any(axis=1)
        is_front[place] = not is_beaten.any()
    return is_front
