"""What repeated readings say: how noisy a reading is, and what is believed of the points that were measured.

A process explains what its kernel cannot by one nugget, which may be noise of the readings or the function's own
roughness. Readings of one point tell the two apart: what they vary by is noise, the rest belongs to the point and stays
the same when it is measured again. Points are repeated where they are good, so it is their noise that is learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve  # type: ignore[import-untyped]

from hedgerow.arrays import Codes, Column, Matrix
from hedgerow.methods.auto.belief import safe
from hedgerow.methods.auto.kernel.process import KernelSurrogate
from hedgerow.methods.history import History
from hedgerow.outcomes.goals import Goals

# Readings that differ by less than this part of the range of all values are the same.
_SAME = 1e-12
# So many repeated readings, all the same, tell that readings are exact.
_ENOUGH = 2


@dataclass(frozen=True, eq=False)
class Pooled:
    """Readings by point: the different rows, how many readings each has, their means, and the squares within."""

    rows: Codes
    counts: Column
    means: Column
    squares: float
    freedom: int

    @classmethod
    def of(cls, codes: Codes, values: Column) -> Pooled:
        """Pool readings, which are all finite."""
        rows, place = np.unique(codes, axis=0, return_inverse=True)
        place = place.reshape(-1)
        counts = np.bincount(place, minlength=rows.shape[0]).astype(np.float64)
        means = np.bincount(place, values, minlength=rows.shape[0]) / counts
        squares = float(((values - means[place]) ** 2).sum())
        return cls(rows, counts, means, squares, int(values.size - rows.shape[0]))

    @property
    def is_exact(self) -> bool:
        """Whether enough repeated readings were all the same."""
        return self.freedom >= _ENOUGH and self.squares <= (_SAME * float(np.ptp(self.means))) ** 2


@dataclass(frozen=True, eq=False)
class Measured:
    """What a process believes of the points that it was told, their own roughness included."""

    model: KernelSurrogate
    pooled: Pooled

    @classmethod
    def by(cls, model: KernelSurrogate, n_told: int) -> Measured:
        """Take the readings of a model; rows after the first `n_told` are believed and not read."""
        return cls(model, Pooled.of(model.factor.codes[:n_told], model.targets[:n_told]))

    @cached_property
    def noise(self) -> float:
        """The variance of a reading; the nugget counts as one repeated reading, and is all there is without any."""
        if self.pooled.is_exact:
            return 0.0
        return (self._nugget + self.pooled.squares) / (1.0 + self.pooled.freedom)

    @property
    def roughness(self) -> float:
        """The variance that belongs to points: what of the nugget is not noise."""
        return max(0.0, self._nugget - self.noise)

    @property
    def _nugget(self) -> float:
        return self.model.variance * self.model.factor.kernel.noise(self.model.factor.parameters)

    @cached_property
    def moments(self) -> tuple[Column, Column]:
        """The mean and the deviation of each row of `pooled`."""
        prior = self.model.variance * self.model.factor.kernel.own_products(self.pooled.rows, self.model.tables)
        prior.flat[:: prior.shape[0] + 1] += self.roughness
        told = prior.copy()
        # A little more than nothing, so that exact readings of rows that are alike can be factorized.
        told.flat[:: told.shape[0] + 1] += self.noise / self.pooled.counts + 1e-9 * self.model.variance
        solved: Matrix = cho_solve(cho_factor(told, lower=True, check_finite=False), prior, check_finite=False)
        mean = self.model.mean + solved.T @ (self.pooled.means - self.model.mean)
        left = np.maximum(np.diagonal(prior) - np.einsum("ij,ij->j", prior, solved), 1e-12 * self.model.variance)
        return mean, np.sqrt(left)

    def moves(self, deviations: Column) -> Column:
        """Return by how much one reading is expected to move what is believed of rows with these deviations."""
        return np.asarray(deviations**2 / np.sqrt(deviations**2 + self.noise))


def first_readings(history: History, goals: Goals) -> History | None:
    """Return the first reading of each row where repeats are wanted and all repeated readings were the same."""
    if goals.repeats != "auto" or goals.objectives.are_several or goals.limits:
        return None
    measured = history.is_measured
    # Scaled, since squares of values of any magnitude overflow or vanish, and what vanishes looks exact.
    if not measured.any() or not Pooled.of(history.codes[measured], safe(history.values[measured])).is_exact:
        return None
    _, first = np.unique(history.codes, axis=0, return_index=True)
    kept = np.sort(first)
    return History(history.codes[kept], history.values[kept], history.pending)
