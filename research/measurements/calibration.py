"""Whether the default is as sure as it should be: what it states of untried points against what they turn out to be.

`python -m research calibration` runs the default on tuning tasks and asks it at some moments, as a user would by
`predict`, about three kinds of points: those that it tries next, those a few changes from the best, and draws. Beside
each stands the actual error over the stated deviation (root of the mean square; 1 is right, above 1 is too sure), and
how many values lie in the stated interval of 90 %. With `--plain` beliefs see the slots alone, as they once did.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes
from hedgerow.feasible.code_set import CodeSet
from hedgerow.methods import Auto
from hedgerow.methods.auto.belief import BeliefSettings
from hedgerow.optimizer import Optimizer
from hedgerow.space import Point
from hedgerow.space.encoding import decode, encode
from research.harness.tasks import Task, load_task, problem_name
from research.problems import Objective

TASKS = ("scattered-20", "chain-24", "max-sat-28", "motif-8", "tiles", "warcraft-2x2", "nas-tss", "gap-b")
KINDS = ("tried next", "near the best", "drawn")
_MOMENTS = (10, 20, 40, 70)
_N_NEXT = 8
_N_ASKED = 20
_MOST_CHANGES = 3


@dataclass
class StatedErrors:
    """Errors in stated deviations, and whether values lie in the stated interval, by kind of point."""

    errors: dict[str, list[float]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    inside: dict[str, list[bool]] = field(default_factory=lambda: {kind: [] for kind in KINDS})

    def add(self, kind: str, optimizer: Optimizer, points: Sequence[Point], objective: Objective) -> None:
        """Ask about points, and look at their values."""
        for prediction in optimizer.predict(points):
            value, stated = objective(prediction.point), prediction["value"]
            if value is not None and stated.sd > 0:
                self.errors[kind].append((value - stated.mean) / stated.sd)
                self.inside[kind].append(stated.interval[0] <= value <= stated.interval[1])

    def cells(self, kind: str) -> str:
        """Return the two cells of a table."""
        errors = np.array(self.errors[kind])
        # A value that was stated as certain and is not would drown all others.
        size = float(np.sqrt(np.mean(np.minimum(errors**2, 100.0))))
        return f"{size:.2f} | {100 * float(np.mean(self.inside[kind])):.0f} %"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print the table."""
    parser = argparse.ArgumentParser(prog="python -m research calibration", description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--plain", action="store_true", help="beliefs that see no structure")
    options = parser.parse_args(arguments)
    method = Auto(belief=BeliefSettings(sees_structure=not options.plain))
    print("| task | " + " | ".join(f"{kind}: error / stated | within 90 %" for kind in KINDS) + " |")
    print("|---" * 7 + "|")
    everything = StatedErrors()
    for task in options.tasks:
        told = StatedErrors()
        for seed in range(options.seeds):
            followed(load_task(problem_name(task, seed)), seed, told, method)
        print(f"| {task} | " + " | ".join(told.cells(kind) for kind in KINDS) + " |", flush=True)
        for kind in KINDS:
            everything.errors[kind] += told.errors[kind]
            everything.inside[kind] += told.inside[kind]
    print("| all | " + " | ".join(everything.cells(kind) for kind in KINDS) + " |")
    return 0


def followed(task: Task, seed: int, told: StatedErrors, method: Auto) -> None:
    """Run the default on a task, and ask it at the moments."""
    optimizer = Optimizer(task.problem.space, task.problem.rules, seed=seed, method=method)
    rng = np.random.default_rng([seed, 17])
    for number in range(1, _MOMENTS[-1] + _N_NEXT + 1):
        point = optimizer.ask()
        if any(moment < number <= moment + _N_NEXT for moment in _MOMENTS):
            told.add("tried next", optimizer, [point], task.objective)
        optimizer.tell(point, task.objective(point))
        if number in _MOMENTS and optimizer.best is not None:
            codes, space = task.feasible.codes, task.problem.space
            near = changed(codes, encode(space, optimizer.best.point), rng)
            told.add("near the best", optimizer, [decode(space, row) for row in near], task.objective)
            drawn = codes.draw(_N_ASKED, rng)
            told.add("drawn", optimizer, [decode(space, row) for row in drawn], task.objective)


def changed(codes: CodeSet, row: Codes, rng: Generator) -> Codes:
    """Return feasible rows that are up to so many feasible changes of a slot or two away."""
    rows = []
    for _ in range(_N_ASKED):
        moved = row
        for _ in range(int(rng.integers(1, _MOST_CHANGES + 1))):
            neighbors = codes.neighbors(moved)
            neighbors = neighbors if neighbors.shape[0] else codes.exchanges(moved)
            moved = neighbors[rng.integers(neighbors.shape[0])] if neighbors.shape[0] else moved
        if (moved != row).any():
            rows.append(moved)
    return np.array(rows, dtype=np.int64).reshape(len(rows), row.size)


if __name__ == "__main__":
    sys.exit(main())
