"""Trials to the optimum: `python -m benchmarks.sample_efficiency [--tasks ...] [--methods ...] [--seeds N]`.

Runs methods on tasks with independent seeds on all cores. Every finished run is a line in the results file
(`benchmarks/results/runs.jsonl`), so that an interrupted benchmark goes on where it stopped. A run ends at the
optimum; one that misses it counts as the budget.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

TASKS = (
    "ackley-65",
    "pressure-vessel",
    "warcraft-2x2",
    "warcraft-2x3",
    "gap-a",
    "gap-b",
    "ising-a",
    "ising-b",
    "nas-tss",
    "nas-sss",
    "tf-bind",
)
GPU_TASKS = ("convolution_milo", "dedispersion_milo")
RESULTS = Path(__file__).parent / "results" / "runs.jsonl"
# Values this close to the optimum have reached it: lookups and sums are rounded.
TOLERANCE = 1e-6


def methods() -> dict[str, Callable[[], Any]]:
    """Return the methods by name."""
    from hedgerow.baselines import Evolution  # noqa: PLC0415 - workers import what they run
    from hedgerow.methods import CATD, Auto, Random  # noqa: PLC0415

    known: dict[str, Callable[[], Any]] = {"auto": Auto, "random": Random, "evolution": Evolution}
    for form in ("cp", "tr", "tt"):
        for rank in range(2, 7):
            known[f"catd-{form}-{rank}"] = lambda form=form, rank=rank: CATD(form, rank)  # type: ignore[misc]
    return known


def run_once(task: str, method: str, seed: int, budget: int) -> dict[str, Any]:
    """Run one method on one task with one seed."""
    import hedgerow as hr  # noqa: PLC0415
    from hedgerow.problems import get_problem  # noqa: PLC0415

    warnings.simplefilter("ignore", hr.RuleWarning)
    problem = get_problem(task)
    assert problem.objective is not None
    # Runs and instances draw from unrelated streams.
    optimizer = hr.Optimizer(problem.space, problem.rules, method=methods()[method](), seed=10_000 + seed)
    target = -np.inf if problem.optimum is None else problem.optimum + TOLERANCE
    best: list[float | None] = []
    asking = 0.0
    n_invalid = 0
    proposed: set[str] = set()
    for _ in range(budget):
        start = time.perf_counter()
        point = optimizer.ask()
        asking += time.perf_counter() - start
        n_invalid += point not in optimizer.feasible
        proposed.add(repr(point))
        optimizer.tell(point, problem.objective(point))
        best.append(None if optimizer.best is None else optimizer.best.value)
        if best[-1] is not None and best[-1] <= target:
            break
    return {
        "task": task,
        "method": method,
        "seed": seed,
        "budget": budget,
        "best": best,
        "reached": best[-1] is not None and best[-1] <= target,
        "seconds_per_ask": asking / len(best),
        "invalid": n_invalid,
        "duplicates": len(best) - len(proposed),
    }


def main() -> None:
    """Run what is missing, then print the table."""
    options = _options()
    # One thread per run: the cores are for seeds.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[name] = "1"
    wanted = [(t, m, s, options.budget) for t in options.tasks for m in options.methods for s in range(options.seeds)]
    done = {_key(row): row for row in _stored(options.results)}
    missing = [job for job in wanted if job not in done]
    options.results.parent.mkdir(parents=True, exist_ok=True)
    console = Console(stderr=True)
    with Progress(console=console) as progress, ProcessPoolExecutor(options.workers) as pool:
        bar = progress.add_task("runs", total=len(wanted), completed=len(wanted) - len(missing))
        futures = [pool.submit(run_once, *job) for job in missing]
        for future in as_completed(futures):
            row = future.result()
            done[_key(row)] = row
            with options.results.open("a") as file:
                file.write(json.dumps(row) + "\n")
            progress.advance(bar)
    _show(Console(), [done[job] for job in wanted], options)


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the means over the runs of one method on one task."""
    budget = rows[0]["budget"]
    return {
        "evaluations": float(np.mean([len(row["best"]) if row["reached"] else budget for row in rows])),
        "misses": sum(not row["reached"] for row in rows),
        "at": {n: _mean_best(rows, n) for n in (25, 50, 100, 200, 500) if n <= budget},
        "milliseconds_per_ask": 1000 * float(np.mean([row["seconds_per_ask"] for row in rows])),
        "invalid": sum(row["invalid"] for row in rows),
        "duplicates": sum(row["duplicates"] for row in rows),
    }


def _mean_best(rows: list[dict[str, Any]], n: int) -> float:
    return float(
        np.mean([np.nan if (value := row["best"][min(n, len(row["best"])) - 1]) is None else value for row in rows])
    )


def _show(console: Console, rows: list[dict[str, Any]], options: argparse.Namespace) -> None:
    if options.json:
        groups = {f"{t} {m}": summary(_of(rows, t, m)) for t in options.tasks for m in options.methods}
        print(json.dumps(groups, indent=2))
        return
    table = Table(title=f"{options.seeds} seeds, budget {options.budget}", header_style="bold")
    for column in (
        "task",
        "method",
        "trials to optimum",
        "misses",
        "best at 25",
        "50",
        "100",
        "200",
        "ms/ask",
        "invalid",
        "repeated",
    ):
        table.add_column(column, justify="left" if column in ("task", "method") else "right")
    for task in options.tasks:
        for method in options.methods:
            s = summary(_of(rows, task, method))
            at = [f"{s['at'][n]:.5g}" if n in s["at"] else "" for n in (25, 50, 100, 200)]
            table.add_row(
                task, method, f"{s['evaluations']:.1f}", str(s["misses"]), *at,
                f"{s['milliseconds_per_ask']:.0f}", str(s["invalid"]), str(s["duplicates"]),
            )  # fmt: skip
    console.print(table)


def _of(rows: list[dict[str, Any]], task: str, method: str) -> list[dict[str, Any]]:
    return [row for row in rows if row["task"] == task and row["method"] == method]


def _key(row: dict[str, Any]) -> tuple[str, str, int, int]:
    return (row["task"], row["method"], row["seed"], row["budget"])


def _stored(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sample_efficiency", description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), help="names of hedgerow.problems")
    parser.add_argument(
        "--methods", nargs="+", default=["auto", "evolution", "random"], help="auto, random, evolution, catd-tt-3 ..."
    )
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--budget", type=int, default=200)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
