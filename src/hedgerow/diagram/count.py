"""Exact counts of any size: how many completions each node has, and how many sequences use each code.

A count is a row of limbs, least first, each below 2**44, so that sums over thousands of children stay within 64
bits and carries are settled once per layer. Layers near the end need one limb, layers near the root as many as the
count asks for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Column, Nodes, Transitions, Whole
from hedgerow.diagram.machine import Diagram

Limbs = NDArray[np.int64]  # (..., n_limbs)

LIMB_BITS = 44
_LIMB_MASK = (1 << LIMB_BITS) - 1
# Half limbs: products of two, summed over a chunk of rows, stay within 64 bits.
_HALF_BITS = LIMB_BITS // 2
_HALF_MASK = (1 << _HALF_BITS) - 1
_CHUNK = 2**18
# From this length on, counts are multiplied as Python integers.
_MANY_LIMBS = 4
# Sums of a row of floats stay finite below this exponent.
_MAX_EXPONENT = 1000


@dataclass(frozen=True)
class Counts:
    """For each layer the number of completions of each node, and the total from the root."""

    layers: tuple[Limbs, ...]
    total: int

    @cached_property
    def _floats(self) -> tuple[tuple[Column, Whole], ...]:
        """The counts as (mantissa, exponent) per layer, each within one unit in the last place."""
        return tuple(_as_floats(layer) for layer in self.layers)

    @cached_property
    def _plain(self) -> tuple[Column | None, ...]:
        """The counts as floats where they fit."""
        return tuple(
            np.ldexp(mantissa, exponent) if exponent.max() < _MAX_EXPONENT else None
            for mantissa, exponent in self._floats
        )

    def shares(self, layer: int, nodes: Nodes) -> Column:
        """Return the counts of nodes (n, n_codes) as floats, each row on a scale of its own."""
        plain = self._plain[layer]
        if plain is not None:
            return plain[nodes]
        mantissas, exponents = self._floats[layer]
        powers = exponents[nodes]
        return np.asarray(np.ldexp(mantissas[nodes], powers - powers.max(axis=1, keepdims=True)))


def count_completions(diagram: Diagram, to_false: bool = False) -> Counts:
    """Count the ways from each node to the terminal true, or to false."""
    ends = [[1], [0]] if to_false else [[0], [1]]
    layers: list[Limbs] = [np.array(ends, dtype=np.int64)]
    for table in reversed(diagram.tables):
        layers.append(_sum_children(layers[-1], table))
    layers.reverse()
    return Counts(tuple(layers), to_int(layers[0][diagram.root]))


def _sum_children(counts: Limbs, table: Transitions) -> Limbs:
    n_nodes, n_codes = table.shape
    n_limbs = counts.shape[1]
    if table.strides[1] == 0:
        return carried(counts[table[:, 0]] * n_codes)
    sums = np.empty((n_nodes, n_limbs), dtype=np.int64)
    step = max(1, 2**21 // (n_codes * n_limbs))
    for start in range(0, n_nodes, step):
        sums[start : start + step] = counts[table[start : start + step]].sum(axis=1)
    return carried(sums)


def _as_floats(limbs: Limbs) -> tuple[Column, Whole]:
    """Take the three highest limbs that are not zero: more than a float can hold."""
    n_limbs = limbs.shape[1]
    padded = np.concatenate([np.zeros((limbs.shape[0], 2), dtype=np.int64), limbs], axis=1)
    top = n_limbs - 1 - (limbs[:, ::-1] != 0).argmax(axis=1)
    rows = np.arange(limbs.shape[0])
    value = sum(padded[rows, top + 2 - i].astype(np.float64) * 2.0 ** (LIMB_BITS * (2 - i)) for i in range(3))
    mantissa, exponent = np.frexp(value)
    return mantissa, exponent.astype(np.int64) + LIMB_BITS * (top - 2)


def carried(limbs: Limbs) -> Limbs:
    """Return the same numbers with every limb below 2**44, with another limb at the top when needed."""
    result = limbs.copy()
    for i in range(result.shape[-1] - 1):
        result[..., i + 1] += result[..., i] >> LIMB_BITS
        result[..., i] &= _LIMB_MASK
    overflow = result[..., -1] >> LIMB_BITS
    if not overflow.any():
        return result
    result[..., -1] &= _LIMB_MASK
    return np.concatenate([result, overflow[..., None]], axis=-1)


def to_int(limbs: Limbs) -> int:
    """Return one row of limbs as a Python integer."""
    if limbs.size == 1:
        return int(limbs[0])
    return sum(int(limb) << (LIMB_BITS * i) for i, limb in enumerate(limbs))


def to_limbs(numbers: list[int], n_limbs: int) -> Limbs:
    """Return Python integers as rows of limbs."""
    rows = [[(number >> (LIMB_BITS * i)) & _LIMB_MASK for i in range(n_limbs)] for number in numbers]
    return np.array(rows, dtype=np.int64).reshape(len(numbers), n_limbs)


def count_codes(diagram: Diagram, counts: Counts) -> list[list[int]]:
    """Return, for each layer and code, how many accepted sequences use that code there."""
    if diagram.is_empty:
        return [[0] * table.shape[1] for table in diagram.tables]
    if counts.layers[0].shape[1] >= _MANY_LIMBS:
        return _count_codes_plainly(diagram, counts)
    # The number of ways from the root to each node, in half limbs.
    ways = np.zeros((diagram.tables[0].shape[0], 1), dtype=np.int64)
    ways[diagram.root] = 1
    usage: list[list[int]] = []
    for table, below in zip(diagram.tables, counts.layers[1:], strict=True):
        usage.append(_pair_sums(ways, _halved(below), table))
        ways = _pushed(ways, table, below.shape[0])
    return usage


def _count_codes_plainly(diagram: Diagram, counts: Counts) -> list[list[int]]:
    """The same in Python's own integers, which multiply long numbers faster than limbs do."""
    ways: dict[int, int] = {diagram.root: 1}
    usage: list[list[int]] = []
    for table, below in zip(diagram.tables, counts.layers[1:], strict=True):
        completions = [to_int(row) for row in below]
        used = [0] * table.shape[1]
        following: dict[int, int] = {}
        for node, n_ways in ways.items():
            for code, child in enumerate(table[node].tolist()):
                if child:
                    used[code] += n_ways * completions[child]
                    following[child] = following.get(child, 0) + n_ways
        usage.append(used)
        ways = following
    return usage


def _pushed(ways: Limbs, table: Transitions, n_next: int) -> Limbs:
    targets = table.ravel()
    columns = [
        np.bincount(targets, weights=np.repeat(ways[:, i], table.shape[1]), minlength=n_next).astype(np.int64)
        for i in range(ways.shape[1])
    ]
    pushed = np.stack(columns, axis=1)
    pushed[0] = 0
    return _carried_halves(pushed)


def _pair_sums(ways: Limbs, below: Limbs, table: Transitions) -> list[int]:
    """For each code, the sum over nodes of (ways to the node) x (completions of its child)."""
    n_nodes, n_codes = table.shape
    step = max(1, min(_CHUNK, 2**21 // (n_codes * below.shape[1])))
    totals = [0] * n_codes
    for start in range(0, n_nodes, step):
        children = below[table[start : start + step]]
        sums = np.einsum("ni,ncj->cij", ways[start : start + step], children)
        for code in range(n_codes):
            totals[code] += sum(
                int(sums[code, i, j]) << (_HALF_BITS * (i + j))
                for i in range(sums.shape[1])
                for j in range(sums.shape[2])
            )
    return totals


def _halved(limbs: Limbs) -> Limbs:
    halves = np.empty((limbs.shape[0], 2 * limbs.shape[1]), dtype=np.int64)
    halves[:, 0::2] = limbs & _HALF_MASK
    halves[:, 1::2] = limbs >> _HALF_BITS
    return halves


def _carried_halves(halves: Limbs) -> Limbs:
    columns: list[Whole] = []
    carry = np.zeros(halves.shape[0], dtype=np.int64)
    for i in range(halves.shape[1]):
        column = halves[:, i] + carry
        columns.append(column & _HALF_MASK)
        carry = column >> _HALF_BITS
    while carry.any():
        columns.append(carry & _HALF_MASK)
        carry = carry >> _HALF_BITS
    return np.stack(columns, axis=1)
