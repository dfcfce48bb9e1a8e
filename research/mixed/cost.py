"""What an ask costs over many variables: ten reals and ten others under five rules, after two hundred observations."""

from __future__ import annotations

import math
import resource
import time
from statistics import median
from typing import Any

import hedgerow as hr
from hedgerow.methods.threads import one_thread

_RULES = ["r0 + r1 + r2 <= 1.5", "r3 * n0 <= 4", "k0 == 'a' or r4 >= 0.2", "n1 + n2 <= 12", "l0 * n3 <= 2"]


def measured(n_told: int = 200, n_asked: int = 20) -> dict[str, str]:
    """Return processor seconds per ask and the most memory that the process took, in MiB."""
    space = hr.Space(
        {
            **{f"r{i}": hr.Real(0, 1) for i in range(7)},
            **{f"l{i}": hr.Real(1e-4, 1, log=True) for i in range(3)},
            **{f"n{i}": hr.Integer(0, 9) for i in range(5)},
            **{f"k{i}": ["a", "b", "c"] for i in range(5)},
        }
    )
    optimizer = hr.Optimizer(space, _RULES, seed=0)
    for point in hr.FeasibleSet(space, _RULES).sample(n_told, seed=1):
        optimizer.tell(point, _cost(point))
    seconds = []
    with one_thread():
        # The first compiles what is not on disk yet.
        optimizer.tell(point := optimizer.ask(), _cost(point))
        for _ in range(n_asked):
            began = time.process_time()
            point = optimizer.ask()
            seconds.append(time.process_time() - began)
            optimizer.tell(point, _cost(point))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "told": str(n_told),
        "median": f"{median(seconds):.2f}",
        "most": f"{max(seconds):.2f}",
        "memory": f"{memory:.0f}",
    }


def _cost(p: dict[str, Any]) -> float:
    by_reals = sum((p[f"r{i}"] - 0.4) ** 2 for i in range(7)) + 0.2 * sum(
        (math.log10(p[f"l{i}"]) + 2) ** 2 for i in range(3)
    )
    return float(by_reals + sum(0.02 * (p[f"n{i}"] - 4) ** 2 + 0.1 * (p[f"k{i}"] != "b") for i in range(5)))
