"""What descriptors of labels are worth: trials to the optimum with true, with meaningless and without descriptors.

`python -m research descriptors` makes random formulations: solvents whose effect is a smooth function of two numbers
and a part of their own, two ordered variables, one of three kinds, a rule. Paired seeds; the table has the mean
ratio of trials to those without descriptors, with its standard error.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgerow.optimize import minimize
from hedgerow.optimizer import Optimizer
from hedgerow.space import Categorical, Integer, Point, Space

KINDS = ("none", "true", "meaningless")
_BUDGET = 80


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print the table."""
    parser = argparse.ArgumentParser(prog="python -m research descriptors", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--labels", type=int, default=16)
    options = parser.parse_args(arguments)
    seeds = range(options.seeds)
    trials = {kind: np.array([trials_needed(kind, seed, options.labels) for seed in seeds]) for kind in KINDS}
    print("| descriptors | mean trials | ratio to none |")
    print("|---|---|---|")
    for kind, own in trials.items():
        logs = np.log(own / trials["none"])
        ratio = f"{math.exp(logs.mean()):.2f} +- {logs.std(ddof=1) / math.sqrt(logs.size):.2f}"
        print(f"| {kind} | {own.mean():.1f} | {'' if kind == 'none' else ratio} |")
    return 0


def trials_needed(kind: str, seed: int, n_labels: int) -> int:
    """Return the number of the trial that found the optimum, one more than the budget where none did."""
    rng = np.random.default_rng([7, seed])
    polarity, size, *noise = rng.uniform(size=(4, n_labels))
    labels = [f"solvent {k}" for k in range(n_labels)]
    effect = 3 * np.sin(3 * polarity) + 8 * (size - 0.4) ** 2 + 0.15 * rng.normal(size=n_labels)
    best = rng.integers(0, 8, 2)
    described = {
        "none": None,
        "true": {"polarity": polarity, "size": size},
        "meaningless": {"a": noise[0], "b": noise[1]},
    }[kind]

    def measured(point: Point) -> float:
        own = float(effect[labels.index(point["solvent"])])
        hot, slow = float(point["hot"]), float(point["slow"])
        bent = 0.03 * (hot - best[0]) ** 2 + 0.05 * (slow - best[1]) ** 2
        return float(own * (1 + 0.02 * hot) + bent + 0.3 * (point["kind"] != "y"))

    space = Space(
        {
            "solvent": Categorical(labels, descriptors=described),
            "hot": Integer(0, 9),
            "slow": Integer(0, 9),
            "kind": ["x", "y", "z"],
        }
    )
    grid = itertools.product(labels, range(10), range(10))
    points: list[dict[str, Any]] = [
        {"solvent": label, "hot": hot, "slow": slow, "kind": "y"} for label, hot, slow in grid if hot + slow <= 15
    ]
    optimum = min(measured(point) for point in points)

    def is_found(optimizer: Optimizer) -> bool:
        return optimizer.best is not None and optimizer.best.value == optimum

    result = minimize(
        measured, space, ["hot + slow <= 15"], budget=_BUDGET, seed=seed, callbacks=[is_found], progress=False
    )
    return len(result.observations) if result.best_value == optimum else _BUDGET + 1


if __name__ == "__main__":
    sys.exit(main())
