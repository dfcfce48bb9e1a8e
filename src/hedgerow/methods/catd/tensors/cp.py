"""Canonical polyadic: the sum over `rank` terms of the product of one number per slot, chosen by the code (the
paper's CP format)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.methods.catd.tensors.tensor_format import INITIAL_VARIATION, TensorFormat


@dataclass(frozen=True)
class CanonicalPolyadic(TensorFormat):
    """Sums of `rank` products over slots with these numbers of levels."""

    @property
    def is_diagonal(self) -> bool:
        """One number per term, not a matrix between terms."""
        return True

    @property
    def variation(self) -> float:
        """With noise of variance v the squared coefficient of variation of an entry is ((1 + v)^d - 1) / R."""
        return float(np.expm1(np.log1p(INITIAL_VARIATION * self.rank) / len(self.level_counts)))
