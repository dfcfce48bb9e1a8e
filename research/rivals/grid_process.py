"""A Gaussian process that is asked about the same long list of rows after every observation.

It keeps what the observations so far explain at every row of the list. One more observation adds one line to that,
which costs as much as one product of a matrix with a vector instead of a new solve for the whole list.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular  # type: ignore[import-untyped]

from research.rivals.matern import RATE, SHAPE, Column, Features, Matern, Matrix

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


class GridProcess:
    """The process given some observations and more to come, at a list of rows and at any others."""

    def __init__(self, kernel: Matern, known: Features, targets: Column, grid: Features, room: int) -> None:
        n = targets.size
        self._kernel = kernel
        self._grid = grid
        self._known = np.empty((n + room, known.shape[1]))
        self._known[:n] = known
        self._factor = np.zeros((n + room, n + room))
        self._factor[:n, :n] = kernel.factor(known)
        both = self._solve(np.stack([targets, np.ones(n)], axis=1), n)
        self._weights = Weights(both[:, 0], both[:, 1])
        self._explained = np.empty((n + room, grid.shape[0]))
        self._explained[:n] = self._solve(kernel.between(known, grid), n)
        self._left = 1.0 - np.einsum("ij,ij->j", self._explained[:n], self._explained[:n])
        self._targets_at = self._weights.targets @ self._explained[:n]
        self._ones_at = self._weights.ones @ self._explained[:n]

    def tell(self, row: Features, target: float) -> None:
        """Add an observation (1, n_columns): a row of the Cholesky factor, and what it explains at every row listed."""
        n = self._weights.targets.size
        shared = self._solve(self._kernel.between(self._known[:n], row), n)[:, 0]
        pivot = float(np.sqrt(max(1.0 + self._kernel.noise - float(shared @ shared), _LEAST_LEFT)))
        self._known[n], self._factor[n, :n], self._factor[n, n] = row[0], shared, pivot
        explained = (self._kernel.between(row, self._grid)[0] - shared @ self._explained[:n]) / pivot
        self._explained[n] = explained
        self._left -= explained**2
        new_target = (target - float(shared @ self._weights.targets)) / pivot
        new_one = (1.0 - float(shared @ self._weights.ones)) / pivot
        self._targets_at += new_target * explained
        self._ones_at += new_one * explained
        self._weights = Weights(np.append(self._weights.targets, new_target), np.append(self._weights.ones, new_one))

    def predict(self) -> tuple[Column, Column]:
        """Return mean and standard deviation at every row listed."""
        mean = self._weights.mean
        return mean + self._targets_at - mean * self._ones_at, self._deviation(self._left)

    def predict_at(self, rows: Features) -> tuple[Column, Column]:
        """Return mean and standard deviation at other rows, which costs a solve."""
        n = self._weights.targets.size
        explained = self._solve(self._kernel.between(self._known[:n], rows), n)
        left = 1.0 - np.einsum("ij,ij->j", explained, explained)
        return self._weights.mean + self._weights.residual @ explained, self._deviation(left)

    def _solve(self, right: Matrix, n: int) -> Matrix:
        return np.asarray(solve_triangular(self._factor[:n, :n], right, lower=True, check_finite=False))

    def _deviation(self, left: Column) -> Column:
        return np.asarray(np.sqrt(self._weights.variance * np.maximum(left, _LEAST_LEFT)))
