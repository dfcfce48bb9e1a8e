"""Adam for a batch of models: one pass over the parameters and both moments, in place."""

from __future__ import annotations

import numpy as np

from hedgerow.tensors.compiled import compiled
from hedgerow.tensors.tensor_format import Parameters

DECAY_MEAN = 0.9
DECAY_SQUARE = 0.999
# Keeps the division finite where a gradient has always been zero.
EPSILON = 1e-8


@compiled
def adam_step(
    parameters: Parameters, gradient: Parameters, mean: Parameters, square: Parameters, rate: float, step: int
) -> None:
    """Move parameters against the gradient; `mean` and `square` are its running moments, `step` counts from 1."""
    n, n_models = parameters.shape
    correction = np.sqrt(1.0 - DECAY_SQUARE**step)
    scaled_rate = rate * correction / (1.0 - DECAY_MEAN**step)
    scaled_epsilon = EPSILON * correction
    for i in range(n):
        for m in range(n_models):
            slope = gradient[i, m]
            mean[i, m] = DECAY_MEAN * mean[i, m] + (1.0 - DECAY_MEAN) * slope
            square[i, m] = DECAY_SQUARE * square[i, m] + (1.0 - DECAY_SQUARE) * slope * slope
            parameters[i, m] -= scaled_rate * mean[i, m] / (np.sqrt(square[i, m]) + scaled_epsilon)


def adam_step_plain(
    parameters: Parameters, gradient: Parameters, mean: Parameters, square: Parameters, rate: float, step: int
) -> None:
    """Do what `adam_step` does, in plain NumPy."""
    mean += (1.0 - DECAY_MEAN) * (gradient - mean)
    square += (1.0 - DECAY_SQUARE) * (gradient**2 - square)
    corrected_mean = mean / (1.0 - DECAY_MEAN**step)
    corrected_square = square / (1.0 - DECAY_SQUARE**step)
    parameters -= rate * corrected_mean / (np.sqrt(corrected_square) + EPSILON)
