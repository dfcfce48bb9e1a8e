"""Several outcomes, limits, noise and failures: `python -m research outcomes [--parts ...] [--seeds 10] [--page]`.

Runs what the table still lacks, one run after the other, interrupted and resumed at will; with `--redo-changed` also
what other code made. `--page` writes the page from the rows that are there.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hedgerow.errors import HedgerowError
from hedgerow.methods.threads import one_thread
from research.outcomes.page import put_into_page
from research.outcomes.runs import jobs, run
from research.outcomes.table import append, made_by, read

PARTS = ("pareto", "limits", "noise", "failures", "rules", "stopping")
DOCS = Path(__file__).parents[2] / "docs"
TABLE = DOCS / "results" / "outcomes.csv"
PAGE = DOCS / "outcomes-measured.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing within the processor time given."""
    options = _options(arguments)
    if options.page:
        put_into_page(PAGE, read(options.table))
        return 0
    stored = {
        (row.part, row.task, row.method, row.seed)
        for row in read(options.table)
        if not options.redo_changed or row.version == made_by(row.method)
    }
    end = time.process_time() + options.seconds
    unable: set[str] = set()
    with one_thread():
        for job in jobs(options.parts, options.methods, range(options.first_seed, options.first_seed + options.seeds)):
            if (job.part, job.task, job.method, job.seed) in stored or job.method in unable:
                continue
            if options.tasks and job.task not in options.tasks:
                continue
            if time.process_time() > end:
                print("The time is up; the same command goes on from here.", file=sys.stderr)
                break
            try:
                rows = run(job)
            except HedgerowError as error:
                if "Install the extra" not in str(error):
                    raise
                unable.add(job.method)
                print(f"{job.method} is left out: {error}", file=sys.stderr)
                continue
            append(options.table, [replace(row, version=made_by(job.method)) for row in rows])
            said = ", ".join(f"{row.after}: {row.value:.4g} ({row.count})" for row in rows)
            print(
                f"{job.part}, {job.task}, {job.method}, seed {job.seed}: {said}; {rows[-1].milliseconds} ms", flush=True
            )
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m research outcomes", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--tasks", nargs="+", default=[], help="these alone, by name")
    parser.add_argument("--methods", nargs="+", default=[], help="these alone, by name")
    parser.add_argument("--seeds", type=int, default=10, help="runs of each (default 10)")
    parser.add_argument("--first-seed", type=int, default=0, help="where seeds begin (default 0)")
    parser.add_argument("--seconds", type=float, default=3600.0, help="processor time to spend (default 3600)")
    parser.add_argument("--redo-changed", action="store_true", help="run again what other code made")
    parser.add_argument("--table", type=Path, default=TABLE, help="the CSV file of finished runs")
    parser.add_argument("--page", action="store_true", help="put the tables into docs/outcomes-measured.md")
    parser.add_argument("--data-dir", help="the folder of measured data (default: the variable HEDGEROW_DATA)")
    options = parser.parse_args(arguments)
    if options.data_dir:
        os.environ["HEDGEROW_DATA"] = options.data_dir
    return options


if __name__ == "__main__":
    sys.exit(main())
