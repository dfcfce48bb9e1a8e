"""Factors and triangular solves by LAPACK itself: a search asks for thousands, which cost less than SciPy's checks."""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrsm  # type: ignore[import-untyped]
from scipy.linalg.lapack import dpotrf  # type: ignore[import-untyped]

from hedgerow.arrays import Matrix


def lower_factor(matrix: Matrix) -> Matrix:
    """Return the lower Cholesky factor of a symmetric matrix; raise LinAlgError where it is not positive definite."""
    # What is stored by rows is to LAPACK the transpose, and the matrix is its own.
    lower, info = dpotrf(matrix.T, lower=1, clean=1)
    if info != 0:
        raise np.linalg.LinAlgError(f"The matrix is not positive definite (dpotrf says {info}).")
    return np.asarray(lower)


def solve_lower(lower: Matrix, right: Matrix, *, transposed: bool = False) -> Matrix:
    """Return lower^-1 right for right (n, k), or lower^-T right."""
    # BLAS stores by columns. A matrix stored by rows is to BLAS its own transpose, which spares a copy.
    if lower.flags.f_contiguous:
        return np.asarray(dtrsm(1.0, lower, right, lower=1, trans_a=transposed))
    return np.asarray(dtrsm(1.0, lower.T, right, lower=0, trans_a=not transposed))
