"""The beliefs around one row, for a search that looks at thousands of small changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.acquisition.functions import log_expected_improvement
from hedgerow.feasible.changes import Changes
from hedgerow.surrogates.around import Around

Scores = NDArray[np.float64]

# However often trials fail near a row, it keeps this much of a chance.
LEAST_CHANCE = 0.01


@dataclass(frozen=True, eq=False)
class BelievedGain:
    """One belief around a row: its weight, what improvement is measured from, and how much to doubt it."""

    around: Around
    log_weight: float
    goal: float
    doubt: float


@dataclass(frozen=True, eq=False)
class BelievedVicinity:
    """Scores of changes under several beliefs. `lines` says where the changes of each slot begin."""

    gains: Sequence[BelievedGain]
    success: Around | None
    lines: NDArray[np.int64]

    def scores(self, changes: Changes) -> Scores:
        """Return the logarithm of the averaged expected improvement, and of the chance of success."""
        first, second = self._lines_of(changes)
        total = np.full(changes.shape[0], -np.inf)
        for gain in self.gains:
            mean, sd = gain.around.predict(first, second)
            improvement = log_expected_improvement(mean, gain.doubt * sd, gain.goal)
            total = np.logaddexp(total, gain.log_weight + improvement)
        if self.success is not None:
            total += log_chance(self.success.predict(first, second)[0])
        return total

    def guesses(self, changes: Changes) -> Scores:
        """Return how low the mean would be if two changes did not interact, under the most likely belief."""
        first, second = self._lines_of(changes)
        return -(self._single_means[first] + self._single_means[second])

    @cached_property
    def _single_means(self) -> Scores:
        return self.gains[0].around.single_means()

    def _lines_of(self, changes: Changes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        second = np.where(changes[:, 2] >= 0, self.lines[changes[:, 2]] + changes[:, 3], -1)
        return self.lines[changes[:, 0]] + changes[:, 1], second


def log_chance(success: Scores) -> Scores:
    """Return the logarithm of a predicted chance of success, which may lie outside 0 and 1."""
    return np.log(np.clip(success, LEAST_CHANCE, 1.0))
