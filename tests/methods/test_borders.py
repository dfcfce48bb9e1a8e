"""Borders of failure: planted ones are found, chance is left alone, texts are rules, and trials keep away from them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.methods.borders import Landmarks, learn_borders, suggested_rules

SPACE = hr.Space(
    {
        "bx": [16, 32, 64, 128, 256],
        "stages": hr.Integer(1, 6),
        "size": hr.Ordinal(["s", "m", "l", "xl"]),
        "algo": ["a", "b", "c"],
        "flag": bool,
    }
)


def outcomes(fails: str, n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    beyond = hr.FeasibleSet(SPACE, [fails])
    codes = hr.FeasibleSet(SPACE).codes.draw(n, np.random.default_rng(seed))
    return codes, ~np.asarray(beyond.codes.accepts(codes))


@pytest.mark.parametrize(
    "fails",
    [
        "bx > 64",
        "stages < 3",
        "bx * stages > 384",
        "algo == 'b'",
        "size > 'm'",
        "algo == 'c' and flag == True",
    ],
)
def test_a_planted_border_is_found_in_nine_of_ten_runs(fails: str) -> None:
    whole = hr.FeasibleSet(SPACE, [fails])
    n_right = 0
    for seed in range(10):
        codes, worked = outcomes(fails, 200, seed)
        n_30 = int(np.flatnonzero(np.cumsum(~worked) >= 30)[:1].sum()) or 199
        found = suggested_rules(Landmarks(SPACE), codes[: n_30 + 1], worked[: n_30 + 1])
        rest = hr.FeasibleSet(SPACE, [rule.rule for rule in found])
        n_right += rest.count == hr.FeasibleSet(SPACE).count - whole.count
    assert n_right >= 9


def test_failures_by_chance_have_no_border() -> None:
    n_found = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        codes = hr.FeasibleSet(SPACE).codes.draw(80, rng)
        n_found += bool(learn_borders(Landmarks(SPACE), codes, rng.random(80) > 0.15).stages)
    assert n_found <= 2


def test_two_borders_are_found_one_after_the_other() -> None:
    codes, worked = outcomes("algo == 'b' or bx * stages > 512", 150, 0)
    found = {rule.rule for rule in suggested_rules(Landmarks(SPACE), codes, worked)}
    assert found == {"algo != 'b'", "bx * stages <= 512"}


def test_the_evidence_is_a_sentence() -> None:
    codes, worked = outcomes("bx * stages > 384", 120, 1)
    (rule,) = suggested_rules(Landmarks(SPACE), codes, worked)
    n = int((~worked).sum())
    assert str(rule) == (f"bx * stages <= 384: all {n} failures and none of {120 - n} successes have bx * stages > 384")


def test_nothing_is_suggested_before_something_failed_or_where_everything_did() -> None:
    optimizer = hr.Optimizer(SPACE, method="random")
    assert optimizer.suggest_rules() == ()
    for point in optimizer.ask(8):
        optimizer.tell(point, None)
    assert optimizer.suggest_rules() == ()


def measured(point: dict[str, Any]) -> float | None:
    if point["bx"] * point["stages"] > 384:
        return None
    return float(abs(np.log2(point["bx"]) - 7) + 8 / point["stages"] + (point["algo"] != "a") + point["flag"])


def test_trials_keep_away_from_a_border_that_is_as_good_as_a_rule() -> None:
    optimizer = hr.Optimizer(SPACE, seed=0)
    for _ in range(45):
        point = optimizer.ask()
        optimizer.tell(point, measured(point))
    failed = [place for place, seen in enumerate(optimizer.observations) if seen.failed]
    assert len(failed) <= 14
    assert [rule.rule for rule in optimizer.suggest_rules()] == ["bx * stages <= 384"]
