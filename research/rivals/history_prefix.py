"""The part of a history that a rival's own model has been told, so that it can go on instead of starting anew."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.methods.history import History


@dataclass(frozen=True, eq=False)
class HistoryPrefix:
    """The seed and the observations that a cached model was built from."""

    seed: int
    codes: Codes
    values: NDArray[np.float64]

    @classmethod
    def all_of(cls, history: History, seed: int) -> HistoryPrefix:
        """Return everything that a history holds."""
        return cls(seed, history.codes.copy(), history.values.copy())

    @property
    def n(self) -> int:
        """The number of observations."""
        return int(self.values.size)

    def begins(self, history: History, seed: int) -> bool:
        """Return whether a history, under the same seed, begins with just these observations."""
        return (
            seed == self.seed
            and history.n_told >= self.n
            and np.array_equal(history.codes[: self.n], self.codes)
            and np.array_equal(history.values[: self.n], self.values, equal_nan=True)
        )
