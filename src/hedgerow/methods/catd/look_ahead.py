"""Looking ahead with tensors: what the completions of a few fixed codes are worth on average, before they are chosen.

An entry of a tensor train is a product of matrices, one per slot. Averaged over all feasible completions of a prefix,
the product splits: the matrices of the prefix, times a vector that depends only on the node of the diagram that the
prefix leads to. One sweep from the end gives the vectors of all nodes (partial contractions of the tensor with the
feasible set), and a beam that walks forward knows the average prediction of every model behind each of its prefixes.
Rings carry matrices instead of vectors, and in CP tensors products go term by term, in whatever order slots come.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Scores
from hedgerow.feasible.engines.diagram import DiagramSet
from hedgerow.methods.catd.ensemble.ensemble import Ensemble
from hedgerow.methods.catd.tensors.tensor_format import Entries

Products = NDArray[np.float64]  # (n, n_models, rank) for CP, else (n, n_models, rows, columns)

# Multiplications that a sweep over the diagram may cost.
_MAX_WORK = 3e7


class LookAhead:
    """The average predictions of an ensemble behind prefixes of feasible rows."""

    def __init__(self, ensemble: Ensemble, feasible: DiagramSet) -> None:
        self._tensor = ensemble.prior.tensor
        self._parameters = ensemble.parameters
        self._feasible = feasible
        self._tables = feasible.diagram.tables
        self._behind = self._averages()

    @staticmethod
    def is_possible(ensemble: Ensemble, feasible: DiagramSet) -> bool:
        """Whether the diagram reads slots in an order that the format allows, and is small enough."""
        tensor = ensemble.prior.tensor
        keeps_order = tensor.is_diagonal or feasible.order == tuple(range(len(feasible.order)))
        work = feasible.diagram.n_edges * ensemble.n_models * int(tensor.widths.max())
        return keeps_order and work <= _MAX_WORK

    def beam(self, rate: Callable[[Entries], Scores], width: int) -> Codes:
        """Return the best rows that a beam of this width finds, from the best down.

        `rate` says how good it is when the models predict this (n, n_models); prefixes are rated by the averages of
        their completions, whole rows by their own predictions.
        """
        nodes = np.array([self._feasible.diagram.root])
        codes = np.zeros((1, 0), dtype=np.int64)
        products = self._ones(int(self._tensor.ranks[0]), n=1)
        for layer, table in enumerate(self._tables):
            children = table[nodes]
            parent, code = np.nonzero(children)
            reached = children[parent, code]
            longer = self._times(products[parent], self._factors(layer)[code])
            best = np.argsort(-rate(self._joined(longer, self._behind[layer + 1][reached])), kind="stable")[:width]
            nodes, products = reached[best], longer[best]
            codes = np.concatenate([codes[parent[best]], code[best, None]], axis=1)
        rows = np.empty_like(codes)
        rows[:, list(self._feasible.order)] = codes
        return rows

    def _averages(self) -> list[Products]:
        """Return for every layer the average product over the completions of each node."""
        ends = self._ones(int(self._tensor.ranks[-1]), n=2)
        ends[0] = 0.0
        layers = [ends]
        for layer in reversed(range(len(self._tables))):
            table = self._tables[layer]
            shares = self._feasible.counts.shares(layer + 1, table)
            shares = shares / np.maximum(shares.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
            average = np.zeros(1)
            for code, factor in enumerate(self._factors(layer)):
                share = shares[:, code].reshape(-1, *(1 for _ in ends.shape[1:]))
                average = average + share * self._times(factor, layers[-1][table[:, code]])
            layers.append(average)
        layers.reverse()
        return layers

    def _factors(self, layer: int) -> Products:
        """Return the factors of a layer's slot, one per code: (n_codes, n_models, ...)."""
        slot = self._feasible.order[layer]
        n_left, n_right = (int(rank) for rank in self._tensor.ranks[slot : slot + 2])
        shape = (n_left,) if self._tensor.is_diagonal else (n_left, n_right)
        own = self._parameters[self._tensor.starts[slot] : self._tensor.starts[slot + 1]]
        return np.moveaxis(own.reshape(self._tensor.level_counts[slot], *shape, -1), -1, 1)

    def _ones(self, rank: int, n: int) -> Products:
        one = np.ones(rank) if self._tensor.is_diagonal else np.eye(rank)
        return np.tile(one, (n, self._parameters.shape[1], *(1 for _ in one.shape)))

    def _times(self, left: Products, right: Products) -> Products:
        return left * right if self._tensor.is_diagonal else left @ right

    def _joined(self, left: Products, right: Products) -> Entries:
        """Return the entries (n, n_models): sums over terms, or traces of products."""
        joins = "nmr,nmr->nm" if self._tensor.is_diagonal else "nmsr,nmrs->nm"
        return np.asarray(np.einsum(joins, left, right))
