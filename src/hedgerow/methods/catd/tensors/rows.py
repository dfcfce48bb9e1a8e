"""One row at a time, four models at once: the entry of a tensor at a row of codes, and the way back from there.

A tensor is one matrix per slot and level. An entry multiplies the matrices that the codes choose: the trace of
G1[x1] G2[x2] ... Gd[xd]. A train is the ring whose outer ranks are 1. A CP tensor is the ring whose matrices
are diagonal, of which only the diagonals are kept. Matrix k has ranks[k] x ranks[k+1] numbers per level (a diagonal
ranks[k]), row by row, from starts[k] on.

A slot on a grid takes any place between its levels, which are nodes then: its matrix there is the blend of those of the
two nodes beside it, linear in between. The code of such a place is a fixed-point number, the node before it and the
part of the way to the next one, so rows stay rows of integers. The matrices of a row are laid out one after the other
first, as a tensor of one level per slot, and everything else works on that.

`forward` keeps the product of every prefix of the row, so that a row that shares its first codes with the row
before can go on from there, and so that `backward` finds what it needs. A ring is a sum of trains, one for each row s
of its first matrix together with column s of its last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.compiled import compiled, inlined
from hedgerow.methods.catd.tensors.lanes import N_LANES, Block, Lanes, add, load, multiply, multiply_add, splat, store

Ranks = NDArray[np.int64]  # (n_slots + 1,)
Starts = NDArray[np.int64]  # (n_slots + 1,), first parameter of each slot

# The code of a place on a grid: the node before it, and in its last bits the part of the way to the next node.
PLACE_BITS = 32
_PART_MASK = 2**PLACE_BITS - 1
_PART_SIZE = 2.0**-PLACE_BITS


class Layout(NamedTuple):
    """Where the numbers of a tensor lie."""

    starts: Starts
    widths: Ranks  # numbers per level of each slot
    outer_rank: int
    is_diagonal: bool
    # As long as the rank is high. Its length is part of its type, so the compiler knows how long loops over the rank
    # are and unrolls them, which halves their time.
    rank: tuple[int, ...]
    is_on_grid: NDArray[np.bool_]  # (n_slots,)
    # Where the matrices of one row lie: `starts` of the same tensor with one level per slot.
    row_starts: Starts
    # Empty where no slot is on a grid. Its length is known to the compiler, which leaves out what is not needed.
    blends: tuple[int, ...]


class Workspace(NamedTuple):
    """Room for the prefixes of one row, for what flows back, and for one line per model."""

    prefixes: Block  # of the first 1, 2, ... slots, `rank` lines each, for every train of a ring
    adjoints: Block
    line: Block  # d(loss)/d(entry) before `backward`
    # The matrices of one row and their slopes, where slots are on a grid, and the codes of a row of one level per slot.
    matrices: Block
    matrix_slopes: Block
    only_codes: Codes


@compiled
def workspace(layout: Layout) -> Workspace:
    """Return room for one row."""
    n = layout.widths.size * len(layout.rank)
    n_numbers = layout.row_starts[-1] * len(layout.blends)
    return Workspace(
        np.zeros((n * layout.outer_rank, N_LANES)),
        np.zeros((n, N_LANES)),
        np.zeros((1, N_LANES)),
        np.zeros((n_numbers, N_LANES)),
        np.zeros((n_numbers, N_LANES)),
        np.zeros((1, layout.widths.size), dtype=np.int64),
    )


@inlined
def forward(layout: Layout, factors: Block, codes: Codes, i: int, shared: int, room: Workspace) -> Lanes:
    """Return the entries at row i; the prefixes of the first `shared` slots are already there."""
    if len(layout.blends) > 0:
        _blend(layout, factors, codes, i, room.matrices)
        return _forward(_of_one_row(layout), room.matrices, room.only_codes, 0, shared, room)
    return _forward(layout, factors, codes, i, shared, room)


@inlined
def _of_one_row(layout: Layout) -> Layout:
    """Return where the matrices of one row lie."""
    return Layout(
        layout.row_starts,
        layout.widths,
        layout.outer_rank,
        layout.is_diagonal,
        layout.rank,
        layout.is_on_grid,
        layout.row_starts,
        layout.blends,
    )


@inlined
def _forward(layout: Layout, factors: Block, codes: Codes, i: int, shared: int, room: Workspace) -> Lanes:
    if layout.is_diagonal:
        return _forward_diagonal(layout, factors, codes, i, shared, room.prefixes)
    total = splat(0.0)
    for s in range(layout.outer_rank):
        total = add(total, _forward_train(layout, factors, codes, i, shared, s, room.prefixes))
    return total


@inlined
def backward(layout: Layout, factors: Block, codes: Codes, i: int, room: Workspace, slopes: Block) -> None:
    """Add to the slopes of the factors what row i asks, after `forward`; room.line holds d(loss)/d(entry)."""
    if len(layout.blends) > 0:
        room.matrix_slopes[:] = 0.0
        _backward(_of_one_row(layout), room.matrices, room.only_codes, 0, room, room.matrix_slopes)
        _unblend(layout, codes, i, room.matrix_slopes, slopes)
    else:
        _backward(layout, factors, codes, i, room, slopes)


@inlined
def _backward(layout: Layout, factors: Block, codes: Codes, i: int, room: Workspace, slopes: Block) -> None:
    if layout.is_diagonal:
        _backward_diagonal(layout, factors, codes, i, room, slopes)
    else:
        for s in range(layout.outer_rank):
            _backward_train(layout, factors, codes, i, s, room, slopes)


@inlined
def _blend(layout: Layout, factors: Block, codes: Codes, i: int, matrices: Block) -> None:
    """Write the matrices of row i, blended between two nodes where a slot is on a grid."""
    for k in range(layout.widths.size):
        width, here, code = layout.widths[k], layout.row_starts[k], codes[i, k]
        level, part = code, 0.0
        if layout.is_on_grid[k]:
            level, part = code >> PLACE_BITS, (code & _PART_MASK) * _PART_SIZE
        first = layout.starts[k] + level * width
        for r in range(width):
            numbers = load(factors, first + r)
            if part > 0.0:
                numbers = multiply_add(
                    splat(part), load(factors, first + width + r), multiply(splat(1.0 - part), numbers)
                )
            store(matrices, here + r, numbers)


@inlined
def _unblend(layout: Layout, codes: Codes, i: int, matrix_slopes: Block, slopes: Block) -> None:
    """Add the slopes of the matrices of row i to those of the levels or nodes that they came from."""
    for k in range(layout.widths.size):
        width, here, code = layout.widths[k], layout.row_starts[k], codes[i, k]
        level, part = code, 0.0
        if layout.is_on_grid[k]:
            level, part = code >> PLACE_BITS, (code & _PART_MASK) * _PART_SIZE
        first = layout.starts[k] + level * width
        for r in range(width):
            slope = load(matrix_slopes, here + r)
            store(slopes, first + r, multiply_add(splat(1.0 - part), slope, load(slopes, first + r)))
            if part > 0.0:
                above = first + width + r
                store(slopes, above, multiply_add(splat(part), slope, load(slopes, above)))


@inlined
def _forward_diagonal(layout: Layout, factors: Block, codes: Codes, i: int, shared: int, prefixes: Block) -> Lanes:
    d, rank = layout.widths.size, len(layout.rank)
    if shared == 0:
        first = layout.starts[0] + codes[i, 0] * rank
        for r in range(rank):
            store(prefixes, r, load(factors, first + r))
    for k in range(max(shared, 1), d):
        first = layout.starts[k] + codes[i, k] * rank
        for r in range(rank):
            store(prefixes, k * rank + r, multiply(load(prefixes, (k - 1) * rank + r), load(factors, first + r)))
    total = load(prefixes, (d - 1) * rank)
    for r in range(1, rank):
        total = add(total, load(prefixes, (d - 1) * rank + r))
    return total


@inlined
def _backward_diagonal(layout: Layout, factors: Block, codes: Codes, i: int, room: Workspace, slopes: Block) -> None:
    d, rank = layout.widths.size, len(layout.rank)
    for r in range(rank):
        store(room.adjoints, r, load(room.line, 0))
    for k in range(d - 1, 0, -1):
        first = layout.starts[k] + codes[i, k] * rank
        for r in range(rank):
            adjoint, prefix = load(room.adjoints, r), load(room.prefixes, (k - 1) * rank + r)
            store(slopes, first + r, multiply_add(adjoint, prefix, load(slopes, first + r)))
            store(room.adjoints, r, multiply(adjoint, load(factors, first + r)))
    first = layout.starts[0] + codes[i, 0] * rank
    for r in range(rank):
        store(slopes, first + r, add(load(slopes, first + r), load(room.adjoints, r)))


@inlined
def _forward_train(layout: Layout, factors: Block, codes: Codes, i: int, shared: int, s: int, prefixes: Block) -> Lanes:
    d, rank = layout.widths.size, len(layout.rank)
    first = layout.starts[0] + codes[i, 0] * layout.widths[0] + s * rank
    if d == 1:
        return load(factors, first + s)
    before = s * d * rank
    if shared == 0:
        for b in range(rank):
            store(prefixes, before + b, load(factors, first + b))
    before += (max(shared, 1) - 1) * rank
    for k in range(max(shared, 1), d - 1):
        first = layout.starts[k] + codes[i, k] * (rank * rank)
        for b in range(rank):
            total = multiply(load(prefixes, before), load(factors, first + b))
            for a in range(1, rank):
                total = multiply_add(load(prefixes, before + a), load(factors, first + a * rank + b), total)
            store(prefixes, before + rank + b, total)
        before += rank
    before = (s * d + d - 2) * rank
    first = layout.starts[d - 1] + codes[i, d - 1] * layout.widths[d - 1] + s
    total = multiply(load(prefixes, before), load(factors, first))
    for a in range(1, rank):
        total = multiply_add(load(prefixes, before + a), load(factors, first + a * layout.outer_rank), total)
    return total


@inlined
def _backward_train(
    layout: Layout, factors: Block, codes: Codes, i: int, s: int, room: Workspace, slopes: Block
) -> None:
    d, rank = layout.widths.size, len(layout.rank)
    weight, first = load(room.line, 0), layout.starts[0] + codes[i, 0] * layout.widths[0] + s * rank
    if d == 1:
        store(slopes, first + s, add(load(slopes, first + s), weight))
        return
    before, last = (s * d + d - 2) * rank, layout.starts[d - 1] + codes[i, d - 1] * layout.widths[d - 1] + s
    for a in range(rank):
        place = last + a * layout.outer_rank
        store(slopes, place, multiply_add(weight, load(room.prefixes, before + a), load(slopes, place)))
        store(room.adjoints, (d - 2) * rank + a, multiply(weight, load(factors, place)))
    for k in range(d - 2, 0, -1):
        before -= rank
        _backward_matrix(layout, factors, layout.starts[k] + codes[i, k] * (rank * rank), k, before, room, slopes)
    for b in range(rank):
        store(slopes, first + b, add(load(slopes, first + b), load(room.adjoints, b)))


@inlined
def _backward_matrix(
    layout: Layout, factors: Block, first: int, k: int, before: int, room: Workspace, slopes: Block
) -> None:
    """Carry the adjoints behind the matrix of slot k to its slopes and to the prefix before it."""
    rank = len(layout.rank)
    here, there = k * rank, (k - 1) * rank
    for a in range(rank):
        total = multiply(load(factors, first + a * rank), load(room.adjoints, here))
        for b in range(1, rank):
            total = multiply_add(load(factors, first + a * rank + b), load(room.adjoints, here + b), total)
        store(room.adjoints, there + a, total)
    for a in range(rank):
        prefix = load(room.prefixes, before + a)
        for b in range(rank):
            place = first + a * rank + b
            store(slopes, place, multiply_add(prefix, load(room.adjoints, here + b), load(slopes, place)))


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
