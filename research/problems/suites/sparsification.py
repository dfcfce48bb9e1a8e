"""Sparsification of an Ising model on a grid of four by four: which of its 24 edges to keep (the suite of BOCS).

The value is the divergence from the full model to the one with these edges, plus a price for each edge.
"""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hedgerow.space import Point, Space, Vector
from research.problems.problem import BenchmarkProblem

_SIDE = 4
_PRICE = 1e-2

Floats = NDArray[np.float64]


def sparsification(instance: int) -> BenchmarkProblem:
    """Return one of the instances: other strengths of the edges."""
    rng = np.random.default_rng([instance, 5])
    edges = _edges()
    strengths = rng.uniform(0.05, 5.0, len(edges)) * rng.choice([-1.0, 1.0], len(edges))
    states = np.array(list(product((-1.0, 1.0), repeat=_SIDE**2)))
    # Edges meet with this sign in each state: (n_states, n_edges).
    agree = np.stack([states[:, a] * states[:, b] for a, b in edges], axis=1)
    energies = agree @ strengths
    log_total = float(np.logaddexp.reduce(energies))
    means = np.exp(energies - log_total) @ agree
    return BenchmarkProblem(
        name=f"sparsification-{instance}",
        description="which of 24 edges of an Ising model to keep",
        space=Space({"keep": Vector(bool, len(edges))}),
        rules=(),
        objective=partial(_objective, strengths, agree, means, log_total),
        n_feasible=2 ** len(edges),
        budget=150,
    )


def _edges() -> list[tuple[int, int]]:
    across = [(_SIDE * i + j, _SIDE * i + j + 1) for i in range(_SIDE) for j in range(_SIDE - 1)]
    down = [(_SIDE * i + j, _SIDE * (i + 1) + j) for i in range(_SIDE - 1) for j in range(_SIDE)]
    return across + down


def _objective(strengths: Floats, agree: Floats, means: Floats, log_total: float, point: Point) -> float:
    kept = np.array(point["keep"], dtype=np.bool_)
    log_kept = float(np.logaddexp.reduce(agree[:, kept] @ strengths[kept]))
    divergence = float((strengths * means)[~kept].sum()) + log_kept - log_total
    return divergence + _PRICE * int(kept.sum())
