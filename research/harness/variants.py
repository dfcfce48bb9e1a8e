"""The paper's two variants side by side: trained with the rules (-c) and without (-u), in pairs of seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from research.harness.cell import Cell
from research.harness.labels import label, published
from research.harness.page import PageTable
from research.harness.statistics import PairedComparison, compare, holm, sign_test, smallest_p
from research.harness.summary import CellSummary
from research.harness.tables import paper_text, short


@dataclass(frozen=True)
class VariantPair:
    """The runs of one format and rank on one task in both variants, and how they compare."""

    told: CellSummary
    untold: CellSummary
    pairs: PairedComparison

    @property
    def p_value(self) -> float:
        """The p of the sign test over pairs of runs."""
        return sign_test(self.pairs.won, self.pairs.lost)


def variant_pairs(summaries: Sequence[CellSummary]) -> list[VariantPair]:
    """Return the pairs of cells that differ in the variant alone."""
    found = {(each.task, each.cell): each for each in summaries}
    pairs = []
    for each in summaries:
        if each.cell.get("variant") != "c":
            continue
        other = found.get((each.task, Cell.of(each.cell.kind, {**dict(each.cell.settings), "variant": "u"})))
        compared = None if other is None else compare(each.rows, other.rows)
        if other is not None and compared is not None:
            pairs.append(VariantPair(each, other, compared))
    return pairs


def variant_table(experiment: str, summaries: Sequence[CellSummary]) -> PageTable:
    """Return both variants on every task beside the paper, with the test of each pair, corrected for their number."""
    pairs = variant_pairs(summaries)
    corrected = holm([pair.p_value for pair in pairs])
    body = [
        [
            pair.told.task,
            label(pair.told.cell).replace("-c", ""),
            *_numbers(experiment, pair.told),
            *_numbers(experiment, pair.untold),
            f"{pair.told.misses} / {pair.untold.misses}",
            f"{broken(pair.told):.0f} / {broken(pair.untold):.0f}",
            f"{pair.pairs.won} / {pair.pairs.tied} / {pair.pairs.lost}",
            f"{pair.p_value:.3f}",
            f"{p:.3f}",
        ]
        for pair, p in zip(pairs, corrected, strict=True)
    ]
    head = (
        "task",
        "format",
        "-c paper",
        "-c ours",
        "-u paper",
        "-u ours",
        "missed -c / -u",
        "% broke a rule -c / -u",
        "pairs won / tied / lost by -c",
        "p",
        "p, corrected",
    )
    return PageTable(head, body)


def variant_text(summaries: Sequence[CellSummary]) -> str:
    """Return how many tests there are, and how small a p they can give."""
    pairs = variant_pairs(summaries)
    counts = sorted({pair.pairs.n_pairs for pair in pairs})
    least = ", ".join(f"{smallest_p(n):.2g} with {n}" for n in counts)
    won, tied, lost = (sum(getattr(pair.pairs, side) for pair in pairs) for side in ("won", "tied", "lost"))
    return (
        f"Of {won + tied + lost} pairs of runs with one seed, -c wins {won}, ties {tied} and loses {lost}: a lower "
        "value, or the same value earlier. Value @ round: means over the runs, the round being that in which a run's "
        f"best value first appeared; paper: means of ten runs. {len(pairs)} pairs of cells are tested (sign test over "
        f"the pairs of runs). The smallest p that so many pairs can give is {least}; the last column is corrected for "
        "the number of tests after Holm."
    )


def broken(summary: CellSummary) -> float:
    """Return how many percent of all suggestions broke a rule."""
    return 100.0 * sum(len(row.invalid_rounds) for row in summary.rows) / sum(row.n_rounds for row in summary.rows)


def _numbers(experiment: str, summary: CellSummary) -> list[str]:
    paper = published(experiment, summary.task, summary.cell)
    return [paper_text(paper), f"{short(summary.value)} @ {summary.round:.1f}"]
