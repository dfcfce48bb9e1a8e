"""A Gaussian process conditioned on observations, at any rows, or at all rows of a grid at a small cost each time.

`GridProcess` keeps what the observations so far explain at every cell. One more observation adds one row to it, which
costs as much as one product of a matrix with a vector instead of a new solve for all cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular  # type: ignore[import-untyped]

from hedgerow.baselines.matern import RATE, SHAPE, Column, Features, Matern, Matrix

# The part of the prior variance that rounding leaves at least.
_LEAST_LEFT = 1e-10


@dataclass(frozen=True, eq=False)
class Weights:
    """Targets and ones as the Cholesky factor whitens them: all that mean and signal variance depend on."""

    targets: Column
    ones: Column

    @property
    def mean(self) -> float:
        """The constant mean, by generalised least squares."""
        return float(self.ones @ self.targets / (self.ones @ self.ones))

    @property
    def residual(self) -> Column:
        """The whitened targets less their mean."""
        return self.targets - self.mean * self.ones

    @property
    def variance(self) -> float:
        """The signal variance."""
        residual = self.residual
        return float((residual @ residual + 2 * RATE) / (residual.size + 2 * SHAPE))


def whiten(factor: Matrix, targets: Column) -> Weights:
    """Return the targets and ones as a Cholesky factor whitens them."""
    both = np.stack([targets, np.ones(targets.size)], axis=1)
    whitened = solve_triangular(factor, both, lower=True, check_finite=False)
    return Weights(whitened[:, 0], whitened[:, 1])


def predict(kernel: Matern, known: Features, targets: Column, rows: Features) -> tuple[Column, Column]:
    """Return mean and standard deviation at rows, from the start."""
    factor = kernel.factor(known)
    weights = whiten(factor, targets)
    explained = solve_triangular(factor, kernel.between(known, rows), lower=True, check_finite=False)
    left = 1.0 - np.einsum("ij,ij->j", explained, explained)
    return weights.mean + weights.residual @ explained, _deviation(weights, left)


class GridProcess:
    """The process at every row of a grid; `tell` adds an observation at one of them."""

    def __init__(self, kernel: Matern, known: Features, targets: Column, grid: Features, room: int) -> None:
        n = targets.size
        self._kernel = kernel
        self._grid = grid
        factor = kernel.factor(known)
        self._weights = whiten(factor, targets)
        self._explained = np.empty((n + room, grid.shape[0]))
        self._explained[:n] = solve_triangular(factor, kernel.between(known, grid), lower=True, check_finite=False)
        self._left = 1.0 - np.einsum("ij,ij->j", self._explained[:n], self._explained[:n])
        self._targets_at = self._weights.targets @ self._explained[:n]
        self._ones_at = self._weights.ones @ self._explained[:n]

    def tell(self, cell: int, target: float) -> None:
        """Add an observation: one more row of the Cholesky factor, and what it explains at every cell."""
        n = self._weights.targets.size
        shared = self._explained[:n, cell].copy()
        pivot = np.sqrt(max(1.0 + self._kernel.noise - float(shared @ shared), _LEAST_LEFT))
        fresh = self._kernel.between(self._grid[cell : cell + 1], self._grid)[0]
        row = (fresh - shared @ self._explained[:n]) / pivot
        self._explained[n] = row
        self._left -= row**2
        new_target = (target - float(shared @ self._weights.targets)) / pivot
        new_one = (1.0 - float(shared @ self._weights.ones)) / pivot
        self._targets_at += new_target * row
        self._ones_at += new_one * row
        self._weights = Weights(np.append(self._weights.targets, new_target), np.append(self._weights.ones, new_one))

    def predict(self) -> tuple[Column, Column]:
        """Return mean and standard deviation at every cell."""
        mean = self._weights.mean
        return mean + self._targets_at - mean * self._ones_at, _deviation(self._weights, self._left)


def _deviation(weights: Weights, left: Column) -> Column:
    return np.asarray(np.sqrt(weights.variance * np.maximum(left, _LEAST_LEFT)))
