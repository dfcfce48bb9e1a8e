"""What earlier trials of a related problem are worth: replays of measured kernels and databases, with and without them.

`python -m research transfer` needs the measured data (`HEDGEROW_DATA`). The earlier study is a run of the default on
the related problem with a seed of its own. It is given as it was (`led`), with its values shuffled among its points
(`shuffled`), and turned around, so that the best look worst (`turned`); `cold` has none. Rows are added to the table,
and a run that is in it is not made again. Trials are counted until the first within 1 % of the optimum.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields
from functools import cache, partial
from pathlib import Path

import numpy as np

from hedgerow.feasible import FeasibleSet
from hedgerow.methods import Auto, CodeProblem, EarlierTrials, History
from hedgerow.methods.suggester import Suggester
from hedgerow.space.encoding import decode
from research.problems.feature_models import feature_model
from research.problems.gpu_kernels import gpu_kernel
from research.problems.problem import BenchmarkProblem

TABLE = Path("docs/results/transfer.csv")
KINDS = ("cold", "led", "shuffled", "turned")
# Earlier studies have seeds far from those of the runs that they lead.
_EARLIER_SEEDS = 1000
_CLOSE = 1.01


@dataclass(frozen=True)
class TransferCase:
    """A problem, the related one, how many trials that one had, and how many this one may have."""

    here: Callable[[], BenchmarkProblem]
    there: Callable[[], BenchmarkProblem]
    n_earlier: int
    budget: int


def _release(number: str) -> Callable[[], BenchmarkProblem]:
    return partial(feature_model, "hsqldb", release=number)


def _device(name: str) -> Callable[[], BenchmarkProblem]:
    return partial(gpu_kernel, "convolution_milo", device=name)


CASES = {
    "hsqldb 2.3.4 to 2.2.0": TransferCase(_release("2.2.0"), _release("2.3.4"), 100, 100),
    "hsqldb 2.1.0 to 2.4.1": TransferCase(_release("2.4.1"), _release("2.1.0"), 100, 100),
    "convolution A100 to A6000": TransferCase(_device("A6000"), _device("A100"), 200, 150),
}


@dataclass(frozen=True)
class TransferRow:
    """One run: the trials it took, -1 where it did not come close within its budget."""

    case: str
    kind: str
    seed: int
    trials: int
    seconds_per_ask: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the runs that are missing, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m research transfer", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first-seed", type=int, default=10)
    parser.add_argument("--table", type=Path, default=TABLE)
    parser.add_argument("--show", action="store_true", help="print the table of what is there, and run nothing")
    options = parser.parse_args(arguments)
    rows = _read(options.table)
    for name, case in CASES.items():
        for seed in range(options.first_seed, options.first_seed + options.seeds):
            for kind in KINDS:
                if not options.show and not any((r.case, r.kind, r.seed) == (name, kind, seed) for r in rows):
                    rows.append(_measured(name, case, kind, seed))
                    _write(options.table, rows)
                    print(rows[-1], file=sys.stderr, flush=True)
    print(table(rows))
    return 0


def table(rows: Sequence[TransferRow]) -> str:
    """Return the mean trials of each case and kind, misses counted as the budget, with the runs that missed."""
    lines = ["| case | runs | " + " | ".join(KINDS) + " |", "|---" * (len(KINDS) + 2) + "|"]
    for name, case in CASES.items():
        cells = []
        for kind in KINDS:
            own = [row.trials for row in rows if (row.case, row.kind) == (name, kind)]
            counted = [n if n > 0 else case.budget for n in own]
            missed = sum(n < 0 for n in own)
            spread = np.std(counted, ddof=1) / np.sqrt(len(counted)) if len(counted) > 1 else np.nan
            cells.append(
                f"{np.mean(counted):.1f} +- {spread:.1f}" + (f" ({missed} missed)" if missed else "") if own else ""
            )
        n_runs = len({row.seed for row in rows if row.case == name})
        lines.append(f"| {name} | {n_runs} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _measured(name: str, case: TransferCase, kind: str, seed: int) -> TransferRow:
    earlier: list[EarlierTrials] = []
    if kind != "cold":
        codes, values = _earlier(name, seed)
        if kind == "shuffled":
            values = np.random.default_rng(seed).permutation(values)
        elif kind == "turned":
            values = values.max() + values.min() - values
        earlier = [EarlierTrials(codes, values)]
    start = time.perf_counter()
    _, values, close = _run(case.here(), seed, case.budget, earlier, stop_when_close=True)
    seconds = (time.perf_counter() - start) / values.size
    return TransferRow(name, kind, seed, close, round(seconds, 4))


@cache
def _earlier(name: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    case = CASES[name]
    codes, values, _ = _run(case.there(), seed + _EARLIER_SEEDS, case.n_earlier, [], stop_when_close=False)
    worked = np.isfinite(values)
    return codes[worked], values[worked]


def _run(
    task: BenchmarkProblem, seed: int, budget: int, earlier: Sequence[EarlierTrials], stop_when_close: bool
) -> tuple[np.ndarray, np.ndarray, int]:
    """Return the rows, their values, and the number of the first trial that came close, or -1."""
    assert task.objective is not None
    assert task.optimum is not None
    suggester = Suggester(CodeProblem(FeasibleSet(task.space, task.rules), earlier=earlier), Auto(), seed)
    history = History.empty(len(task.space.slots))
    close = -1
    for number in range(1, budget + 1):
        row = suggester.suggest(history).codes
        value = task.objective(decode(task.space, row))
        history = History(
            np.concatenate([history.codes, row[None, :]]),
            np.append(history.values, np.nan if value is None else value),
            history.pending,
        )
        if close < 0 and value is not None and value <= _CLOSE * task.optimum:
            close = number
        if close > 0 and stop_when_close:
            break
    return history.codes, history.values, close


def _read(path: Path) -> list[TransferRow]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [
            TransferRow(r["case"], r["kind"], int(r["seed"]), int(r["trials"]), float(r["seconds_per_ask"]))
            for r in csv.DictReader(file)
        ]


def _write(path: Path, rows: Sequence[TransferRow]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([item.name for item in fields(TransferRow)])
        writer.writerows(astuple(row) for row in rows)


if __name__ == "__main__":
    sys.exit(main())
