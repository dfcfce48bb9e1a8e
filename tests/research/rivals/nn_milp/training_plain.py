"""What a compiled epoch of training a network computes, in plain NumPy."""

from __future__ import annotations

import numpy as np

from research.rivals.nn_milp.training import Columns, Numbers
from tests.methods.catd.tensors.adam_plain import adam_step_plain


def epochs_plain(
    state: Numbers,
    n_steps: int,
    n_hidden: int,
    columns: Columns,
    targets: Numbers,
    n_epochs: int,
    rate: float,
) -> float:
    """The plain twin of `epochs`, with one-hot rows written out."""
    weights, mean, square = state
    n_rows = columns.shape[0]
    n_first = weights.size - 2 * n_hidden - 1
    inputs = np.zeros((n_rows, n_first // n_hidden))
    np.put_along_axis(inputs, columns, 1.0, axis=1)
    error = 0.0
    for epoch in range(n_epochs):
        first, bias, output = np.split(weights[:-1], [n_first, n_first + n_hidden])
        hidden = np.maximum(inputs @ first.reshape(-1, n_hidden) + bias, 0.0)
        residual = hidden @ output + weights[-1] - targets
        error = float((residual**2).mean())
        slopes = 2.0 * residual / n_rows
        reaching = np.outer(slopes, output) * (hidden > 0.0)
        parts = ((inputs.T @ reaching).ravel(), reaching.sum(axis=0), hidden.T @ slopes, [slopes.sum()])
        adam_step_plain(weights, np.concatenate(parts), mean, square, rate, n_steps + epoch + 1)
    return error
