"""A product line with pair interactions: the regret of the default, evolution and local search inside the same rules.

`python -m research product-lines` runs each on 200 options under a feature model (`research/problems/product_line.py`),
whose optimum is proven, and prints the mean regret over seeds at each number of trials, with its standard error, and
the median processor seconds of an ask.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow import Optimizer
from research.problems.problem import BenchmarkProblem
from research.problems.product_line import product_line_200
from research.rivals.evolution import Evolution
from research.rivals.local_search import LocalSearch

METHODS: dict[str, Any] = {"default": "auto", "evolution": Evolution(), "local search": LocalSearch()}


def regrets(problem: BenchmarkProblem, method: Any, budget: int, seed: int) -> tuple[NDArray[np.float64], float]:
    """Return how far the best value is from the optimum after each trial, and the seconds of an ask."""
    optimizer = Optimizer(problem.space, problem.rules, method=method, seed=seed)
    assert problem.objective is not None and problem.optimum is not None
    values: list[float] = []
    asks: list[float] = []
    for _ in range(budget):
        began = time.process_time()
        point = optimizer.ask()
        asks.append(time.process_time() - began)
        value = problem.objective(point)
        assert value is not None
        values.append(value)
        optimizer.tell(point, value)
    return np.minimum.accumulate(values) - problem.optimum, float(np.median(asks))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print the table."""
    parser = argparse.ArgumentParser(prog="python -m research product-lines", description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--checkpoints", type=int, nargs="+", default=[50, 100, 200, 500])
    options = parser.parse_args(arguments)
    problem = product_line_200()
    print(f"| method | {' | '.join(f'{at} trials' for at in options.checkpoints)} | an ask |")
    print("|---" * (len(options.checkpoints) + 2) + "|")
    for name, method in METHODS.items():
        runs = [regrets(problem, method, max(options.checkpoints), seed) for seed in range(options.seeds)]
        at = np.array([[regret[n - 1] for n in options.checkpoints] for regret, _ in runs])
        errors = at.std(axis=0, ddof=1) / math.sqrt(len(runs)) if len(runs) > 1 else np.full(at.shape[1], math.nan)
        cells = [f"{mean:.2f} +- {error:.2f}" for mean, error in zip(at.mean(axis=0), errors, strict=True)]
        print(f"| {name} | {' | '.join(cells)} | {np.median([took for _, took in runs]):.2f} s |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
