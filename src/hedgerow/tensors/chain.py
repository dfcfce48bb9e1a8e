"""Products of one matrix per slot, closed by a trace: the algebra that tensor trains and tensor rings share.

An entry is the trace of G1[x1] G2[x2] ... Gd[xd]; a train is the ring whose outer ranks are 1. Matrix k has
ranks[k] x ranks[k+1] numbers per level, row by row, from starts[k] on. The kernels walk the rows of codes in order
and keep the product of every prefix, so rows that share their first codes with the row before share that work:
sorted rows are cheaper, and the order changes nothing else. Gradients flow back the same way, once per distinct
prefix.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.tensors.compiled import compiled
from hedgerow.tensors.tensor_format import Codes, Entries, Parameters, Starts, as_numbers, as_rows

Ranks = NDArray[np.int64]  # (n_slots + 1,)
_Products = NDArray[np.float64]  # (n_slots + 1, ranks[0], largest rank, n_models)


def chain_starts(level_counts: tuple[int, ...], ranks: Ranks) -> Starts:
    """Return where the matrices of each slot begin, and the number of parameters as the last item."""
    sizes = np.array(level_counts, dtype=np.int64) * ranks[:-1] * ranks[1:]
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])


def walked_entries(parameters: Parameters, codes: Codes, starts: Starts, ranks: Ranks) -> Entries:
    """Return the entries (n_rows, n_models)."""
    parameters = as_numbers(parameters)
    result = np.empty((codes.shape[0], parameters.shape[1]))
    _entries(parameters, as_rows(codes), starts, ranks, _first_products(ranks, parameters.shape[1]), result)
    return result


def walked_gradient(parameters: Parameters, codes: Codes, weights: Entries, starts: Starts, ranks: Ranks) -> Parameters:
    """Return d(loss)/d(parameters) from weights = d(loss)/d(entries)."""
    parameters = as_numbers(parameters)
    result = np.zeros_like(parameters)
    products = _first_products(ranks, parameters.shape[1])
    adjoints = np.zeros_like(products)
    _gradient(parameters, as_rows(codes), as_numbers(weights), starts, ranks, products, adjoints, result)
    return result


def _first_products(ranks: Ranks, n_models: int) -> _Products:
    """Return room for the products of all prefixes, with the identity as the empty one."""
    products = np.zeros((ranks.size, int(ranks[0]), int(ranks.max()), n_models))
    for s in range(int(ranks[0])):
        products[0, s, s] = 1.0
    return products


@compiled
def _entries(
    parameters: Parameters, codes: Codes, starts: Starts, ranks: Ranks, products: _Products, result: Entries
) -> None:
    n, d = codes.shape
    n_first, n_models = ranks[0], parameters.shape[1]
    for i in range(n):
        shared = 0
        if i > 0:
            while shared < d and codes[i, shared] == codes[i - 1, shared]:
                shared += 1
        for k in range(shared, d):
            _extend(parameters, starts[k] + codes[i, k] * ranks[k] * ranks[k + 1], ranks, k, products)
        for m in range(n_models):
            result[i, m] = products[d, 0, 0, m]
        for s in range(1, n_first):
            for m in range(n_models):
                result[i, m] += products[d, s, s, m]


@compiled
def _gradient(
    parameters: Parameters,
    codes: Codes,
    weights: Entries,
    starts: Starts,
    ranks: Ranks,
    products: _Products,
    adjoints: _Products,
    result: Parameters,
) -> None:
    n, d = codes.shape
    n_first, n_models = ranks[0], parameters.shape[1]
    last = -1
    for i in range(n):
        has_weight = False
        for m in range(n_models):
            has_weight = has_weight or weights[i, m] != 0.0
        if not has_weight:
            continue
        shared = 0
        if last >= 0:
            while shared < d and codes[i, shared] == codes[last, shared]:
                shared += 1
            for k in range(d - 1, shared - 1, -1):
                _return(
                    parameters,
                    starts[k] + codes[last, k] * ranks[k] * ranks[k + 1],
                    ranks,
                    k,
                    products,
                    adjoints,
                    result,
                )
        for k in range(shared, d):
            _extend(parameters, starts[k] + codes[i, k] * ranks[k] * ranks[k + 1], ranks, k, products)
        for s in range(n_first):
            for m in range(n_models):
                adjoints[d, s, s, m] += weights[i, m]
        last = i
    if last >= 0:
        for k in range(d - 1, -1, -1):
            _return(
                parameters, starts[k] + codes[last, k] * ranks[k] * ranks[k + 1], ranks, k, products, adjoints, result
            )


@compiled
def _extend(parameters: Parameters, first: int, ranks: Ranks, k: int, products: _Products) -> None:
    """Multiply the product of the first k matrices with the next one, whose numbers begin at `first`."""
    n_left, n_right, n_models = ranks[k], ranks[k + 1], parameters.shape[1]
    before, after = products[k], products[k + 1]
    for s in range(ranks[0]):
        for b in range(n_right):
            for m in range(n_models):
                after[s, b, m] = before[s, 0, m] * parameters[first + b, m]
        for a in range(1, n_left):
            for b in range(n_right):
                for m in range(n_models):
                    after[s, b, m] += before[s, a, m] * parameters[first + a * n_right + b, m]


@compiled
def _return(
    parameters: Parameters,
    first: int,
    ranks: Ranks,
    k: int,
    products: _Products,
    adjoints: _Products,
    result: Parameters,
) -> None:
    """Carry what has gathered behind matrix k into its gradient and to the product before it."""
    n_left, n_right, n_models = ranks[k], ranks[k + 1], parameters.shape[1]
    product, before, after = products[k], adjoints[k], adjoints[k + 1]
    for s in range(ranks[0]):
        for a in range(n_left):
            for b in range(n_right):
                for m in range(n_models):
                    result[first + a * n_right + b, m] += product[s, a, m] * after[s, b, m]
                for m in range(n_models):
                    before[s, a, m] += parameters[first + a * n_right + b, m] * after[s, b, m]
        for b in range(n_right):
            for m in range(n_models):
                after[s, b, m] = 0.0


def entries_plain(parameters: Parameters, codes: Codes, starts: Starts, ranks: Ranks) -> Entries:
    """Return what `walked_entries` does, in plain NumPy."""
    product = _prefixes_plain(parameters, codes, starts, ranks)[-1]
    return np.asarray(np.einsum("nssm->nm", product))


def gradient_plain(parameters: Parameters, codes: Codes, weights: Entries, starts: Starts, ranks: Ranks) -> Parameters:
    """Return what `walked_gradient` does, in plain NumPy."""
    prefixes = _prefixes_plain(parameters, codes, starts, ranks)
    result = np.zeros_like(parameters)
    adjoint = np.eye(int(ranks[0]))[None, :, :, None] * weights[:, None, None, :]
    for k in reversed(range(codes.shape[1])):
        gathered = np.einsum("nsam,nsbm->nabm", prefixes[k], adjoint)
        matrices = _matrices(parameters, starts, ranks, k)
        np.add.at(_matrices(result, starts, ranks, k), codes[:, k], gathered)
        adjoint = np.einsum("nabm,nsbm->nsam", matrices[codes[:, k]], adjoint)
    return result


def _prefixes_plain(parameters: Parameters, codes: Codes, starts: Starts, ranks: Ranks) -> list[NDArray[np.float64]]:
    """Return the products of the first 0, 1, ..., d matrices of every row."""
    shape = (codes.shape[0], int(ranks[0]), int(ranks[0]), parameters.shape[1])
    prefixes = [np.broadcast_to(np.eye(int(ranks[0]))[None, :, :, None], shape)]
    for k in range(codes.shape[1]):
        prefixes.append(
            np.einsum("nsam,nabm->nsbm", prefixes[-1], _matrices(parameters, starts, ranks, k)[codes[:, k]])
        )
    return prefixes


def _matrices(parameters: Parameters, starts: Starts, ranks: Ranks, k: int) -> NDArray[np.float64]:
    """Return the matrices of one slot as a view (n_levels, ranks[k], ranks[k + 1], n_models)."""
    return parameters[starts[k] : starts[k + 1]].reshape(-1, int(ranks[k]), int(ranks[k + 1]), parameters.shape[1])
