"""Random problems with reals, conditions, shares and equalities: whatever leaves them keeps the rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from research.mixed.guarantee import FAMILIES, Amounts, Checked, check, run, section

SMALL = Amounts(asked=1, asked_together=3, asked_of_random=10, drawn=10, mended=4, casts=500)


@pytest.mark.parametrize(("family", "n"), [("plain", 7), ("nasty", 5)])
def test_nothing_that_leaves_a_mixed_set_breaks_a_rule(family: str, n: int) -> None:
    rows = [check(family, number, SMALL) for number in range(n)]
    assert [row.fault for row in rows] == [""] * n
    assert sum(row.points for row in rows) > 100
    assert any(row.volume_high for row in rows)


def test_planted_points_keep_their_rules() -> None:
    problems = [FAMILIES["nasty"](np.random.default_rng([2, number])) for number in range(20)]
    planted = [(problem, problem.planted) for problem in problems if problem.planted is not None]
    assert len(planted) > 5
    assert all(problem.holds(point) for problem, point in planted)


def test_a_table_is_gone_on_with_and_summed_up(tmp_path: Path) -> None:
    table = tmp_path / "rows.csv"
    first = run(table, "plain", 1, 100.0, SMALL)
    again = run(table, "plain", 1, 100.0, SMALL)
    assert [row.number for row in first] == [0]
    assert again == first
    wrong = Checked("nasty", 0, "feasible", 50, 68, "uniform", "0.5", "0.4", "0.6", "1.00", "something")
    assert "| **problems with a fault** | 0 | 1 |" in section([*first, wrong])
    assert "| **points suggested** | 14 | 50 |" in section([*first, wrong])
