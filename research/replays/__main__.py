"""The tables of the replays: `python -m research replays [--publish]`, after `python -m research run replays`.

The default method, random draws and rivals on measured data (see `research.problems`), where an evaluation is a lookup.
Tables are printed from stored runs; `--publish` puts all runs into `docs/results/replays.csv.gz`, the tables into the
pages that show them, and draws the picture of `docs/replays.md`.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from research.harness.cell import Cell
from research.harness.execute import default_store
from research.harness.row import Row
from research.harness.spec import Experiment, load_spec
from research.harness.store import write_table
from research.harness.tasks import load_task
from research.replays.contestants import KERNEL_TUNER, replay_label
from research.replays.show import draw, put_into_pages, tables
from research.replays.summary import ReplaySummary, summarize

DOCS = Path(__file__).parents[2] / "docs"
# The rows of each task and method, by the names they are shown with.
Groups = dict[tuple[str, str], list[Row]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is stored, and publish it if told to."""
    options = _options(arguments)
    experiment = load_spec("replays")
    store = default_store(experiment.name, options.results)
    stored = store.read()
    groups = _groups(experiment, stored.values())
    summaries = _summaries(groups)
    print(tables(summaries))
    if options.publish:
        write_table(store.table, stored.values())
        put_into_pages(DOCS, summaries)
        _draw(groups, summaries)
    return 0


def _groups(experiment: Experiment, rows: Iterable[Row]) -> Groups:
    wanted = {work.job for work in experiment.works()}
    kept = sorted((row for row in rows if row.job in wanted), key=lambda row: row.seed)
    groups = {
        (task, replay_label(cell)): [row for row in kept if (row.task, row.cell) == (task, cell.name)]
        for task in experiment.tasks
        for cell in experiment.cells
    }
    return {key: runs for key, runs in groups.items() if runs}


def _summaries(groups: Groups) -> list[ReplaySummary]:
    reference = replay_label(Cell("auto"))
    return [
        summarize(label, rows, _optimum(task), groups.get((task, reference), rows))
        for (task, label), rows in groups.items()
    ]


def _draw(groups: Groups, summaries: Sequence[ReplaySummary]) -> None:
    """Draw all methods but, of Kernel Tuner's strategies, the one that was soonest near the optimum."""
    soonest: dict[str, ReplaySummary] = {}
    for one in summaries:
        if one.label.startswith(KERNEL_TUNER) and one.to_near < getattr(soonest.get(one.task), "to_near", math.inf):
            soonest[one.task] = one
    lines: dict[str, dict[str, list[Row]]] = {}
    for (task, label), rows in groups.items():
        if not label.startswith(KERNEL_TUNER) or label == soonest[task].label:
            lines.setdefault(task, {})[label] = rows
    draw(DOCS / "images" / "replays.png", lines, {task: _optimum(task) for task in lines})


def _optimum(task: str) -> float:
    optimum = load_task(task).problem.optimum
    assert optimum is not None
    return optimum


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m research replays", description=__doc__)
    parser.add_argument("--publish", action="store_true", help="write the table of runs, the pages and the picture")
    parser.add_argument("--results", type=Path, default=DOCS / "results", help="where runs are kept")
    parser.add_argument("--data-dir", help="the folder of measured data (default: the variable HEDGEROW_DATA)")
    options = parser.parse_args(arguments)
    if options.data_dir:
        os.environ["HEDGEROW_DATA"] = options.data_dir
    return options


if __name__ == "__main__":
    sys.exit(main())
