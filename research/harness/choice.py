"""What choosing format and rank from the observations is worth: CA-TD inside the rules with both chosen, against the
fifteen pairs picked by hand, and against the limit of infinite rank, which is the kernel of the default.

The best of fifteen is shown twice: picked on the runs that are shown, which flatters it, and for each run picked on the
runs with the other seeds, which is what somebody could know who had run the task before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from research.harness.cell import Cell
from research.harness.page import PageTable
from research.harness.row import Row
from research.harness.statistics import compare, evaluations
from research.harness.summary import CellSummary

_N_PICKED = 15
_FEWEST_RUNS = 3
_CHOSEN, _LIMIT = Cell.of("catd", {"follows": "defaults", "format": "auto"}), Cell("auto")


@dataclass(frozen=True)
class FormatChoice:
    """The runs of one task with the seeds that all have: chosen, picked by hand (a row per pair), and the limit."""

    task: str
    chosen: Sequence[Row]
    picked: NDArray[np.float64]  # (n_pairs, n_seeds), evaluations to the optimum
    limit: Sequence[Row]

    @property
    def best(self) -> float:
        """The lowest mean of the pairs."""
        return float(self.picked.mean(axis=1).min())

    @property
    def median(self) -> float:
        """The middle one of their means."""
        return float(np.median(self.picked.mean(axis=1)))

    @property
    def best_known(self) -> float:
        """The mean over seeds of the pair that is best on all other seeds."""
        others = self.picked.sum(axis=1, keepdims=True) - self.picked
        return float(self.picked[others.argmin(axis=0), np.arange(self.picked.shape[1])].mean())


def choices(summaries: Sequence[CellSummary]) -> list[FormatChoice]:
    """Return the tasks on which all have run, with at least three seeds in common."""
    by_task: dict[str, dict[Cell, CellSummary]] = defaultdict(dict)
    for each in summaries:
        by_task[each.task][each.cell] = each
    found = (_choice(task, cells) for task, cells in by_task.items())
    return [choice for choice in found if choice is not None]


def choice_table(summaries: Sequence[CellSummary]) -> PageTable:
    """Return mean evaluations to the optimum, a miss counting as the budget."""
    body = []
    for choice in choices(summaries):
        pairs = compare(choice.limit, choice.chosen)
        assert pairs is not None
        body.append(
            [
                choice.task,
                f"{_mean(choice.chosen):.0f}",
                f"{choice.median:.0f}",
                f"{choice.best_known:.0f}",
                f"{choice.best:.0f}",
                f"{_mean(choice.limit):.0f}",
                f"{pairs.won} / {pairs.tied} / {pairs.lost}",
                str(len(choice.chosen)),
            ]
        )
    head = (
        "task",
        "format and rank chosen",
        "median of 15",
        "best of 15 on other seeds",
        "best of 15 on these",
        "limit of infinite rank",
        "pairs won / tied / lost by the limit against chosen",
        "runs",
    )
    return PageTable(head, body)


def _choice(task: str, cells: Mapping[Cell, CellSummary]) -> FormatChoice | None:
    picked = [
        each
        for cell, each in cells.items()
        if cell.kind == "catd" and cell.get("follows") == "defaults" and cell.get("rank") is not None
    ]
    if len(picked) != _N_PICKED or _CHOSEN not in cells or _LIMIT not in cells:
        return None
    compared = [cells[_CHOSEN], *picked, cells[_LIMIT]]
    seeds = sorted(set.intersection(*({row.seed for row in each.rows} for each in compared)))
    if len(seeds) < _FEWEST_RUNS:
        return None
    chosen, *pairs, limit = ([row for row in each.rows if row.seed in seeds] for each in compared)
    return FormatChoice(task, chosen, np.array([[evaluations(row) for row in rows] for rows in pairs], float), limit)


def _mean(rows: Sequence[Row]) -> float:
    return float(np.mean([evaluations(row) for row in rows]))
