"""What a compiled step of Adam computes, in plain NumPy."""

from __future__ import annotations

import numpy as np

from hedgerow.methods.catd.tensors.adam import DECAY_MEAN, DECAY_SQUARE, EPSILON, Numbers


def adam_step_plain(
    parameters: Numbers, gradient: Numbers, mean: Numbers, square: Numbers, rate: float, step: int
) -> None:
    """Do what `adam_step` does, in plain NumPy, for arrays of any shape."""
    mean += (1.0 - DECAY_MEAN) * (gradient - mean)
    square += (1.0 - DECAY_SQUARE) * (gradient**2 - square)
    corrected_mean = mean / (1.0 - DECAY_MEAN**step)
    corrected_square = square / (1.0 - DECAY_SQUARE**step)
    parameters -= rate * corrected_mean / (np.sqrt(corrected_square) + EPSILON)
