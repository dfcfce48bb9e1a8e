"""What a fresh model thinks of points that it has not seen: how often it puts them below the best value known.

A surrogate is trained on a few feasible observations, one after the other, as a run that never leaves the rules would
have them. What is kept is the share of its models' predictions that lie below the best of these, at points that break a
rule and at points that keep them all: a run whose suggestions may lie anywhere is drawn to where that share is large.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError
from hedgerow.methods import CATD, Method
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.space.encoding import decode
from research.harness.tasks import Task

# Feasible observations that the model is trained on, and points at which it is asked.
N_OBSERVED = (2, 8)
_N_ASKED = 2_000


def fresh_series(method: Method, task: Task, rng: Generator) -> dict[str, list[float]]:
    """Return for each number of observations the share of predictions below the best, infeasible and feasible."""
    if not isinstance(method, CATD) or method.trainer != "pgrad":
        raise HedgerowError(f"Only models that CATD trains by pgrad can be asked, not those of {method}.")
    feasible = task.feasible.codes
    observed = _different(feasible.draw(10 * max(N_OBSERVED), rng))[: max(N_OBSERVED)]
    values = np.array([task.objective(decode(task.feasible.space, row)) for row in observed], dtype=np.float64)
    asked = {"infeasible": feasible.draw_rejected(_N_ASKED, rng), "feasible": feasible.draw(_N_ASKED, rng)}
    seed = int(rng.integers(2**62))
    series: dict[str, list[float]] = {"observed": [], "infeasible": [], "feasible": []}
    training = method.training(CodeProblem(task.feasible))
    for n in N_OBSERVED:
        history = History(observed[:n], values[:n], observed[:0])
        model = training.after(history, seed)
        best = float(model.scaling.normalize([np.nanmin(values[:n])])[0])
        series["observed"].append(float(n))
        for name, rows in asked.items():
            unseen = rows[~history.is_seen(rows)]
            series[name].append(float((model.predictions(unseen) < best).mean()))
    return series


def _different(rows: Codes) -> Codes:
    """Return each row once, in the order of the first time."""
    _, places = np.unique(rows, axis=0, return_index=True)
    return rows[np.sort(places)]
