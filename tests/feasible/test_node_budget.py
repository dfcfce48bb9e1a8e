"""Rules outside the diagram are enforced all the same: with a tiny budget every answer is still right, or refused."""

from __future__ import annotations

import contextlib
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare  # type: ignore[import-untyped]

from hedgerow import EffortExceeded, FeasibleSet, InfeasibleError, Integer, Space, Vector
from hedgerow.feasible.engines.solved import SolvedSet
from hedgerow.space import encode
from tests.oracles import BruteForce, frozen, quiet_set, time_limit
from tests.strategies import Problem, examples, problems

budgets = st.sampled_from([1, 5, 50])


@examples(200)
@given(problems(), budgets)
def test_membership_and_iteration_are_exact(problem: Problem, budget: int) -> None:
    brute = BruteForce(problem.space, problem.rules)
    feasible = quiet_set(problem.space, problem.texts, node_budget=budget)
    assert feasible.codes.accepts(np.array(brute.rows)).tolist() == brute.is_feasible
    listed = [frozen(point) for point in feasible]
    assert len(listed) == len(set(listed))
    assert set(listed) == {frozen(point) for point in brute.feasible_points}


@examples(40)
@given(problems(), budgets)
def test_samples_are_right_on_both_sides(problem: Problem, budget: int) -> None:
    brute = BruteForce(problem.space, problem.rules)
    feasible = quiet_set(problem.space, problem.texts, node_budget=budget)
    if brute.feasible_rows:
        assert all(rule.holds(point) for point in feasible.sample(10, seed=0) for rule in problem.rules)
    else:
        with pytest.raises((InfeasibleError, EffortExceeded)):
            feasible.sample(1, seed=0)
    if len(brute.feasible_rows) < len(brute.rows):
        for point in feasible.sample_infeasible(10, seed=0):
            assert not all(rule.holds(point) for rule in problem.rules)
    else:
        with pytest.raises((InfeasibleError, EffortExceeded)):
            feasible.sample_infeasible(1, seed=0)


@examples(150)
@given(problems(), budgets, st.data())
def test_moves_and_repairs_are_exact(problem: Problem, budget: int, data: st.DataObject) -> None:
    brute = BruteForce(problem.space, problem.rules)
    feasible = quiet_set(problem.space, problem.texts, node_budget=budget)
    row = data.draw(st.sampled_from(brute.rows))
    for n_places, moves in ((1, feasible.neighbors), (2, feasible.exchanges)):
        found = [tuple(encode(problem.space, point).tolist()) for point in moves(brute.point(row))]
        assert sorted(found) == sorted(brute.differing(row, n_places))
    if brute.feasible_rows:
        repaired = encode(problem.space, feasible.repair(brute.point(row))).tolist()
        assert brute.distance(row, repaired) == min(brute.distance(row, other) for other in brute.feasible_rows)


@examples(150)
@given(problems(max_rules=4), budgets)
def test_a_count_is_exact_or_refused_and_the_doctor_names_the_rules(problem: Problem, budget: int) -> None:
    brute = BruteForce(problem.space, problem.rules)
    names = {f"rule number {i}": rule.text for i, rule in enumerate(problem.rules)}
    feasible = quiet_set(problem.space, names, node_budget=budget)
    found = feasible.doctor()
    assert bool(found.residual_rules) is not feasible.is_exact
    assert set(found.residual_rules) <= set(names)
    if feasible.is_exact:
        assert feasible.count == len(brute.feasible_rows)
        return
    # What the diagram holds, and the rules outside it, are together all rules.
    inside = [i for i, name in enumerate(names) if name not in found.residual_rules]
    assert isinstance(feasible.codes, SolvedSet)
    assert len(brute.feasible_rows) <= feasible.codes.counts.total <= brute.n_satisfying(inside)
    for question in (lambda: feasible.count, lambda: feasible.density, feasible.marginals, feasible.tensor_train):
        with pytest.raises(EffortExceeded, match="doctor"):
            question()
    assert found.count is None
    assert "stays outside the diagram" in str(found)
    assert "count unknown" in repr(feasible)


SPACE = Space({"x": Vector(Integer(0, 5), 4), "y": Integer(0, 5)})
RULES = {
    "total": "sum(x) == 7",
    "product": "x[0] * x[1] * x[2] <= 12",
    "order": "y >= max(x)",
    "ratio": "sum(x) / y < 4",
}


@pytest.mark.parametrize("budget", [1, 5, 50])
def test_a_tiny_budget_leaves_rules_outside(budget: int) -> None:
    feasible = FeasibleSet(SPACE, RULES, node_budget=budget)
    assert not feasible.is_exact
    exact = FeasibleSet(SPACE, RULES)
    assert exact.is_exact
    assert {frozen(point) for point in feasible} == {frozen(point) for point in exact}
    assert set(feasible.doctor().residual_rules) <= set(RULES)
    for message in ("Raise node_budget", "doctor() names them"):
        with pytest.raises(EffortExceeded) as caught:
            _ = feasible.count
        assert message in str(caught.value)


@pytest.mark.parametrize("budget", [1, 50])
def test_draws_by_rejection_are_uniform(budget: int) -> None:
    points = [frozen(point) for point in FeasibleSet(SPACE, RULES)]
    feasible = FeasibleSet(SPACE, RULES, node_budget=budget)
    seen = Counter(frozen(point) for point in feasible.sample(20 * len(points), seed=2))
    assert chisquare([seen[point] for point in points], [20.0] * len(points)).pvalue > 1e-3


@pytest.mark.parametrize("budget", [1, 50])
def test_completions_under_residual_rules_are_right(budget: int) -> None:
    completions = FeasibleSet(SPACE, RULES, node_budget=budget).completions({"y": 3, "x": [None, 2, None, None]})
    with pytest.raises(EffortExceeded):
        _ = completions.count
    exact = FeasibleSet(SPACE, RULES)
    for point in completions.sample(20, seed=0):
        assert point in exact
        assert (point["y"], point["x"][1]) == (3, 2)


def test_best_under_residual_rules_is_best() -> None:
    scores = {"y": {0: 3.0, 5: -1.0}, "x": [{0: 1.0, 4: 2.5}, {}, {3: 1.0}, {1: 0.5}]}
    exact = FeasibleSet(SPACE, RULES).best(scores, k=20)
    found = FeasibleSet(SPACE, RULES, node_budget=1).best(scores, k=20)

    def total(point: dict[str, object]) -> float:
        x = point["x"]
        assert isinstance(x, list)
        parts = [({0: 3.0, 5: -1.0}, point["y"]), *zip(scores["x"], x, strict=True)]
        return sum(table.get(value, 0.0) for table, value in parts)  # type: ignore[attr-defined]

    assert [total(point) for point in found] == [total(point) for point in exact]


WIDE = Space({"x": Vector(bool, 60)})


def test_a_rare_point_is_found_by_search() -> None:
    feasible = FeasibleSet(Space({"x": Vector(Integer(0, 9), 30)}), ["sum(x) == 268"], node_budget=1)
    with time_limit(20):
        points = feasible.sample(3, seed=0)
    assert [sum(point["x"]) for point in points] == [268] * 3


@pytest.mark.parametrize("rule", ["count(x) == 30", "count(x[:40]) * count(x[20:]) == 400"])
def test_a_vast_set_under_residual_rules_is_drawn_from_in_seconds(rule: str) -> None:
    feasible = FeasibleSet(WIDE, [rule], node_budget=1)
    exact = FeasibleSet(WIDE, [rule])
    with time_limit(10):
        assert all(point in exact for point in feasible.sample(2, seed=0))
        assert feasible.repair({"x": [False] * 60}) in exact


def test_iteration_under_residual_rules_starts_or_gives_up() -> None:
    feasible = FeasibleSet(WIDE, ["count(x) == 30"], node_budget=1)
    with time_limit(2), contextlib.suppress(EffortExceeded):
        assert sum(next(iter(feasible))["x"]) == 30


def test_no_points_may_be_asked_for_under_residual_rules() -> None:
    feasible = FeasibleSet(SPACE, RULES, node_budget=1)
    assert feasible.sample(0, seed=0) == []
    assert feasible.sample_infeasible(0, seed=0) == []


def test_a_contradiction_outside_the_diagram_is_found_and_named() -> None:
    space = Space({"a": Integer(0, 5), "b": Integer(0, 5)})
    with pytest.raises(InfeasibleError) as caught:
        FeasibleSet(space, {"fine": "a + b >= 1", "half": "a * b == 7.5"}, node_budget=1)
    assert caught.value.rules == ("half",)
    feasible = FeasibleSet(space, ["a * b == 7.5"], node_budget=1, allow_empty=True)
    for question in (feasible.sample, lambda: feasible.repair({"a": 0, "b": 0})):
        with pytest.raises(InfeasibleError):
            question()


def test_best_under_residual_rules_never_gives_a_forbidden_value() -> None:
    feasible = FeasibleSet(WIDE, ["count(x) == 30"], node_budget=1)
    some, most = ([{True: -math.inf}] * n + [{}] * (60 - n) for n in (20, 40))
    with time_limit(20):
        for point in feasible.best({"x": some}):
            assert sum(point["x"]) == 30
            assert not any(point["x"][:20])
        with contextlib.suppress(EffortExceeded):
            assert feasible.best({"x": most}) == []


def test_fewer_than_asked_for_is_an_error_under_residual_rules() -> None:
    feasible = FeasibleSet(WIDE, ["count(x) == 0 or count(x) == 30"], node_budget=1)
    with time_limit(20), contextlib.suppress(EffortExceeded):
        assert len(feasible.best({}, k=3)) == 3


def test_two_rules_that_contradict_are_named_when_they_fit_alone() -> None:
    with pytest.raises(InfeasibleError):
        FeasibleSet(SPACE, {"low": "y < 2", "high": "y > 3"}, node_budget=5)


def test_a_rule_that_does_not_fit_is_compiled_within_what_rules_about_single_variables_leave() -> None:
    space = Space({"m": Integer(1, 1024), "n": Integer(1, 1024), "k": Integer(1, 1024), "w": Integer(1, 64)})
    feasible = FeasibleSet(space, ["m * n * k <= 65536", "1024 % m == 0", "1024 % n == 0", "m * n % (32 * w) == 0"])
    powers = [2**i for i in range(11)]
    expected = sum(
        m * n * k <= 65536 and m * n % (32 * w) == 0
        for m in powers
        for n in powers
        for k in range(1, 1025)
        for w in powers[:7]
    )
    assert feasible.count == expected
    assert {"m": 3, "n": 1024, "k": 1, "w": 1} not in feasible
    found = feasible.doctor()
    assert found.residual_rules == () and found.always_true_rules == ()
    # What a rule keeps when it is alone is not known where it does not fit alone.
    assert "m * n * k <= 65536" not in found.rule_densities
