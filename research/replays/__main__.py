"""Replays: `python -m research replays [--tasks ...] [--seeds N] [--budget N] [--workers N]`.

The default method, random draws and rivals on measured data: two GPU kernels and two feature models (see
`research.problems`), where an evaluation is a lookup. A run goes on to its budget. Every finished run is kept at once,
so that an interrupted benchmark goes on where it stopped; `--publish` puts all runs into `docs/results/replays.csv.gz`,
the tables into the pages that show them, and draws the picture of `docs/replays.md`. Runs that other code made are kept
unless `--redo-changed` is given.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from research.harness.cell import Cell
from research.harness.execute import default_store
from research.harness.pool import run_all
from research.harness.row import Row
from research.harness.store import write_table
from research.harness.tasks import load_task
from research.replays.contestants import KERNEL_TUNER, TASKS, Contestant, contestants, jobs
from research.replays.run import has_changed, replay
from research.replays.show import draw, put_into_pages, tables
from research.replays.summary import Summary, summarize

DOCS = Path(__file__).parents[2] / "docs"
Groups = dict[tuple[str, Contestant], list[Row]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, then print, and publish if told to."""
    options = _options(arguments)
    store = default_store("replays", DOCS / "results")
    wanted = [job for job in jobs(options.budget, options.seeds) if job.task in options.tasks]
    if options.only:
        wanted = [job for job in wanted if Cell.parse(job.cell).kind in options.only]
    done = store.read()
    missing = [job for job in wanted if job not in done or (options.redo_changed and has_changed(done[job]))]
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True)) as progress:
        bar = progress.add_task("runs", total=len(wanted), completed=len(wanted) - len(missing))

        def keep(row: Row) -> None:
            store.append(row)
            done[row.job] = row
            progress.update(bar, advance=1, description=f"{row.task} {row.cell}")

        troubles = run_all(missing, options.workers, keep, replay, str) if missing and not options.stored else []
    groups = _groups([done[job] for job in wanted if job in done], options.budget)
    summaries = _summaries(groups)
    print(tables(summaries))
    if options.publish:
        write_table(store.table, done.values())
        put_into_pages(DOCS, summaries)
        _draw(groups, summaries)
    for trouble in troubles:
        print(trouble, file=sys.stderr)
    return 1 if troubles else 0


def _groups(rows: Sequence[Row], budget: int) -> Groups:
    groups: Groups = {}
    for task in TASKS:
        for contestant in contestants(budget):
            if runs := [row for row in rows if (row.task, row.cell) == (task, contestant.cell)]:
                groups[task, contestant] = runs
    return groups


def _summaries(groups: Groups) -> list[Summary]:
    references = {task: rows for (task, contestant), rows in groups.items() if contestant.cell == "auto"}
    return [
        summarize(contestant.label, rows, _optimum(task), references.get(task, rows))
        for (task, contestant), rows in groups.items()
    ]


def _draw(groups: Groups, summaries: Sequence[Summary]) -> None:
    """Draw all methods but, of Kernel Tuner's strategies, the one that was soonest near the optimum."""
    soonest = {}
    for task in TASKS:
        own = [one for one in summaries if one.task == task and one.label.startswith("Kernel Tuner")]
        soonest[task] = min(own, key=lambda one: one.to_near).label if own else ""
    lines = {
        task: {
            contestant.label: rows
            for (of_task, contestant), rows in groups.items()
            if of_task == task and (not contestant.cell.startswith(KERNEL_TUNER) or contestant.label == soonest[task])
        }
        for task in dict.fromkeys(task for task, _ in groups)
    }
    draw(DOCS / "images" / "replays.png", lines, {task: _optimum(task) for task in lines})


def _optimum(task: str) -> float:
    optimum = load_task(task).problem.optimum
    assert optimum is not None
    return optimum


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m research replays", description=__doc__)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--only", nargs="+", metavar="KIND", help="auto, smac, tpe, random, anywhere, kernel-tuner")
    parser.add_argument("--seeds", type=int, default=10, help="how many")
    parser.add_argument("--budget", type=int, default=200)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--redo-changed", action="store_true", help="run again what other code made")
    parser.add_argument("--stored", action="store_true", help="run nothing; show what is stored")
    parser.add_argument("--publish", action="store_true", help="write the table of runs, the pages and the picture")
    parser.add_argument("--data-dir", help="the folder of measured data (default: the variable HEDGEROW_DATA)")
    options = parser.parse_args(arguments)
    if min(options.seeds, options.budget, options.workers) < 1:
        parser.error("--seeds, --budget and --workers take at least 1")
    if options.data_dir:
        # Workers inherit it.
        os.environ["HEDGEROW_DATA"] = options.data_dir
    return options


if __name__ == "__main__":
    sys.exit(main())
