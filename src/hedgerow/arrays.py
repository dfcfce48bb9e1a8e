"""Array types that several rooms share; the comment says the shape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]  # (n_points, n_slots), or (n_slots,) for one point
Changes = NDArray[np.int64]  # (n_changes, 4): slot, code, second slot, its code; -1 where there is no second
Places = NDArray[np.int64]  # (n,): indices into something
Whole = NDArray[np.int64]  # whole numbers that are no indices, of any shape
Mask = NDArray[np.bool_]  # truth values, of any shape
Nodes = NDArray[np.int32]  # (n,): nodes of a diagram, numbered within their layer
Transitions = NDArray[np.int32]  # (n_nodes, n_codes): the node that each code leads to
Column = NDArray[np.float64]  # (n_rows,)
Scores = NDArray[np.float64]  # (n_rows,): the higher the better
CodeScores = Sequence[NDArray[np.float64]]  # (n_codes,) for each slot or layer: the higher the better, -inf forbids
Matrix = NDArray[np.float64]  # (n, m)
Tables = NDArray[np.float64]  # (n_slots, n_differences): an entry per difference of two codes
