"""What the compiled loops compute, in plain NumPy: entries, gradients and training, for tests to compare with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.methods.catd.tensors.losses import TNorm
from hedgerow.methods.catd.tensors.prior import Prior
from hedgerow.methods.catd.tensors.tensor_format import Entries, Parameters, TensorFormat
from tests.methods.catd.tensors.adam_plain import adam_step_plain
from tests.methods.catd.tensors.losses_plain import violation


def entries_plain(tensor: TensorFormat, parameters: Parameters, codes: Codes) -> Entries:
    """Return what `TensorFormat.entries` does."""
    return np.asarray(np.einsum("nssm->nm", _prefixes(tensor, parameters, codes)[-1]))


def gradient_plain(tensor: TensorFormat, parameters: Parameters, codes: Codes, weights: Entries) -> Parameters:
    """Return what `TensorFormat.gradient` does."""
    prefixes = _prefixes(tensor, parameters, codes)
    result = np.zeros_like(parameters)
    adjoint = np.eye(int(tensor.ranks[-1]))[None, :, :, None] * weights[:, None, None, :]
    for k in reversed(range(codes.shape[1])):
        gathered = np.einsum("nsam,nsbm->nabm", prefixes[k], adjoint)
        slot = result[tensor.starts[k] : tensor.starts[k + 1]].reshape(-1, tensor.widths[k], parameters.shape[1])
        if tensor.is_diagonal:
            np.add.at(slot, codes[:, k], np.einsum("naam->nam", gathered))
        else:
            np.add.at(slot, codes[:, k], gathered.reshape(codes.shape[0], -1, parameters.shape[1]))
        adjoint = np.einsum("nabm,nsbm->nsam", _matrices(tensor, parameters, k)[codes[:, k]], adjoint)
    return result


def train_plain(
    prior: Prior,
    observed: Codes,
    values: NDArray[np.float64],
    batches: list[Codes],
    beginning: Parameters,
    *,
    penalty: float,
    tnorm: TNorm,
    threshold: float,
    pull: float,
    rate: float,
    n_counted: float | None = None,
    decay: float = 0.0,
) -> Parameters:
    """Return the deviations of all models after one epoch per batch of infeasible rows."""
    tensor, deviations = prior.tensor, beginning.copy()
    mean, square = np.zeros_like(beginning), np.zeros_like(beginning)
    for step, batch in enumerate(batches, start=1):
        factors = prior.factors(deviations)
        residuals = entries_plain(tensor, factors, observed) - values[:, None]
        slopes = gradient_plain(tensor, factors, observed, 2.0 * residuals / (n_counted or values.size))
        if batch.shape[0]:
            _, steepness = violation(threshold - entries_plain(tensor, factors, batch), tnorm)
            slopes += gradient_plain(tensor, factors, batch, -penalty * steepness)
        for start, end in zip(tensor.starts[:-1], tensor.starts[1:], strict=True):
            slopes[start:end] += 2.0 * decay * factors[start:end] / (end - start)
        gradient = prior.pull_back(slopes) + 2.0 * pull * (deviations - beginning)
        adam_step_plain(deviations, gradient, mean, square, rate, step)
    return deviations


def _prefixes(tensor: TensorFormat, parameters: Parameters, codes: Codes) -> list[NDArray[np.float64]]:
    """Return the products of the first 0, 1, ..., d matrices of every row."""
    n_outer = int(tensor.ranks[0])
    shape = (codes.shape[0], n_outer, n_outer, parameters.shape[1])
    prefixes = [np.broadcast_to(np.eye(n_outer)[None, :, :, None], shape)]
    for k in range(codes.shape[1]):
        prefixes.append(np.einsum("nsam,nabm->nsbm", prefixes[-1], _matrices(tensor, parameters, k)[codes[:, k]]))
    return prefixes


def _matrices(tensor: TensorFormat, parameters: Parameters, k: int) -> NDArray[np.float64]:
    """Return the matrices of one slot as (n_levels, ranks[k], ranks[k + 1], n_models)."""
    n_left, n_right, n_models = int(tensor.ranks[k]), int(tensor.ranks[k + 1]), parameters.shape[1]
    slot = parameters[tensor.starts[k] : tensor.starts[k + 1]]
    if tensor.is_diagonal:
        return np.asarray(np.einsum("xam,ab->xabm", slot.reshape(-1, n_left, n_models), np.eye(n_left)))
    return slot.reshape(-1, n_left, n_right, n_models)
