"""A semidefinite program in the form every relaxation here is brought to, and the lower bound that its multipliers
prove.

Minimize an affine function of unknowns z such that some affine maps of z are positive semidefinite matrices and
others are non-negative. The unknowns stand for moments: every point x of the original polynomial program gives
unknowns z(x) that satisfy all of this, with the program's objective at x as objective.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp  # type: ignore[import-untyped]
from numpy.typing import NDArray
from scipy.sparse.linalg import cg  # type: ignore[import-untyped]

from hedgerow.arrays import Matrix
from hedgerow.methods.catd.hsdp.affine import Affine, Vector

_MAX_CORRECTIONS = 500


@dataclass(frozen=True, eq=False)
class Block:
    """A symmetric matrix, row by row as an affine map, that must be positive semidefinite."""

    size: int
    entries: Affine


@dataclass(frozen=True, eq=False)
class ConicProgram:
    """Minimize costs @ z + constant, with every block semidefinite and every row of `rows` at least 0."""

    costs: Vector
    constant: float
    blocks: tuple[Block, ...]
    rows: Affine

    @property
    def n_unknowns(self) -> int:
        """The number of free moments."""
        return int(self.costs.size)


@dataclass(frozen=True, eq=False)
class Multipliers:
    """What a solver says each block and each row is worth; nearly a solution of the dual program."""

    blocks: tuple[Matrix, ...]
    rows: Vector


def proven_bound(program: ConicProgram, multipliers: Multipliers, reach: Vector) -> float:
    """Return a number below the objective of every point x with |z(x)| <= reach, whatever the multipliers are.

    The objective is a constant, plus what blocks and rows are worth, plus a slope in z that exact multipliers would not
    leave. Multipliers are first moved to where that slope vanishes; at an interior point they mostly stay semidefinite
    then. Whatever is left of slopes and negative eigenvalues is paid for in full.
    """
    rows = np.maximum(multipliers.rows, 0.0)
    slope = program.costs - program.rows.matrix.T @ rows
    blocks = _without_slope(program, multipliers.blocks, slope)
    bound = program.constant - float(program.rows.offset @ rows)
    for block, multiplier in zip(program.blocks, blocks, strict=True):
        slope -= block.entries.matrix.T @ multiplier.ravel()
        bound -= float(block.entries.offset @ multiplier.ravel())
        bound += min(float(np.linalg.eigvalsh(multiplier)[0]), 0.0) * _largest_trace(block, reach)
    return bound - float(np.abs(slope) @ reach)


def _without_slope(program: ConicProgram, multipliers: Sequence[Matrix], slope: Vector) -> list[Matrix]:
    """Return the nearest multipliers of the blocks that make up for this slope: a least-squares correction."""
    everything = sp.vstack([block.entries.matrix for block in program.blocks], format="csr")
    symmetric = [(multiplier + multiplier.T) / 2.0 for multiplier in multipliers]
    given = np.concatenate([multiplier.ravel() for multiplier in symmetric])
    missing = slope - everything.T @ given
    factors, _ = cg(everything.T @ everything, missing, rtol=1e-13, maxiter=_MAX_CORRECTIONS)
    corrected = np.split(given + everything @ factors, np.cumsum([block.size**2 for block in program.blocks])[:-1])
    return [part.reshape(block.size, block.size) for part, block in zip(corrected, program.blocks, strict=True)]


def _largest_trace(block: Block, reach: Vector) -> float:
    diagonal = np.arange(block.size) * (block.size + 1)
    return float((abs(block.entries.matrix[diagonal]) @ reach + np.abs(block.entries.offset[diagonal])).sum())


def matrix_of(terms: Sequence[tuple[float, NDArray[np.int64]]], n_moments: int) -> sp.csr_matrix:
    """Return the linear map from moments to the sum of coefficient times moments[indices], row by row."""
    count = terms[0][1].size
    rows = np.arange(count)
    total = sp.csr_matrix((count, n_moments))
    for coefficient, indices in terms:
        total = total + sp.csr_matrix((np.full(count, coefficient), (rows, indices.ravel())), (count, n_moments))
    return sp.csr_matrix(total)
