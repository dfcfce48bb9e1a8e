"""Ranks: the i-th accepted sequence in lexicographic order, the rank of a sequence, and uniform draws through
ranks.

The same walks serve the rejected sequences when they are given the counts toward false.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes, Mask, Places, Transitions
from hedgerow.diagram.count import LIMB_BITS, Counts, Limbs, carried, to_int, to_limbs
from hedgerow.diagram.machine import Diagram

# Sequences walked at a time: large enough to amortize NumPy's calls, small enough to stay in the cache.
_CHUNK = 4096
_CELLS = 2**19


def draw(diagram: Diagram, counts: Counts, n: int, rng: Generator) -> Places:
    """Return n independent uniform draws as codes of shape (n, n_layers).

    While counts are long, each step compares a 53-bit random number with floating-point shares; where the two are too
    near to be sure, the step is settled in whole numbers with more random bits. Once counts fit one limb, one random
    rank decides the rest. Either way the draw is exactly uniform.
    """
    codes = np.empty((n, len(diagram.tables)), dtype=np.int64)
    n_long = sum(layer.shape[1] > 1 for layer in counts.layers)
    chunk = _chunk(diagram)
    for start in range(0, n, chunk):
        stop = min(n, start + chunk)
        nodes: Places = np.full(stop - start, diagram.root)
        for k in range(n_long):
            codes[start:stop, k], nodes = _step(diagram.tables[k], counts, k, nodes, rng)
        ranks = rng.integers(0, counts.layers[n_long][nodes, 0])
        codes[start:stop, n_long:] = _walk_to(diagram, counts, ranks[:, None], nodes, n_long)
    return codes


def _step(table: Transitions, counts: Counts, k: int, nodes: Places, rng: Generator) -> tuple[Places, Places]:
    """Choose one child per row in proportion to its count."""
    n, n_codes = nodes.size, table.shape[1]
    if table.strides[1] == 0:
        return rng.integers(0, n_codes, size=n), table[nodes, 0].astype(np.int64)
    children = table[nodes]
    shares = counts.shares(k + 1, children).cumsum(axis=1)
    total = shares[:, -1]
    drawn = rng.random(n)
    target = drawn * total
    chosen = np.minimum((shares <= target[:, None]).sum(axis=1), n_codes - 1)
    doubt = (np.abs(shares - target[:, None]) <= ((n_codes + 4) * 2.0**-51 * total)[:, None]).any(axis=1)
    for row in np.flatnonzero(doubt):
        exact = [to_int(limbs) for limbs in counts.layers[k + 1][children[row]]]
        chosen[row] = _settled(exact, int(drawn[row] * 2**53), rng)
    return chosen, children[np.arange(n), chosen].astype(np.int64)


def _settled(counts: list[int], numerator: int, rng: Generator) -> int:
    """Return the share that a number with these first 53 bits falls into, drawing further bits until that is clear."""
    reach = list(accumulate(counts))
    bits = 53
    while True:
        lowest = bisect_right(reach, (numerator * reach[-1]) >> bits)
        highest = bisect_right(reach, ((numerator + 1) * reach[-1] - 1) >> bits)
        if lowest == highest:
            return lowest
        numerator = (numerator << 62) | int(rng.integers(0, 2**62))
        bits += 62


def unrank(diagram: Diagram, counts: Counts, ranks: Sequence[int]) -> Places:
    """Return the codes of the sequences with these ranks; ranks must lie in [0, total)."""
    n_limbs = counts.layers[0].shape[1]
    codes = np.empty((len(ranks), len(diagram.tables)), dtype=np.int64)
    chunk = _chunk(diagram)
    for start in range(0, len(ranks), chunk):
        part = ranks[start : start + chunk]
        nodes = np.full(len(part), diagram.root)
        codes[start : start + len(part)] = _walk_to(diagram, counts, to_limbs(list(part), n_limbs), nodes)
    return codes


def _chunk(diagram: Diagram) -> int:
    """Fewer sequences at a time where a layer has many codes."""
    return max(16, min(_CHUNK, _CELLS // max(diagram.sizes, default=1)))


def rank(diagram: Diagram, counts: Counts, codes: Codes) -> list[int]:
    """Return the rank of each accepted sequence."""
    nodes = np.full(codes.shape[0], diagram.root)
    ranks = [0] * codes.shape[0]
    for k, table in enumerate(diagram.tables):
        children = table[nodes]
        before = counts.layers[k + 1][children]
        before[np.arange(table.shape[1]) >= codes[:, k, None]] = 0
        skipped = carried(before.sum(axis=1))
        ranks = [total + to_int(row) for total, row in zip(ranks, skipped, strict=True)]
        nodes = children[np.arange(nodes.size), codes[:, k]]
    return ranks


def _walk_to(diagram: Diagram, counts: Counts, ranks: Limbs, nodes: Places, first: int = 0) -> Places:
    """Follow each rank down from a node of layer `first`: at every layer skip the children that come before it."""
    rows = np.arange(ranks.shape[0])
    codes = np.empty((ranks.shape[0], len(diagram.tables) - first), dtype=np.int64)
    rest = _padded(ranks, counts.layers[first].shape[1])
    for k in range(first, len(diagram.tables)):
        children = diagram.tables[k][nodes]
        below = counts.layers[k + 1]
        if below.shape[1] == 1 and rest.shape[1] == 1:
            reach = below[:, 0][children].cumsum(axis=1)
            chosen = (reach <= rest).sum(axis=1)
            skipped = np.where(chosen > 0, reach[rows, chosen - 1], 0)
            rest = rest - skipped[:, None]
        else:
            reach = carried(below[children].cumsum(axis=1))
            rest = _padded(rest, reach.shape[2])
            reach = _padded(reach, rest.shape[1])
            chosen = (~_is_below(rest[:, None, :], reach)).sum(axis=1)
            skipped = np.where(chosen[:, None] > 0, reach[rows, chosen - 1], 0)
            rest = _trimmed(_borrowed(rest - skipped), below.shape[1])
        codes[:, k - first] = chosen
        nodes = children[rows, chosen]
    return codes


def _is_below(left: Limbs, right: Limbs) -> Mask:
    """Compare limb by limb from the top."""
    below = left[..., -1] < right[..., -1]
    undecided = left[..., -1] == right[..., -1]
    for i in reversed(range(left.shape[-1] - 1)):
        below = below | (undecided & (left[..., i] < right[..., i]))
        undecided = undecided & (left[..., i] == right[..., i])
    return below


def _borrowed(limbs: Limbs) -> Limbs:
    """Settle the borrows of a difference that is known not to be negative."""
    result = limbs.copy()
    for i in range(result.shape[-1] - 1):
        result[..., i + 1] += result[..., i] >> LIMB_BITS
        result[..., i] &= (1 << LIMB_BITS) - 1
    return result


def _padded(limbs: Limbs, n_limbs: int) -> Limbs:
    missing = n_limbs - limbs.shape[-1]
    if missing <= 0:
        return limbs
    return np.concatenate([limbs, np.zeros((*limbs.shape[:-1], missing), dtype=np.int64)], axis=-1)


def _trimmed(limbs: Limbs, n_limbs: int) -> Limbs:
    """Drop limbs that are zero because fewer completions are left than they could count."""
    return limbs[..., :n_limbs] if limbs.shape[-1] > n_limbs else limbs
