"""How promising a row is, from what a surrogate says about it. For minimization; every score is to be made large.

`best` is the lowest value seen, on the scale of the predictions.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import erfcx, ndtr  # type: ignore[import-untyped]

from hedgerow.arrays import Column

Predictions = NDArray[np.float64]  # (n_rows, n_models)

_LOG_SQRT_2PI = 0.5 * math.log(2.0 * math.pi)
_SQRT_HALF_PI = math.sqrt(math.pi / 2.0)
# Below this, the difference in phi(z) + z Phi(z) loses digits and two terms of its asymptotic series are exact.
_FAR_BELOW = -1e3


def ensemble_expected_improvement(predictions: Predictions, best: float) -> Column:
    """Return the mean over models of max(0, best - prediction): EI over the empirical ensemble (Section 3.4)."""
    return np.asarray(np.maximum(best - predictions, 0.0).mean(axis=1))


def expected_improvement(mean: Column, sd: Column, best: float) -> Column:
    """Return E max(0, best - Y) for Gaussian Y; where sd is 0 the improvement is certain."""
    gain = best - mean
    z = gain / _positive(sd)
    spread_out = sd * np.exp(-0.5 * z**2 - _LOG_SQRT_2PI) + gain * ndtr(z)
    return np.where(sd > 0.0, np.maximum(spread_out, 0.0), np.maximum(gain, 0.0))


def log_expected_improvement(mean: Column, sd: Column, best: float) -> Column:
    """Return the logarithm of the Gaussian expected improvement, which ranks rows whose improvement underflows."""
    gain = best - mean
    with np.errstate(divide="ignore"):
        scores: Column = np.log(np.maximum(gain, 0.0))
    spread = sd > 0.0
    scores[spread] = np.log(sd[spread]) + log_standard_improvement(gain[spread] / sd[spread])
    return scores


def log_standard_improvement(z: Column) -> Column:
    """Return log(phi(z) + z Phi(z)) for any z, after Ament et al. (2023), "Unexpected improvements"."""
    above = np.maximum(z, -1.0)
    near = np.log(np.exp(-0.5 * above**2 - _LOG_SQRT_2PI) + above * ndtr(above))
    below = np.clip(z, _FAR_BELOW, -1.0)
    # phi(z) + z Phi(z) = phi(z) (1 - |z| Phi(z) / phi(z)), and Phi(z) / phi(z) is a scaled erfc.
    ratio = np.log(-below * _SQRT_HALF_PI * erfcx(-below / math.sqrt(2.0)))
    log_density = -0.5 * z**2 - _LOG_SQRT_2PI
    middle = log_density + _log_of_one_minus_exp(ratio)
    distance = np.maximum(-z, -_FAR_BELOW)
    far = log_density - 2.0 * np.log(distance) + np.log1p(-3.0 / distance / distance)
    return np.where(z > -1.0, near, np.where(z > _FAR_BELOW, middle, far))


def log_standard_improvement_at(z: float) -> float:
    """Return the same for one number, without arrays."""
    if z > -1.0:
        density = math.exp(-0.5 * z * z - _LOG_SQRT_2PI)
        return math.log(density + 0.5 * z * math.erfc(-z / math.sqrt(2.0)))
    if z <= _FAR_BELOW:
        return float(log_standard_improvement(np.array([z]))[0])
    below = math.log(-z * _SQRT_HALF_PI * float(erfcx(-z / math.sqrt(2.0))))
    return -0.5 * z * z - _LOG_SQRT_2PI + math.log(-math.expm1(below))


def lower_confidence_bound(mean: Column, sd: Column, weight: float = 2.0) -> Column:
    """Return minus the optimistic value mean - weight * sd (UCB, for minimization)."""
    return weight * sd - mean


def one_model(predictions: Predictions, rng: Generator) -> Column:
    """Return minus the predictions of one model drawn at random: Thompson sampling from an ensemble."""
    return -predictions[:, rng.integers(predictions.shape[1])]


def one_draw(mean: Column, sd: Column, rng: Generator) -> Column:
    """Return minus one independent Gaussian draw per row: Thompson sampling from marginals."""
    return -(mean + sd * rng.standard_normal(mean.shape))


def lowest_mean(mean: Column) -> Column:
    """Return minus the mean, the acquisition of the paper's Experiment 1."""
    return -mean


def _positive(sd: Column) -> Column:
    return np.where(sd > 0.0, sd, 1.0)


def _log_of_one_minus_exp(x: Column) -> Column:
    """Return log(1 - exp(x)) for x < 0 without losing digits at either end."""
    small = np.maximum(x, -math.log(2.0))
    large = np.minimum(x, -math.log(2.0))
    with np.errstate(divide="ignore"):
        return np.where(x > -math.log(2.0), np.log(-np.expm1(small)), np.log1p(-np.exp(large)))
