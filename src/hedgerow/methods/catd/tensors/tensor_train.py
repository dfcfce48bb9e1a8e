"""Tensor train: a row vector, matrices and a column vector, one per slot, chosen by the code; their product is the
entry (the paper's TT format, with all inner ranks equal)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.methods.catd.tensors.tensor_format import INITIAL_VARIATION, TensorFormat


@dataclass(frozen=True)
class TensorTrain(TensorFormat):
    """Tensor trains of one rank over slots with these numbers of levels."""

    @property
    def outer_rank(self) -> int:
        """Both ends are open: rank 1."""
        return 1

    @property
    def variation(self) -> float:
        """The variance v of the noise around ones and identities that gives entries their spread.

        The squared coefficient of variation of an entry is ((1 + v)^2 (1 + R v)^(d-2) - 1) / R, by following the
        second moments of the prefixes; it grows with v, so bisection finds v.
        """
        n_slots = len(self.level_counts)
        if n_slots == 1:
            return INITIAL_VARIATION
        goal = np.log1p(INITIAL_VARIATION * self.rank)
        low, high = 0.0, INITIAL_VARIATION * self.rank
        for _ in range(60):
            middle = (low + high) / 2
            reached = 2 * np.log1p(middle) + (n_slots - 2) * np.log1p(self.rank * middle)
            low, high = (middle, high) if reached < goal else (low, middle)
        return low
