"""One row at a time, four models at once: the entry of a tensor at a row of codes, and the way back from there.

A tensor is one matrix per slot and level. An entry multiplies the matrices that the codes choose: the trace of
G1[x1] G2[x2] ... Gd[xd]. A train is the ring whose outer ranks are 1. A CP tensor is the ring whose matrices
are diagonal, of which only the diagonals are kept. Matrix k has ranks[k] x ranks[k+1] numbers per level (a diagonal
ranks[k]), row by row, from starts[k] on.

`forward` keeps the product of every prefix of the row, so that a row that shares its first codes with the row
before can go on from there, and so that `backward` finds what it needs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.tensors.compiled import compiled
from hedgerow.tensors.lanes import Block, Lanes, add, load, multiply, multiply_add, splat, store

Ranks = NDArray[np.int64]  # (n_slots + 1,)
Starts = NDArray[np.int64]  # (n_slots + 1,), first parameter of each slot
Codes = NDArray[np.int64]  # (n_rows, n_slots)


class Layout(NamedTuple):
    """Where the numbers of a tensor lie."""

    starts: Starts
    widths: Ranks  # numbers per level of each slot
    ranks: Ranks
    is_diagonal: bool


class Workspace(NamedTuple):
    """Room for the prefixes of one row, for what flows back, and for one line per model."""

    prefixes: Block
    adjoints: Block
    line: Block  # the entry after `forward`, the weight before `backward`


@compiled
def workspace(layout: Layout) -> Workspace:
    """Return room, with the empty product in place."""
    d, rank = layout.widths.size, layout.ranks.max()
    n_closings = 1 if layout.is_diagonal else layout.ranks[0]
    prefixes = np.zeros((n_closings * (d + 1) * rank, 4))
    for s in range(n_closings):
        for r in range(rank):
            if layout.is_diagonal or r == s:
                prefixes[s * (d + 1) * rank + r] = 1.0
    return Workspace(prefixes, np.zeros((2 * rank, 4)), np.zeros((1, 4)))


@compiled
def forward(layout: Layout, factors: Block, codes: Codes, i: int, shared: int, room: Workspace) -> Lanes:
    """Return the entries at row i; the prefixes of the first `shared` slots are already there."""
    if layout.is_diagonal:
        return _forward_diagonal(layout, factors, codes, i, shared, room.prefixes)
    total = splat(0.0)
    for s in range(layout.ranks[0]):
        total = add(total, _forward_chain(layout, factors, codes, i, shared, s, room.prefixes))
    return total


@compiled
def backward(layout: Layout, factors: Block, codes: Codes, i: int, room: Workspace, slopes: Block) -> None:
    """Add to the slopes of the factors what row i asks, after `forward`; room.line holds d(loss)/d(entry)."""
    if layout.is_diagonal:
        _backward_diagonal(layout, factors, codes, i, room, slopes)
    else:
        for s in range(layout.ranks[0]):
            _backward_chain(layout, factors, codes, i, s, room, slopes)


@compiled
def _forward_diagonal(layout: Layout, factors: Block, codes: Codes, i: int, shared: int, prefixes: Block) -> Lanes:
    d, rank = layout.widths.size, layout.ranks[0]
    for k in range(shared, d):
        first = layout.starts[k] + codes[i, k] * rank
        for r in range(rank):
            store(prefixes, (k + 1) * rank + r, multiply(load(prefixes, k * rank + r), load(factors, first + r)))
    total = load(prefixes, d * rank)
    for r in range(1, rank):
        total = add(total, load(prefixes, d * rank + r))
    return total


@compiled
def _backward_diagonal(layout: Layout, factors: Block, codes: Codes, i: int, room: Workspace, slopes: Block) -> None:
    d, rank = layout.widths.size, layout.ranks[0]
    for r in range(rank):
        adjoint = load(room.line, 0)
        for k in range(d - 1, -1, -1):
            place = layout.starts[k] + codes[i, k] * rank + r
            store(slopes, place, multiply_add(adjoint, load(room.prefixes, k * rank + r), load(slopes, place)))
            adjoint = multiply(adjoint, load(factors, place))


@compiled
def _forward_chain(layout: Layout, factors: Block, codes: Codes, i: int, shared: int, s: int, prefixes: Block) -> Lanes:
    """Multiply row s of the first matrix through; entry s of the result closes the ring."""
    d, rank = layout.widths.size, layout.ranks.max()
    for k in range(shared, d):
        n_left, n_right = layout.ranks[k], layout.ranks[k + 1]
        first = layout.starts[k] + codes[i, k] * layout.widths[k]
        before = (s * (d + 1) + k) * rank
        for b in range(n_right):
            total = multiply(load(prefixes, before), load(factors, first + b))
            for a in range(1, n_left):
                total = multiply_add(load(prefixes, before + a), load(factors, first + a * n_right + b), total)
            store(prefixes, before + rank + b, total)
    return load(prefixes, (s * (d + 1) + d) * rank + s)


@compiled
def _backward_chain(
    layout: Layout, factors: Block, codes: Codes, i: int, s: int, room: Workspace, slopes: Block
) -> None:
    d, rank = layout.widths.size, layout.ranks.max()
    here, there = 0, rank
    for b in range(layout.ranks[d]):
        store(room.adjoints, here + b, load(room.line, 0) if b == s else splat(0.0))
    for k in range(d - 1, -1, -1):
        n_left, n_right = layout.ranks[k], layout.ranks[k + 1]
        first = layout.starts[k] + codes[i, k] * layout.widths[k]
        before = (s * (d + 1) + k) * rank
        for a in range(n_left):
            prefix, total = load(room.prefixes, before + a), splat(0.0)
            for b in range(n_right):
                place, adjoint = first + a * n_right + b, load(room.adjoints, here + b)
                total = multiply_add(load(factors, place), adjoint, total)
                store(slopes, place, multiply_add(prefix, adjoint, load(slopes, place)))
            store(room.adjoints, there + a, total)
        here, there = there, here


@compiled
def block_entries(layout: Layout, factors: Block, codes: Codes, result: Block) -> None:
    """Write the entries of four models at all rows."""
    room = workspace(layout)
    for i in range(codes.shape[0]):
        shared = 0
        if i > 0:
            while shared < codes.shape[1] and codes[i, shared] == codes[i - 1, shared]:
                shared += 1
        store(result, i, forward(layout, factors, codes, i, shared, room))


@compiled
def block_gradient(layout: Layout, factors: Block, codes: Codes, weights: Block, slopes: Block) -> None:
    """Add d(loss)/d(factors) of four models, given weights = d(loss)/d(entries)."""
    room = workspace(layout)
    for i in range(codes.shape[0]):
        forward(layout, factors, codes, i, 0, room)
        store(room.line, 0, load(weights, i))
        backward(layout, factors, codes, i, room, slopes)
