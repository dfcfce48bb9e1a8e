"""Orders of items: the default against draws, local search and evolution with the same small changes.

`python -m research orders` takes round trips (cities drawn in a square), a flow shop (the end of the last of 20 jobs on
five machines, under rules that put jobs before others), weighted tardiness of 20 jobs on one machine, and a flow shop
of 50 jobs. The table has the gap to the best order that a long local search found (20 starts, from all small changes),
in percent, as a mean over seeds at each number of trials, and the median seconds of an ask after the last trials.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow import FeasibleSet, Optimizer, Permutation, Space
from hedgerow.arrays import Codes
from hedgerow.feasible.orders.moves import moved, some_moved
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import Reason, RowSuggestion

_N_STARTS = 20
_N_LAST = 10


@dataclass(frozen=True, eq=False)
class OrderTask:
    """A cost of orders of whole numbers from 0, and rules."""

    n_items: int
    cost: Callable[[Sequence[int]], float]
    rules: Sequence[str] = ()

    @property
    def space(self) -> Space:
        """One order."""
        return Space({"order": Permutation(range(self.n_items))})

    @cached_property
    def reference(self) -> float:
        """The lowest cost that local search finds from some starts."""
        feasible = FeasibleSet(self.space, self.rules)
        starts = feasible.codes.draw(_N_STARTS, np.random.default_rng(0))
        return min(self._descended(feasible, row) for row in starts)

    def _descended(self, feasible: FeasibleSet, row: Codes) -> float:
        value = self.cost(np.argsort(row).tolist())
        while True:
            near = moved(row)
            near = near[feasible.codes.accepts(near)]
            values = [self.cost(order) for order in np.argsort(near, axis=1).tolist()]
            best = int(np.argmin(values))
            if values[best] >= value:
                return value
            row, value = near[best], values[best]


def tour(n: int, seed: int) -> OrderTask:
    """Return a round trip."""
    places = np.random.default_rng([11, seed]).random((n, 2))
    apart = np.linalg.norm(places[:, None] - places[None, :], axis=2)
    return OrderTask(n, lambda order: float(apart[list(order), np.roll(list(order), -1)].sum()))


def flow_shop(n: int, n_rules: int, seed: int, n_machines: int = 5) -> OrderTask:
    """Return the end of the last job where all pass the machines in the same order."""
    rng = np.random.default_rng([12, seed])
    times = rng.integers(1, 100, size=(n, n_machines)).tolist()
    hidden = rng.permutation(n).tolist()
    pairs = {tuple(sorted(rng.choice(n, 2, replace=False).tolist())) for _ in range(n_rules)}
    rules = [f"before(order, {hidden[a]}, {hidden[b]})" for a, b in sorted(pairs)]

    def cost(order: Sequence[int]) -> float:
        ready = [0] * n_machines
        for job in order:
            end = 0
            for machine, took in enumerate(times[job]):
                end = max(end, ready[machine]) + took
                ready[machine] = end
        return float(ready[-1])

    return OrderTask(n, cost, rules)


def tardiness(n: int, seed: int) -> OrderTask:
    """Return the weighted time by which jobs on one machine are late."""
    rng = np.random.default_rng([13, seed])
    times, weights = rng.integers(1, 100, n), rng.integers(1, 10, n)
    due = rng.uniform(0.2, 0.6, n) * times.sum()

    def cost(order: Sequence[int]) -> float:
        ends = np.cumsum(times[list(order)])
        return float((weights[list(order)] * np.maximum(ends - due[list(order)], 0)).sum()) + 1.0

    return OrderTask(n, cost)


TASKS: dict[str, Callable[[int], OrderTask]] = {
    "round trip, 15 cities": lambda seed: tour(15, seed),
    "round trip, 30 cities": lambda seed: tour(30, seed),
    "flow shop, 20 jobs, 15 rules": lambda seed: flow_shop(20, 15, seed),
    "tardiness, 20 jobs": lambda seed: tardiness(20, seed),
    "flow shop, 50 jobs, 30 rules": lambda seed: flow_shop(50, 30, seed),
}


@dataclass(frozen=True)
class SmallChanges:
    """Local search, or evolution where a tournament among the latest chooses what is changed."""

    is_evolution: bool

    @property
    def may_break_rules(self) -> bool:
        """Never."""
        return False

    def start(self, problem: CodeProblem) -> SmallChangesRun:
        """Return the search at work on a problem."""
        return SmallChangesRun(self.is_evolution, problem)


class SmallChangesRun:
    """Suggests small changes of good rows: those that the default's search looks at, too."""

    def __init__(self, is_evolution: bool, problem: CodeProblem) -> None:
        self._is_evolution, self._problem = is_evolution, problem

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return a change of the best row or of a winner, or a draw at the beginning."""
        rng = np.random.default_rng([seed, history.n_told, 5])
        if history.n_told < (10 if self._is_evolution else 4):
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        latest = np.arange(history.n_told)[-30:] if self._is_evolution else np.arange(history.n_told)
        entrants = rng.choice(latest, size=min(8, latest.size), replace=False) if self._is_evolution else latest
        parent = history.codes[entrants[history.values[entrants].argmin()]]
        rows = some_moved(parent, 500, rng)
        rows = rows[self._problem.feasible.accepts(rows)]
        rows = rows[~history.is_seen(rows)]
        if not rows.shape[0]:
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_FOUND)
        return RowSuggestion(rows[0], False, Reason.VARIATION)


METHODS: dict[str, Any] = {
    "default": "auto",
    "local search": SmallChanges(False),
    "evolution": SmallChanges(True),
    "random": "random",
}


def ran(task: OrderTask, method: Any, budget: int, seed: int) -> tuple[np.ndarray, float]:
    """Return the lowest cost after each trial, and the median processor seconds of the last asks."""
    optimizer = Optimizer(task.space, task.rules, method=method, seed=seed)
    values: list[float] = []
    asks: list[float] = []
    for _ in range(budget):
        began = time.process_time()
        point = optimizer.ask()
        asks.append(time.process_time() - began)
        values.append(task.cost(point["order"]))
        optimizer.tell(point, values[-1])
    return np.minimum.accumulate(values), float(np.median(asks[-_N_LAST:]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print the table."""
    parser = argparse.ArgumentParser(prog="python -m research orders", description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--checkpoints", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--only", default="", help="tasks whose name holds this text")
    options = parser.parse_args(arguments)
    points = options.checkpoints
    print(f"| task | method | {' | '.join(f'{point} trials' for point in points)} | an ask |")
    print("|---" * (len(points) + 3) + "|")
    for name, make in TASKS.items():
        if options.only not in name:
            continue
        tasks = [make(seed) for seed in range(options.seeds)]
        for method, settings in METHODS.items():
            runs = [ran(task, settings, max(points), seed) for seed, task in enumerate(tasks)]
            gaps = [
                [100 * (best[at - 1] / task.reference - 1) for at in points]
                for (best, _), task in zip(runs, tasks, strict=True)
            ]
            cells = [f"{gap:.1f} %" for gap in np.mean(gaps, axis=0)]
            seconds = f"{np.mean([took for _, took in runs]):.2f} s"
            print(f"| {name} | {method} | {' | '.join(cells)} | {seconds} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
