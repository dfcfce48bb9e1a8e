"""Cells of one method that differ in their settings, as one table: a row per choice, a column per task.

A column says how many runs found the optimum, after how many evaluations on average (a miss counts as the budget), and
how many percent of the suggestions broke a rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from research.harness.cell import Cell, Setting
from research.harness.page import PageTable
from research.harness.summary import CellSummary
from research.harness.variants import broken

GRID_TEXT = (
    "In each column: runs that found the optimum, mean evaluations to it (a miss counts as the budget), and the share "
    "of suggestions that broke a rule."
)


def grid_table(summaries: Sequence[CellSummary], settings: Mapping[str, Any]) -> PageTable:
    """Return the table.

    Of `settings`, `across` names those that make columns (`kind` is the method), `one_column` puts those of a row into
    one, and `words` says what a setting (`repeats`) and a choice of it (`repeats=true`) are called.
    """
    across = tuple(settings.get("across", ()))
    varying = _varying([each.cell for each in summaries], across)
    found = {(each.task, _values(each.cell, across), _values(each.cell, varying)): each for each in summaries}
    columns = list(dict.fromkeys((task, place) for task, place, _ in found))
    rows = list(dict.fromkeys(row for _, _, row in found))
    body = [
        [*_names(varying, row, settings), *(cell_text(found.get((*column, row))) for column in columns)] for row in rows
    ]
    words = settings.get("words", {})
    names = (
        ["what changes"] if settings.get("one_column") else [words.get(key, key.replace("_", " ")) for key in varying]
    )
    columns_text = [" ".join([task, *_names(across, place, {"words": words})]) for task, place in columns]
    return PageTable([*names, *columns_text], body)


def line_name(cell: Cell, keys: Sequence[str], settings: Mapping[str, Any]) -> str:
    """Return what a line of a figure is called that is named by some settings alone."""
    words = settings.get("words", {})
    texts = ["" if value is None else str(value).lower() for value in _values(cell, keys)]
    return ", ".join(
        f"{words.get(key, key.replace('_', ' '))}: {words.get(f'{key}={text}', text)}"
        for key, text in zip(keys, texts, strict=True)
    )


def cell_text(summary: CellSummary | None) -> str:
    """Return how many runs found the optimum, after how many evaluations, and the share that broke a rule."""
    if summary is None:
        return ""
    n_found = summary.n_runs - summary.misses
    return f"{n_found}/{summary.n_runs} @ {summary.evaluations:.0f}, {broken(summary):.0f} %"


def _varying(cells: Sequence[Cell], across: Sequence[str]) -> tuple[str, ...]:
    """Return the settings in which the cells differ."""
    keys = dict.fromkeys(["kind", *(key for cell in cells for key, _ in cell.settings)])
    return tuple(key for key in keys if key not in across and len({_values(cell, [key]) for cell in cells}) > 1)


def _values(cell: Cell, keys: Sequence[str]) -> tuple[Setting | None, ...]:
    return tuple(cell.kind if key == "kind" else cell.get(key) for key in keys)


def _names(keys: Sequence[str], values: Sequence[Setting | None], settings: Mapping[str, Any]) -> list[str]:
    words = settings.get("words", {})
    texts = ["" if value is None else str(value).lower() for value in values]
    if not settings.get("one_column"):
        return [words.get(f"{key}={text}", text) for key, text in zip(keys, texts, strict=True)]
    given = [
        words.get(f"{key}={text}", f"{key.replace('_', ' ')} {text}")
        for key, text in zip(keys, texts, strict=True)
        if text
    ]
    return [", ".join(part for part in given if part) or str(settings.get("base", "as it is"))]
