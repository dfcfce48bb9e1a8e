"""Contamination control: at which of 25 stages of a food chain to prevent, at what price (Hu and others, 2010).

What is contaminated of a batch spreads from stage to stage; prevention restores some of it. The cost is one for each
prevention, plus how far the share of simulated batches below the allowed contamination falls short.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hedgerow.space import Point, Space, Vector
from research.problems.problem import BenchmarkProblem

N_STAGES = 25
N_BATCHES = 100
_ALLOWED = 0.1
_RISK = 0.05
# What each prevention costs besides its price: the weight of the published suite that asks for sparse plans least.
_WEIGHT = 1e-4

Shares = NDArray[np.float64]  # (N_BATCHES,) or (N_STAGES, N_BATCHES)


def contamination(instance: int) -> BenchmarkProblem:
    """Return one of the instances: other batches."""
    rng = np.random.default_rng([instance, 1])
    start = rng.beta(1.0, 30.0, N_BATCHES)
    spread = rng.beta(1.0, 17 / 3, (N_STAGES, N_BATCHES))
    restored = rng.beta(1.0, 3 / 7, (N_STAGES, N_BATCHES))
    return BenchmarkProblem(
        name=f"contamination-{instance}",
        description="25 stages of a food chain, prevention at each of them or not",
        space=Space({"prevent": Vector(bool, N_STAGES)}),
        rules=(),
        objective=partial(_objective, start, spread, restored),
        n_feasible=2**N_STAGES,
        budget=150,
    )


def plan_costs(start: Shares, spread: Shares, restored: Shares, plans: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the cost of plans, one a row."""
    share = np.repeat(start[None, :], plans.shape[0], axis=0)
    costs = np.zeros(plans.shape[0])
    for stage in range(N_STAGES):
        prevents = plans[:, stage, None]
        share = np.where(prevents, (1 - restored[stage]) * share, spread[stage] * (1 - share) + share)
        costs += plans[:, stage] * (1 + _WEIGHT) - ((share <= _ALLOWED).mean(axis=1) - (1 - _RISK))
    return costs


def _objective(start: Shares, spread: Shares, restored: Shares, point: Point) -> float:
    return float(plan_costs(start, spread, restored, np.array([point["prevent"]], dtype=np.bool_))[0])
