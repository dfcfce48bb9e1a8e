"""A Gaussian process over coordinates: its parameters of highest evidence, and what it predicts, with gradients."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dpotri  # type: ignore[import-untyped]
from scipy.optimize import minimize  # type: ignore[import-untyped]

from hedgerow.arrays import Column, Matrix
from hedgerow.methods.auto.kernel.process import RATE, SHAPE
from hedgerow.methods.auto.kernel.tensor_kernel import Parameters
from hedgerow.methods.auto.kernel.triangular import lower_factor, solve_lower
from hedgerow.methods.auto.mixed.kernel import CoordinateKernel

_WORST = 1e10
_MAX_STEPS = 40
_TOLERANCE = 1e-6
_LEAST_LEFT = 1e-12


@dataclass(frozen=True, eq=False)
class ProcessFit:
    """A kernel with its most likely parameters, and the logarithm of their penalized evidence."""

    kernel: CoordinateKernel
    parameters: Parameters
    log_evidence: float


def fit_process(kernel: CoordinateKernel, rows: Matrix, targets: Column, start: Parameters | None = None) -> ProcessFit:
    """Return the parameters of highest penalized evidence that L-BFGS finds."""
    low, high = kernel.bounds
    found = minimize(
        lambda parameters: _negative_log_evidence(kernel, rows, parameters, targets),
        np.clip(kernel.center if start is None else start, low, high),
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(low, high, strict=True)),
        options={"maxiter": _MAX_STEPS, "ftol": _TOLERANCE},
    )
    return ProcessFit(kernel, np.asarray(found.x), -float(found.fun))


def _negative_log_evidence(
    kernel: CoordinateKernel, rows: Matrix, parameters: Parameters, targets: Column
) -> tuple[float, Parameters]:
    """Return minus the penalized log evidence, mean and variance integrated out, and its gradient."""
    correlation, decays = kernel.own(parameters, rows)
    noisy = correlation.copy()
    noisy.flat[:: targets.size + 1] += kernel.noise(parameters)
    try:
        factor = lower_factor(noisy)
    except np.linalg.LinAlgError:
        return _WORST, np.zeros_like(parameters)
    ones, whitened = solve_lower(factor, np.stack([np.ones(targets.size), targets], axis=1)).T
    residual = whitened - (ones @ whitened / (ones @ ones)) * ones
    energy = float(residual @ residual) + 2 * RATE
    degrees = targets.size + 2 * SHAPE
    offset = parameters - kernel.center
    pull = kernel.precision @ offset
    value = 0.5 * degrees * math.log(energy) + float(np.log(np.diag(factor)).sum()) + 0.5 * float(offset @ pull)
    alpha = solve_lower(factor, residual[:, None], transposed=True)[:, 0]
    lower, _ = dpotri(factor, lower=1)
    inverse = np.tril(lower) + np.tril(lower, -1).T
    sensitivity = degrees / energy * np.outer(alpha, alpha) - inverse
    gradient = np.empty_like(parameters)
    gradient[:-1] = -0.5 * kernel.summed_slopes(parameters, rows, decays, sensitivity * correlation)
    gradient[-1] = -0.5 * np.trace(sensitivity) * math.exp(float(parameters[-1]))
    return value, gradient + pull


@dataclass(frozen=True, eq=False)
class Process:
    """A process conditioned on rows of coordinates and their targets."""

    kernel: CoordinateKernel
    parameters: Parameters
    rows: Matrix
    targets: Column
    lower: Matrix
    whitened: Column
    mean: float
    variance: float

    @classmethod
    def of(cls, kernel: CoordinateKernel, parameters: Parameters, rows: Matrix, targets: Column) -> Process:
        """Condition on observations."""
        noisy = kernel.own(parameters, rows)[0]
        noise = kernel.noise(parameters)
        for _ in range(8):
            raised = noisy.copy()
            raised.flat[:: targets.size + 1] += noise
            try:
                lower = lower_factor(raised)
                break
            except np.linalg.LinAlgError:
                noise *= 10.0
        ones, whitened = solve_lower(lower, np.stack([np.ones(targets.size), targets], axis=1)).T
        mean = float(ones @ whitened / (ones @ ones))
        whitened = whitened - mean * ones
        variance = float((whitened @ whitened + 2 * RATE) / (targets.size + 2 * SHAPE))
        return cls(kernel, parameters, rows, targets, lower, whitened, mean, variance)

    def predict(self, rows: Matrix) -> tuple[Column, Column]:
        """Return the mean and the standard deviation at each row."""
        shared = self.kernel.between(self.parameters, self.rows, rows)
        explained = solve_lower(self.lower, shared)
        left = np.maximum(1.0 - np.einsum("ij,ij->j", explained, explained), _LEAST_LEFT)
        return self.mean + self.whitened @ explained, np.sqrt(self.variance * left)

    def slopes(self, row: Column) -> tuple[float, float, Column, Column]:
        """Return mean and standard deviation at one row, and their derivatives by its coordinates."""
        shared, by_row = self.kernel.with_slopes(self.parameters, self.rows, row)
        explained = solve_lower(self.lower, shared[:, None])[:, 0]
        back = solve_lower(self.lower, explained[:, None], transposed=True)[:, 0]
        left = max(1.0 - float(explained @ explained), _LEAST_LEFT)
        deviation = math.sqrt(self.variance * left)
        mean_slopes = by_row @ self.weights
        deviation_slopes = -self.variance * (by_row @ back) / deviation
        return self.mean + float(self.whitened @ explained), deviation, mean_slopes, deviation_slopes

    @cached_property
    def weights(self) -> Column:
        """What each observation's kernel counts for in the mean."""
        return solve_lower(self.lower, self.whitened[:, None], transposed=True)[:, 0]

    @property
    def fitted(self) -> Column:
        """The mean of the noiseless function at the observed rows."""
        return self.targets - self.kernel.noise(self.parameters) * self.weights
