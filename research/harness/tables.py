"""The tables of a page: the best of each family beside the paper, every cell, and comparisons in pairs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from research.harness.labels import PublishedCell, family, label, published
from research.harness.page import PageTable
from research.harness.statistics import compare
from research.harness.summary import CellSummary, best_of_families

_HEAD = (
    "paper: value @ round",
    "ours: value @ round",
    "optimum missed",
    "infeasible per run",
    "seconds per round",
    "runs",
)


def best_table(experiment: str, summaries: Sequence[CellSummary]) -> PageTable:
    """Return the best cell of each family on each task, beside the best that the paper prints for that family."""
    rows = []
    for (task, name), best in best_of_families(summaries).items():
        own_family = [other for other in summaries if other.task == task and family(other.cell) == name]
        rows.append([task, label(best.cell), *_numbers(best, _best_published(experiment, own_family))])
    return PageTable(("task", "best of its family", *_HEAD), rows)


def cell_table(experiment: str, summaries: Iterable[CellSummary]) -> PageTable:
    """Return every cell on every task, beside the paper's."""
    rows = [
        [each.task, label(each.cell), *_numbers(each, published(experiment, each.task, each.cell), spread=True)]
        for each in summaries
    ]
    return PageTable(("task", "method", *_HEAD), rows)


def comparison_table(summaries: Sequence[CellSummary], reference: str) -> PageTable:
    """Return the reference family against the best cell of every other family, in pairs of seeds."""
    best = best_of_families(summaries)
    rows = []
    for (task, name), other in best.items():
        ours = best.get((task, reference))
        result = None if ours is None or name == reference else compare(ours.rows, other.rows)
        if result is not None:
            p_value = "-" if result.p_value is None else f"{result.p_value:.3f}"
            rows.append(
                [
                    task,
                    label(other.cell),
                    f"{result.won} / {result.tied} / {result.lost}",
                    f"{result.effect:+.2f}",
                    f"{result.difference:+.1f} ({result.low:+.1f} to {result.high:+.1f})",
                    p_value,
                ]
            )
    head = ("task", "against", "pairs won / tied / lost", "effect", "evaluations (95 % interval)", "Wilcoxon p")
    return PageTable(head, rows)


def _numbers(summary: CellSummary, paper: PublishedCell | None, *, spread: bool = False) -> list[str]:
    ours = f"{short(summary.value)} @ {summary.round:.1f}"
    if spread:
        ours = f"{short(summary.value)} ± {short(summary.value_sd)} @ {summary.round:.1f} ± {summary.round_sd:.1f}"
    return [
        paper_text(paper),
        ours,
        # Runs that go on after the optimum do not say whether they had found it.
        "-" if summary.rows[0].measure == "full" else f"{summary.misses} of {summary.n_runs}",
        f"{summary.infeasible:.1f}",
        _seconds(summary.seconds, paper),
        str(summary.n_runs),
    ]


def paper_text(paper: PublishedCell | None) -> str:
    """Return what the paper prints, as value @ round."""
    return "-" if paper is None else f"{paper.value:g} @ {paper.round:g}"


def _seconds(seconds: float, paper: PublishedCell | None) -> str:
    ours = f"{seconds:.3f}" if seconds < 1 else f"{seconds:.1f}"
    return ours if paper is None or paper.seconds is None else f"{ours} (paper {paper.seconds:g})"


def _best_published(experiment: str, summaries: Sequence[CellSummary]) -> PublishedCell | None:
    known = [published(experiment, each.task, each.cell) for each in summaries]
    return min((each for each in known if each is not None), key=lambda each: (each.value, each.round), default=None)


def short(number: float) -> str:
    """Return a number with as many decimals as its size asks for."""
    if math.isnan(number):
        return "none"
    return f"{number:.2f}" if abs(number) < 1000 else f"{number:.1f}"
