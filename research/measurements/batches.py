"""What batches cost: trials and rounds to the optimum with 1, 4, 16 and 64 trials out at once, and a large ask.

`python -m research batches` runs the default on small tuning tasks. In rounds, all points are asked for and told
together; with workers, a drawn one of those out is told first and another asked for at once. Paired seeds; the loss is
the geometric mean ratio of trials to those of one at a time, with a 95 % interval. Rows are added to a table, and a run
that is in it is not made again; what they show is put into docs/strength.md. With `--asks`, asks for several points are
timed on tuning tasks and put there too.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.errors import SpaceExhausted
from hedgerow.optimizer import Optimizer
from hedgerow.space.encoding import decode
from research.harness.marks import write_between_marks
from research.harness.run import TOLERANCE, start_point
from research.harness.tasks import Task, load_task, problem_name

TASKS = ("gap-b", "ising-a", "warcraft-2x2", "pressure-vessel", "nas-tss")
TABLE = Path("docs/results/batches.csv")
PAGE = Path("docs/strength.md")
_WAYS = ((1, "in rounds"), *product((4, 16, 64), ("in rounds", "one by one")))
_BUDGET = 320
_TIMED = ("convolution_milo", "hipacc", "motif-8", "tiles", "scattered-60", "chain-24", "contamination", "max-sat-28")
_SIZES = (4, 16, 64)
_N_TOLD = 100


@dataclass(frozen=True)
class BatchRun:
    """One run to the optimum: its trials are one more than the budget where it was not found."""

    task: str
    seed: int
    width: int
    told: str
    trials: int
    date: str

    @property
    def pair(self) -> tuple[str, int]:
        """What runs are compared by."""
        return self.task, self.seed


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the runs that are missing, print the tables and put them into the page."""
    parser = argparse.ArgumentParser(prog="python -m research batches", description=__doc__)
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--asks", nargs="*", metavar="TASK", help="time asks for several points instead")
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    if options.asks is None:
        text = table(_made(options.tasks, options.seeds, options.table))
        name = "batches"
    else:
        text = asks_table(options.asks or _TIMED)
        name = "asks"
    print(text)
    if options.page.exists():
        write_between_marks(options.page, name, text)
    return 0


def _made(tasks: Sequence[str], n_seeds: int, path: Path) -> list[BatchRun]:
    rows = _read(path)
    done = {(row.pair, row.width, row.told) for row in rows}
    # Seed by seed, so that all ways of telling have the same runs whenever it is interrupted.
    for seed, task, (width, told) in product(range(n_seeds), tasks, _WAYS):
        if ((task, seed), width, told) in done:
            continue
        n = trials(load_task(problem_name(task, seed)), seed, width, told == "in rounds")
        rows.append(BatchRun(task, seed, width, told, n, date.today().isoformat()))
        _write(path, rows)
        print(*asdict(rows[-1]).values(), file=sys.stderr, flush=True)
    return rows


def table(rows: Sequence[BatchRun]) -> str:
    """Return what the rows show, by how many trials were out at once."""
    complete = _complete(rows)
    tasks, dates = sorted({task for task, _ in complete}), sorted({row.date for row in rows})
    lines = [
        f"{len(complete)} pairs of a task and a seed ({', '.join(tasks)}), at most {_BUDGET} trials, "
        f"measured {' to '.join(dict.fromkeys((dates[0], dates[-1])))}.",
        "",
        "| trials out at once | told | trials, geometric mean | loss, ratio to one at a time | rounds | missed |",
        "|---|---|---|---|---|---|",
    ]
    alone = _trials(rows, complete, 1, "in rounds")
    for width, told in _WAYS:
        found = _trials(rows, complete, width, told)
        missed = f"{int((found > _BUDGET).sum())} of {found.size}"
        rounds = f"{_mean(np.ceil((found - 1) / width) + 1):.1f}" if told == "in rounds" else ""
        if width == 1:
            lines.append(f"| 1 | | {_mean(found):.1f} | | {_mean(found):.1f} | {missed} |")
        else:
            lines.append(f"| {width} | {told} | {_mean(found):.1f} | {_ratio(found / alone)} | {rounds} | {missed} |")
    return "\n".join(lines)


def _complete(rows: Iterable[BatchRun]) -> list[tuple[str, int]]:
    """Return the pairs that were run in all ways."""
    ways: dict[tuple[str, int], set[tuple[int, str]]] = {}
    for row in rows:
        ways.setdefault(row.pair, set()).add((row.width, row.told))
    return sorted(pair for pair, done in ways.items() if done.issuperset(_WAYS))


def _trials(rows: Iterable[BatchRun], pairs: Sequence[tuple[str, int]], width: int, told: str) -> np.ndarray:
    found = {row.pair: row.trials for row in rows if (row.width, row.told) == (width, told)}
    return np.array([found[pair] for pair in pairs])


def _ratio(ratios: np.ndarray) -> str:
    """Return a geometric mean with its interval of 95 %."""
    logs = np.log(ratios)
    error = 1.96 * logs.std(ddof=1) / math.sqrt(logs.size) if logs.size > 1 else math.inf
    low, middle, high = (math.exp(logs.mean() + side * error) if side else math.exp(logs.mean()) for side in (-1, 0, 1))
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


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


def asks_table(tasks: Sequence[str]) -> str:
    """Return the processor time of asks for several points, by task."""
    lines = [
        f"Seconds of processor time after {_N_TOLD} observations, measured {date.today().isoformat()}.",
        "",
        f"| task | {' | '.join(f'`ask({n})`' for n in _SIZES)} |",
        "|---" * (len(_SIZES) + 1) + "|",
    ]
    seconds_of(tasks[0], 4)  # loads and compiles
    for task in tasks:
        lines.append(f"| {task} | {' | '.join(f'{seconds_of(task, n):.2f}' for n in _SIZES)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def seconds_of(task: str, n_points: int) -> float:
    """Return the processor time of asking for some points after random observations."""
    problem = load_task(problem_name(task, 0)).problem
    assert problem.objective is not None
    optimizer = Optimizer(problem.space, problem.rules, seed=0)
    for point in optimizer.feasible.sample(_N_TOLD, seed=0):
        optimizer.tell(point, problem.objective(point))
    optimizer.ask()
    begin = time.process_time()
    optimizer.ask(n_points)
    return time.process_time() - begin


def _read(path: Path) -> list[BatchRun]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        numbers = {"seed", "width", "trials"}
        read: list[dict[str, Any]] = [
            {name: int(text) if name in numbers else text for name, text in row.items()} for row in csv.DictReader(file)
        ]
    return [BatchRun(**row) for row in read]


def _write(path: Path, rows: Sequence[BatchRun]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(BatchRun)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


if __name__ == "__main__":
    sys.exit(main())
