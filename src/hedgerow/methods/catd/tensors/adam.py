"""Adam for a batch of models: one pass over the parameters and both moments, in place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.compiled import compiled

DECAY_MEAN = 0.9
DECAY_SQUARE = 0.999
# Keeps the division finite where a gradient has always been zero.
EPSILON = 1e-8

_Numbers = NDArray[np.float64]  # (n,)


@compiled
def adam_step(
    parameters: _Numbers, gradient: _Numbers, mean: _Numbers, square: _Numbers, rate: float, step: int
) -> None:
    """Move parameters against the gradient; `mean` and `square` are its running moments, `step` counts from 1.

    Numbers come in one flat row: one long loop is what the compiler turns into vector instructions.
    """
    correction = np.sqrt(1.0 - DECAY_SQUARE**step)
    scaled_rate = rate * correction / (1.0 - DECAY_MEAN**step)
    scaled_epsilon = EPSILON * correction
    for i in range(parameters.size):
        slope = gradient[i]
        mean[i] = DECAY_MEAN * mean[i] + (1.0 - DECAY_MEAN) * slope
        square[i] = DECAY_SQUARE * square[i] + (1.0 - DECAY_SQUARE) * slope * slope
        parameters[i] -= scaled_rate * mean[i] / (np.sqrt(square[i]) + scaled_epsilon)


def adam_step_plain(
    parameters: _Numbers, gradient: _Numbers, mean: _Numbers, square: _Numbers, rate: float, step: int
) -> None:
    """Do what `adam_step` does, in plain NumPy, for arrays of any shape."""
    mean += (1.0 - DECAY_MEAN) * (gradient - mean)
    square += (1.0 - DECAY_SQUARE) * (gradient**2 - square)
    corrected_mean = mean / (1.0 - DECAY_MEAN**step)
    corrected_square = square / (1.0 - DECAY_SQUARE**step)
    parameters -= rate * corrected_mean / (np.sqrt(corrected_square) + EPSILON)
