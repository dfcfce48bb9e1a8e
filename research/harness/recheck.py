"""Rows that older code made, made again by the code of today: are they the same?

What is found is kept beside the rows in `rechecked.json`, and the pages say it. A row is the same when everything but
its time, version, machine and date is.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from research.harness.cell import Cell
from research.harness.row import Row, from_texts, to_texts
from research.harness.run import Work, run_once
from research.harness.version import missing_libraries, version_of

_FILE = "rechecked.json"


@dataclass(frozen=True)
class Recheck:
    """How many rows were made again on a day, and how many of them came out the same."""

    date: str
    n_made: int
    n_same: int


def recheck(rows: Iterable[Row], n_rows: int, seconds: float, run: Callable[[Work], Row] = run_once) -> Recheck:
    """Make some of the rows again that other code made, none that took longer than `seconds`."""
    old = [
        row
        for row in rows
        if row.version != version_of(Cell.parse(row.cell).kind)
        and row.seconds <= seconds
        and not missing_libraries(Cell.parse(row.cell).kind)
    ]
    old.sort(key=lambda row: (row.task, row.cell, row.seed))
    chosen = random.Random(0).sample(old, min(n_rows, len(old)))
    n_same = sum(is_same(row, run(Work(row.job, 3600.0))) for row in chosen)
    return Recheck(datetime.now(UTC).date().isoformat(), len(chosen), n_same)


def is_same(a: Row, b: Row) -> bool:
    """Return whether two runs did the same, as far as is kept of them."""
    first, second = (from_texts(to_texts(row)) for row in (a, b))
    made_alike = replace(second, seconds=first.seconds, version=first.version, machine=first.machine, date=first.date)
    return first == made_alike


def keep(folder: Path, experiment: str, found: Recheck) -> None:
    """Note what was found about an experiment."""
    known = _read(folder)
    known[experiment] = {"date": found.date, "made": found.n_made, "same": found.n_same}
    (folder / _FILE).write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")


def sentence(folder: Path, experiment: str) -> str:
    """Return what is known about an experiment's rows, or ""."""
    found = _read(folder).get(experiment)
    if found is None:
        return ""
    return (
        f"{found['made']} of them, drawn at random, were made again on {found['date']}: {found['same']} are the same."
    )


def _read(folder: Path) -> dict[str, dict[str, object]]:
    path = folder / _FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
