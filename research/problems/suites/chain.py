"""A chain of 24 stages, each on or off, whose cost is a sum over windows of three neighbors with drawn tables."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hedgerow.space import Point, Space, Vector
from research.problems.problem import BenchmarkProblem

_LENGTH = 24
_WIDTH = 3

Tables = NDArray[np.float64]  # (_LENGTH - _WIDTH + 1, 2 ** _WIDTH)


def chain(instance: int) -> BenchmarkProblem:
    """Return one of the instances: other tables."""
    tables = np.random.default_rng([instance, 6]).normal(size=(_LENGTH - _WIDTH + 1, 2**_WIDTH))
    return BenchmarkProblem(
        name=f"chain-24-{instance}",
        description="24 stages whose cost is a sum over three neighbors",
        space=Space({"on": Vector(bool, _LENGTH)}),
        rules=(),
        objective=partial(_objective, tables),
        optimum=_least(tables),
        n_feasible=2**_LENGTH,
        budget=150,
    )


def _objective(tables: Tables, point: Point) -> float:
    bits = [int(on) for on in point["on"]]
    return sum(float(table[4 * bits[k] + 2 * bits[k + 1] + bits[k + 2]]) for k, table in enumerate(tables))


def _least(tables: Tables) -> float:
    """Return the lowest cost, stage by stage: by the last two bits, the best of what came before."""
    best = np.zeros(4)
    for table in tables:
        # (first, second, third) in, (second, third) out.
        best = (best.reshape(2, 2, 1) + table.reshape(2, 2, 2)).min(axis=0).reshape(4)
    return float(best.min())
