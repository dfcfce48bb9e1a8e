"""Feasible sets with reals: what is drawn keeps the rules, volumes lie in their bounds, errors say what to do."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import hedgerow as hr

SPACE = hr.Space({"x": hr.Real(0, 2), "y": hr.Real(0.01, 100, log=True), "n": hr.Integer(1, 4), "k": ["a", "b"]})
RULES = {"product": "x * n <= 3", "choice": "k == 'a' or x / y >= 0.1", "codes": "k == 'a' or n != 2"}


def holds(p: dict[str, Any]) -> bool:
    """Return what the rules above mean, in plain Python."""
    return bool(p["x"] * p["n"] <= 3 and (p["k"] == "a" or p["x"] / p["y"] >= 0.1) and (p["k"] == "a" or p["n"] != 2))


def uniform(n: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(5)
    return [
        {
            "x": float(2 * rng.random()),
            "y": float(10 ** rng.uniform(-2, 2)),
            "n": int(rng.integers(1, 5)),
            "k": "ab"[int(rng.integers(2))],
        }
        for _ in range(n)
    ]


@pytest.fixture(scope="module")
def feasible() -> hr.FeasibleSet:
    return hr.FeasibleSet(SPACE, RULES)


def test_membership_is_what_python_says(feasible: hr.FeasibleSet) -> None:
    points = uniform(300)
    assert [point in feasible for point in points] == [holds(point) for point in points]


def test_draws_keep_the_rules_and_are_uniform(feasible: hr.FeasibleSet) -> None:
    drawn = feasible.sample(4000, seed=1)
    assert feasible.sampling == "uniform"
    assert all(holds(point) for point in drawn)
    rejected = [point for point in uniform(12_000) if holds(point)]
    for measure in (
        lambda p: p["x"],
        lambda p: math.log(p["y"]),
        lambda p: float(p["n"]),
        lambda p: float(p["k"] == "a"),
    ):
        ours, theirs = np.array([measure(p) for p in drawn]), np.array([measure(p) for p in rejected])
        error = math.sqrt(ours.var() / ours.size + theirs.var() / theirs.size)
        assert abs(ours.mean() - theirs.mean()) < 4 * error


def test_the_volume_lies_within_its_bounds(feasible: hr.FeasibleSet) -> None:
    low, high = feasible.volume
    share = np.mean([holds(point) for point in uniform(12_000)])
    assert low - 0.02 < share < high + 0.02
    assert high - low < 0.1


def test_infeasible_draws_break_a_rule(feasible: hr.FeasibleSet) -> None:
    assert not any(holds(point) for point in feasible.sample_infeasible(200, seed=0))


def test_a_repaired_point_is_feasible_and_near(feasible: hr.FeasibleSet) -> None:
    for point in [point for point in uniform(30) if not holds(point)][:6]:
        mended = feasible.repair(point)
        assert holds(mended)
    assert feasible.repair({"x": 1.8, "y": 1.0, "n": 2, "k": "a"})["n"] == 2
    assert feasible.repair({"x": 0.5, "y": 1.0, "n": 2, "k": "a"}) == {"x": 0.5, "y": 1.0, "n": 2, "k": "a"}


def test_completions_have_what_was_given(feasible: hr.FeasibleSet) -> None:
    for point in feasible.completions({"x": 1.25, "k": "b"}).sample(20, seed=0):
        assert point["x"] == 1.25
        assert point["k"] == "b"
        assert holds(point)


def test_what_counts_points_says_what_to_use_instead(feasible: hr.FeasibleSet) -> None:
    for question in (lambda: feasible.count, lambda: feasible[0], feasible.marginals, lambda: next(iter(feasible))):
        with pytest.raises(hr.HedgerowError, match="`volume` bounds"):
            question()
    assert "of the space" in repr(feasible)
    assert "boxes for rules over reals, uniform draws" in str(feasible.doctor())


def test_explain_gives_the_float_as_it_is(feasible: hr.FeasibleSet) -> None:
    found = feasible.explain({"x": 1.5000000000000002, "y": 1, "n": 4, "k": "a"})
    assert "x * n = 6.000000000000001\n    with x = 1.5000000000000002, n = 4" in str(found)


def test_points_survive_text(feasible: hr.FeasibleSet) -> None:
    for point in feasible.sample(50, seed=3):
        again = json.loads(json.dumps(point))
        assert again == point
        assert again in feasible


def test_equalities_hold_exactly() -> None:
    space = hr.Space({**{name: hr.Real(0, 1) for name in "abc"}, "n": hr.Integer(1, 3)})
    feasible = hr.FeasibleSet(space, ["a + b + c == 1", "a == n * 0.1"])
    drawn = feasible.sample(200, seed=0)
    assert all(p["a"] + p["b"] + p["c"] == 1 and p["a"] == p["n"] * 0.1 for p in drawn)
    assert len({p["b"] for p in drawn}) == 200


def test_an_equality_that_is_not_linear_is_solved_where_a_real_stands_alone() -> None:
    space = hr.Space({"x": hr.Real(0.5, 2), "y": hr.Real(0.5, 2), "z": hr.Real(0, 4)})
    for point in hr.FeasibleSet(space, ["isclose(x * y + z, 3)"]).sample(50, seed=0):
        assert abs(point["x"] * point["y"] + point["z"] - 3) <= 1e-9


def test_an_equality_that_cannot_be_solved_is_refused_with_advice() -> None:
    space = hr.Space({"x": hr.Real(0, 2), "y": hr.Real(0, 2)})
    with pytest.raises(hr.RuleError, match="cannot be solved for one of them") as caught:
        hr.FeasibleSet(space, {"circle": "x**2 + y**2 == 1"})
    assert "isclose(left, right, tol=...)" in str(caught.value)
    assert "Rule 'circle'" in str(caught.value)
    wide = hr.FeasibleSet(space, ["isclose(x**2 + y**2, 1, tol=0.001)"])
    assert all(abs(p["x"] ** 2 + p["y"] ** 2 - 1) <= 0.001 for p in wide.sample(20, seed=0))


def test_rules_that_leave_nothing_are_proven_so() -> None:
    space = hr.Space({"x": hr.Real(0, 2), "y": hr.Real(0, 2), "z": hr.Real(0, 1)})
    with pytest.raises(hr.InfeasibleError, match="'low', 'high' and 'order' contradict each other") as caught:
        hr.FeasibleSet(space, {"low": "x > 1", "fine": "z <= 0.5", "high": "y < 0.5", "order": "y > x"})
    assert caught.value.rules == ("low", "high", "order")


def test_a_set_too_thin_for_draws_is_said_to_be_unknown() -> None:
    space = hr.Space({"x": hr.Real(0, 2), "y": hr.Real(0, 2)})
    feasible = hr.FeasibleSet(space, ["x > y", "y > x"])
    with pytest.raises(hr.EffortExceeded, match="none was proven not to exist"):
        feasible.sample(1, seed=0)


def test_a_set_of_one_point_is_drawn() -> None:
    space = hr.Space({"x": hr.Real(0, 2), "n": [1, 2]})
    assert hr.FeasibleSet(space, ["x <= 0", "n == 1"]).sample(1, seed=0) == [{"x": 0.0, "n": 1}]


def test_functions_decide_points() -> None:
    space = hr.Space({"x": hr.Real(0, 1), "y": hr.Real(0, 1)})
    drawn = hr.FeasibleSet(space, [lambda x, y: x + y < 0.7]).sample(50, seed=0)
    assert all(p["x"] + p["y"] < 0.7 for p in drawn)


def test_values_outside_the_ends_are_refused() -> None:
    with pytest.raises(hr.PointError, match=r"x = 2.5 is not in its domain of numbers from 0.0 to 2.0"):
        _ = {"x": 2.5, "y": 1.0, "n": 1, "k": "a"} in hr.FeasibleSet(SPACE)
    for wrong in ("1", True, None, float("nan"), [1.0]):
        with pytest.raises(hr.PointError, match="not in its domain"):
            _ = {"x": wrong, "y": 1.0, "n": 1, "k": "a"} in hr.FeasibleSet(SPACE)


def test_problem_files_hold_reals() -> None:
    assert hr.Space.from_toml(SPACE.to_toml()) == SPACE
    assert 'y = { type = "real", low = 0.01, high = 100.0, log = true }' in SPACE.to_toml()
