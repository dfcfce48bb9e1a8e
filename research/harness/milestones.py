"""How soon runs are as good as something known: after fixed numbers of rounds, and beside the published results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.errors import HedgerowError
from research.harness.cell import Cell
from research.harness.labels import label
from research.harness.page import PageTable
from research.harness.row import Row
from research.harness.summary import CellSummary
from research.harness.tasks import FAMILIES, problem_name
from research.problems import Published, get_problem

# The paper prints its values with two decimals.
PRINTED_DIGITS = 2


@dataclass(frozen=True)
class Milestone:
    """The mean best value after so many rounds, and whether it is as good as the published one as printed."""

    n_rounds: int
    mean_best: float
    is_met: bool


@dataclass(frozen=True)
class ToPublished:
    """Mean rounds until each run has the published value, a miss counting as the budget.

    Where seeds run different problems the published value is a mean that single runs cannot be held to; there it is
    the round after which the mean of all runs is as good.
    """

    rounds: float
    n_missed: int


def mean_best(rows: Sequence[Row], n: int) -> float:
    """Return the mean best value after n rounds; NaN while a run has none. Runs stay at where they ended."""
    values = [row.best_at(n) for row in rows]
    return float(np.mean([math.nan if value is None else value for value in values]))


def milestone(rows: Sequence[Row], published: Published, part: float) -> Milestone | None:
    """Return how runs stand after a part of the published round; None where that is not known."""
    n = int(part * published.round)
    # Beyond the budget only runs that have ended at the optimum are known.
    if n < 1 or (n > rows[0].budget and not all(row.reached for row in rows)):
        return None
    value = mean_best(rows, n)
    return Milestone(n, value, is_as_good(value, published.value))


def to_published(rows: Sequence[Row], published: Published) -> ToPublished:
    """Return how many rounds the published value takes."""
    budget = rows[0].budget
    if rows[0].task in FAMILIES:
        means = ((n, mean_best(rows, n)) for n in range(1, budget + 1))
        firsts = [next((n for n, value in means if is_as_good(value, published.value)), None)]
    else:
        firsts = [
            next((n for n, value in row.improvements if is_as_good(value, published.value)), None) for row in rows
        ]
    return ToPublished(float(np.mean([budget if n is None else n for n in firsts])), firsts.count(None))


def is_as_good(value: float, published: float) -> bool:
    """Return whether a value to be minimized, printed like the published one, is not above it."""
    return round(value, PRINTED_DIGITS) <= published


def geometric_mean(numbers: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers."""
    return float(np.exp(np.mean(np.log(numbers))))


def checkpoint_table(summaries: Sequence[CellSummary], checkpoints: Sequence[int]) -> PageTable:
    """Return the mean best value after each number of rounds, and evaluations to the optimum."""
    shown = [n for n in checkpoints if any(n <= each.rows[0].budget for each in summaries)]
    body = [
        [
            each.task,
            label(each.cell),
            str(each.n_runs),
            f"{each.evaluations:.1f}",
            str(each.misses),
            *(_number(mean_best(each.rows, n)) if n <= each.rows[0].budget else "" for n in shown),
        ]
        for each in summaries
    ]
    return PageTable(("task", "method", "runs", "to optimum", "missed", *(f"@{n}" for n in shown)), body)


def published_table(summaries: Sequence[CellSummary], settings: Mapping[str, Any]) -> PageTable:
    """Return the published mean value and round beside what runs had after parts of that round."""
    must, hoped = float(settings.get("must", 0.5)), float(settings.get("hoped", 0.25))
    body = []
    for each in summaries:
        published = _published(each.task)
        if published is None:
            continue
        own_must = float(settings.get("must_on", {}).get(each.task, must))
        reached = to_published(each.rows, published)
        body.append(
            [
                each.task,
                label(each.cell),
                f"{published.value:.2f} @ {published.round:.1f}",
                *(_milestone_text(milestone(each.rows, published, part)) for part in (own_must, hoped)),
                f"{reached.rounds:.1f}{'*' if each.task in FAMILIES else ''}",
                str(reached.n_missed),
            ]
        )
    return PageTable(("task", "method", "published", "must", "hoped", "to its value", "missed"), body)


def compared_on(summaries: Sequence[CellSummary], tasks: Sequence[str]) -> str:
    """Return each method's geometric mean over the tasks that all have run, with as many seeds as the first; or ""."""
    found = {(each.task, each.cell): each for each in summaries if each.task in tasks}
    cells = list(dict.fromkeys(each.cell for each in found.values()))
    n_runs = {task: found[task, cells[0]].n_runs for task in tasks if cells and (task, cells[0]) in found}
    # Some have run fewer seeds everywhere: they are left out, instead of all tasks.
    shown = [cell for cell in cells if any(_has_run(found, task, cell, n) for task, n in n_runs.items())]
    common = [task for task, n in n_runs.items() if all(_has_run(found, task, cell, n) for cell in shown)]
    if not common or len(shown) < 2:
        return ""
    means = {label(cell): geometric_mean([found[task, cell].evaluations for task in common]) for cell in shown}
    listed = ", ".join(f"{name} {mean:.1f}" for name, mean in sorted(means.items(), key=lambda item: item[1]))
    return f"Geometric mean of evaluations to the optimum over {len(common)} of {len(tasks)} tasks: {listed}."


def _has_run(found: Mapping[tuple[str, Cell], CellSummary], task: str, cell: Cell, n_runs: int) -> bool:
    return (task, cell) in found and found[task, cell].n_runs == n_runs


def _published(task: str) -> Published | None:
    try:
        return get_problem(problem_name(task, 0)).published
    except HedgerowError:
        # Measured data that is not here.
        return None


def _milestone_text(found: Milestone | None) -> str:
    return "" if found is None else f"{_number(found.mean_best)} @ {found.n_rounds} {'✓' if found.is_met else '✗'}"


def _number(value: float) -> str:
    """Return a value with as many digits as are worth comparing."""
    return f"{value:.2f}" if abs(value) >= 1000 else f"{value:.4f}"
