"""The tables of docs/engines.md, from the rows: what stands between the marks on the page is replaced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from research.harness.marks import write_between_marks

TABLE = Path("docs/results/engines.csv")
PAGE = Path("docs/engines.md")
FIELDS = (
    "rules",
    "engine",
    "count",
    "sampling",
    "compile",
    "of_it_d4",
    "first",
    "draws_a_second",
    "ask",
    "slowest_ask",
    "mib",
    "d4_alone",
    "cp_sat_alone",
    "before",
    "date",
)
_HEADS = (
    "rules",
    "engine",
    "count",
    "compile (of it d4)",
    "first point",
    "draws a second",
    "an ask",
    "MiB",
    "d4 alone",
    "CP-SAT alone",
    "before",
)
_LONG_COUNT = 10**12


def line_of(row: Mapping[str, Any]) -> str:
    """Return a row as a line of the table; one without numbers says why."""
    if row.get("compile", "") == "":
        return f"| {row['rules']} | {row['engine']} |{' |' * (len(_HEADS) - 3)} {row['before']} |"
    d4 = float(row["of_it_d4"])
    cells = [
        row["rules"],
        row["engine"],
        _count(row["count"]),
        f"{float(row['compile']):.1f} s" + (f" ({d4:.1f})" if d4 else ""),
        f"{float(row['first']):.2f} s",
        f"{float(row['draws_a_second']):,.0f} {row['sampling']}",
        f"{float(row['ask']):.2f} s",
        row["mib"],
        row["d4_alone"],
        row["cp_sat_alone"],
        row["before"],
    ]
    return f"| {' | '.join(map(str, cells))} |"


def _count(text: str) -> str:
    if not text:
        return "unknown"
    count = int(text)
    if count < _LONG_COUNT:
        return f"{count:,}"
    # Counts of thousands of digits are beyond floats.
    return f"{Decimal(text):.2e}".replace("e+", "e")


def table_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the table and what it shows, as Markdown."""
    measured = [row for row in rows if row.get("compile", "") != ""]
    late = [row["rules"] for row in measured if float(row["compile"]) + float(row["first"]) > 60]
    large = [row["rules"] for row in measured if int(row["mib"]) > 1024]
    slow = [row["rules"] for row in measured if float(row["ask"]) > 1]
    without = [row["rules"] for row in rows if row.get("compile", "") == ""]
    dates = sorted({row["date"] for row in rows})
    lines = [
        f"{len(measured)} of {len(rows)} families gave points, and all of these keep the rules; without: "
        f"{_listed(without)}. "
        f"More than 60 s to the first point: {_listed(late)}. More than 1 GiB: {_listed(large)}. "
        f"A median ask of more than 1 s: {_listed(slow)}. Measured {' and '.join(dates)}.",
        "",
        f"| {' | '.join(_HEADS)} |",
        "|---" * len(_HEADS) + "|",
        *(line_of(row) for row in rows),
    ]
    return "\n".join(lines)


def _listed(names: Sequence[str]) -> str:
    return "; ".join(names) or "none"


def write_page(rows: Sequence[Mapping[str, Any]], page: Path = PAGE) -> None:
    """Replace the table on the page."""
    write_between_marks(page, "rows", table_of(rows))
