"""Tensor ring: one square matrix per slot, chosen by the code; the trace of their product is the entry (the paper's
TR format with all ranks equal)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.methods.catd.tensors.tensor_format import INITIAL_VARIATION, TensorFormat


@dataclass(frozen=True)
class TensorRing(TensorFormat):
    """Tensor rings of one rank over slots with these numbers of levels."""

    @property
    def variation(self) -> float:
        """The variance v of the noise around identities that gives entries their spread.

        The squared coefficient of variation of the trace is ((1 + R v)^d - 1) / R^2: only products of a row with
        itself gain from the noise.
        """
        return float(np.expm1(np.log1p(INITIAL_VARIATION * self.rank**2) / len(self.level_counts)) / self.rank)
