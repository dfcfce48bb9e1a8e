"""Seconds per ask: `python -m research ask-times [--method auto] [--tasks ...] [--observations 100 500]`.

Tells a method the values of that many different random feasible points, then times asks, each followed by a tell.
The first ask of a new optimizer, which has nothing to start from, is reported apart from the median of the others;
processor time is what counts on a machine that does other work too.
The times are saved as JSON (`research/results/ask_times.json`).
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import hedgerow as hr
from hedgerow.methods import Method
from hedgerow.methods.registry import METHODS
from research.harness.cell import Cell
from research.harness.contestants import make_method
from research.harness.tasks import problem_name
from research.problems import get_problem

RESULTS = Path(__file__).parents[1] / "results" / "ask_times.json"
N_ASKS = 8
TASKS = ("ackley-65", "pressure-vessel", "gap-a", "ising-b", "convolution_milo", "nas-sss", "tf-bind", "formulation")


@dataclass(frozen=True)
class AskTime:
    """Milliseconds per ask after so many observations."""

    task: str
    method: str
    n_feasible: int
    n_observations: int
    first: float
    median: float
    slowest: float
    median_processor: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Time all tasks, print a table and save it."""
    options = _options(arguments)
    warnings.simplefilter("ignore", hr.RuleWarning)
    times: list[AskTime] = []
    skipped: list[str] = []
    ask_times("ackley-65", options.method, 20, 3)  # loads and compiles
    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("timing", total=len(options.tasks) * len(options.observations))
        for task, n in product(options.tasks, options.observations):
            progress.update(bar, description=f"{task} after {n}")
            try:
                times.append(ask_times(task, options.method, n, options.asks))
            except hr.HedgerowError as error:
                skipped.append(f"{task} after {n} is skipped: {error}")
            progress.advance(bar)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps([asdict(timed) for timed in times], indent=2) + "\n", encoding="utf-8")
    _show(Console(), times)
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"The process held {mib:.0f} MiB at most, the laboratory and all these tasks included.")
    for line in skipped:
        print(line)
    return 0


def ask_times(task: str, method: str, n_observations: int, n_asks: int) -> AskTime:
    """Return the times of asks after random observations."""
    problem = get_problem(problem_name(task, 0))
    optimizer = hr.Optimizer(problem.space, problem.rules, method=_method(method), seed=0)
    count = optimizer.feasible.count
    if problem.objective is None:
        raise hr.HedgerowError("it has no objective.")
    if count < n_observations + n_asks:
        raise hr.HedgerowError(f"it has {count:,} feasible points.")
    for index in np.random.default_rng(0).choice(count, n_observations, replace=False):
        point = optimizer.feasible[int(index)]
        optimizer.tell(point, problem.objective(point))
    elapsed: list[float] = []
    processor: list[float] = []
    for _ in range(n_asks):
        start, start_processor = time.perf_counter(), time.process_time()
        point = optimizer.ask()
        elapsed.append(1000 * (time.perf_counter() - start))
        processor.append(1000 * (time.process_time() - start_processor))
        optimizer.tell(point, problem.objective(point))
    first, *others = elapsed
    return AskTime(
        task=task,
        method=method,
        n_feasible=count,
        n_observations=n_observations,
        first=first,
        median=statistics.median(others),
        slowest=max(others),
        median_processor=statistics.median(processor[1:]),
    )


def _method(name: str) -> str | Method:
    """Return a method of the house by its short name, or one that experiments name, as `catd;format=cp;rank=2`."""
    return name if name in METHODS else make_method(Cell.parse(name), 0.0)


def _show(console: Console, times: list[AskTime]) -> None:
    table = Table(title="Milliseconds per ask", title_justify="left", header_style="bold")
    table.add_column("task", no_wrap=True)
    for column in ("feasible", "observations", "first", "median", "slowest", "median, processor"):
        table.add_column(column, justify="right")
    for timed in times:
        table.add_row(
            timed.task,
            f"{timed.n_feasible:,}",
            str(timed.n_observations),
            *(f"{ms:.0f}" for ms in (timed.first, timed.median, timed.slowest, timed.median_processor)),
        )
    console.print(table)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m research ask-times", description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS))
    parser.add_argument("--method", default="auto", help="auto, catd, random, or a cell such as evolution")
    parser.add_argument("--observations", nargs="+", type=int, default=[100, 500])
    parser.add_argument("--asks", type=int, default=N_ASKS, help="at least 2")
    parser.add_argument("--output", type=Path, default=RESULTS)
    parser.add_argument("--data-dir", help="the folder of measured data (default: the variable HEDGEROW_DATA)")
    options = parser.parse_args(arguments)
    if options.data_dir:
        os.environ["HEDGEROW_DATA"] = options.data_dir
    if options.asks < 2 or min(options.observations) < 1:
        parser.error("--asks takes at least 2, --observations at least 1")
    return options


if __name__ == "__main__":
    sys.exit(main())
