"""Weighted MaxSAT: drawn clauses of three literals, weights standardized as the suite of COMBO has them."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hedgerow.space import Point, Space, Vector
from research.problems.problem import BenchmarkProblem

_CLAUSES_PER_VARIABLE = 8


def max_sat(n_variables: int, instance: int) -> BenchmarkProblem:
    """Return one of the instances with so many variables."""
    rng = np.random.default_rng([instance, 3, n_variables])
    n_clauses = _CLAUSES_PER_VARIABLE * n_variables
    variables = np.stack([rng.choice(n_variables, 3, replace=False) for _ in range(n_clauses)])
    wanted = rng.random((n_clauses, 3)) < 0.5
    weights = rng.exponential(size=n_clauses)
    weights = (weights - weights.mean()) / weights.std()
    return BenchmarkProblem(
        name=f"max-sat-{n_variables}-{instance}",
        description=f"{n_clauses} weighted clauses over {n_variables} variables",
        space=Space({"true": Vector(bool, n_variables)}),
        rules=(),
        objective=partial(_objective, variables, wanted, weights),
        n_feasible=2**n_variables,
        budget=270,
    )


def _objective(
    variables: NDArray[np.int64], wanted: NDArray[np.bool_], weights: NDArray[np.float64], point: Point
) -> float:
    values = np.array(point["true"], dtype=np.bool_)
    return -float(weights[(values[variables] == wanted).any(axis=1)].sum())
