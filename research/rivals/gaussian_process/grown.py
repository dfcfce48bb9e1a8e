"""A Gaussian process under a fixed kernel that grows by one observation at a time, and what it says of fixed rows.

scikit-learn conditions a process anew on all n observations and solves for all m rows that are scored: n^2 m steps in
every round. Under one kernel the Cholesky factor only gains a row, so n m steps give the same numbers up to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular  # type: ignore[import-untyped]

Numbers = NDArray[np.float64]


class GrownProcess:
    """A process given `rows` and `targets`, with room for `n_more`; `scored` are the rows asked about always."""

    def __init__(
        self, kernel: Any, noise: float, rows: Numbers, targets: Numbers, scored: Numbers, n_more: int
    ) -> None:
        self._kernel, self._noise, self._scored = kernel, noise, scored
        self._n = n = int(rows.shape[0])
        self._rows = np.empty((n + n_more, rows.shape[1]))
        self._factor = np.zeros((n + n_more, n + n_more))
        self._whitened = np.empty(n + n_more)
        self._solved = np.empty((n + n_more, scored.shape[0]))
        self._rows[:n] = rows
        self._factor[:n, :n] = cholesky(kernel(rows) + noise * np.eye(n), lower=True, check_finite=False)
        self._whitened[:n] = self._half_solved(targets)
        self._solved[:n] = self._half_solved(kernel(rows, scored))
        self._mean = self._whitened[:n] @ self._solved[:n]
        self._variance = kernel.diag(scored) - np.einsum("ij,ij->j", self._solved[:n], self._solved[:n])

    @property
    def n_observed(self) -> int:
        """The number of observations so far."""
        return self._n

    def observe(self, row: Numbers, target: float) -> None:
        """Add an observation."""
        n = self._n
        cross = self._half_solved(self._kernel(self._rows[:n], row[None, :])[:, 0])
        # A row that was observed before leaves the noise, up to rounding.
        pivot = np.sqrt(max(self._kernel.diag(row[None, :])[0] + self._noise - cross @ cross, self._noise))
        solved = (self._kernel(row[None, :], self._scored)[0] - cross @ self._solved[:n]) / pivot
        self._rows[n], self._factor[n, :n], self._factor[n, n] = row, cross, pivot
        self._whitened[n] = (target - cross @ self._whitened[:n]) / pivot
        self._solved[n] = solved
        self._mean = self._mean + self._whitened[n] * solved
        self._variance = self._variance - solved**2
        self._n = n + 1

    @property
    def scored(self) -> tuple[Numbers, Numbers]:
        """Mean and deviation at the fixed rows."""
        return self._mean, np.sqrt(np.maximum(self._variance, 0.0))

    def predict(self, rows: Numbers) -> tuple[Numbers, Numbers]:
        """Return mean and deviation at other rows."""
        solved = self._half_solved(self._kernel(self._rows[: self._n], rows))
        variance = self._kernel.diag(rows) - np.einsum("ij,ij->j", solved, solved)
        return self._whitened[: self._n] @ solved, np.sqrt(np.maximum(variance, 0.0))

    def _half_solved(self, right: Numbers) -> Numbers:
        factor = self._factor[: self._n, : self._n]
        return np.asarray(solve_triangular(factor, right, lower=True, check_finite=False))
