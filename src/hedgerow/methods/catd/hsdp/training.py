"""HSDP, the paper's other training (Section 3.2, Appendix G): a table of low rank from Lasserre's relaxation
of order 2.

A round solves the relaxation on the small basis first. That bounds the loss of every table of the wanted rank from
below. A table is taken from the moments and polished; where its loss meets the bound it is the best there is, and
certified. Where it does not, the wide basis follows. The answer is one model: a global optimum has no random start, so
there is no ensemble.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Matrix
from hedgerow.methods.catd.hsdp.conic import proven_bound
from hedgerow.methods.catd.hsdp.extract import drawn_tables, flat_table, keeps_floors, nearest, polish
from hedgerow.methods.catd.hsdp.moments import TableMoments
from hedgerow.methods.catd.hsdp.program import TableProgram
from hedgerow.methods.catd.hsdp.relaxation import (
    check_size,
    expected_squares,
    expected_table,
    relaxation,
    system_size,
)
from hedgerow.methods.catd.hsdp.solver import SolverName, load_cvxpy, solve


@dataclass(frozen=True)
class Hsdp:
    """Settings of the training.

    ridge weighs the mean squared entry of the table against the mean squared error of the observations.
    A loss within `tolerance` of the bound is certified. time_limit is in seconds per round, as in the paper; running
    out of it is an error, so that no model depends on the clock (SDPA cannot be interrupted and is told afterwards).
    max_size bounds the rows of the solver's linear systems: a 7 x 7 table needs about 6,000, and 12,000 with the wide
    basis, which is used where the small one does not certify the model and `widens` is set. n_drawn tables are tried
    where the first does not meet the bound.
    """

    ridge: float = 1e-3
    solver: SolverName = "clarabel"
    time_limit: float = 4000.0
    tolerance: float = 1e-5
    max_size: int = 13_000
    widens: bool = True
    n_drawn: int = 8

    def check(self, shape: tuple[int, int]) -> None:
        """Raise before any long work when a table of this shape is out of reach, or CVXPY is missing."""
        load_cvxpy()
        check_size(shape, wide=False, n_floors=0, max_size=self.max_size)


@dataclass(frozen=True)
class HsdpReport:
    """How a round went.

    loss is attained by the model and lower_bound holds for every model of its rank; both count the ridge, data_loss
    does not. extracted_loss is that of the table as it came from the moments, infinite where it broke a floor.
    """

    loss: float
    data_loss: float
    lower_bound: float
    tolerance: float
    extracted_loss: float
    is_wide: bool
    n_moments: int
    solver: str
    status: str
    seconds: float

    @property
    def is_certified(self) -> bool:
        """Whether no model of this rank has a loss lower by more than the tolerance."""
        return self.loss - self.lower_bound <= self.tolerance

    @property
    def is_polished(self) -> bool:
        """Whether the moments alone did not give the model to within the tolerance."""
        return self.extracted_loss - self.loss > self.tolerance


@dataclass(frozen=True, eq=False)
class _Relaxed:
    """What the relaxation on one basis gave."""

    table: Matrix
    extracted_loss: float
    lower_bound: float
    n_moments: int
    status: str


def train(program: TableProgram, settings: Hsdp, rng: Generator) -> tuple[Matrix, HsdpReport]:
    """Return the table of lowest loss that was found, and how it compares with the bound."""
    began = time.perf_counter()
    best, lower_bound = flat_table(program), -np.inf
    for wide in (False, True):
        time_left = settings.time_limit - (time.perf_counter() - began)
        relaxed = _relax(program, settings, rng, best, time_left, wide=wide)
        best, lower_bound = relaxed.table, max(lower_bound, relaxed.lower_bound)
        report = HsdpReport(
            loss=program.loss(best),
            data_loss=program.data_loss(best),
            lower_bound=lower_bound,
            tolerance=settings.tolerance,
            extracted_loss=relaxed.extracted_loss,
            is_wide=wide,
            n_moments=relaxed.n_moments,
            solver=settings.solver,
            status=relaxed.status,
            seconds=time.perf_counter() - began,
        )
        if report.is_certified or not _may_widen(program, settings):
            break
    return best, report


def _may_widen(program: TableProgram, settings: Hsdp) -> bool:
    size = system_size(program.shape, wide=True, n_floors=program.floor_cells.shape[0])
    return settings.widens and size <= settings.max_size


def _relax(
    program: TableProgram, settings: Hsdp, rng: Generator, known: Matrix, time_left: float, *, wide: bool
) -> _Relaxed:
    """Solve the relaxation on one basis, and return the best of the known table and those the moments lead to."""
    moments = TableMoments(*program.shape, program.rank, wide)
    conic = relaxation(program, moments)
    solution = solve(conic, settings.solver, time_left)
    values = moments.map(solution.unknowns)
    expected = expected_table(moments, values)
    left, right = nearest(expected, program.rank)
    extracted = left @ right.T
    best = _best(program, [known, extracted, polish(program, extracted)])

    def bound() -> float:
        # A model no worse than the best one known lies within this reach.
        reach = moments.reach(program.largest_norm(program.loss(best)))
        return proven_bound(conic, solution.multipliers, reach)

    if program.loss(best) - bound() > settings.tolerance:
        draws = drawn_tables(expected, expected_squares(moments, values), settings.n_drawn, rng)
        best = _best(program, [best, *(polish(program, draw) for draw in draws)])
    return _Relaxed(
        table=best,
        extracted_loss=program.loss(extracted) if keeps_floors(program, extracted) else np.inf,
        lower_bound=bound(),
        n_moments=conic.n_unknowns,
        status=solution.status,
    )


def _best(program: TableProgram, tables: Sequence[Matrix | None]) -> Matrix:
    """Return the table of lowest loss among those that were found and keep to the floors."""
    return min((table for table in tables if table is not None and keeps_floors(program, table)), key=program.loss)
