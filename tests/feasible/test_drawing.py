"""Iteration lists exactly the feasible points; draws are valid, uniform and reproducible, on both sides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import chisquare  # type: ignore[import-untyped]

from hedgerow import FeasibleSet, InfeasibleError, Integer, Real, Space, Vector
from tests.oracles import BruteForce, frozen, quiet_set
from tests.strategies import Problem, examples, problems


@examples(100)
@given(problems())
def test_iteration_lists_exactly_the_feasible_points(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    listed = [frozen(point) for point in quiet_set(problem.space, problem.texts)]
    assert len(listed) == len(set(listed))
    assert set(listed) == {frozen(point) for point in brute.feasible_points}


@examples(100)
@given(problems())
def test_samples_satisfy_every_rule(problem: Problem) -> None:
    feasible = quiet_set(problem.space, problem.texts)
    if feasible.count == 0:
        with pytest.raises(InfeasibleError, match="no feasible point to draw"):
            feasible.sample(1, seed=0)
        return
    points = feasible.sample(30, seed=1)
    assert len(points) == 30
    assert all(rule.holds(point) for point in points for rule in problem.rules)


@examples(100)
@given(problems())
def test_infeasible_samples_break_a_rule(problem: Problem) -> None:
    feasible = quiet_set(problem.space, problem.texts)
    if feasible.count == problem.space.size:
        with pytest.raises(InfeasibleError, match="there is no infeasible point to draw"):
            feasible.sample_infeasible(1, seed=0)
        return
    points = feasible.sample_infeasible(30, seed=1)
    assert len(points) == 30
    assert all(not all(rule.holds(point) for rule in problem.rules) for point in points)


SETS: list[Any] = [
    pytest.param({"a": Integer(1, 6), "b": Integer(1, 6)}, ["a + b == 7 or a == b"], id="dice"),
    pytest.param({"a": Integer(0, 5), "b": Integer(0, 5), "c": Integer(0, 5)}, ["a + b + c <= 5"], id="simplex"),
    pytest.param({"x": Vector(Integer(1, 4), 4)}, ["all_different(x)"], id="permutations"),
    pytest.param({"x": Vector(["A", "C", "G"], 4)}, ["not contains(x, 'AC')", "longest_run(x) < 3"], id="sequences"),
    pytest.param({"a": Real(0, 1, 11), "p": bool, "k": ["u", "v"]}, ["implies(p, a > 0.5)", "k == 'u'"], id="mixed"),
    pytest.param({"a": Integer(0, 30), "b": Integer(1, 9)}, ["a % b == 0", "a // b != 2"], id="remainders"),
]  # fmt: skip


def uniformity(seen: Sequence[dict[str, Any]], wanted: Sequence[dict[str, Any]]) -> float:
    counts = Counter(frozen(point) for point in seen)
    assert set(counts) <= {frozen(point) for point in wanted}
    expected = len(seen) / len(wanted)
    return float(chisquare([counts[frozen(point)] for point in wanted], [expected] * len(wanted)).pvalue)


@pytest.mark.parametrize(("variables", "rules"), SETS)
@pytest.mark.parametrize("seed", [1, 2])
def test_samples_are_uniform(variables: dict[str, Any], rules: list[str], seed: int) -> None:
    feasible = FeasibleSet(Space(variables), rules)
    points = list(feasible)
    assert uniformity(feasible.sample(40 * len(points), seed=seed), points) > 1e-3


@pytest.mark.parametrize(("variables", "rules"), SETS)
@pytest.mark.parametrize("seed", [1, 2])
def test_infeasible_samples_are_uniform(variables: dict[str, Any], rules: list[str], seed: int) -> None:
    feasible = FeasibleSet(Space(variables), rules)
    points = [point for point in BruteForce(feasible.space).points if point not in feasible]
    assert uniformity(feasible.sample_infeasible(20 * len(points), seed=seed), points) > 1e-3


@pytest.mark.parametrize("seed", [3, 4])
def test_a_set_beyond_machine_numbers_is_drawn_uniformly(seed: int) -> None:
    feasible = FeasibleSet(
        Space({"x": Vector(Integer(0, 9), 30)}), ["sum(x) <= 100", "x[3] != x[4]", "x[0] + x[1] == 9"]
    )
    assert feasible.count > 2**62
    n = 4000
    rows = feasible.codes.draw(n, np.random.default_rng(seed))
    assert feasible.codes.accepts(rows).all()
    usage = feasible.codes.usage()
    for slot in (0, 1, 3, 4, 17, 29):
        expected = [n * (used / feasible.count) for used in usage[slot]]
        observed = np.bincount(rows[:, slot], minlength=10).tolist()
        assert chisquare(observed, expected).pvalue > 1e-4


@pytest.mark.parametrize("seed", [3, 4])
def test_pairs_in_a_set_beyond_machine_numbers_are_drawn_uniformly(seed: int) -> None:
    feasible = FeasibleSet(Space({"x": Vector(Integer(0, 3), 50)}), ["increasing(x[:4])", "sum(x) % 5 == 0"])
    assert feasible.count > 2**88
    pairs = [(a, b) for a in range(4) for b in range(a, 4)]
    counts = [feasible.completions({"x": [a, b, *[None] * 48]}).count for a, b in pairs]
    assert sum(counts) == feasible.count
    seen = Counter((point["x"][0], point["x"][1]) for point in feasible.sample(3000, seed=seed))
    assert chisquare([seen[pair] for pair in pairs], [3000 * (n / feasible.count) for n in counts]).pvalue > 1e-4


@pytest.mark.parametrize("seed", [3, 4])
def test_the_infeasible_side_beyond_machine_numbers_is_drawn_uniformly(seed: int) -> None:
    feasible = FeasibleSet(Space({"x": Vector(Integer(0, 9), 25)}), ["x[0] <= x[1] or sum(x[2:]) > 100"])
    total = feasible.space.size - feasible.count
    assert total > 2**62
    n = 4000
    rows = feasible.codes.draw_rejected(n, np.random.default_rng(seed))
    assert not feasible.codes.accepts(rows).any()
    share = feasible.space.size // 10
    for slot in (0, 1, 2, 24):
        rejected = [share - used for used in feasible.codes.usage()[slot]]
        kept = [
            (seen, n * (r / total))
            for seen, r in zip(np.bincount(rows[:, slot], minlength=10), rejected, strict=True)
            if r
        ]
        assert chisquare([int(seen) for seen, _ in kept], [e for _, e in kept]).pvalue > 1e-4


def test_the_same_seed_draws_the_same() -> None:
    feasible = FeasibleSet(Space({"x": Vector(Integer(0, 9), 40)}), ["sum(x) == 100"])
    assert feasible.sample(5, seed=7) == feasible.sample(5, seed=7)
    assert feasible.sample(5, seed=7) != feasible.sample(5, seed=8)
    assert feasible.sample(5, seed=np.random.default_rng(7)) == feasible.sample(5, seed=7)
    assert feasible.sample_infeasible(5, seed=7) == feasible.sample_infeasible(5, seed=7)


def test_samples_are_plain_values() -> None:
    feasible = FeasibleSet(Space({"a": [1, 2], "b": [0.5, 1], "p": bool, "k": ["u", "v"], "x": Vector([1, 2], 2)}))
    point = feasible.sample(1, seed=0)[0]
    assert [type(value) for value in point.values()] == [int, float, bool, str, list]
    assert type(point["x"][0]) is int


def test_no_points_may_be_asked_for() -> None:
    feasible = FeasibleSet(Space({"a": [1, 2], "b": [1, 2]}), ["a < b"])
    assert feasible.sample(0, seed=0) == []
    assert feasible.sample_infeasible(0, seed=0) == []


@pytest.mark.parametrize("n", [-1, 1.5, "3", None, True])
def test_a_number_of_points_must_be_whole(n: Any) -> None:
    feasible = FeasibleSet(Space({"a": [1, 2], "b": [1, 2]}), ["a < b"])
    with pytest.raises(ValueError, match="n is a whole number of at least 0"):
        feasible.sample(n)
