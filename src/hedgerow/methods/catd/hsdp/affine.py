"""Affine maps of a vector of unknowns, and solving linear equations out of them.

A relaxation says everything about its moments by affine maps. Equations between moments are solved out before a solver
sees them: interior-point methods want a feasible set with an interior.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp  # type: ignore[import-untyped]
from numpy.typing import NDArray

Vector = NDArray[np.float64]

_ZERO = 1e-11


@dataclass(frozen=True, eq=False)
class Affine:
    """The map z -> matrix @ z + offset."""

    matrix: sp.csr_matrix
    offset: Vector

    def __call__(self, unknowns: Vector) -> Vector:
        """Return the value at some unknowns."""
        return np.asarray(self.matrix @ unknowns + self.offset)

    def after(self, linear: sp.csr_matrix) -> Affine:
        """Return the linear map of what this one gives."""
        return Affine(sp.csr_matrix(linear @ self.matrix), np.asarray(linear @ self.offset))


def solve_out(equations: sp.csr_matrix, is_used: NDArray[np.bool_]) -> tuple[Affine, NDArray[np.int64]]:
    """Return all vectors m with m[0] = 1 and equations @ m = 0, as an affine map of some entries of m, and which
    those are.

    Entries that are not used take no part and are left at zero. Later entries are expressed by earlier ones, which are
    of lower degree.
    """
    echelon, pivots = _reduced_echelon(np.asarray(equations.todense(), dtype=np.float64))
    is_free = is_used.copy()
    is_free[[0, *pivots]] = False
    free = np.flatnonzero(is_free)
    n_moments = is_used.size
    itself = sp.csr_matrix((np.ones(free.size), (free, np.arange(free.size))), (n_moments, free.size))
    dependent = sp.coo_matrix(-echelon[:, free])
    places = np.array(pivots, dtype=np.int64)
    solved = sp.csr_matrix((dependent.data, (places[dependent.row], dependent.col)), (n_moments, free.size))
    offset = np.zeros(n_moments)
    offset[0] = 1.0
    offset[places] = -echelon[:, 0]
    return Affine(sp.csr_matrix(itself + solved), offset), free


def _reduced_echelon(equations: NDArray[np.float64]) -> tuple[NDArray[np.float64], list[int]]:
    """Return independent equations, each with its own last entry that no other has, and those entries."""
    rows, pivots = equations.copy(), list[int]()
    for column in range(rows.shape[1] - 1, 0, -1):
        done = len(pivots)
        if done == rows.shape[0]:
            break
        best = done + int(np.abs(rows[done:, column]).argmax())
        if abs(rows[best, column]) < _ZERO:
            continue
        rows[[done, best]] = rows[[best, done]]
        rows[done] /= rows[done, column]
        others = np.flatnonzero(np.abs(rows[:, column]) > _ZERO)
        others = others[others != done]
        rows[others] -= np.outer(rows[others, column], rows[done])
        pivots.append(column)
    kept = rows[: len(pivots)]
    kept[np.abs(kept) < _ZERO] = 0.0
    return kept, pivots
