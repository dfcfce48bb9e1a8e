"""How a training of CA-TD goes: loss and violated rules after so many steps of Adam (Appendices E and F).

One training on many observations is followed by repeating it with more and more steps; the random numbers are the same,
so each one is the beginning of the next and the last is the training as it is. Of a run's own trainings, one per round,
the end of each is kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.random import Generator

from hedgerow.errors import HedgerowError
from hedgerow.methods import CATD, Method
from hedgerow.methods.catd.ensemble.infeasible import infeasible_rows
from hedgerow.methods.catd.ensemble.pgrad import TrainingReport
from hedgerow.methods.catd.method import CatdRun
from hedgerow.methods.method import MethodRun
from hedgerow.space.encoding import decode
from research.harness.tasks import Task

# All feasible points are observed where they are few (the paper: none remain unobserved), else this many of them.
_MOST_OBSERVED = 2000


@dataclass
class TrainingLosses:
    """How the trainings of a run ended: steps so far, data loss, penalty and violated rows, means over the models."""

    series: dict[str, list[float]] = field(
        default_factory=lambda: {"steps": [], "loss": [], "penalty": [], "violated": []}
    )

    def note(self, run: MethodRun) -> None:
        """Keep the end of the last training."""
        report = run.model.report if isinstance(run, CatdRun) and run.model is not None else None
        if not isinstance(report, TrainingReport):
            raise HedgerowError("Only runs of CATD by pgrad have losses to keep; choose another 'measure'.")
        so_far = self.series["steps"][-1] if self.series["steps"] else 0.0
        self.series["steps"].append(so_far + float(report.epochs.mean()))
        for key, column in (("loss", report.data_loss), ("penalty", report.penalty), ("violated", report.violated)):
            self.series[key].append(float(column.mean()))


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
