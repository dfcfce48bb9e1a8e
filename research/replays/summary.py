"""What the replays show: evaluations until within a percent of the optimum, gaps, suggestions that broke a rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from research.harness.row import Row
from research.harness.statistics import mean_interval
from research.harness.summary import best_curves

# How near to the optimum a run must come.
NEAR = 0.01
CHECKPOINTS = (25, 50, 200)


@dataclass(frozen=True)
class ReplaySummary:
    """The runs of one method on one task; gaps are mean distances to the optimum as a share of it."""

    task: str
    label: str
    n_runs: int
    to_near: float
    misses: int
    # How many of these evaluations were of feasible points: what is paid for where rules are asked before measuring.
    feasible_to_near: float
    gaps: dict[int, float]
    n_optimal: int
    infeasible: float
    repeated: float
    milliseconds: float
    # Evaluations to near less those of the reference on the same seed, with a 95 % interval; None for the reference.
    more_than_reference: tuple[float, float, float] | None


def summarize(label: str, rows: Sequence[Row], optimum: float, reference: Sequence[Row]) -> ReplaySummary:
    """Return the means over the runs of one method on one task, beside those of a reference."""
    to_near = {row.seed: evaluations_to_near(row, optimum) for row in rows}
    same = {row.seed: evaluations_to_near(row, optimum) for row in reference}
    more = np.array([count - same[seed] for seed, count in to_near.items() if seed in same], dtype=np.float64)
    return ReplaySummary(
        task=rows[0].task,
        label=label,
        n_runs=len(rows),
        to_near=float(np.mean(list(to_near.values()))),
        misses=sum(not _is_near(row.best, optimum) for row in rows),
        feasible_to_near=float(np.mean([_n_feasible(row, to_near[row.seed]) for row in rows])),
        gaps={n: float(np.mean([curve[n - 1] for curve in gap_curves(rows, optimum)])) for n in CHECKPOINTS},
        n_optimal=sum(row.best is not None and row.best <= optimum * (1 + 1e-9) for row in rows),
        infeasible=float(np.mean([len(row.invalid_rounds) for row in rows])),
        repeated=float(np.mean([row.n_repeated for row in rows])),
        milliseconds=1000 * float(np.mean([row.seconds_per_round for row in rows])),
        more_than_reference=_mean_with_interval(more) if rows is not reference and more.size else None,
    )


def evaluations_to_near(row: Row, optimum: float) -> int:
    """Return the evaluation that came within a percent of a positive optimum; the budget where none did."""
    return next((number for number, value in row.improvements if _is_near(value, optimum)), row.budget)


def gap_curves(rows: Sequence[Row], optimum: float) -> NDArray[np.float64]:
    """Return (best - optimum) / optimum after each evaluation (n_runs, budget); NaN before the first value."""
    return best_curves(rows) / optimum - 1


def _n_feasible(row: Row, n: int) -> int:
    return n - sum(number <= n for number in row.invalid_rounds)


def _is_near(value: float | None, optimum: float) -> bool:
    return value is not None and value <= optimum * (1 + NEAR)


def _mean_with_interval(differences: NDArray[np.float64]) -> tuple[float, float, float]:
    return float(differences.mean()), *mean_interval(differences)
