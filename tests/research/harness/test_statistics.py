"""Summaries of runs, and comparisons in pairs."""

import numpy as np
import pytest

from research.harness.cell import Cell
from research.harness.labels import family, label, published
from research.harness.statistics import compare
from research.harness.summary import best_of_families, mean_curve, summarize
from tests.research.harness.rows import row


def test_pairs_are_won_by_value_and_then_by_round() -> None:
    ours = [row(0, 1.0, 5), row(1, 1.0, 5), row(2, 2.0, 3), row(3, 1.0, 4)]
    theirs = [row(0, 2.0, 3), row(1, 1.0, 9), row(2, 1.0, 9), row(3, 1.0, 4), row(7, 0.0, 1)]
    result = compare(ours, theirs)
    assert result is not None
    assert (result.won, result.tied, result.lost) == (2, 1, 1)
    assert result.effect == pytest.approx(0.25)


def test_evaluations_count_misses_as_the_budget() -> None:
    ours = [row(seed, 1.0, 5, stopped="optimum") for seed in range(6)]
    theirs = [row(seed, 1.5, 7) for seed in range(6)]
    result = compare(ours, theirs)
    assert result is not None
    assert (result.difference, result.low, result.high) == (-15.0, -15.0, -15.0)
    assert result.p_value == pytest.approx(2 / 2**6)


def test_without_a_common_seed_nothing_is_compared() -> None:
    assert compare([row(0)], [row(1)]) is None


def test_a_summary_has_the_means_of_the_paper() -> None:
    (summary,) = summarize([row(0, 1.0, 4, stopped="optimum"), row(1, 2.0, 8, invalid_rounds=(3, 4))])
    assert (summary.value, summary.round, summary.misses, summary.infeasible) == (1.5, 6.0, 1, 1.0)
    assert summary.evaluations == (4 + 20) / 2


def test_the_best_of_a_family_has_the_lowest_value_then_the_earliest_round() -> None:
    cells = {2: (1.0, 9), 3: (1.0, 5), 4: (3.0, 1)}
    rows = [row(0, *cells[rank], cell=f"catd;format=tt;rank={rank};variant=c") for rank in cells]
    best = best_of_families(summarize(rows))
    assert {name: summary.cell.get("rank") for name, summary in best.items()} == {("gap-a", "TT-c"): 3}


def test_a_curve_is_the_mean_of_the_best_so_far() -> None:
    mean, low, high = mean_curve([row(0, 1.0, 5), row(1, 3.0, 3)])
    assert mean[0] == 9.5
    assert mean[2] == (9.5 + 3.0) / 2
    assert mean[-1] == 2.0
    assert np.all(low <= high)


def test_names_and_the_paper_s_numbers_belong_together() -> None:
    cell = Cell.of("catd", {"follows": "program", "format": "tt", "rank": 3, "variant": "c"})
    assert (label(cell), family(cell)) == ("TT-3-c", "TT-c")
    paper = published("exp2", "ackley-65", cell)
    assert paper is not None
    assert (paper.value, paper.round) == (0.0, 36.3)
    assert published("exp2", "ackley-65", Cell.of("auto", {})) is None
