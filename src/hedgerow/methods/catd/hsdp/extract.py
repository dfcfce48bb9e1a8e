"""From moments to a table of low rank: the nearest one to the expected table, a local polish, and random rounding.

Where the moments are those of one table, the expected table is that table and the polish only removes the solver's
last digits. Where they mix several, or belong to none, tables are drawn from the normal distribution with these first
and second moments, cut to the rank, and polished; the best one counts.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from scipy.optimize import minimize  # type: ignore[import-untyped]

from hedgerow.arrays import Matrix
from hedgerow.methods.catd.hsdp.affine import Vector
from hedgerow.methods.catd.hsdp.program import TableProgram

# How far below the floor an entry may lie, on the scale where observations span 1.
FLOOR_TOLERANCE = 1e-6
_MAX_STEPS = 300
_PRECISION = 1e-15


def nearest(table: Matrix, rank: int) -> tuple[Matrix, Matrix]:
    """Return cores, as (n_left, rank) and (n_right, rank), of the nearest table of this rank, equally long."""
    left, values, right = np.linalg.svd(table, full_matrices=False)
    scale = np.sqrt(values[:rank])
    return left[:, :rank] * scale, right[:rank].T * scale


def polish(program: TableProgram, start: Matrix) -> Matrix | None:
    """Return a local optimum near a table, or None when none was found that keeps to the floors."""
    left, right = nearest(start, program.rank)
    split = left.size

    def cores(numbers: Vector) -> tuple[Matrix, Matrix]:
        return numbers[:split].reshape(left.shape), numbers[split:].reshape(right.shape)

    def loss(numbers: Vector) -> tuple[float, Vector]:
        a, b = cores(numbers)
        table = a @ b.T
        slope = program.slope(table)
        return program.loss(table), np.concatenate([(slope @ b).ravel(), (slope.T @ a).ravel()])

    def margins(numbers: Vector) -> Vector:
        a, b = cores(numbers)
        return program.margins(a @ b.T)

    def margin_slopes(numbers: Vector) -> Matrix:
        a, b = cores(numbers)
        rows, columns = program.floor_cells.T
        count = np.arange(rows.size)
        by_left, by_right = np.zeros((rows.size, *a.shape)), np.zeros((rows.size, *b.shape))
        by_left[count, rows] = b[columns]
        by_right[count, columns] = a[rows]
        return np.concatenate([by_left.reshape(rows.size, -1), by_right.reshape(rows.size, -1)], axis=1)

    found = minimize(
        loss,
        np.concatenate([left.ravel(), right.ravel()]),
        jac=True,
        method="SLSQP",
        constraints=[{"type": "ineq", "fun": margins, "jac": margin_slopes}] if program.floor_cells.size else [],
        options={"maxiter": _MAX_STEPS, "ftol": _PRECISION},
    )
    a, b = cores(np.asarray(found.x))
    table = np.asarray(a @ b.T)
    return table if np.isfinite(table).all() and keeps_floors(program, table) else None


def keeps_floors(program: TableProgram, table: Matrix) -> bool:
    """Return whether no entry lies below its floor."""
    return bool((program.margins(table) >= -FLOOR_TOLERANCE).all())


def flat_table(program: TableProgram) -> Matrix:
    """Return a table of equal entries that keeps to the floors: a model there always is."""
    mean = float(program.targets.mean())
    return np.full(program.shape, max(mean, program.floor) if program.floor_cells.size else mean)


def drawn_tables(expected: Matrix, squares: Matrix, n_tables: int, rng: Generator) -> list[Matrix]:
    """Return draws from the normal distribution with these moments over the cells."""
    mean = expected.ravel()
    values, vectors = np.linalg.eigh(squares - np.outer(mean, mean))
    spread = vectors * np.sqrt(np.maximum(values, 0.0))
    draws = mean + rng.standard_normal((n_tables, mean.size)) @ spread.T
    return list(draws.reshape(n_tables, *expected.shape))
