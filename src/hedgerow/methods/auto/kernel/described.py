"""Codes for labels that numbers describe: no two pairs of them have the same difference.

The kernel's loops look at differences of codes alone. With such codes a difference names a pair of labels, so the same
loops serve any distance between labels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Codes, Column
from hedgerow.space.descriptors import Descriptors

# How far a level is from no value, in ranges of levels: the longest lengths make nothing of it.
FAR = 1e4


@dataclass(frozen=True, eq=False)
class DescribedCodes:
    """The code of each label, and for each difference of codes the distance of the two labels.

    Labels are from 0 to 1 apart; that there is no label, where that may be, comes last and is far from all of them.
    """

    codes: Codes
    distances: Column

    @classmethod
    def of(cls, descriptors: Descriptors, may_miss: bool = False) -> DescribedCodes:
        """Measure distances over all descriptors, each in its own deviations."""
        table = np.array([numbers for _, numbers in descriptors]).T
        spread = table.std(axis=0)
        scaled = (table - table.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        between = np.sqrt(((scaled[:, None, :] - scaled[None, :, :]) ** 2).sum(axis=2))
        largest = float(between.max()) or 1.0
        n = table.shape[0]
        codes = _distinct_differences(n + may_miss)
        distances = np.full(int(codes.max()) + 1, FAR)
        distances[np.abs(codes[:n, None] - codes[None, :n])] = between / largest
        return cls(codes, distances)


def _distinct_differences(n: int) -> Codes:
    """Return n numbers all of whose differences are distinct, by the construction of Erdős and Turán."""
    p = max(3, n)
    while any(p % k == 0 for k in range(2, int(p**0.5) + 1)):
        p += 1
    k = np.arange(n)
    return np.asarray(2 * p * k + (k * k) % p)
