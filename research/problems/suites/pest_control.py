"""Pest control: at each of 25 stages one of four pesticides or none (the suite of COMBO).

Pests grow used to a pesticide that is used often, which is also sold cheaper the more of it is bought.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hedgerow.space import Categorical, Point, Space, Vector
from research.problems.problem import BenchmarkProblem

N_STAGES = 25
_N_FIELDS = 100
_ALLOWED = 0.1
_PRICES = (1.0, 0.8, 0.7, 0.5)
_DISCOUNTS = (0.2, 0.3, 0.3, 0.0)
_STRENGTHS = (2 / 7, 3 / 7, 3 / 7, 5 / 7)
_TOLERANCES = (1 / 7, 2.5 / 7, 2 / 7, 0.5 / 7)

Draws = NDArray[np.float64]  # (N_STAGES, _N_FIELDS)


def pest_control(instance: int) -> BenchmarkProblem:
    """Return one of the instances: other fields."""
    rng = np.random.default_rng([instance, 2])
    start = rng.beta(1.0, 30.0, _N_FIELDS)
    spread = rng.beta(1.0, 17 / 3, (N_STAGES, _N_FIELDS))
    # Of a Beta(1, b) the quantile at u is 1 - (1 - u)^(1/b): the same fields whatever the plan.
    luck = rng.random((N_STAGES, _N_FIELDS))
    return BenchmarkProblem(
        name=f"pest-control-{instance}",
        description="25 stages, one of four pesticides or none at each",
        space=Space({"use": Vector(Categorical(range(5)), N_STAGES)}),
        rules=(),
        objective=partial(_objective, start, spread, luck),
        n_feasible=5**N_STAGES,
        budget=320,
    )


def _objective(start: Draws, spread: Draws, luck: Draws, point: Point) -> float:
    used = [int(code) for code in point["use"]]
    strengths = list(_STRENGTHS)
    pests, cost = start, 0.0
    for stage, kind in enumerate(used):
        if kind:
            killed = 1 - (1 - luck[stage]) ** (1 / strengths[kind - 1])
            pests = (1 - killed) * pests
            strengths[kind - 1] += _TOLERANCES[kind - 1] / N_STAGES
            cost += _PRICES[kind - 1] * (1 - _DISCOUNTS[kind - 1] / N_STAGES * used.count(kind))
        else:
            pests = spread[stage] * (1 - pests) + pests
        cost += float((pests > _ALLOWED).mean())
    return cost
