"""A table of low rank fitted to observations, as the surrogate of a space with at most two slots that vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from hedgerow.arrays import Codes, Column, Matrix
from hedgerow.errors import HedgerowError
from hedgerow.methods.catd.ensemble.scaling import Scaling, TamedScaling
from hedgerow.methods.catd.hsdp.program import TableProgram
from hedgerow.methods.catd.hsdp.training import Hsdp, HsdpReport, train

# Predictions closer than this share of the observed range are the same: the rest is what the solver left over.
_RESOLUTION = 1e-3
_MOST_SLOTS = 2


@dataclass(frozen=True)
class Grid:
    """Which two slots make the rows and columns of a table; the one with fewer levels makes the rows."""

    slots: tuple[int, int]
    shape: tuple[int, int]

    @classmethod
    def of(cls, level_counts: Sequence[int]) -> Grid:
        """Return the grid of a space, or raise when more than two slots vary."""
        counts = np.array(level_counts)
        varying = np.flatnonzero(counts > 1)
        if varying.size > _MOST_SLOTS:
            raise HedgerowError(
                f"Training with 'hsdp' is for spaces with two variables; {varying.size} vary here. The squared error "
                f"of a tensor train of {varying.size} variables has degree {2 * varying.size}, and the relaxation of "
                "order 2 ends at degree 4. Train with 'pgrad'."
            )
        slots = [*varying.tolist(), *(k for k in range(counts.size) if counts[k] == 1), -1][:_MOST_SLOTS]
        rows, columns = sorted(slots, key=lambda k: (1 if k < 0 else int(counts[k]), k))
        return cls((rows, columns), (1 if rows < 0 else int(counts[rows]), int(counts[columns])))

    def cells(self, codes: Codes) -> NDArray[np.int64]:
        """Return the cells of rows of codes, as (n_rows, 2)."""
        return np.stack([codes[:, k] if k >= 0 else np.zeros(codes.shape[0], np.int64) for k in self.slots], axis=1)


@dataclass(frozen=True, eq=False)
class TableModel:
    """A fitted table on the normalized scale, and how training went. It is one model and knows no spread."""

    grid: Grid
    table: Matrix
    scaling: Scaling | TamedScaling
    report: HsdpReport

    def predictions(self, codes: Codes) -> Matrix:
        """Return what the model says at each row, as (n_rows, 1)."""
        entries = self.table[tuple(self.grid.cells(codes).T)]
        return np.asarray(np.round(entries / _RESOLUTION)[:, None] * _RESOLUTION)

    def predict(self, codes: Codes) -> tuple[Column, Column]:
        """Return the prediction, and a standard deviation of 0."""
        return self.predictions(codes)[:, 0], np.zeros(codes.shape[0])


def fit(
    grid: Grid,
    rank: int,
    codes: Codes,
    values: ArrayLike,
    infeasible: Codes,
    settings: Hsdp,
    rng: Generator,
    *,
    is_feasible: NDArray[np.bool_] | None = None,
    tames_outliers: bool = False,
) -> TableModel:
    """Return the model fitted to these observations; entries at `infeasible` rows are at least tau (Section 3.2)."""
    scaling = TamedScaling.of(values) if tames_outliers else Scaling.of(values)
    normalized = scaling.normalize(values)
    counted = normalized if is_feasible is None else normalized[is_feasible]
    program = TableProgram(
        shape=grid.shape,
        rank=min(rank, *grid.shape),
        cells=grid.cells(codes),
        targets=normalized,
        floor_cells=np.unique(grid.cells(infeasible), axis=0),
        floor=float(counted.max()) if counted.size else 1.0,
        ridge=settings.ridge,
    )
    table, report = train(program, settings, rng)
    return TableModel(grid, table, scaling, report)
