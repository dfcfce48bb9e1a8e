"""The tables of docs/paper.md, made from the stored rows: `python -m research paper`.

What stands between `<!-- rows: NAME -->` and `<!-- end of rows -->` on the page is replaced by the table of that name;
everything else on it is written by hand.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from hedgerow.errors import HedgerowError
from hedgerow.wording import ending
from research.harness.against_paper import agreement_table
from research.harness.choice import choice_table
from research.harness.page import PageTable, table_text
from research.harness.report import in_order
from research.harness.rivals_table import rivals_table
from research.harness.row import Row
from research.harness.spec import load_spec
from research.harness.starts import starts_table
from research.harness.store import read_table
from research.harness.summary import CellSummary, summarize
from research.harness.variants import variant_table

_PAGE, _RESULTS = Path("docs/paper.md"), Path("docs/results")
_BLOCK = re.compile(r"(<!-- rows: ([a-z-]+) -->\n).*?(<!-- end of rows -->)", re.DOTALL)


def _variants(summaries: Sequence[CellSummary]) -> PageTable:
    return variant_table("constraint-aware", summaries)


def _agreement(summaries: Sequence[CellSummary]) -> PageTable:
    # How many infeasible points a step takes is for the experiment's own page.
    return agreement_table("best-ranks", [each for each in summaries if each.cell.get("batch_size") is None])


def _starts(summaries: Sequence[CellSummary]) -> PageTable:
    return starts_table(summaries, formats=["tt"])


# The experiments whose rows make a table, and what makes it.
TABLES: Mapping[str, tuple[tuple[str, ...], Callable[[Sequence[CellSummary]], PageTable]]] = {
    "variants": (("constraint-aware",), _variants),
    "best-ranks": (("best-ranks",), _agreement),
    "starts": (("start-and-penalty",), _starts),
    "rivals": (("best-ranks", "exp2", "exp3"), rivals_table),
    "choice": (("exp2", "exp3"), choice_table),
}


def table_of(name: str, results: Path) -> str:
    """Return a table of the page as Markdown."""
    if name not in TABLES:
        raise HedgerowError(f"There is no table '{name}' for the page{ending(name, list(TABLES))}")
    experiments, make = TABLES[name]
    rows: list[Row] = []
    for experiment in experiments:
        rows += in_order(load_spec(experiment), read_table(results / f"{experiment}.csv.gz"))
    return table_text(make(summarize(rows)))


def filled(text: str, results: Path) -> str:
    """Return the page with its tables made anew."""
    return _BLOCK.sub(lambda found: f"{found[1]}\n{table_of(found[2], results)}\n\n{found[3]}", text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m research paper", description=__doc__)
    parser.add_argument("--page", type=Path, default=_PAGE)
    parser.add_argument("--results", type=Path, default=_RESULTS)
    options = parser.parse_args(arguments)
    options.page.write_text(filled(options.page.read_text(encoding="utf-8"), options.results), encoding="utf-8")
    print(options.page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
