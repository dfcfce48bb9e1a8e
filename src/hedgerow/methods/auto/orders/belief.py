"""What the default believes on a space with orders: one kernel of distances under three transforms, by evidence.

The kernel is exp(-sum of weight times distance). With small weights it is nearly linear in what the distances count, so
that a cost that adds up over pairs of neighbors, or over positions, is learned as such; with large ones it forgets what
is far. Weights are the most likely ones, and one prior holds for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dpotri  # type: ignore[import-untyped]
from scipy.optimize import minimize  # type: ignore[import-untyped]
from scipy.special import logsumexp  # type: ignore[import-untyped]

from hedgerow.arrays import Codes, Column, Matrix, Scores
from hedgerow.methods.auto.kernel.process import RATE, SHAPE
from hedgerow.methods.auto.kernel.triangular import lower_factor, solve_lower
from hedgerow.methods.auto.mixed.belief import informative
from hedgerow.methods.auto.orders.distances import Cube, RowDistances
from hedgerow.methods.auto.transforms import TRANSFORMS
from hedgerow.search.acquisition import log_standard_improvement

# Where the logarithms of weights and noise lie before anything is seen, and how far they may go.
_WEIGHT_CENTER, _WEIGHT_SPREAD = -1.5, 1.5
_NOISE_CENTER, _NOISE_SPREAD = -9.0, 2.0
_WEIGHT_BOUNDS, _NOISE_BOUNDS = (-7.0, 3.0), (-16.0, 0.0)
# Beliefs whose evidence is this far behind, as a logarithm, are left out.
_NEGLIGIBLE = -4.0
# Observations that weights are fitted to, and that beliefs are conditioned on: the best and the latest.
_MAX_FITTED = 120
_MAX_CONDITIONED = 400
_MAX_STEPS = 25
_LEAST_GAIN = 1e-3
_LEAST_LEFT = 1e-12
_LEAST_CHANCE = 0.02
_WORST = 1e10


@dataclass(frozen=True, eq=False)
class WeightFit:
    """The transform, the most likely parameters (logarithms of weights, then of the noise), and the log evidence."""

    transform: int
    parameters: Column
    log_weight: float


@dataclass(frozen=True, eq=False)
class OrderFit:
    """Fits after the first `n` measured observations."""

    n: int
    fits: Sequence[WeightFit]


def fit_orders(distances: RowDistances, rows: Codes, values: Column) -> OrderFit:
    """Fit the kernel under all transforms to measured observations."""
    kept = informative(values, _MAX_FITTED)
    scaled = values[kept] / (float(np.abs(values).max()) or 1.0)
    apart = distances.between(rows[kept], rows[kept])
    found: list[WeightFit] = []
    for index, transform in enumerate(TRANSFORMS):
        targets = transform(scaled)
        parameters, evidence = _most_likely(apart, targets.values)
        found.append(WeightFit(index, parameters, evidence + targets.log_jacobian))
    most = max(fit.log_weight for fit in found)
    near = [fit for fit in found if fit.log_weight - most > _NEGLIGIBLE]
    return OrderFit(values.size, [WeightFit(fit.transform, fit.parameters, fit.log_weight - most) for fit in near])


def _most_likely(apart: Cube, targets: Column) -> tuple[Column, float]:
    center = np.append(np.full(apart.shape[0], _WEIGHT_CENTER), _NOISE_CENTER)
    bounds = [_WEIGHT_BOUNDS] * apart.shape[0] + [_NOISE_BOUNDS]
    flat = apart.reshape(apart.shape[0], -1)
    found = minimize(
        lambda parameters: _negative_log_evidence(flat, parameters, center, targets),
        center,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": _MAX_STEPS, "ftol": 1e-5},
    )
    return np.asarray(found.x), -float(found.fun)


def _kernel(parameters: Column, apart: Cube) -> Matrix:
    """Return the correlation of each pair of rows."""
    weights = np.exp(parameters[:-1])
    return np.asarray(np.exp(-np.tensordot(weights, apart, axes=1)))


def _noise(parameters: Column) -> float:
    return math.exp(float(parameters[-1])) + 1e-9


def _negative_log_evidence(flat: Matrix, parameters: Column, center: Column, targets: Column) -> tuple[float, Column]:
    """Return minus the penalized log evidence, mean and variance integrated out, and its gradient."""
    n = targets.size
    weights = np.exp(parameters[:-1])
    correlation = np.exp(-(weights @ flat)).reshape(n, n)
    noisy = correlation.copy()
    noisy.flat[:: n + 1] += _noise(parameters)
    try:
        factor = lower_factor(noisy)
    except np.linalg.LinAlgError:
        return _WORST, np.zeros_like(parameters)
    ones, whitened = solve_lower(factor, np.stack([np.ones(n), targets], axis=1)).T
    residual = whitened - (ones @ whitened / (ones @ ones)) * ones
    energy = float(residual @ residual) + 2 * RATE
    degrees = n + 2 * SHAPE
    spread = np.append(np.full(weights.size, _WEIGHT_SPREAD), _NOISE_SPREAD)
    offset = (parameters - center) / spread
    value = 0.5 * degrees * math.log(energy) + float(np.log(np.diag(factor)).sum()) + 0.5 * float(offset @ offset)
    alpha = solve_lower(factor, residual[:, None], transposed=True)[:, 0]
    lower, _ = dpotri(factor, lower=1)
    inverse = np.tril(lower) + np.tril(lower, -1).T
    sensitivity = degrees / energy * np.outer(alpha, alpha) - inverse
    gradient = np.empty_like(parameters)
    gradient[:-1] = 0.5 * weights * (flat @ (sensitivity * correlation).ravel())
    gradient[-1] = -0.5 * np.trace(sensitivity) * math.exp(float(parameters[-1]))
    return value, gradient + offset / spread


class OrderProcess:
    """A Gaussian process conditioned on rows and targets; asked with distances, which several may share."""

    def __init__(self, parameters: Column, apart: Cube, targets: Column) -> None:
        self.parameters = parameters
        correlation = _kernel(parameters, apart)
        noise = _noise(parameters)
        for _ in range(8):
            raised = correlation.copy()
            raised.flat[:: targets.size + 1] += noise
            try:
                self._lower = lower_factor(raised)
                break
            except np.linalg.LinAlgError:
                noise *= 10.0
        ones, whitened = solve_lower(self._lower, np.stack([np.ones(targets.size), targets], axis=1)).T
        self._mean = float(ones @ whitened / (ones @ ones))
        self._whitened = whitened - self._mean * ones
        self._variance = float((self._whitened @ self._whitened + 2 * RATE) / (targets.size + 2 * SHAPE))
        weights = solve_lower(self._lower, self._whitened[:, None], transposed=True)[:, 0]
        # The mean of the noiseless function at the observed rows.
        self.fitted = targets - noise * weights

    def predict(self, apart: Cube) -> tuple[Column, Column]:
        """Return the mean and the standard deviation at rows with these distances from those observed."""
        explained = solve_lower(self._lower, _kernel(self.parameters, apart))
        left = np.maximum(1.0 - np.einsum("ij,ij->j", explained, explained), _LEAST_LEFT)
        return self._mean + self._whitened @ explained, np.sqrt(self._variance * left)


class OrderPosterior:
    """Beliefs conditioned on observations: the expected improvement at rows, times the chance that trials work."""

    def __init__(
        self, distances: RowDistances, fit: OrderFit, rows: Codes, values: Column, pending: Codes, doubt: float
    ) -> None:
        self._distances, self._doubt = distances, doubt
        kept = informative(values, _MAX_CONDITIONED)
        scaled = values[kept] / (float(np.abs(values).max()) or 1.0)
        self._rows = np.concatenate([rows[kept], pending])
        apart = distances.between(self._rows, self._rows)
        n = kept.size
        self._models: list[tuple[float, float, OrderProcess]] = []
        for one in fit.fits:
            targets = TRANSFORMS[one.transform](scaled).values
            model = OrderProcess(one.parameters, apart[:, :n, :n], targets)
            goal = float(np.minimum(targets.min(), model.fitted.min())) - _LEAST_GAIN
            if pending.shape[0]:
                # Trials that are out are believed to turn out as predicted, so that they are not crowded around.
                believed = np.concatenate([targets, model.predict(apart[:, :n, n:])[0]])
                model = OrderProcess(one.parameters, apart, believed)
            self._models.append((one.log_weight, goal, model))
        self._chance: tuple[Codes, OrderProcess] | None = None

    def learn_failures(self, rows: Codes, worked: Sequence[bool]) -> None:
        """Learn the chance that a trial works, with the weights of what is believed of the values, and noise."""
        parameters = max(self._models, key=lambda one: one[0])[2].parameters.copy()
        parameters[-1] = math.log(0.05)
        targets = np.where(np.asarray(worked), 1.0, -1.0)
        self._chance = rows, OrderProcess(parameters, self._distances.between(rows, rows), targets)

    def scores(self, rows: Codes) -> Scores:
        """Return the logarithm of the averaged expected improvement, and of the chance."""
        apart = self._distances.between(self._rows, rows)
        parts = []
        for weight, goal, model in self._models:
            mean, deviation = model.predict(apart)
            deviation = self._doubt * deviation
            parts.append(weight + np.log(deviation) + log_standard_improvement((goal - mean) / deviation))
        found = np.asarray(logsumexp(np.array(parts), axis=0))
        if self._chance is not None:
            told, model = self._chance
            chance = (model.predict(self._distances.between(told, rows))[0] + 1) / 2
            found = found + np.log(np.clip(chance, _LEAST_CHANCE, 1.0))
        return found
