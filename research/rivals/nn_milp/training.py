"""The hot loop of training a network; tests compare it with a plain twin.

The state is three rows: the weights and the two moments of Adam. The weights are, in this order: per one-hot column
what it adds to each hidden unit, the hidden units' constants, the output's weights, the output's constant.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.compiled import compiled
from hedgerow.methods.catd.tensors.adam import adam_step

Numbers = NDArray[np.float64]
Columns = NDArray[np.int64]  # (n_rows, n_slots): the one-hot inputs that are 1


@compiled
def epochs(
    state: Numbers,
    n_steps: int,
    n_hidden: int,
    columns: Columns,
    targets: Numbers,
    n_epochs: int,
    rate: float,
) -> float:
    """Take so many steps of Adam down the mean squared error, in place; return the error before the last step."""
    weights, mean, square = state
    n_rows = columns.shape[0]
    gradient = np.empty_like(weights)
    hidden = np.empty(n_hidden)
    bias = weights.size - 2 * n_hidden - 1
    output = bias + n_hidden
    error = 0.0
    for epoch in range(n_epochs):
        gradient[:] = 0.0
        error = 0.0
        for row in range(n_rows):
            for j in range(n_hidden):
                hidden[j] = weights[bias + j]
            for k in range(columns.shape[1]):
                start = columns[row, k] * n_hidden
                for j in range(n_hidden):
                    hidden[j] += weights[start + j]
            prediction = weights[-1]
            for j in range(n_hidden):
                prediction += weights[output + j] * max(hidden[j], 0.0)
            slope = 2.0 * (prediction - targets[row]) / n_rows
            error += (prediction - targets[row]) ** 2 / n_rows
            gradient[-1] += slope
            for j in range(n_hidden):
                gradient[output + j] += slope * max(hidden[j], 0.0)
                # From here on the unit's place holds the slope that reaches it.
                hidden[j] = slope * weights[output + j] if hidden[j] > 0.0 else 0.0
                gradient[bias + j] += hidden[j]
            for k in range(columns.shape[1]):
                start = columns[row, k] * n_hidden
                for j in range(n_hidden):
                    gradient[start + j] += hidden[j]
        adam_step(weights, gradient, mean, square, rate, n_steps + epoch + 1)
    return error
