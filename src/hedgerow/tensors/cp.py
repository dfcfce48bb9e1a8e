"""Canonical polyadic: the sum over `rank` terms of the product of one number per slot, chosen by the code (the
paper's CP format). The kernels share the work of common prefixes between neighbouring rows, as those of chains do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.tensors.compiled import compiled
from hedgerow.tensors.tensor_format import (
    INITIAL_MEAN,
    INITIAL_VARIATION,
    Codes,
    Entries,
    Evaluation,
    Parameters,
    Starts,
    as_numbers,
    as_rows,
    check_shape,
    prefix_order,
)

_Products = NDArray[np.float64]  # (n_slots + 1, rank, n_models)


@dataclass(frozen=True)
class CanonicalPolyadic:
    """Sums of `rank` products over slots with these numbers of levels."""

    level_counts: tuple[int, ...]
    rank: int

    def __post_init__(self) -> None:
        check_shape(self.level_counts, self.rank)

    @cached_property
    def starts(self) -> Starts:
        """Where the parameters of each slot begin."""
        return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(self.level_counts, dtype=np.int64) * self.rank])

    @property
    def n_parameters(self) -> int:
        """The numbers that one model has."""
        return int(self.starts[-1])

    def initial(self, n_models: int, rng: Generator) -> Parameters:
        """Return random parameters whose entries lie around 0.5 with a spread of about 0.25."""
        n_slots = len(self.level_counts)
        noise = rng.standard_normal((self.n_parameters, n_models)) * np.sqrt(initial_variation(n_slots, self.rank))
        scale: float = (INITIAL_MEAN / self.rank) ** (1.0 / n_slots)
        return np.asarray((1.0 + noise) * scale)

    def evaluate(self, parameters: Parameters, codes: Codes) -> Evaluation:
        """Return the entry of every model at every row, and the way back from there."""
        numbers, order = as_numbers(parameters), prefix_order(codes, self.level_counts)
        rows = as_rows(codes[order])
        walked = np.empty((rows.shape[0], numbers.shape[1]))
        _entries(numbers, rows, self.starts, self._first_products(numbers.shape[1]), walked)
        entries = np.empty_like(walked)
        entries[order] = walked

        def gradient(weights: Entries) -> Parameters:
            result = np.zeros_like(numbers)
            products = self._first_products(numbers.shape[1])
            _gradient(numbers, rows, as_numbers(weights[order]), self.starts, products, np.zeros_like(products), result)
            return result

        return Evaluation(entries, gradient)

    def _first_products(self, n_models: int) -> _Products:
        return np.ones((len(self.level_counts) + 1, self.rank, n_models))


def initial_variation(n_slots: int, rank: int) -> float:
    """Return the variance of the noise around ones that gives entries their spread.

    With noise of variance v the squared coefficient of variation of an entry is ((1 + v)^d - 1) / R.
    """
    return float(np.expm1(np.log1p(INITIAL_VARIATION * rank) / n_slots))


@compiled
def _entries(parameters: Parameters, codes: Codes, starts: Starts, products: _Products, result: Entries) -> None:
    n, d = codes.shape
    rank, n_models = products.shape[1:]
    for i in range(n):
        shared = 0
        if i > 0:
            while shared < d and codes[i, shared] == codes[i - 1, shared]:
                shared += 1
        for k in range(shared, d):
            _extend(parameters, starts[k] + codes[i, k] * rank, k, products)
        for m in range(n_models):
            result[i, m] = products[d, 0, m]
        for r in range(1, rank):
            for m in range(n_models):
                result[i, m] += products[d, r, m]


@compiled
def _gradient(
    parameters: Parameters,
    codes: Codes,
    weights: Entries,
    starts: Starts,
    products: _Products,
    adjoints: _Products,
    result: Parameters,
) -> None:
    n, d = codes.shape
    rank, n_models = products.shape[1:]
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
                _return(parameters, starts[k] + codes[last, k] * rank, k, products, adjoints, result)
        for k in range(shared, d):
            _extend(parameters, starts[k] + codes[i, k] * rank, k, products)
        for r in range(rank):
            for m in range(n_models):
                adjoints[d, r, m] += weights[i, m]
        last = i
    if last >= 0:
        for k in range(d - 1, -1, -1):
            _return(parameters, starts[k] + codes[last, k] * rank, k, products, adjoints, result)


@compiled
def _extend(parameters: Parameters, first: int, k: int, products: _Products) -> None:
    """Multiply the products of the first k factors with the next one, whose numbers begin at `first`."""
    rank, n_models = products.shape[1:]
    for r in range(rank):
        for m in range(n_models):
            products[k + 1, r, m] = products[k, r, m] * parameters[first + r, m]


@compiled
def _return(
    parameters: Parameters, first: int, k: int, products: _Products, adjoints: _Products, result: Parameters
) -> None:
    """Carry what has gathered behind factor k into its gradient and to the products before it."""
    rank, n_models = products.shape[1:]
    for r in range(rank):
        for m in range(n_models):
            result[first + r, m] += products[k, r, m] * adjoints[k + 1, r, m]
        for m in range(n_models):
            adjoints[k, r, m] += parameters[first + r, m] * adjoints[k + 1, r, m]
            adjoints[k + 1, r, m] = 0.0


def entries_plain(tensor: CanonicalPolyadic, parameters: Parameters, codes: Codes) -> Entries:
    """Return what `CanonicalPolyadic.evaluate` gives as entries, in plain NumPy."""
    return np.asarray(np.prod(_factors_plain(tensor, parameters, codes), axis=0).sum(axis=1))


def gradient_plain(tensor: CanonicalPolyadic, parameters: Parameters, codes: Codes, weights: Entries) -> Parameters:
    """Return what `CanonicalPolyadic.evaluate` gives as gradient, in plain NumPy."""
    factors = _factors_plain(tensor, parameters, codes)
    result = np.zeros_like(parameters)
    for k in range(codes.shape[1]):
        others = np.prod(np.delete(factors, k, axis=0), axis=0)
        block = result[tensor.starts[k] : tensor.starts[k + 1]].reshape(-1, tensor.rank, parameters.shape[1])
        np.add.at(block, codes[:, k], others * weights[:, None, :])
    return result


def _factors_plain(tensor: CanonicalPolyadic, parameters: Parameters, codes: Codes) -> NDArray[np.float64]:
    """Return the chosen factors (n_slots, n_rows, rank, n_models)."""
    blocks = [parameters[tensor.starts[k] : tensor.starts[k + 1]] for k in range(codes.shape[1])]
    shaped = [block.reshape(-1, tensor.rank, parameters.shape[1]) for block in blocks]
    return np.stack([block[codes[:, k]] for k, block in enumerate(shaped)])
