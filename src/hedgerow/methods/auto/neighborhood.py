"""The beliefs around one row, for a search that looks at thousands of small changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.arrays import Changes, Places, Scores
from hedgerow.feasible.changes import Literals
from hedgerow.methods.auto.curves import Curve
from hedgerow.methods.auto.kernel.neighborhood import KernelNeighborhood
from hedgerow.methods.auto.leads import LeadNear
from hedgerow.methods.auto.success import SuccessNear
from hedgerow.search.improvement_loops import log_improvements

# Exact deviations cost the square of the number of observations for every change: multiplications to spend on them in a
# step of a search, and the fewest and most changes that are looked at so closely.
_EXACT_WORK = 1.6e7
_N_EXACT = 8, 64


@dataclass(frozen=True, eq=False)
class Led:
    """What a lead guesses around a row, as targets: its values are divided by `scale` and bent."""

    near: LeadNear
    curve: Curve
    scale: float
    share: float

    def offsets(self, first: Places, second: Places) -> Scores:
        """Return the guessed targets after changes."""
        return self.share * self.curve.targets(self.near.means(first, second) / self.scale)


@dataclass(frozen=True, eq=False)
class BelievedGain:
    """One belief around a row: its lead, its weight, what improvement is measured from, and how much to doubt it."""

    neighborhood: KernelNeighborhood
    led: Led | None
    log_weight: float
    goal: float
    doubt: float

    def means(self, first: Places, second: Places) -> Scores:
        """Return the means after changes to one literal, or to two where `second` is not -1."""
        means = self.neighborhood.means(first, second)
        return means if self.led is None else means + self.led.offsets(first, second)

    @cached_property
    def single_means(self) -> Scores:
        """The mean after each single change, literal by literal."""
        means = self.neighborhood.single_means
        if self.led is None:
            return means
        every = np.arange(means.size)
        return means + self.led.offsets(every, np.full(every.size, -1))


@dataclass(frozen=True, eq=False)
class BelievedNeighborhood:
    """Scores of changes to some literals under several beliefs."""

    gains: Sequence[BelievedGain]
    success: SuccessNear | None
    literals: Literals

    def scores(self, changes: Changes) -> Scores:
        """Return the logarithm of the averaged expected improvement, and of the chance of success.

        It is exact for the most promising changes; the others are rated no higher than the worst of these.
        """
        first, second = self.literals.of(changes)
        means = [gain.means(first, second) for gain in self.gains]
        chance = self._log_chance(changes)
        bounds = chance + self._improvement(means, [gain.neighborhood.bounds(first, second) for gain in self.gains])
        n_exact = int(np.clip(_EXACT_WORK / self.gains[0].neighborhood.products.size ** 2, *_N_EXACT))
        closer = np.arange(bounds.size)
        if n_exact < bounds.size:
            closer = np.argpartition(-bounds, n_exact)[:n_exact]
        deviations = [gain.neighborhood.deviations(first[closer], second[closer]) for gain in self.gains]
        exact = chance[closer] + self._improvement([mean[closer] for mean in means], deviations)
        scores: Scores = np.minimum(bounds, exact.min())
        scores[closer] = exact
        return scores

    def rough_scores(self, changes: Changes) -> Scores:
        """Return upper bounds of the scores."""
        first, second = self.literals.of(changes)
        means = [gain.means(first, second) for gain in self.gains]
        bounds = self._improvement(means, [gain.neighborhood.bounds(first, second) for gain in self.gains])
        return np.asarray(bounds + self._log_chance(changes))

    def guesses(self, changes: Changes) -> Scores:
        """Return how low the mean would be if two changes did not interact, under the most likely belief."""
        first, second = self.literals.of(changes)
        means = self.gains[0].single_means
        return -(means[first] + means[second])

    def _improvement(self, means: Sequence[Scores], deviations: Sequence[Scores]) -> Scores:
        total = np.full(means[0].size, -np.inf)
        for gain, mean, deviation in zip(self.gains, means, deviations, strict=True):
            improvement = log_improvements(mean, gain.doubt * deviation, gain.goal)
            total = np.logaddexp(total, gain.log_weight + improvement)
        return total

    def _log_chance(self, changes: Changes) -> Scores:
        return np.zeros(changes.shape[0]) if self.success is None else self.success.log_weights(changes)
