"""Design problems with reals: `python -m research mixed [--seconds 3600] [--seeds 10] [--optima] [--cost]
[--guarantee N] [--conditional N] [--catd] [--page]`.

Runs what the table still lacks, on one core, interrupted and resumed at will, and prints trials to within 1 % and 0.1 %
of the best known design. `--optima` proves the optima with a solver that bounds them, `--cost` times an ask,
`--catd` runs the paper's surrogates on the pressure vessel.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hedgerow.methods.threads import one_thread
from research.mixed import conditional, guarantee
from research.mixed import page as pages
from research.mixed.contestants import CONTESTANTS
from research.mixed.cost import measured
from research.mixed.page import BUDGET
from research.mixed.proven import proven
from research.mixed.surrogates import run_missing, table
from research.problems.engineering import DESIGNS, Design

DOCS = Path(__file__).parents[2] / "docs"
TABLE = DOCS / "results" / "mixed.csv"
GUARANTEE = DOCS / "results" / "mixed-guarantee.csv"
CONDITIONAL = DOCS / "results" / "mixed-conditional.csv"
COST = DOCS / "results" / "mixed-cost.csv"
OPTIMA = DOCS / "results" / "mixed-optima.csv"
PAGE = DOCS / "results" / "mixed.md"
_PROOF = ("design", "known", "found", "bound", "by")
_COLUMNS = ("design", "method", "seed", "to_1_percent", "to_01_percent", "gap", "seconds")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing within the processor time given, then print the table."""
    options = _options(arguments)
    warnings.simplefilter("ignore")
    if options.optima:
        return _optima()
    if options.guarantee:
        return _guarantee(options)
    if options.catd:
        run_missing(options.seeds, options.seconds)
        print(table())
        return 0
    if options.conditional:
        conditional.run(CONDITIONAL, options.conditional, options.seconds)
        print("\n".join(conditional.section(conditional.read(CONDITIONAL))))
        return 0
    if options.cost:
        COST.unlink(missing_ok=True)
        _append(COST, measured())
        print(_read(COST)[0])
        return 0
    stored = {(row["design"], row["method"], row["seed"]) for row in _read(options.table)}
    end = time.process_time() + options.seconds
    with one_thread():
        for seed in range(options.seeds):
            for method in options.methods:
                for name, make in DESIGNS.items():
                    if time.process_time() > end:
                        break
                    if (name, method, str(seed)) not in stored:
                        _append(options.table, _run(name, make(), method, seed))
    text = page(_read(options.table))
    print(text)
    if options.page:
        PAGE.write_text(text, encoding="utf-8")
    return 0


def _run(name: str, design: Design, method: str, seed: int) -> dict[str, Any]:
    began, best, one, tenth = time.process_time(), float("inf"), "", ""
    for trial, value in enumerate(CONTESTANTS[method](design, seed, BUDGET), start=1):
        best = min(best, value)
        one = one or (str(trial) if design.gap(best) <= 0.01 else "")
        if design.gap(best) <= 0.001:
            tenth = str(trial)
            break
    seconds = f"{time.process_time() - began:.1f}"
    row = (name, method, seed, one, tenth, design.gap(best), seconds)
    return dict(zip(_COLUMNS, row, strict=True))


def page(rows: Sequence[dict[str, str]]) -> str:
    """Return the page as Markdown: the rows given, and what lies beside them."""
    lines = pages.designs(rows)
    for part, path in ((pages.optima, OPTIMA), (pages.tuning, CONDITIONAL), (pages.cost, COST)):
        if found := _read(path):
            lines += part(found)
    if checked := guarantee.read(GUARANTEE):
        lines += pages.rules_kept(checked)
    return "\n".join(lines).rstrip() + "\n"


def _guarantee(options: argparse.Namespace) -> int:
    rows: list[guarantee.Checked] = []
    for family in options.family:
        rows = guarantee.run(GUARANTEE, family, options.guarantee, options.seconds / len(options.family))
    print("\n".join(guarantee.section(rows)))
    return int(any(row.fault for row in rows))


def _optima() -> int:
    rows = []
    for name, make in DESIGNS.items():
        proof = proven(name)
        rows.append(dict(zip(_PROOF, (name, make().best_known, proof.value, proof.bound, proof.by), strict=True)))
        print(rows[-1], flush=True)
    OPTIMA.unlink(missing_ok=True)
    for row in rows:
        _append(OPTIMA, row)
    return 0


def _read(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _append(path: Path, row: dict[str, Any]) -> None:
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(row))
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m research mixed", description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0, help="processor time to spend (default 3600)")
    parser.add_argument("--seeds", type=int, default=10, help="seeds (default 10)")
    parser.add_argument("--methods", nargs="+", default=list(CONTESTANTS), choices=list(CONTESTANTS), metavar="NAME")
    parser.add_argument("--table", type=Path, default=TABLE, help="the CSV file of finished runs")
    parser.add_argument("--optima", action="store_true", help="prove the optima again, by SCIP")
    parser.add_argument("--guarantee", type=int, metavar="N", help="N random problems judged by plain Python")
    families = list(guarantee.FAMILIES)
    parser.add_argument("--family", nargs="+", default=families, choices=families, help="of random problems")
    parser.add_argument("--conditional", type=int, metavar="N", help="N seeds of a tuning with conditional parameters")
    parser.add_argument("--cost", action="store_true", help="time and memory of an ask over twenty variables")
    parser.add_argument("--catd", action="store_true", help="the paper's surrogates on the pressure vessel")
    parser.add_argument("--page", action="store_true", help="write docs/results/mixed.md from the rows that are there")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
