"""What batches cost: trials and rounds to the optimum with 1, 4, 16 and 64 trials out at once, and a large ask.

`python -m research batches` runs the default on small tuning tasks. In rounds, all points are asked for and told
together; with workers, a drawn one of those out is told first and another asked for at once. Paired seeds; the loss is
the geometric mean ratio of trials to those of one at a time, with a 95 % interval.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence

import numpy as np

from hedgerow.errors import SpaceExhausted
from hedgerow.optimizer import Optimizer
from hedgerow.space.encoding import decode
from research.harness.run import TOLERANCE, start_point
from research.harness.tasks import Task, load_task, problem_name

TASKS = ("gap-b", "ising-a", "warcraft-2x2", "pressure-vessel", "nas-tss")
WIDTHS = (4, 16, 64)
_BUDGET = 320
_TIMED = ("tf-bind", "convolution_milo", "contamination")
_N_TOLD = 100


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m research batches", description=__doc__)
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--timed", nargs="*", default=list(_TIMED), help="tasks on which an ask for 64 points is timed")
    options = parser.parse_args(arguments)
    if options.tasks:
        print(_table(options.tasks, options.seeds))
    for task in options.timed:
        print(f"ask(64) on {task} after {_N_TOLD} observations: {seconds_of_64(task):.2f} s of processor time")
    return 0


def _table(tasks: Sequence[str], n_seeds: int) -> str:
    problems = [(load_task(problem_name(task, seed)), seed) for task in tasks for seed in range(n_seeds)]
    alone = np.array([trials(task, seed, 1, in_rounds=True) for task, seed in problems])
    lines = [
        "| trials out at once | told | trials, geometric mean | loss, ratio to one at a time | rounds | missed |",
        "|---|---|---|---|---|---|",
        f"| 1 | | {_mean(alone):.1f} | | {_mean(alone):.1f} | {int((alone > _BUDGET).sum())} of {alone.size} |",
    ]
    for width in WIDTHS:
        for in_rounds in (True, False):
            found = np.array([trials(task, seed, width, in_rounds) for task, seed in problems])
            logs = np.log(found / alone)
            error = 1.96 * logs.std(ddof=1) / math.sqrt(logs.size)
            low, middle, high = (math.exp(logs.mean() + side * error) for side in (-1, 0, 1))
            told = "in rounds" if in_rounds else "one by one"
            rounds = f"{_mean(np.ceil((found - 1) / width) + 1):.1f}" if in_rounds else ""
            missed = f"{int((found > _BUDGET).sum())} of {found.size}"
            ratio = f"{middle:.2f} ({low:.2f} to {high:.2f})"
            lines.append(f"| {width} | {told} | {_mean(found):.1f} | {ratio} | {rounds} | {missed} |")
    return "\n".join(lines)


def _mean(values: np.ndarray) -> float:
    return float(np.exp(np.log(values).mean()))


def trials(task: Task, seed: int, width: int, in_rounds: bool) -> int:
    """Return the number of the trial that found the optimum, one more than the budget where none did."""
    optimizer = Optimizer(task.problem.space, task.problem.rules, seed=seed)
    optimum = task.problem.optimum
    assert optimum is not None
    rng = np.random.default_rng([seed, width, 19])
    out = [decode(task.problem.space, start_point(task, seed))]
    n_told = 0
    while n_told < _BUDGET and out:
        ended = list(out) if in_rounds else [out[int(rng.integers(len(out)))]]
        for point in ended:
            value = task.objective(point)
            optimizer.tell(point, value)
            out.remove(point)
            n_told += 1
            if value is not None and value <= optimum + TOLERANCE:
                return n_told
        try:
            out += optimizer.ask(width - len(out))
        except SpaceExhausted:
            continue
    return _BUDGET + 1


def seconds_of_64(task: str) -> float:
    """Return the processor time of asking for 64 points after random observations."""
    problem = load_task(problem_name(task, 0)).problem
    assert problem.objective is not None
    optimizer = Optimizer(problem.space, problem.rules, seed=0)
    for point in optimizer.feasible.sample(_N_TOLD, seed=0):
        optimizer.tell(point, problem.objective(point))
    optimizer.ask()
    begin = time.process_time()
    optimizer.ask(64)
    return time.process_time() - begin


if __name__ == "__main__":
    sys.exit(main())
