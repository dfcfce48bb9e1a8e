"""Functions of many labels of which none says anything of another."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hedgerow.space import Categorical, Point, Space, Vector
from research.problems.problem import BenchmarkProblem

_N_LABELS = 10
# How much of a unit the values are rounded to a deviation of the effects is.
_STEPS = 0.7


def rounded(length: int, instance: int) -> BenchmarkProblem:
    """Return a sum of drawn effects, rounded: many trials are exactly as good as the best, and all slots matter."""
    rng = np.random.default_rng([instance, 18, length])
    effects = _STEPS * rng.normal(size=(length, _N_LABELS))
    return BenchmarkProblem(
        name=f"rounded-{length}-{instance}",
        description=f"{length} labels out of {_N_LABELS}, a sum of effects in whole numbers",
        space=Space({"label": Vector(Categorical(range(_N_LABELS)), length)}),
        rules=(),
        objective=partial(_objective, effects),
        optimum=float(np.round(effects.min(axis=1).sum())),
        n_feasible=_N_LABELS**length,
        budget=150,
    )


def _objective(effects: NDArray[np.float64], point: Point) -> float:
    labels = np.array(point["label"], dtype=np.int64)
    return float(np.round(effects[np.arange(labels.size), labels].sum()))
