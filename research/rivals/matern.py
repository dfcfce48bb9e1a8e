"""A Matérn-5/2 kernel with one length scale per slot, and the parameters of highest posterior density.

The mean and the signal variance have closed forms (generalised least squares and an inverse-gamma prior), so length
scales and noise are all that is searched, by L-BFGS with the analytic gradient. Length scales have BoTorch's prior,
which grows with the square root of the number of slots (Hvarfner et al. 2024); noise has one far below BoTorch's,
because the objectives here have none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular  # type: ignore[import-untyped]
from scipy.linalg.lapack import dpotri  # type: ignore[import-untyped]
from scipy.optimize import minimize  # type: ignore[import-untyped]

Features = NDArray[np.float64]  # (n_rows, n_columns)
Matrix = NDArray[np.float64]
Column = NDArray[np.float64]

# The inverse-gamma prior of the signal variance for standardised targets.
SHAPE, RATE = 1.5, 1.5
_LENGTH_SPREAD = math.sqrt(3.0)
_LOG_NOISE, _NOISE_SPREAD = -7.0, 2.0
_BOUNDS_LENGTH = (math.log(1e-2), math.log(1e3))
_BOUNDS_NOISE = (math.log(1e-8), 0.0)
_WORST = 1e10


@dataclass(frozen=True, eq=False)
class Matern:
    """Length scales per column, and the noise variance as a share of the signal variance."""

    lengths: Column
    noise: float

    def between(self, left: Features, right: Features) -> Matrix:
        """Return the correlations (n_left, n_right)."""
        s = _scaled_distance(left / self.lengths, right / self.lengths)
        return np.asarray((1.0 + s + s * s / 3.0) * np.exp(-s))

    def factor(self, features: Features) -> Matrix:
        """Return the lower Cholesky factor of the noisy correlations."""
        noisy = self.between(features, features)
        noisy.flat[:: features.shape[0] + 1] = 1.0 + self.noise
        return np.asarray(cholesky(noisy, lower=True, overwrite_a=True, check_finite=False))


def fit(features: Features, slots: NDArray[np.int64], targets: Column, max_steps: int = 30) -> Matern:
    """Return the kernel for standardised targets; `slots` says which columns share a length scale."""
    n_slots = int(slots.max()) + 1
    centre = np.full(n_slots + 1, math.sqrt(2.0) + 0.5 * math.log(n_slots))
    centre[-1] = _LOG_NOISE
    spread = np.full(n_slots + 1, _LENGTH_SPREAD)
    spread[-1] = _NOISE_SPREAD

    def penalised(parameters: Column) -> tuple[float, Column]:
        value, gradient = negative_log_evidence(features, slots, targets, parameters)
        offset = (parameters - centre) / spread
        return value + 0.5 * float(offset @ offset), gradient + offset / spread

    found = minimize(
        penalised,
        # The prior's centre is so smooth that the search may never leave it; it begins at half the cube.
        np.append(np.full(n_slots, math.log(0.5 * math.sqrt(n_slots))), _LOG_NOISE),
        jac=True,
        method="L-BFGS-B",
        bounds=[_BOUNDS_LENGTH] * n_slots + [_BOUNDS_NOISE],
        options={"maxiter": max_steps, "ftol": 1e-6},
    )
    return Matern(np.exp(found.x[slots]), math.exp(found.x[-1]))


def negative_log_evidence(
    features: Features, slots: NDArray[np.int64], targets: Column, parameters: Column
) -> tuple[float, Column]:
    """Return minus the log evidence, up to a constant, and its gradient in log length scales and log noise."""
    lengths, noise = np.exp(parameters[:-1])[slots], math.exp(float(parameters[-1]))
    scaled = features / lengths
    s = _scaled_distance(scaled, scaled)
    decay = np.exp(-s)
    noisy = (1.0 + s + s * s / 3.0) * decay
    noisy.flat[:: targets.size + 1] = 1.0 + noise
    try:
        factor = cholesky(noisy, lower=True, overwrite_a=True, check_finite=False)
    except np.linalg.LinAlgError:
        return _WORST, np.zeros_like(parameters)
    both = np.stack([np.ones(targets.size), targets], axis=1)
    ones, whitened = solve_triangular(factor, both, lower=True, check_finite=False).T
    residual = whitened - (ones @ whitened / (ones @ ones)) * ones
    energy = float(residual @ residual) + 2 * RATE
    degrees = targets.size + 2 * SHAPE
    value = 0.5 * degrees * math.log(energy) + float(np.log(np.diag(factor)).sum())
    alpha = solve_triangular(factor, residual, lower=True, trans="T", check_finite=False)
    sensitivity = degrees / energy * np.outer(alpha, alpha) - _inverse(factor)
    # d correlation / d log length = 5/3 (1 + s) exp(-s) * (squared distance in that slot), by columns of the features.
    slope = sensitivity * (1.0 + s) * decay * (5.0 / 3.0)
    by_column = 2.0 * (slope.sum(axis=1) @ scaled**2 - np.einsum("ic,ic->c", scaled, slope @ scaled))
    gradient = np.empty_like(parameters)
    gradient[:-1] = -0.5 * np.bincount(slots, weights=by_column, minlength=parameters.size - 1)
    gradient[-1] = -0.5 * noise * np.trace(sensitivity)
    return value, gradient


def _scaled_distance(left: Features, right: Features) -> Matrix:
    """Return sqrt(5) times the Euclidean distances."""
    squares = (left * left).sum(axis=1)[:, None] + (right * right).sum(axis=1) - 2.0 * (left @ right.T)
    return np.asarray(np.sqrt(5.0 * np.maximum(squares, 0.0)))


def _inverse(factor: Matrix) -> Matrix:
    lower, _ = dpotri(factor, lower=1)
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)
