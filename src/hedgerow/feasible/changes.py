"""Changes of one row, in one slot or two: what a search looks at instead of whole rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hedgerow.space.encoding import Codes

# Lines of slot, new code, second slot, its new code; where only one slot changes, the second is -1.
Changes = NDArray[np.int64]


def all_single_changes(sizes: Sequence[int]) -> Changes:
    """Return a line for every code of every slot, in that order, those that change nothing included."""
    lines = np.zeros((sum(sizes), 4), dtype=np.int64)
    lines[:, 0] = np.repeat(np.arange(len(sizes)), sizes)
    lines[:, 1] = np.concatenate([np.arange(size) for size in sizes])
    lines[:, 2] = -1
    return lines


def changed_rows(row: Codes, changes: Changes) -> Codes:
    """Return the row after each change."""
    rows = np.repeat(row[None, :], changes.shape[0], axis=0)
    lines = np.arange(changes.shape[0])
    rows[lines, changes[:, 0]] = changes[:, 1]
    is_double = changes[:, 2] >= 0
    rows[lines[is_double], changes[is_double, 2]] = changes[is_double, 3]
    return rows
