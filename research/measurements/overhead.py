"""What `hedgerow run` costs beside asking: processor time of a trial whose objective costs nothing, one worker, SQLite.

`python -m research overhead` runs 800 trials of a function and of a command, once with statements of our own on
Optuna's tables, reading what is new, and once as every other storage is used: by Optuna, reading all trials each time.
For the first and the last quarter of the trials it prints the milliseconds per trial of the run's process, without the
time spent in the method, and puts the table into docs/runs.md.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any
from unittest import mock

import optuna

from hedgerow.methods.suggester import Suggester
from hedgerow.runs import bulk_sql
from hedgerow.runs.loop import RunState, run_study
from hedgerow.runs.problem import load_problem
from research.harness.marks import write_between_marks

PROBLEM = """
[space]
x = { type = "vector", length = 6, of = { type = "integer", low = 0, high = 9 } }
kind = ["a", "b", "c"]
[rules]
total = "sum(x) <= 30"
[objective]
"""
OBJECTIVES = {"a function": 'python = "free_objective:measure"', "a command": 'command = "echo 1.0"'}
FUNCTION = "def measure(point):\n    return float(sum(point['x']))\n"
WAYS = ("own statements", "Optuna's")
PAGE = Path("docs/runs.md")


class _Asking:
    """Adds up what the method itself takes."""

    def __init__(self) -> None:
        self.processor = 0.0

    @contextmanager
    def watched(self) -> Iterator[None]:
        suggest = Suggester.suggest

        def timed(suggester: Suggester, history: Any) -> Any:
            processor = time.process_time()
            row = suggest(suggester, history)
            self.processor += time.process_time() - processor
            return row

        with mock.patch.object(Suggester, "suggest", timed):
            yield


def measure(objective: str, way: str, n_trials: int, method: str = "random", n_parts: int = 4) -> list[float]:
    """Return the milliseconds per trial in each part of a run."""
    asking = _Asking()
    with tempfile.TemporaryDirectory(prefix="hedgerow-overhead-") as name, asking.watched(), _done_by(way):
        (Path(name) / "free_objective.py").write_text(FUNCTION, encoding="utf-8")
        file = Path(name) / "problem.toml"
        file.write_text(PROBLEM + OBJECTIVES[objective] + "\n", encoding="utf-8")
        return [_part(file, n_trials * (part + 1) // n_parts, method, asking) for part in range(n_parts)]


@contextmanager
def _done_by(way: str) -> Iterator[None]:
    knows = bulk_sql.knows
    with mock.patch.object(bulk_sql, "knows", lambda storage: way == WAYS[0] and knows(storage)):
        yield


def _part(file: Path, budget: int, method: str, asking: _Asking) -> float:
    seen: list[tuple[float, int]] = []

    def note(state: RunState) -> None:
        seen.append((time.process_time() - asking.processor, state.status.n_counted_finished))

    run_study(load_problem(file, {"budget": budget, "method": method}), view=note)
    # The start of a run is not a cost of its trials: counted from the second look on.
    (began, n_before), (ended, n_after) = seen[1], seen[-1]
    return 1000 * (ended - began) / max(1, n_after - n_before)


def table(n_trials: int, method: str) -> str:
    """Return what both ways take, as Markdown."""
    lines = [
        f"Milliseconds of processor time per trial, {n_trials} trials, measured {date.today().isoformat()}.",
        "",
        "| objective | the study is written and read by | first quarter | last quarter |",
        "|---|---|---|---|",
    ]
    for objective in OBJECTIVES:
        for way in WAYS:
            first, *_, last = measure(objective, way, n_trials, method)
            lines.append(f"| {objective} | {way} | {first:.1f} | {last:.1f} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m research overhead", description=__doc__)
    parser.add_argument("--trials", type=int, default=800)
    parser.add_argument("--method", default="random")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args(arguments)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    text = table(options.trials, options.method)
    print(text)
    if options.page.exists():
        write_between_marks(options.page, "overhead", text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
