"""The table in which runs are kept, a row for each number of trials."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

from research.outcomes.runs import OutcomeRow


def read(table: Path) -> list[OutcomeRow]:
    """Return the rows that are there; a last row that was cut off is left out."""
    if not table.exists():
        return []
    with table.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if all(row.get(each.name) for each in fields(OutcomeRow))]
    return [
        OutcomeRow(
            row["part"],
            row["task"],
            row["method"],
            int(row["seed"]),
            int(row["after"]),
            float(row["value"]),
            int(row["count"]),
            float(row["milliseconds"]),
        )
        for row in rows
    ]


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
