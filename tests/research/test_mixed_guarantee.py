"""Random problems with reals, conditions, shares and equalities: whatever leaves them keeps the rules."""

from __future__ import annotations

from research.mixed.guarantee import checked


def test_nothing_that_leaves_a_mixed_set_breaks_a_rule() -> None:
    report = checked(10, seed=1, n_asked=2)
    assert report.faults == []
    assert report.points > 100
    assert report.volumes >= 1
