"""Parameters of the tensor kernel: the mode of the penalized evidence, and draws around it.

With mean and signal variance integrated out, the evidence is a function of the kernel's parameters alone. Its gradient
is analytic. Besides the mode found by L-BFGS there are draws from a short Metropolis walk around it, because a mode is
too sure of itself after few observations.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.linalg.lapack import dpotri  # type: ignore[import-untyped]
from scipy.optimize import minimize  # type: ignore[import-untyped]

from hedgerow.arrays import Column, Matrix
from hedgerow.methods.auto.kernel.pairs import Pairs
from hedgerow.methods.auto.kernel.process import RATE, SHAPE
from hedgerow.methods.auto.kernel.tensor_kernel import Parameters
from hedgerow.methods.auto.kernel.triangular import lower_factor, solve_lower

# What a parameter is worth where the kernel matrix cannot be factorized: less than any other.
_WORST = 1e10
# Steps of L-BFGS, and the relative change of the evidence at which it stops.
_MAX_STEPS = 30
_TOLERANCE = 1e-6
# The Metropolis walk: its step in prior deviations, and how many lie between two draws.
_STEP = 0.35
_STEPS_BETWEEN_DRAWS = 8


@dataclass(frozen=True)
class KernelFit:
    """Parameters and the logarithm of their penalized evidence, up to a constant that all fits share."""

    parameters: Parameters
    log_evidence: float


def fit_mode(pairs: Pairs, targets: Column) -> KernelFit:
    """Return the parameters of highest penalized evidence that L-BFGS finds from the prior's center."""
    low, high = pairs.kernel.bounds
    found = minimize(
        lambda parameters: negative_log_evidence(pairs, parameters, targets),
        np.clip(pairs.kernel.center, low, high),
        jac=True,
        method="L-BFGS-B",
        bounds=list(zip(low, high, strict=True)),
        options={"maxiter": _MAX_STEPS, "ftol": _TOLERANCE},
    )
    return KernelFit(np.asarray(found.x), -float(found.fun))


def draw_parameters(pairs: Pairs, targets: Column, mode: KernelFit, n_draws: int, rng: Generator) -> list[Parameters]:
    """Return draws of the parameters from a Metropolis walk that starts at the mode."""
    low, high = pairs.kernel.bounds
    step = _STEP * np.minimum(pairs.kernel.spreads, 1.0)
    current, evidence = mode.parameters, mode.log_evidence
    draws: list[Parameters] = []
    for _ in range(n_draws):
        for _ in range(_STEPS_BETWEEN_DRAWS):
            stepped = np.clip(current + step * rng.normal(size=current.size), low, high)
            value = -negative_log_evidence(pairs, stepped, targets, with_gradient=False)[0]
            if math.log(rng.random() + 1e-300) < value - evidence:
                current, evidence = stepped, value
        draws.append(current)
    return draws


def negative_log_evidence(
    pairs: Pairs, parameters: Parameters, targets: Column, with_gradient: bool = True
) -> tuple[float, Parameters]:
    """Return minus the penalized log evidence and its gradient (zeros when not asked for)."""
    kernel = pairs.kernel
    similarity = kernel.similarity(parameters)
    correlation = pairs.products(kernel.tables_of(parameters, similarity))
    noisy = correlation.copy()
    noisy.flat[:: targets.size + 1] += kernel.noise(parameters)
    try:
        factor = lower_factor(noisy)
    except np.linalg.LinAlgError:
        return _WORST, np.zeros_like(parameters)
    both = np.stack([np.ones(targets.size), targets], axis=1)
    ones, whitened = solve_lower(factor, both).T
    residual = whitened - (ones @ whitened / (ones @ ones)) * ones
    energy = float(residual @ residual) + 2 * RATE
    degrees = targets.size + 2 * SHAPE
    offset = parameters - kernel.center
    pull = kernel.pull(offset)
    value = 0.5 * degrees * math.log(energy) + float(np.log(np.diag(factor)).sum()) + 0.5 * float(offset @ pull)
    if not with_gradient:
        return value, np.zeros_like(parameters)
    alpha = solve_lower(factor, residual[:, None], transposed=True)[:, 0]
    sensitivity = degrees / energy * np.outer(alpha, alpha) - _inverse(factor)
    gradient = np.empty_like(parameters)
    gradient[:-1] = -0.5 * kernel.gradient(parameters, similarity, pairs.sums(sensitivity * correlation))
    gradient[-1] = -0.5 * np.trace(sensitivity) * math.exp(float(parameters[-1]))
    return value, gradient + pull


def _inverse(factor: Matrix) -> Matrix:
    """Return the inverse of the matrix with this lower Cholesky factor."""
    lower, _ = dpotri(factor, lower=1)
    return np.asarray(np.tril(lower) + np.tril(lower, -1).T)
