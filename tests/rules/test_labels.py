"""Labels that no variable has are named where rules are looked at."""

from __future__ import annotations

import pytest

import hedgerow as hr

SPACE = hr.Space({"k": ["tiled", "naive"], "x": [1, 2], "p": ["low", "high"]})


@pytest.mark.parametrize(
    ("rule", "remark"),
    [
        ("k == 'tield'", "'k' is never 'tield'; did you mean 'tiled'?"),
        ("x == 1 or 'z' != k", "'k' is never 'z'; known are tiled, naive."),
        ("k in ['tiled', 'fast']", "'k' is never 'fast'"),
        ("not (p == 'hihg' and x == 2)", "did you mean 'high'?"),
    ],
)
@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
def test_a_label_that_nothing_has_is_named(rule: str, remark: str) -> None:
    found = hr.FeasibleSet(SPACE, {"mine": rule}, allow_empty=True).doctor()
    assert any(line.startswith("Rule 'mine': ") and remark in line for line in found.findings())
    assert not found.is_healthy


def test_labels_that_are_there_are_no_remark() -> None:
    found = hr.FeasibleSet(SPACE, ["k == 'tiled' or p in ['low']"]).doctor()
    assert found.unknown_labels == {}
