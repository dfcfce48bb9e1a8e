"""A Gaussian process with the tensor kernel, fitted by penalised evidence, with a few draws of its parameters.

The signal variance and the mean have closed forms (an inverse-gamma prior, generalised least squares), so the
evidence is a function of the kernel's parameters alone. Its gradient is analytic. Parameters are the mode found by
L-BFGS and, because a mode is too sure of itself after few observations, draws from a short Metropolis walk around
it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular  # type: ignore[import-untyped]
from scipy.optimize import minimize  # type: ignore[import-untyped]

from hedgerow.space.encoding import Codes
from hedgerow.surrogates.kernel_loops import table_products, table_sums
from hedgerow.surrogates.surrogate import Column
from hedgerow.surrogates.tensor_kernel import Parameters, TensorKernel

Matrix = NDArray[np.float64]

# The inverse-gamma prior of the signal variance for standardised targets.
_SHAPE, _RATE = 1.5, 1.5
_WORST = 1e10


@dataclass(frozen=True)
class KernelFit:
    """Parameters and the logarithm of their penalised evidence, up to a constant that all fits share."""

    parameters: Parameters
    log_evidence: float


@dataclass(frozen=True, eq=False)
class KernelSurrogate:
    """A fitted process: what is needed to predict anywhere."""

    kernel: TensorKernel
    parameters: Parameters
    codes: Codes
    factor: Matrix
    weights: Column
    mean: float
    variance: float

    @classmethod
    def condition(cls, kernel: TensorKernel, parameters: Parameters, codes: Codes, targets: Column) -> KernelSurrogate:
        """Condition the prior with these parameters on observations."""
        factor = _factor(kernel, parameters, codes)
        ones = solve_triangular(factor, np.ones(targets.size), lower=True)
        whitened = solve_triangular(factor, targets, lower=True)
        mean = float(ones @ whitened / (ones @ ones))
        weights = whitened - mean * ones
        variance = float((weights @ weights + 2 * _RATE) / (targets.size + 2 * _SHAPE))
        return cls(kernel, parameters, codes, factor, weights, mean, variance)

    def predict(self, codes: Codes) -> tuple[Column, Column]:
        """Return the mean and the standard deviation of the noiseless function at each row."""
        shared = table_products(self.codes, codes, self.kernel.tables(self.parameters))
        explained = solve_triangular(self.factor, shared, lower=True, overwrite_b=True, check_finite=False)
        mean = self.mean + self.weights @ explained
        left = np.maximum(1.0 - np.einsum("ij,ij->j", explained, explained), 1e-9)
        return mean, np.sqrt(self.variance * left)


def fit_mode(kernel: TensorKernel, codes: Codes, targets: Column, max_steps: int = 30) -> KernelFit:
    """Return the parameters of highest penalised evidence that L-BFGS finds from the prior's centre."""
    low, high = kernel.bounds
    found = minimize(
        lambda parameters: negative_log_evidence(kernel, parameters, codes, targets),
        np.clip(kernel.centre, low, high),
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(low, high, strict=True)),
        options={"maxiter": max_steps, "ftol": 1e-6},
    )
    return KernelFit(np.asarray(found.x), -float(found.fun))


def draw_parameters(
    kernel: TensorKernel, codes: Codes, targets: Column, mode: KernelFit, n_draws: int, rng: Generator
) -> list[Parameters]:
    """Return draws of the parameters from a Metropolis walk that starts at the mode."""
    low, high = kernel.bounds
    step = _STEP * np.minimum(kernel.spreads, 1.0)
    current, evidence = mode.parameters, mode.log_evidence
    draws: list[Parameters] = []
    for _ in range(n_draws):
        for _ in range(_STEPS_BETWEEN_DRAWS):
            proposed = np.clip(current + step * rng.normal(size=current.size), low, high)
            value = -negative_log_evidence(kernel, proposed, codes, targets, with_gradient=False)[0]
            if math.log(rng.random() + 1e-300) < value - evidence:
                current, evidence = proposed, value
        draws.append(current)
    return draws


_STEP = 0.35
_STEPS_BETWEEN_DRAWS = 8


def negative_log_evidence(
    kernel: TensorKernel, parameters: Parameters, codes: Codes, targets: Column, with_gradient: bool = True
) -> tuple[float, Parameters]:
    """Return minus the penalised log evidence and its gradient (zeros when not asked for)."""
    correlation = table_products(codes, codes, kernel.tables(parameters))
    noisy = correlation + kernel.noise(parameters) * np.eye(targets.size)
    try:
        factor = cholesky(noisy, lower=True, check_finite=False)
    except np.linalg.LinAlgError:
        return _WORST, np.zeros_like(parameters)
    ones = solve_triangular(factor, np.ones(targets.size), lower=True, check_finite=False)
    whitened = solve_triangular(factor, targets, lower=True, check_finite=False)
    residual = whitened - (ones @ whitened / (ones @ ones)) * ones
    energy = float(residual @ residual) + 2 * _RATE
    degrees = targets.size + 2 * _SHAPE
    offset = parameters - kernel.centre
    pull = kernel.precision @ offset
    value = 0.5 * degrees * math.log(energy) + float(np.log(np.diag(factor)).sum()) + 0.5 * float(offset @ pull)
    if not with_gradient:
        return value, np.zeros_like(parameters)
    inverse_factor = solve_triangular(factor, np.eye(targets.size), lower=True, check_finite=False)
    inverse = inverse_factor.T @ inverse_factor
    alpha = inverse_factor.T @ residual
    sensitivity = degrees / energy * np.outer(alpha, alpha) - inverse
    tables = kernel.derivative_tables(parameters)
    gradient = np.empty_like(parameters)
    gradient[:-1] = -0.5 * table_sums(codes, kernel.table_slots, sensitivity * correlation, tables)
    gradient[-1] = -0.5 * np.trace(sensitivity) * math.exp(float(parameters[-1]))
    return value, gradient + pull


def _factor(kernel: TensorKernel, parameters: Parameters, codes: Codes) -> Matrix:
    correlation = table_products(codes, codes, kernel.tables(parameters))
    noisy = correlation + kernel.noise(parameters) * np.eye(codes.shape[0])
    return np.asarray(cholesky(noisy, lower=True, check_finite=False))
