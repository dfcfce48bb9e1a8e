"""Constrained Ising models: select items so that the sum of their pairwise potentials is lowest.

ising-a and ising-b are the paper's. ising-60 has 9e14 feasible points and no proven optimum: the best of 3,000
local searches was reached by 155 of them, while the bound of CP-SAT stays far below it.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hedgerow.rules import Rule
from hedgerow.space import Point, Space, Vector
from research.problems.problem import BenchmarkProblem, Published

NAMES = ("ising-a", "ising-b", "ising-60")

Potentials = NDArray[np.float64]  # (n_items, n_items)


def ising(name: str) -> BenchmarkProblem:
    """Return one of the Ising problems."""
    return {"ising-a": _ising_a, "ising-b": _ising_b, "ising-60": _ising_60}[name]()


def potentials(n_items: int) -> Potentials:
    """Return the potentials of the instance with this many items; those above the diagonal count."""
    stream = np.random.RandomState(0)
    return np.triu(stream.randn(n_items, n_items), 1)


def energy(pairs: Potentials, point: Point) -> float:
    """Return the sum of the potentials between selected items."""
    chosen = np.flatnonzero(point["selected"])
    return float(pairs[np.ix_(chosen, chosen)].sum())


def _ising_a() -> BenchmarkProblem:
    return BenchmarkProblem(
        name="ising-a",
        description="4 of 14 items, equally many of both halves, with the lowest pairwise energy",
        space=_space(14),
        rules=(
            Rule("count(selected[:7]) == count(selected[7:])", name="balance"),
            Rule("count(selected) == 4", name="total"),
        ),
        objective=partial(energy, potentials(14)),
        optimum=-7.31597328853045,
        n_feasible=441,
        published=Published(-7.32, 76.0, "PGRAD CP-6"),
    )


def _ising_b() -> BenchmarkProblem:
    return BenchmarkProblem(
        name="ising-b",
        description="equally many of two groups of 5 items and one of a third, with the lowest pairwise energy",
        space=_space(15),
        rules=(
            Rule("count(selected[:5]) == count(selected[5:10])", name="balance"),
            Rule("count(selected[10:]) == 1", name="third group"),
        ),
        objective=partial(energy, potentials(15)),
        optimum=-9.428536430658006,
        n_feasible=1260,
        published=Published(-9.43, 108.3, "PGRAD CP-5"),
    )


def _ising_60() -> BenchmarkProblem:
    return BenchmarkProblem(
        name="ising-60",
        description="20 of 60 items, equally many of both halves, with the lowest pairwise energy",
        space=_space(60),
        rules=(
            Rule("count(selected[:30]) == count(selected[30:])", name="balance"),
            Rule("count(selected) == 20", name="total"),
        ),
        objective=partial(energy, potentials(60)),
        best_known=-81.98642685397324,
        n_feasible=902_702_926_350_225,
    )


def _space(n_items: int) -> Space:
    return Space({"selected": Vector(bool, n_items)})
