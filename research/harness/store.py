"""Where rows are kept: a journal that a run appends to, and a compressed table that is published with its page.

A line of the journal is written when its run is finished; one that a crash cut off is no row. Publishing puts what the
two hold together into the table, where later runs find it.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from hedgerow.errors import HedgerowError
from research.harness.row import COLUMNS, Row, RunKey, from_texts, to_texts


@dataclass(frozen=True)
class Store:
    """The rows of one experiment."""

    journal: Path
    table: Path

    def read(self) -> dict[RunKey, Row]:
        """Return the stored rows; of two for one job, the later."""
        rows = [*read_table(self.table), *_read_journal(self.journal)]
        return {row.job: row for row in rows}

    def append(self, row: Row) -> None:
        """Add a finished run to the journal."""
        self.journal.parent.mkdir(parents=True, exist_ok=True)
        # A line that a crash cut off must not swallow this one.
        separator = "\n" if ends_within_a_line(self.journal) else ""
        with self.journal.open("a", encoding="utf-8") as file:
            file.write(separator + json.dumps(to_texts(row)) + "\n")
            file.flush()
            os.fsync(file.fileno())


def read_table(path: Path) -> list[Row]:
    """Return the rows of a published table; a table that is not there has none."""
    if not path.exists():
        return []
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            return [from_texts(texts) for texts in csv.DictReader(file)]
    except (OSError, EOFError, KeyError, TypeError, ValueError) as error:
        raise HedgerowError(
            f"{path} is not a table of runs ({type(error).__name__}: {error}). Restore it, or delete it to begin anew."
        ) from None


def write_table(path: Path, rows: Iterable[Row]) -> None:
    """Write rows so that the same rows give the same bytes."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(to_texts(row) for row in sorted(rows, key=lambda row: (row.task, row.cell, row.seed, row.measure)))
    path.parent.mkdir(parents=True, exist_ok=True)
    # Written beside and moved, so that a reader never sees half a table; no time inside, so that bytes do not change.
    beside = path.with_suffix(".part")
    beside.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))
    beside.replace(path)


def _read_journal(path: Path) -> Iterator[Row]:
    if not path.exists():
        return
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            yield from_texts(json.loads(line))
        except (json.JSONDecodeError, KeyError, TypeError, ValueError):
            continue


def ends_within_a_line(path: Path) -> bool:
    """Return whether the last line of a file was cut off."""
    if not path.exists() or path.stat().st_size == 0:
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
