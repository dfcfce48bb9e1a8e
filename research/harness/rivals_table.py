"""The paper's method beside its rivals, task by task: tensor trains after the authors' program at the rank that the
paper finds best, so that nothing is picked on the runs that are shown, and every rival in pairs of seeds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from research.harness.cell import Cell
from research.harness.labels import family, published
from research.harness.page import PageTable
from research.harness.statistics import compare
from research.harness.summary import CellSummary
from research.harness.tables import short

# In the order of the columns; NN+MILP as the paper ran it, with weights carried from round to round.
RIVALS: Mapping[str, Cell] = {
    f"{name}-{variant}": Cell.of(kind, {**settings, "variant": variant})
    for kind, name, settings in (
        ("gp", "GP", {}),
        ("tpe", "TPE", {}),
        ("protes", "PROTES", {}),
        ("nn-milp", "NN+MILP", {"solver": "list"}),
    )
    for variant in "cu"
}


def rivals_table(summaries: Sequence[CellSummary]) -> PageTable:
    """Return value @ round of each, in brackets the pairs of runs that the paper's method wins, ties and loses, and
    what the paper prints."""
    by_task: dict[str, list[CellSummary]] = defaultdict(list)
    for each in summaries:
        by_task[each.task].append(each)
    body = []
    for group in by_task.values():
        ours = best_train(group)
        if ours is not None:
            others = {each.cell: each for each in group}
            beside = (_beside(ours, others.get(cell)) for cell in RIVALS.values())
            body.append([ours.task, _text(ours) + _printed(ours), *beside])
    return PageTable(("task", "CA-TD -c", *RIVALS), body)


def best_train(summaries: Sequence[CellSummary]) -> CellSummary | None:
    """Return the tensor train of the rank that the paper finds best, of those that have run; None without any."""
    trains = [
        (paper.value, paper.round, place)
        for place, each in enumerate(summaries)
        if each.cell.get("follows") == "program"
        and family(each.cell) == "TT-c"
        and (paper := published("best-ranks", each.task, each.cell)) is not None
    ]
    return summaries[min(trains)[-1]] if trains else None


def _text(summary: CellSummary) -> str:
    return f"{short(summary.value)} @ {summary.round:.0f}"


def _beside(ours: CellSummary, other: CellSummary | None) -> str:
    pairs = None if other is None else compare(ours.rows, other.rows)
    if other is None or pairs is None:
        return ""
    return f"{_text(other)} ({pairs.won} / {pairs.tied} / {pairs.lost}){_printed(other)}"


def _printed(summary: CellSummary) -> str:
    paper = published("exp2", summary.task, summary.cell) or published("exp3", summary.task, summary.cell)
    return "" if paper is None else f"; paper {short(paper.value)} @ {paper.round:.0f}"
