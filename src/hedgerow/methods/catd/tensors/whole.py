"""The mean over models of whole tensors, all entries at once: the slots are cut into two halves, the products of each
half are formed for all its combinations, and one matrix product joins them. For tensors that fit into memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.methods.catd.tensors.tensor_format import Parameters, TensorFormat


def mean_of_all(tensor: TensorFormat, parameters: Parameters) -> NDArray[np.float64]:
    """Return the mean over the models at every combination of levels, the last slot running fastest."""
    cut = _middle(tensor.level_counts)
    left = _products(tensor, parameters, range(cut))
    right = _products(tensor, parameters, range(cut, len(tensor.level_counts)))
    # The entry is the trace of left times right, a sum over all places of one and the transposed places of the other.
    if not tensor.is_diagonal:
        right = right.swapaxes(2, 3)
    n_models = parameters.shape[1]
    flat = [half.swapaxes(0, 1).reshape(half.shape[1], -1) for half in (left, right)]
    return np.asarray((flat[0] @ flat[1].T).ravel() / n_models)


def _middle(level_counts: tuple[int, ...]) -> int:
    """Return how many slots the first half has, so that both have about as many combinations."""
    sizes = np.cumsum(np.log(level_counts))
    return int(np.argmin(np.abs(sizes - sizes[-1] / 2))) + 1


def _products(tensor: TensorFormat, parameters: Parameters, slots: range) -> NDArray[np.float64]:
    """Return the products of the matrices of some slots, (n_models, n_combinations, rank, rank) or diagonals alone."""
    n_models = parameters.shape[1]
    first = int(tensor.ranks[slots.start]) if len(slots) else int(tensor.ranks[-1])
    products = np.ones((n_models, 1, first)) if tensor.is_diagonal else np.tile(np.eye(first), (n_models, 1, 1, 1))
    for slot in slots:
        n_levels, n_left, n_right = tensor.level_counts[slot], *(int(rank) for rank in tensor.ranks[slot : slot + 2])
        part = parameters[tensor.starts[slot] : tensor.starts[slot + 1]].T
        if tensor.is_diagonal:
            factors = part.reshape(n_models, 1, n_levels, n_left)
            products = (products[:, :, None, :] * factors).reshape(n_models, -1, n_left)
        else:
            matrices = part.reshape(n_models, 1, n_levels, n_left, n_right)
            products = (products[:, :, None] @ matrices).reshape(n_models, -1, products.shape[2], n_right)
    return products
