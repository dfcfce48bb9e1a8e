"""Ranks: the i-th accepted sequence in lexicographic order, the rank of a sequence, and uniform draws through
ranks.

The same walk serves the rejected sequences when it is given the counts towards false.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.diagram.count import LIMB_BITS, Counts, Limbs, carried, to_int, to_limbs
from hedgerow.diagram.machine import Diagram, Indices

# Sequences walked at a time: large enough to amortise NumPy's calls, small enough to stay in the cache.
_CHUNK = 4096


def draw(diagram: Diagram, counts: Counts, n: int, rng: Generator) -> Indices:
    """Return n independent uniform draws as codes of shape (n, n_levels)."""
    codes = np.empty((n, len(diagram.tables)), dtype=np.int64)
    for start in range(0, n, _CHUNK):
        stop = min(n, start + _CHUNK)
        codes[start:stop] = _walk_to(diagram, counts, random_below(counts.total, stop - start, rng))
    return codes


def unrank(diagram: Diagram, counts: Counts, ranks: Sequence[int]) -> Indices:
    """Return the codes of the sequences with these ranks; ranks must lie in [0, total)."""
    n_limbs = counts.layers[0].shape[1]
    codes = np.empty((len(ranks), len(diagram.tables)), dtype=np.int64)
    for start in range(0, len(ranks), _CHUNK):
        part = ranks[start : start + _CHUNK]
        codes[start : start + len(part)] = _walk_to(diagram, counts, to_limbs(list(part), n_limbs))
    return codes


def rank(diagram: Diagram, counts: Counts, codes: Indices) -> list[int]:
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


def random_below(total: int, n: int, rng: Generator) -> Limbs:
    """Return n uniform integers in [0, total) as limbs, by drawing bits and rejecting what is too large."""
    bits = max(1, (total - 1).bit_length())
    n_limbs = -(-bits // LIMB_BITS)
    if total <= 2**62:
        numbers = rng.integers(0, total, size=n)
        limbs = [(numbers >> (LIMB_BITS * i)) & ((1 << LIMB_BITS) - 1) for i in range(n_limbs)]
        return np.stack(limbs, axis=1)
    limit = to_limbs([total], n_limbs)[0]
    top_bits = bits - LIMB_BITS * (n_limbs - 1)
    accepted: list[Limbs] = []
    n_missing = n
    while n_missing > 0:
        # Each draw is accepted with probability above one half.
        drawn = rng.integers(0, 1 << LIMB_BITS, size=(2 * n_missing + 8, n_limbs))
        drawn[:, -1] &= (1 << top_bits) - 1
        accepted.append(drawn[_is_below(drawn, limit)][:n_missing])
        n_missing -= accepted[-1].shape[0]
    return np.concatenate(accepted)


def _walk_to(diagram: Diagram, counts: Counts, ranks: Limbs) -> Indices:
    """Follow each rank down: at every level skip the children whose sequences come before it."""
    n = ranks.shape[0]
    rows = np.arange(n)
    codes = np.empty((n, len(diagram.tables)), dtype=np.int64)
    nodes = np.full(n, diagram.root)
    rest = _padded(ranks, counts.layers[0].shape[1])
    for k, table in enumerate(diagram.tables):
        children = table[nodes]
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
        codes[:, k] = chosen
        nodes = children[rows, chosen]
    return codes


def _is_below(left: Limbs, right: Limbs) -> NDArray[np.bool_]:
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
