"""What an ask costs: processor seconds and peak memory against the size of the space and the number of observations.

Every measurement has a process of its own, so that its peak memory is its own. A problem is told the values of random
feasible points, then asks follow, each with its tell. The first ask is left out, since it also compiles. Parameters are
fitted again on a schedule; the asks measured are whole periods of it, so that their mean is what a user waits for.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import hedgerow as hr
from hedgerow.methods.auto.schedule import scheduled
from hedgerow.space import Point
from research.scale.digits import problem_named

MIN_ASKS = 24
SIZES = (
    *(f"digits-{n}" for n in (4, 6, 8, 10, 15, 20, 25, 30)),
    *(f"levels-{n}" for n in (3, 10, 32, 100, 316, 1000)),
)
OBSERVED_WITH_SIZE = 100
TASKS_WITH_OBSERVATIONS = ("ackley-10d", "gap-30x10", "ising-60", "dna-100")
OBSERVATIONS = (50, 100, 200, 500, 1000, 2000, 5000)


@dataclass(frozen=True)
class Cost:
    """Seconds of processor time per ask (mean, median, slowest), and the peak memory of the process."""

    task: str
    log10_points: float
    n_observations: int
    seconds: float
    median: float
    slowest: float
    peak_mib: float


def settings() -> Iterator[tuple[str, int]]:
    """Yield what is to be measured: a task and a number of observations."""
    for task in SIZES:
        yield task, OBSERVED_WITH_SIZE
    for task in TASKS_WITH_OBSERVATIONS:
        for n in OBSERVATIONS:
            yield task, n


def measure_all(path: Path, said: Callable[[str], None]) -> list[Cost]:
    """Measure what a file does not hold yet, one process after the other, and keep it there."""
    costs = read(path)
    known = {(cost.task, cost.n_observations) for cost in costs}
    for task, n in settings():
        if (task, n) in known:
            continue
        said(f"{task} after {n} observations")
        command = [sys.executable, "-m", "research.scale.costs", task, str(n)]
        output = subprocess.run(command, check=True, capture_output=True, text=True, env=_one_thread()).stdout
        costs.append(Cost(**json.loads(output.splitlines()[-1])))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([asdict(cost) for cost in costs], indent=1) + "\n", encoding="utf-8")
    return costs


def read(path: Path) -> list[Cost]:
    """Return what a file holds."""
    try:
        return [Cost(**cost) for cost in json.loads(path.read_text(encoding="utf-8"))] if path.exists() else []
    except TypeError as error:
        raise hr.HedgerowError(
            f"{path} was written by an earlier version ({error}); measure again: python -m research scale costs"
        ) from None


def measure(task: str, n_observations: int) -> Cost:
    """Measure in this process."""
    problem = problem_named(task)
    assert problem.objective is not None
    optimizer = hr.Optimizer(problem.space, problem.rules, seed=0)
    for point in _different_points(optimizer.feasible, n_observations):
        optimizer.tell(point, problem.objective(point))
    seconds: list[float] = []
    period = refit_period(n_observations)
    for _ in range(1 + period * max(1, MIN_ASKS // period)):
        begin = time.process_time()
        point = optimizer.ask()
        seconds.append(time.process_time() - begin)
        optimizer.tell(point, problem.objective(point))
    return Cost(
        task=task,
        log10_points=float(np.log10(np.array(problem.space.sizes, dtype=np.float64)).sum()),
        n_observations=n_observations,
        seconds=statistics.mean(seconds[1:]),
        median=statistics.median(seconds[1:]),
        slowest=max(seconds[1:]),
        peak_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def refit_period(n_observations: int) -> int:
    """Return after how many observations parameters are fitted again."""
    fits = [n for n in range(n_observations, 3 * n_observations) if scheduled(n) == n]
    return fits[1] - fits[0]


def _different_points(feasible: hr.FeasibleSet, n: int) -> list[Point]:
    points: dict[str, Point] = {}
    seed = 0
    while len(points) < n:
        for point in feasible.sample(n, seed=seed):
            points.setdefault(repr(point), point)
        seed += 1
    return list(points.values())[:n]


def _one_thread() -> dict[str, str]:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    return {**os.environ, **dict.fromkeys(names, "1")}


if __name__ == "__main__":
    print(json.dumps(asdict(measure(sys.argv[1], int(sys.argv[2])))))
