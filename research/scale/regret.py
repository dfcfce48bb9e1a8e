"""How far from the best value runs are after so many evaluations, and who is ahead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from research.harness.cell import Cell
from research.harness.labels import label
from research.harness.row import Row
from research.harness.summary import best_curves
from research.problems import BenchmarkProblem

CHECKPOINTS = (50, 100, 200, 500)
OURS = "auto"
# Regret below this is rounding.
ZERO = 1e-9


@dataclass(frozen=True)
class Regret:
    """The runs of one method on one task: curves of the best value minus the lowest that is known."""

    task: str
    cell: Cell
    curves: NDArray[np.float64]  # (n_runs, budget), NaN before the first feasible value
    n_reached: int
    first: tuple[int, ...]
    infeasible: int
    repeated: int
    seconds: float

    @property
    def name(self) -> str:
        """What the method is called."""
        return label(self.cell)

    @property
    def n_runs(self) -> int:
        """The number of runs."""
        return int(self.curves.shape[0])

    def at(self, n: int) -> float:
        """Return the mean after n evaluations; NaN where a run has no feasible value yet."""
        return float(self.curves[:, min(n, self.curves.shape[1]) - 1].mean())


def lowest_known(problem: BenchmarkProblem, rows: Iterable[Row]) -> float:
    """Return the optimum, or where none is proven the lowest value known or seen in any run."""
    if problem.optimum is not None:
        return problem.optimum
    seen = [row.best for row in rows if row.best is not None]
    known = [] if problem.best_known is None else [problem.best_known]
    return min([*seen, *known])


def regrets(rows: Sequence[Row], lowest: Mapping[str, float]) -> list[Regret]:
    """Return the regret of every method on every task, in the order of the rows."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row.task, row.cell].append(row)
    return [_regret(task, Cell.parse(cell), group, lowest[task]) for (task, cell), group in groups.items()]


def _regret(task: str, cell: Cell, rows: Sequence[Row], lowest: float) -> Regret:
    return Regret(
        task=task,
        cell=cell,
        curves=best_curves(rows) - lowest,
        n_reached=sum(row.reached for row in rows),
        first=tuple(row.n_rounds for row in rows if row.reached),
        infeasible=sum(len(row.invalid_rounds) for row in rows),
        repeated=sum(row.n_repeated for row in rows),
        seconds=float(np.mean([row.seconds_per_round for row in rows])),
    )


def ahead(ours: Regret, others: Sequence[Regret]) -> dict[int, bool]:
    """Return for each checkpoint whether ours has the lowest mean, or has reached the optimum in all runs."""
    return {n: ours.at(n) <= ZERO or all(not other.at(n) <= ours.at(n) for other in others) for n in CHECKPOINTS}
