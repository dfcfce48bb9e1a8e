"""The table in which runs are kept, a row for each number of trials, with what made it."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path

from research.harness.version import libraries_with, version_of
from research.outcomes.runs import OutcomeRow

# Rivals of other libraries; everything else is ours, or draws at random.
_LIBRARIES = {"optuna": ("optuna",), "smac": ("smac", "ConfigSpace"), "botorch": ("botorch", "torch")}


@cache
def made_by(method: str) -> str:
    """Return what makes the rows of a method: the code that suggestions pass through, or the versions of libraries."""
    kind = method.partition(",")[0].partition(" ")[0]
    if kind in _LIBRARIES:
        return libraries_with(_LIBRARIES[kind])
    return version_of(kind if kind in ("evolution", "random") else "auto")


def read(table: Path) -> list[OutcomeRow]:
    """Return the rows that are there, of runs made again the last; a last row that was cut off is left out."""
    if not table.exists():
        return []
    with table.open(newline="", encoding="utf-8") as file:
        wanted = [each.name for each in fields(OutcomeRow) if each.name != "version"]
        rows = [row for row in csv.DictReader(file) if all(row.get(name) for name in wanted)]
    found = [
        OutcomeRow(
            row["part"],
            row["task"],
            row["method"],
            int(row["seed"]),
            int(row["after"]),
            float(row["value"]),
            int(row["count"]),
            float(row["milliseconds"]),
            row.get("version") or "",
        )
        for row in rows
    ]
    return list({(row.part, row.task, row.method, row.seed, row.after): row for row in found}.values())


def append(table: Path, rows: Sequence[OutcomeRow]) -> None:
    """Add the rows of a run to the table at once; it is made where it is not there."""
    table.parent.mkdir(parents=True, exist_ok=True)
    is_new = not table.exists()
    with table.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [each.name for each in fields(OutcomeRow)], lineterminator="\n")
        if is_new:
            writer.writeheader()
        for row in rows:
            named = asdict(row).items()
            writer.writerow({name: f"{value:.6g}" if isinstance(value, float) else value for name, value in named})
