"""Means over the runs of one cell on one task, and the best cell of a family, picked as the paper does."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from research.harness.cell import Cell
from research.harness.labels import family
from research.harness.row import Row

Curve = NDArray[np.float64]


@dataclass(frozen=True)
class CellSummary:
    """What the runs of a cell on a task show. Rounds are those in which the best value first appeared.

    `evaluations` counts those until the optimum, a run that misses it as the budget.
    """

    task: str
    cell: Cell
    rows: tuple[Row, ...]
    value: float
    value_sd: float
    round: float
    round_sd: float
    evaluations: float
    misses: int
    infeasible: float
    repeated: float
    seconds: float

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return len(self.rows)


def summarize(rows: Iterable[Row]) -> list[CellSummary]:
    """Return a summary for every task and cell that has runs, in their order."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        if row.measure not in ("training", "fresh"):
            groups[row.task, row.cell].append(row)
    return [_summary(task, Cell.parse(cell), group) for (task, cell), group in groups.items()]


def best_of_families(summaries: Iterable[CellSummary]) -> dict[tuple[str, str], CellSummary]:
    """Return the best cell of each family on each task: lowest mean value, then earliest round.

    The choice is made on the runs that are shown, so it flatters large families.
    """
    best: dict[tuple[str, str], CellSummary] = {}
    for summary in summaries:
        key = summary.task, family(summary.cell)
        if key not in best or _rank(summary) < _rank(best[key]):
            best[key] = summary
    return best


def mean_curve(rows: Sequence[Row], worst: float | None = None) -> tuple[Curve, Curve, Curve]:
    """Return mean best value after each round, and its lower and upper quartile over the runs.

    A run that has no feasible value yet counts as the worst first value of the runs, or as `worst`.
    """
    firsts = [row.improvements[0][1] for row in rows if row.improvements]
    start = worst if worst is not None else max(firsts, default=np.nan)
    curves = best_curves(rows, start)
    return curves.mean(axis=0), np.quantile(curves, 0.25, axis=0), np.quantile(curves, 0.75, axis=0)


def best_curves(rows: Sequence[Row], start: float = math.nan) -> Curve:
    """Return the best value after each round (n_runs, budget), `start` before the first."""
    curves = np.full((len(rows), max(row.budget for row in rows)), start)
    for curve, row in zip(curves, rows, strict=True):
        for number, value in row.improvements:
            curve[number - 1 :] = value
    return curves


def _rank(summary: CellSummary) -> tuple[float, float]:
    # Values as the paper prints them: sums in other orders differ in the last digits.
    return round(summary.value, 4), summary.round


def _summary(task: str, cell: Cell, rows: list[Row]) -> CellSummary:
    values = np.array([np.nan if row.best is None else row.best for row in rows])
    rounds = np.array([row.first_round for row in rows], dtype=np.float64)
    return CellSummary(
        task=task,
        cell=cell,
        rows=tuple(sorted(rows, key=lambda row: row.seed)),
        value=float(values.mean()),
        value_sd=_sd(values),
        round=float(rounds.mean()),
        round_sd=_sd(rounds),
        evaluations=float(np.mean([row.first_round if row.reached else row.budget for row in rows])),
        misses=sum(not row.reached for row in rows),
        infeasible=float(np.mean([len(row.invalid_rounds) for row in rows])),
        repeated=float(np.mean([row.n_repeated for row in rows])),
        seconds=float(np.mean([row.seconds_per_round for row in rows])),
    )


def _sd(numbers: Curve) -> float:
    return float(numbers.std(ddof=1)) if numbers.size > 1 else 0.0
