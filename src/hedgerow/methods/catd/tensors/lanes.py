"""Four models side by side: in vector registers where Numba can be told so, else in plain numbers, which is slower.

Vectors rest on Numba's way of generating code, which changes without notice. So they are tried once, with every
operation, and what works is kept on disk with all compiled code. `HEDGEROW_PLAIN_LANES=1` in the environment chooses
plain numbers.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from hedgerow.compiled import PLAIN_LANES
from hedgerow.methods.catd.tensors import lanes_plain
from hedgerow.methods.catd.tensors.lanes_plain import N_LANES, Block, Lanes


def _chosen() -> Any:
    if os.environ.get(PLAIN_LANES):
        return lanes_plain
    try:
        from hedgerow.methods.catd.tensors import lanes_vector  # noqa: PLC0415

        block = np.array([[1.0, -2.0, 0.0, 4.0], [-1.0, -3.0, 0.0, -0.5], [0.0] * 4])
        is_right = not lanes_vector.trial(block) and block[2].tolist() == [-1.5, 5.0, 0.0, -0.5]
    except Exception:
        is_right = False
    return lanes_vector if is_right else lanes_plain


_OPERATIONS = _chosen()
USES_VECTORS = _OPERATIONS is not lanes_plain

load = _OPERATIONS.load
store = _OPERATIONS.store
splat = _OPERATIONS.splat
multiply = _OPERATIONS.multiply
multiply_add = _OPERATIONS.multiply_add
add = _OPERATIONS.add
where_positive = _OPERATIONS.where_positive
any_positive = _OPERATIONS.any_positive

__all__ = [
    "N_LANES",
    "USES_VECTORS",
    "Block",
    "Lanes",
    "add",
    "any_positive",
    "load",
    "multiply",
    "multiply_add",
    "splat",
    "store",
    "where_positive",
]
