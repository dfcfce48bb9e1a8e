"""Adam for a batch of models: one pass over the parameters and both moments, in place."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.compiled import compiled

DECAY_MEAN = 0.9
DECAY_SQUARE = 0.999
# Keeps the division finite where a gradient has always been zero.
EPSILON = 1e-8

Numbers = NDArray[np.float64]  # (n,)


@compiled
def adam_step(parameters: Numbers, gradient: Numbers, mean: Numbers, square: Numbers, rate: float, step: int) -> None:
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
