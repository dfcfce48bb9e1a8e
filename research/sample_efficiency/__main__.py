"""Trials to the optimum: `python -m research.sample_efficiency [--tasks ...] [--methods ...] [--seeds N]`.

Runs methods on tasks with independent seeds on all cores. Every finished run is a line in the results file
(`research/results/runs.jsonl`), so that an interrupted benchmark goes on where it stopped; runs that other code
made are done again. A run ends at the optimum; one that misses it counts as the budget. The means are saved beside
the runs, as `.summary.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hedgerow.errors import HedgerowError
from research.harness.pool import run_all
from research.sample_efficiency.contestants import DEFAULT, contestant, missing_libraries
from research.sample_efficiency.plot import plot_curves
from research.sample_efficiency.runs import Job, Run, append_run, described, read_runs, reusable, run_once
from research.sample_efficiency.show import show
from research.sample_efficiency.summary import Summary, summarize
from research.sample_efficiency.tasks import TASKS, Reference, reference

RESULTS = Path(__file__).parent.parent / "results" / "runs.jsonl"


def main() -> None:
    """Run what is missing, then print, save and draw what there is."""
    options = _options()
    console = Console(stderr=True)
    try:
        for method in options.methods:
            contestant(method)
    except HedgerowError as error:
        sys.exit(str(error))
    references, troubles = _references(options.tasks)
    wanted = [
        Job(task, method, seed, options.budget)
        for task in references
        for method in options.methods
        for seed in range(options.first_seed, options.first_seed + options.seeds)
    ]
    done = reusable(read_runs(options.results), any_version=options.any_version)
    troubles += _run_missing(console, wanted, done, options)
    groups = _groups([done[job] for job in wanted if job in done])
    summaries = [summarize(runs, references[task]) for (task, _), runs in groups.items()]
    _save(options.results.with_suffix(".summary.json"), summaries)
    if options.json:
        print(json.dumps([summary.to_dict() for summary in summaries], indent=2))
    elif summaries:
        # A file or a pipe has no width of its own; the tables need this much.
        show(Console() if sys.stdout.isatty() else Console(width=160), summaries)
    for task in references if options.plot else []:
        by_method = {method: runs for (of_task, method), runs in groups.items() if of_task == task}
        if by_method:
            console.print(f"Drawn: {plot_curves(options.plot, references[task], by_method)}")
    for trouble in troubles:
        console.print(trouble, style="red", markup=False)
    sys.exit(1 if troubles else 0)


def _references(tasks: Sequence[str]) -> tuple[dict[str, Reference], list[str]]:
    """What is known about each task, and why some cannot be run here."""
    known: dict[str, Reference] = {}
    troubles: list[str] = []
    for task in tasks:
        try:
            known[task] = reference(task)
        except HedgerowError as error:
            troubles.append(f"{task} is skipped: {error}")
    return known, troubles


def _run_missing(console: Console, wanted: list[Job], done: dict[Job, Run], options: argparse.Namespace) -> list[str]:
    """Run what is not done yet, into `done` and the results file; return what went wrong."""
    for method in options.methods:
        if absent := missing_libraries(method):
            console.print(
                f"{method} is skipped, except for stored runs: {', '.join(absent)} not installed "
                "(pip install 'hedgerow[peers]').",
                markup=False,
            )
    runnable = [job for job in wanted if not missing_libraries(job.method)]
    missing = [job for job in runnable if job not in done]
    if not missing:
        return []
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        bar = progress.add_task("runs", total=len(runnable), completed=len(runnable) - len(missing))

        def keep(run: Run) -> None:
            done[run.job] = run
            append_run(options.results, run)
            progress.update(bar, advance=1, description=f"{run.task} {run.method}")

        return run_all(missing, options.workers, keep, run_once, described)


def _groups(runs: Sequence[Run]) -> dict[tuple[str, str], list[Run]]:
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.task, run.method), []).append(run)
    return groups


def _save(path: Path, summaries: Sequence[Summary]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([summary.to_dict() for summary in summaries], indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m research.sample_efficiency", description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), help="names of research.problems, or diabetes")
    parser.add_argument(
        "--methods", nargs="+", default=list(DEFAULT), help="auto, botorch, evolution, random, catd-tt-3 ..."
    )
    parser.add_argument("--seeds", type=int, default=10, help="how many")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--budget", type=int, default=200)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file of finished runs")
    parser.add_argument("--any-version", action="store_true", help="reuse stored runs that other code made")
    parser.add_argument("--plot", type=Path, metavar="DIR", help="draw best-so-far curves, one PNG per task")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--data-dir", help="the folder of measured data (default: the variable HEDGEROW_DATA)")
    options = parser.parse_args()
    if min(options.seeds, options.budget, options.workers) < 1 or options.first_seed < 0:
        parser.error("--seeds, --budget and --workers take at least 1, --first-seed at least 0")
    if options.plot and find_spec("matplotlib") is None:
        parser.error("--plot needs Matplotlib: pip install 'hedgerow[plots]'")
    if options.data_dir:
        # Workers inherit it.
        os.environ["HEDGEROW_DATA"] = options.data_dir
    return options


if __name__ == "__main__":
    main()
