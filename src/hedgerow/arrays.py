"""Array types that several rooms share; the comment says the shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]  # (n_points, n_slots), or (n_slots,) for one point
Changes = NDArray[np.int64]  # (n_changes, 4): slot, code, second slot, its code; -1 where there is no second
Places = NDArray[np.int64]  # (n,): indices into something
Column = NDArray[np.float64]  # (n_rows,)
Scores = NDArray[np.float64]  # (n_rows,): the higher the better
Matrix = NDArray[np.float64]  # (n, m)
Tables = NDArray[np.float64]  # (n_slots, n_differences): an entry per difference of two codes
