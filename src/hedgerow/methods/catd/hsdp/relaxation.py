"""Lasserre's relaxation of order 2 of a `TableProgram`, on the symmetry-reduced moments.

The loss is linear in the moments. An inequality g = y_ij - tau >= 0 of degree two says, at order 2, that E[g] >= 0,
that E[g g'] >= 0 for every two of them, and, with the wide basis, that the matrix E[g u_k.u_l] is positive
semidefinite.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp  # type: ignore[import-untyped]

from hedgerow.arrays import Matrix
from hedgerow.errors import EffortExceeded
from hedgerow.methods.catd.hsdp.affine import Affine
from hedgerow.methods.catd.hsdp.conic import Block, ConicProgram, matrix_of
from hedgerow.methods.catd.hsdp.moments import Indices, TableMoments
from hedgerow.methods.catd.hsdp.program import TableProgram


def relaxation(program: TableProgram, moments: TableMoments) -> ConicProgram:
    """Return the semidefinite program whose optimum is at most the program's."""
    costs = _loss(program, moments) @ moments.map.matrix
    constant = float(_loss(program, moments) @ moments.map.offset)
    floors = moments.entry(*program.floor_cells.T)
    blocks = moments.blocks()
    if moments.wide:
        blocks += [_localized(moments, int(entry), program.floor) for entry in floors]
    return ConicProgram(np.asarray(costs), constant, tuple(blocks), _rows(moments, floors, program.floor))


def expected_table(moments: TableMoments, values: Matrix) -> Matrix:
    """Return E[y_ij] from the values of all moments."""
    i, j = np.indices((moments.n_left, moments.n_right))
    return np.asarray(values[1 + moments.entry(i, j)])


def expected_squares(moments: TableMoments, values: Matrix) -> Matrix:
    """Return E[y_ij y_kl] as a matrix over cells in row order."""
    i, j = np.indices((moments.n_left, moments.n_right))
    entries = moments.entry(i, j).ravel()
    return np.asarray(values[moments.product[np.ix_(entries, entries)]])


def check_size(shape: tuple[int, int], *, wide: bool, n_floors: int, max_size: int) -> None:
    """Raise EffortExceeded when the solver's linear systems would have more than `max_size` rows."""
    size = system_size(shape, wide=wide, n_floors=n_floors)
    if size > max_size:
        raise EffortExceeded(
            f"A semidefinite relaxation of a {shape[0]} x {shape[1]} table leads to linear systems of about {size:,} "
            f"rows, above max_size={max_size:,}. Train with 'pgrad', or raise max_size (memory grows with its square, "
            "time with its cube)."
        )


def system_size(shape: tuple[int, int], *, wide: bool, n_floors: int) -> int:
    """Return about how many rows the linear systems of an interior-point solver have: moments and block entries."""
    left, right = sorted(shape)
    n_cells, n_left_pairs = left * right, left * (left + 1) // 2
    n_basis = n_cells + (n_left_pairs if wide else 0)
    n_moments = _triangle(n_cells) + n_left_pairs * _triangle(right)
    if wide:
        n_moments += n_cells * n_left_pairs + _triangle(n_left_pairs)
    return n_moments + 3 * _triangle(n_basis) + (n_floors * n_left_pairs if wide else 0)


def _triangle(n: int) -> int:
    return n * (n + 1) // 2


def _loss(program: TableProgram, moments: TableMoments) -> Matrix:
    i, j = np.indices(program.shape)
    entries = moments.entry(i, j)
    loss = np.zeros(moments.n_moments)
    loss[0] = program.constant
    loss[1 + entries] = -2.0 * program.pulls
    np.add.at(loss, moments.product[entries, entries], program.weights)
    return loss


def _localized(moments: TableMoments, entry: int, floor: float) -> Block:
    """Return E[(y - floor) u_k.u_l], a matrix over the vectors of the first core."""
    left = np.arange(moments.n_left)
    pairs = moments.pair[np.ix_(left, left)]
    return moments.block([(1.0, moments.product[entry, pairs]), (-floor, 1 + pairs)])


def _rows(moments: TableMoments, floors: Indices, floor: float) -> Affine:
    """Return E[g] and E[g g'] for the inequalities g = y - floor >= 0."""
    n = moments.n_moments
    if not floors.size:
        return moments.map.after(sp.csr_matrix((0, n)))
    first, second = floors[np.stack(np.triu_indices(floors.size))]
    one, ones = np.zeros_like(floors), np.zeros_like(first)
    alone = matrix_of([(1.0, 1 + floors), (-floor, one)], n)
    products = [(1.0, moments.product[first, second]), (-floor, 1 + first), (-floor, 1 + second), (floor**2, ones)]
    return moments.map.after(sp.vstack([alone, matrix_of(products, n)], format="csr"))
