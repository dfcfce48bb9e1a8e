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
from statistics import median
from typing import Any

from hedgerow.methods.threads import one_thread
from research.mixed import conditional, guarantee
from research.mixed.contestants import CONTESTANTS
from research.mixed.cost import measured
from research.mixed.proven import proven
from research.mixed.surrogates import run_missing, table
from research.problems.engineering import DESIGNS, Design

DOCS = Path(__file__).parents[2] / "docs"
TABLE = DOCS / "results" / "mixed.csv"
GUARANTEE = DOCS / "results" / "mixed-guarantee.csv"
CONDITIONAL = DOCS / "results" / "mixed-conditional.csv"
OPTIMA = DOCS / "results" / "mixed-optima.csv"
PAGE = DOCS / "results" / "mixed.md"
BUDGET = 60
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
        print(measured())
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
    """Return the tables as Markdown."""
    methods = [method for method in CONTESTANTS if any(row["method"] == method for row in rows)]
    lines = [
        "# Design problems with real variables",
        "",
        f"Median trials, of {BUDGET}, to within 1 % of the best known design, and in brackets to within 0.1 %; a dash",
        "is more than that. Rows of `python -m research mixed`, 2 cores, 2026-11-18. The default's constants for reals",
        "were set while looking at these problems. What stays inside the rules begins with draws from them; Optuna's",
        "samplers and NOMAD are told how far each rule is broken, CMA-ES a bad value; a point that breaks a rule is a",
        "trial that gives nothing. SMAC and BoTorch are not among the rivals yet. Rows of `hedgerow` were made before",
        "its loops were compiled and climbs led by fewer beliefs; 44 of them made again since (seeds 0 to 4) take 12.9",
        "trials to 1 % in the mean, where they took 12.3. On gear-train NOMAD and the default are as good as even.",
        "",
        "| design | " + " | ".join(methods) + " |",
        "|---" * (len(methods) + 1) + "|",
    ]
    for name in DESIGNS:
        cells = []
        for method in methods:
            own = [row for row in rows if row["design"] == name and row["method"] == method]
            cells.append(f"{_median(own, 'to_1_percent')} ({_median(own, 'to_01_percent')})" if own else "")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    seeds = [f"{method}: {len({row['seed'] for row in rows if row['method'] == method})}" for method in methods]
    lines += ["", f"Seeds: {', '.join(seeds)}.", "", _summary(rows, methods)]
    return "\n".join(lines) + "\n"


def _summary(rows: Sequence[dict[str, str]], methods: Sequence[str]) -> str:
    """Return on how many designs the first method needs fewest trials to 1 %, and what it needs on the median one."""
    medians = {
        (name, method): _middle([r for r in rows if r["design"] == name and r["method"] == method], "to_1_percent")
        for name in DESIGNS
        for method in methods
    }
    first = [medians[name, methods[0]] for name in DESIGNS]
    n_ahead = sum(
        own <= BUDGET and all(own < medians[name, other] for other in methods[1:])
        for own, name in zip(first, DESIGNS, strict=True)
    )
    return (
        f"`{methods[0]}` needs fewer trials to 1 % than all others on {n_ahead} of {len(DESIGNS)} designs, and "
        f"{median(first):.0f} on the median one."
    )


def _middle(rows: Sequence[dict[str, str]], column: str) -> float:
    return median([float(row[column]) if row[column] else BUDGET + 1.0 for row in rows] or [BUDGET + 1.0])


def _median(rows: Sequence[dict[str, str]], column: str) -> str:
    middle = _middle(rows, column)
    return "–" if middle > BUDGET else f"{middle:.0f}"


def _guarantee(options: argparse.Namespace) -> int:
    rows: list[guarantee.Checked] = []
    for family in guarantee.FAMILIES:
        rows = guarantee.run(GUARANTEE, family, options.guarantee, options.seconds / len(guarantee.FAMILIES))
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
    parser.add_argument("--conditional", type=int, metavar="N", help="N seeds of a tuning with conditional parameters")
    parser.add_argument("--cost", action="store_true", help="time and memory of an ask over twenty variables")
    parser.add_argument("--catd", action="store_true", help="the paper's surrogates on the pressure vessel")
    parser.add_argument("--page", action="store_true", help="write docs/results/mixed.md from the rows that are there")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
