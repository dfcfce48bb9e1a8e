"""Generalized assignment: put every item into a bin, for the largest total profit, with rules on how full bins are.

gap-a and gap-b are the paper's; gap-30x10 has 4e24 feasible points and an optimum known from the assignment problem
(three copies of each bin as places).
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hedgerow.rules import Rule
from hedgerow.space import Categorical, Point, Space, Vector
from research.problems.problem import BenchmarkProblem, Published

NAMES = ("gap-a", "gap-b", "gap-30x10")

Profits = NDArray[np.float64]  # (n_items, n_bins)


def gap(name: str) -> BenchmarkProblem:
    """Return one of the assignment problems."""
    return {"gap-a": _gap_a, "gap-b": _gap_b, "gap-30x10": _gap_30x10}[name]()


def total_loss(profits: list[list[float]], point: Point) -> float:
    """Return minus the profit of all items; bins are numbered from 1."""
    profit: float = sum(row[bin_number - 1] for row, bin_number in zip(profits, point["bin"], strict=True))
    return -profit


def gap_30x10_profits() -> Profits:
    """Return the profits of gap-30x10, one row per item."""
    return np.random.RandomState(7).rand(30, 10)


def _gap_a() -> BenchmarkProblem:
    profits = np.random.RandomState(1).rand(9, 3).round(6)
    return BenchmarkProblem(
        name="gap-a",
        description="9 items into 3 bins that hold exactly 2, 3 and 4 of them",
        space=_space(profits),
        rules=tuple(Rule(f"count(bin == {j}) == {size}", name=f"bin {j}") for j, size in ((1, 2), (2, 3), (3, 4))),
        objective=partial(total_loss, profits.tolist()),
        optimum=-6.205065,
        n_feasible=1260,
        published=Published(-6.21, 99.1, "PGRAD CP-5"),
    )


def _gap_b() -> BenchmarkProblem:
    profits = np.random.RandomState(1).rand(7, 4).round(6)
    return BenchmarkProblem(
        name="gap-b",
        description="7 items into 4 bins, of which two hold at most one item",
        space=_space(profits),
        rules=tuple(Rule(f"count(bin == {j}) <= 1", name=f"bin {j}") for j in (1, 2)),
        objective=partial(total_loss, profits.tolist()),
        optimum=-4.188386,
        n_feasible=2368,
        published=Published(-4.19, 89.7, "PGRAD CP-4"),
    )


def _gap_30x10() -> BenchmarkProblem:
    profits = gap_30x10_profits()
    return BenchmarkProblem(
        name="gap-30x10",
        description="30 items into 10 bins that hold exactly 3 of them",
        space=_space(profits),
        rules=tuple(Rule(f"count(bin == {j}) == 3", name=f"bin {j}") for j in range(1, 11)),
        objective=partial(total_loss, profits.tolist()),
        optimum=-27.008022209806246,
        n_feasible=4_386_797_336_285_844_480_000_000,
    )


def _space(profits: Profits) -> Space:
    n_items, n_bins = profits.shape
    return Space({"bin": Vector(Categorical(range(1, n_bins + 1)), n_items)})
