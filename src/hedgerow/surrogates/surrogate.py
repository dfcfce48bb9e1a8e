"""What every fitted surrogate answers: a mean and a standard deviation at any rows of codes.

Both are on the scale the surrogate was fitted on, which is the normalised one (`scaling`): values of 1e-300 or
1e300 then compare like any others. Whoever needs the user's units goes back through the scaling.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.space.encoding import Codes

Column = NDArray[np.float64]  # (n_rows,)


class FittedSurrogate(Protocol):
    """A belief about the objective, after some observations."""

    def predict(self, codes: Codes) -> tuple[Column, Column]:
        """Return the mean and the standard deviation at each row."""
