"""How a training of CA-TD goes: loss and violated rules after so many steps of Adam (Appendices E and F).

The same training is repeated with more and more steps; the random numbers are the same, so each one is the
beginning of the next and the last is the training as it is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator

from hedgerow.errors import HedgerowError
from hedgerow.methods import CATD, Method
from hedgerow.methods.catd.ensemble.infeasible import infeasible_rows
from hedgerow.space.encoding import decode
from research.harness.tasks import Task

# All feasible points are observed where they are few (the paper: none remain unobserved), else this many of them.
_MOST_OBSERVED = 2000


def training_series(method: Method, task: Task, n_steps: int, rng: Generator) -> dict[str, list[float]]:
    """Return steps, data loss, penalty and the share of violated infeasible rows, means over the models."""
    if not isinstance(method, CATD) or method.trainer != "pgrad":
        raise HedgerowError(f"Only the training of CATD by pgrad can be followed, not that of {method}.")
    space, feasible = task.feasible.space, task.feasible.codes
    is_small = feasible.is_exact and feasible.count <= _MOST_OBSERVED
    codes = np.concatenate(list(feasible.batches())) if is_small else feasible.draw(_MOST_OBSERVED, rng)
    values = np.array([task.objective(decode(space, row)) for row in codes], dtype=np.float64)
    measured = np.isfinite(values)
    rows = infeasible_rows(feasible, space.sizes)
    seed = int(rng.integers(2**62))
    series: dict[str, list[float]] = {"steps": [], "loss": [], "penalty": [], "violated": []}
    for n in _checkpoints(n_steps):
        surrogate = replace(method, max_epochs=n, loss_target=0.0).surrogates()[0]
        prior = surrogate.prior(space.sizes, [slot.variable.is_ordered for slot in space.slots])
        report = surrogate.fit(prior, codes[measured], values[measured], rows, np.random.default_rng(seed)).report
        for key, column in (
            ("steps", np.array([n])),
            ("loss", report.data_loss),
            ("penalty", report.penalty),
            ("violated", report.violated),
        ):
            series[key].append(float(column.mean()))
    return series


def _checkpoints(n_steps: int) -> list[int]:
    """Return about twenty numbers of steps, dense at the beginning."""
    return sorted({0, *(int(n) for n in np.geomspace(1, n_steps, 20)), n_steps})
