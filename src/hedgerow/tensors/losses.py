"""The loss of PGRAD in one pass over the entries: squared error on the observations, a hinge on infeasible rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.tensors.compiled import compiled
from hedgerow.tensors.tensor_format import Entries


@compiled
def hinge_losses(
    entries: Entries,
    values: NDArray[np.float64],
    threshold: float,
    penalty: float,
    losses: NDArray[np.float64],
    weights: Entries,
) -> None:
    """Write mean squared error, mean hinge and share of rows below the threshold, (3, n_models), which come in as
    zeros, and the slope of error + penalty * hinge in each entry."""
    n_rows, n_models = entries.shape
    n_values = values.size
    for i in range(n_values):
        for m in range(n_models):
            residual = entries[i, m] - values[i]
            losses[0, m] += residual * residual / n_values
            weights[i, m] = 2.0 * residual / n_values
    n_others = n_rows - n_values
    for i in range(n_values, n_rows):
        for m in range(n_models):
            gap = threshold - entries[i, m]
            is_below = 1.0 if gap > 0.0 else 0.0
            losses[1, m] += is_below * gap / n_others
            losses[2, m] += is_below / n_others
            weights[i, m] = -penalty * is_below / n_others


def hinge_losses_plain(
    entries: Entries, values: NDArray[np.float64], threshold: float, penalty: float
) -> tuple[NDArray[np.float64], Entries]:
    """Return what `hinge_losses` writes, in plain NumPy."""
    n = values.size
    residuals, gaps = entries[:n] - values[:, None], threshold - entries[n:]
    losses = np.stack([(residuals**2).mean(axis=0), np.maximum(gaps, 0.0).mean(axis=0), (gaps > 0.0).mean(axis=0)])
    return losses, np.concatenate([2.0 * residuals / n, -penalty * (gaps > 0.0) / gaps.shape[0]])
