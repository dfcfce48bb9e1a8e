"""Two cells compared in pairs of runs that began at the same point.

A run is better that found a lower value, or the same value earlier. The effect size is the share of pairs won less the
share lost (from -1 to 1); beside it stand the mean difference in evaluations to the optimum with a bootstrap interval,
and Wilcoxon's signed-rank test of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from research.harness.row import Row

_SAME = 1e-6
_N_RESAMPLED = 2000


@dataclass(frozen=True)
class PairedComparison:
    """How one cell does against another: pairs won, tied and lost, and differences (negative: it needs fewer)."""

    won: int
    tied: int
    lost: int
    difference: float
    low: float
    high: float
    p_value: float | None

    @property
    def n_pairs(self) -> int:
        """The number of seeds that both have."""
        return self.won + self.tied + self.lost

    @property
    def effect(self) -> float:
        """The share of pairs won less the share lost."""
        return (self.won - self.lost) / self.n_pairs


def compare(ours: Sequence[Row], theirs: Sequence[Row]) -> PairedComparison | None:
    """Compare the runs of two cells on one task, seed by seed; None when they share no seed."""
    others = {row.seed: row for row in theirs}
    pairs = [(row, others[row.seed]) for row in ours if row.seed in others]
    if not pairs:
        return None
    signs = [_sign(a, b) for a, b in pairs]
    differences = np.array([evaluations(a) - evaluations(b) for a, b in pairs], dtype=np.float64)
    low, high = mean_interval(differences)
    return PairedComparison(
        won=signs.count(-1),
        tied=signs.count(0),
        lost=signs.count(1),
        difference=float(differences.mean()),
        low=low,
        high=high,
        p_value=_wilcoxon(differences),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number after Holm."""
    corrected, highest = [1.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = highest
    return corrected


def sign_test(won: int, lost: int) -> float:
    """Return the two-sided p of so many pairs won and lost, ties left out, if each were as likely."""
    n = won + lost
    tail = sum(math.comb(n, k) for k in range(min(won, lost) + 1)) / 2.0**n
    return min(1.0, 2.0 * tail)


def smallest_p(n_pairs: int) -> float:
    """Return the smallest p that a two-sided test of pairs can give: all of them differ in the same direction."""
    return 2.0 ** (1 - n_pairs)


def _sign(a: Row, b: Row) -> int:
    first, second = (np.inf if row.best is None else row.best for row in (a, b))
    if abs(first - second) > _SAME and not first == second == np.inf:
        return -1 if first < second else 1
    return (a.first_round > b.first_round) - (a.first_round < b.first_round)


def evaluations(row: Row) -> int:
    """Return the evaluations until the optimum; a run that misses it counts as its budget."""
    return row.first_round if row.reached else row.budget


def mean_interval(differences: NDArray[np.float64]) -> tuple[float, float]:
    """Return a 95 % bootstrap interval of the mean."""
    rng = np.random.default_rng(0)
    resampled = rng.choice(differences, (_N_RESAMPLED, differences.size)).mean(axis=1)
    low, high = np.quantile(resampled, [0.025, 0.975])
    return float(low), float(high)


def _wilcoxon(differences: NDArray[np.float64]) -> float | None:
    """Return the two-sided p-value, or None where nothing differs."""
    if not differences.any():
        return None
    from scipy.stats import wilcoxon  # type: ignore[import-untyped]  # noqa: PLC0415 - slow to load, and only pages need it

    return float(wilcoxon(differences).pvalue)
