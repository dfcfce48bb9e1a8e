"""A semidefinite program in the form every relaxation here is brought to, and the lower bound that its multipliers
prove.

Minimise an affine function of unknowns z such that some affine maps of z are positive semidefinite matrices and
others are non-negative. The unknowns stand for moments: every point x of the original polynomial program gives
unknowns z(x) that satisfy all of this, with the program's objective at x as objective.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp  # type: ignore[import-untyped]
from numpy.typing import NDArray

from hedgerow.surrogates.hsdp.affine import Affine, Vector

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Block:
    """A symmetric matrix, row by row as an affine map, that must be positive semidefinite."""

    size: int
    entries: Affine


@dataclass(frozen=True, eq=False)
class ConicProgram:
    """Minimise costs @ z + constant, with every block semidefinite and every row of `rows` at least 0."""

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

    Multipliers are first made semidefinite and non-negative. Subtracting what blocks and rows are worth can then only
    lower the objective at a point; what remains is a constant and a small slope, and the slope is paid for in full.
    """
    slope, constant = program.costs.copy(), program.constant
    for block, multiplier in zip(program.blocks, multipliers.blocks, strict=True):
        worth = _semidefinite_part(multiplier).ravel()
        slope -= block.entries.matrix.T @ worth
        constant -= float(block.entries.offset @ worth)
    worth = np.maximum(multipliers.rows, 0.0)
    slope -= program.rows.matrix.T @ worth
    constant -= float(program.rows.offset @ worth)
    return constant - float(np.abs(slope) @ reach)


def matrix_of(terms: Sequence[tuple[float, NDArray[np.int64]]], n_moments: int) -> sp.csr_matrix:
    """Return the linear map from moments to the sum of coefficient times moments[indices], row by row."""
    count = terms[0][1].size
    rows = np.arange(count)
    total = sp.csr_matrix((count, n_moments))
    for coefficient, indices in terms:
        total = total + sp.csr_matrix((np.full(count, coefficient), (rows, indices.ravel())), (count, n_moments))
    return sp.csr_matrix(total)


def _semidefinite_part(matrix: Matrix) -> Matrix:
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2.0)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)
