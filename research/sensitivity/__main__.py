"""What the constants of the default are worth: `python -m research sensitivity [--seconds 3600] [--singles GROUP ...]`.

Runs what the table still lacks, on one core, interrupted and resumed at will, and prints the effect of each change.
Groups of constants that act together are changed first; `--singles` changes the members of the named groups alone.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from hedgerow.methods.threads import one_thread
from research.sensitivity.constants import DEFAULT, GROUPS, single_variants, variants
from research.sensitivity.page import page
from research.sensitivity.runs import append, read, run, wanted
from research.sensitivity.summary import effects, table

DOCS = Path(__file__).parents[2] / "docs"
TABLE = DOCS / "results" / "sensitivity.csv"
PAGE = DOCS / "constants.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing within the processor time given, then print the effects."""
    options = _options(arguments)
    if options.page:
        PAGE.write_text(page(effects(read(options.table))), encoding="utf-8")
        return 0
    chosen = [DEFAULT, *single_variants(options.singles)] if options.singles else variants()
    stored = {(row.variant, row.task, row.seed) for row in read(options.table)}
    end = time.process_time() + options.seconds
    with one_thread():
        for variant, kind, seed in wanted(chosen, options.seeds):
            if time.process_time() > end:
                print("The time is up; the same command goes on from here.", file=sys.stderr)
                break
            if (variant.name, kind.name, seed) not in stored:
                append(options.table, run(variant, kind, seed))
    print(table(effects(read(options.table))))
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m research sensitivity", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0, help="processor time to spend (default 3600)")
    parser.add_argument("--seeds", type=int, default=8, help="problems of each kind (default 8)")
    parser.add_argument("--table", type=Path, default=TABLE, help="the CSV file of finished runs")
    parser.add_argument(
        "--singles", nargs="+", default=[], choices=[group.name for group in GROUPS], metavar="GROUP", help="groups"
    )
    parser.add_argument("--page", action="store_true", help="write docs/constants.md from the rows that are there")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
