"""What the paper's naive variants `-c` are told of the rules: random points that break one, at a penalty value."""

from __future__ import annotations

import math

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError
from hedgerow.methods.problem import CodeProblem

# Keeps these draws apart from those of suggestions.
_STREAM = 2**42


def check_offline(n_offline: int, infeasible_value: float | None) -> None:
    """Refuse a negative number of points, and points without a finite value."""
    if n_offline < 0:
        raise HedgerowError(f"n_offline is a number of points, at least 0, but {n_offline} was given.")
    if n_offline and (infeasible_value is None or not math.isfinite(infeasible_value)):
        raise HedgerowError(
            f"{n_offline} offline points that break rules need a finite infeasible_value to be told with, but it is "
            f"{infeasible_value}. Give the worst value of the task."
        )


def offline_rows(problem: CodeProblem, n_offline: int, seed: int) -> Codes:
    """Return independent uniform rows that break a rule, the same for the same seed."""
    if not n_offline:
        return np.zeros((0, len(problem.space.slots)), dtype=np.int64)
    return problem.feasible.draw_rejected(n_offline, np.random.default_rng([seed, _STREAM]))
