"""Several linear equalities over reals: judged by plain Python, and against elimination in rational numbers."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.feasible.reals.elimination import System
from hedgerow.feasible.reals.truths import Boxes, number

# A rule as coefficients of variables by their number, and a right side.
Linear = tuple[list[tuple[float, int]], float]


def text(rule: Linear) -> str:
    terms, right = rule
    return " + ".join(f"{factor!r} * x{k}" for factor, k in terms) + f" == {right!r}"


def holds(rule: Linear, point: hr.Point) -> bool:
    """Python's own word, added up from left to right."""
    terms, right = rule
    total = terms[0][0] * point[f"x{terms[0][1]}"]
    for factor, k in terms[1:]:
        total = total + factor * point[f"x{k}"]
    return bool(total == right)


def rank_of(rules: list[Linear], n: int, *, with_right: bool) -> int:
    """The rank over the rationals, of the left sides or of the whole rules."""
    rows = []
    for terms, right in rules:
        row = [Fraction(0)] * (n + 1)
        for factor, k in terms:
            row[k] += Fraction(factor)
        row[n] = Fraction(right) if with_right else Fraction(0)
        rows.append(row)
    rank = 0
    for column in range(n + 1):
        pivot = next((k for k in range(rank, len(rows)) if rows[k][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for k in range(rank + 1, len(rows)):
            share = rows[k][column] / rows[rank][column]
            rows[k] = [a - share * b for a, b in zip(rows[k], rows[rank], strict=True)]
        rank += 1
    return rank


def random_rules(seed: int) -> tuple[int, list[Linear]]:
    """Rules that a point in the middle keeps, about, with factors of several makes; some follow from others."""
    rng = random.Random(seed)
    n = rng.randint(3, 7)
    factors = rng.choice([[1.0, -1.0], [1.0, -1.0, 2.0, 0.5], [1.0, 2.0, 3.0, -3.0], [0.1, 0.3, 0.7, 1.0]])
    middle = [Fraction(rng.randint(16, 48), 64) for _ in range(n)]
    rules: list[Linear] = []
    for _ in range(rng.randint(2, min(4, n))):
        terms = [(rng.choice(factors), k) for k in rng.sample(range(n), rng.randint(2, 3))]
        rules.append((terms, float(sum(Fraction(factor) * middle[k] for factor, k in terms))))
    if rng.random() < 0.4:
        terms, right = rules[0]
        rules.append(([(2.0 * factor, k) for factor, k in terms], 2.0 * right))
    return n, rules


def space_of(n: int, low: float = 0.0, high: float = 1.0) -> hr.Space:
    return hr.Space({f"x{k}": hr.Real(low, high) for k in range(n)})


@pytest.mark.parametrize("seed", range(24))
def test_random_systems_hold_as_python_computes_them(seed: int) -> None:
    n, rules = random_rules(seed)
    try:
        feasible = hr.FeasibleSet(space_of(n), [text(rule) for rule in rules])
        points = feasible.sample(8, seed=0)
    except hr.InfeasibleError:
        assert rank_of(rules, n, with_right=True) > rank_of(rules, n, with_right=False)
        return
    except hr.EffortExceeded as error:
        assert "isclose(left, right, tol=1e-9)" in str(error)
        return
    assert all(holds(rule, point) for rule in rules for point in points)
    assert isinstance(feasible.codes, MixedSet)
    assert len(feasible.codes.rules.pivots) == rank_of(rules, n, with_right=False)


def test_most_random_systems_have_points() -> None:
    found = 0
    for seed in range(12):
        n, rules = random_rules(seed)
        try:
            found += bool(hr.FeasibleSet(space_of(n), [text(rule) for rule in rules]).sample(1, seed=0))
        except (hr.InfeasibleError, hr.EffortExceeded):
            continue
    assert found >= 9


def test_pivots_are_what_exact_arithmetic_says() -> None:
    rules: list[Linear] = [
        ([(1.0, 0), (3.0, 1), (0.1, 2)], 1.25),
        ([(0.7, 1), (-1.0, 2), (1.0, 3)], 0.3),
        ([(1.0, 0), (1.0, 2), (-2.0, 3)], 0.2),
    ]
    space = space_of(4, -20, 20)
    feasible = hr.FeasibleSet(space, [text(rule) for rule in rules])
    assert isinstance(feasible.codes, MixedSet)
    (system,) = feasible.codes.rules.solution.steps
    assert isinstance(system, System)
    values = np.random.default_rng(0).uniform(-1, 1, (5, 4))
    for solved in system.solved:
        values[:, solved.slot.position] = number(solved.value, Boxes(space, values, values)).low
    for row in values:
        for terms, right in rules:
            exact = sum(Fraction(factor) * Fraction(float(row[k])) for factor, k in terms)
            assert abs(exact - Fraction(right)) < Fraction(1, 10**13)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (["x0 + x1 == 1", "x0 + x1 == 1.000001"], "contradict each other"),
        (["x0 + x1 == 1", "x1 + x2 == 0.5", "x0 - x2 == 0.75"], "contradict each other"),
        (["1e8 * x0 + 1e8 * x1 == 1e8", "x0 + x1 == 1.001"], "contradict each other"),
        (["isclose(x0 + x1, 1, tol=1e-7)", "isclose(x0 + x1, 1.1, tol=1e-7)"], "contradict each other"),
    ],
)
def test_contradictions_are_proven(rules: list[str], message: str) -> None:
    with pytest.raises(hr.InfeasibleError, match=message):
        hr.FeasibleSet(space_of(3), rules).sample(1)


def test_what_differs_by_less_than_a_rounding_is_no_contradiction() -> None:
    # In floats 0.1 + 0.2 is 0.30000000000000004, and both rules may hold.
    space = hr.Space({"x": hr.Real(0, 1), "y": hr.Real(0, 1)})
    feasible = hr.FeasibleSet(space, ["x + y == 0.5", "3 * x + 3 * y == 1.5", "y + x == 0.5"])
    for point in feasible.sample(20, seed=0):
        assert point["x"] + point["y"] == 0.5
        assert 3 * point["x"] + 3 * point["y"] == 1.5


def test_scales_that_are_far_apart_choose_the_real_that_decides() -> None:
    space = hr.Space({"a": hr.Real(0, 1), "b": hr.Real(0, 1e6), "c": hr.Real(0, 1e-6)})
    for point in hr.FeasibleSet(space, ["1e8 * a + b == 5e7", "c * 1e6 + a == b * 1e-6 + 0.25"]).sample(10, seed=0):
        assert 1e8 * point["a"] + point["b"] == 5e7
        assert point["c"] * 1e6 + point["a"] == point["b"] * 1e-6 + 0.25


def test_a_real_on_both_sides_is_solved() -> None:
    space = hr.Space({"a": hr.Real(0, 1), "b": hr.Real(0, 1), "c": hr.Real(0, 1)})
    for point in hr.FeasibleSet(space, ["a + b == 2 * a", "c + a == 1 - b"]).sample(10, seed=0):
        assert point["a"] + point["b"] == 2 * point["a"]
        assert point["c"] + point["a"] == 1 - point["b"]


def test_codes_fixed_values_repairs_and_asks_stay_on_the_equalities() -> None:
    space = hr.Space({"a": hr.Real(0, 4), "b": hr.Real(0, 4), "c": hr.Real(0, 4), "n": hr.Integer(1, 3)})
    rules = ["a + b == n", "a - b == 0.5 * c", "c <= 1"]

    def is_on(point: hr.Point) -> bool:
        return bool(point["a"] + point["b"] == point["n"] and point["a"] - point["b"] == 0.5 * point["c"])

    feasible = hr.FeasibleSet(space, rules)
    assert is_on(feasible.repair({"a": 1.0, "b": 2.0, "c": 0.5, "n": 2}))
    assert all(is_on(point) for point in feasible.sample(10, seed=0))
    optimizer = hr.Optimizer(space, rules, seed=0)
    for _ in range(7):
        point = optimizer.ask()
        assert is_on(point)
        optimizer.tell(point, (point["a"] - 1) ** 2 + point["c"])


def test_one_that_is_not_linear_among_them_is_refused_with_advice() -> None:
    space = hr.Space({"x": hr.Real(0, 1), "y": hr.Real(0, 1)})
    with pytest.raises(hr.RuleError, match=r"cannot be solved one after the other.*isclose"):
        hr.FeasibleSet(space, ["x * y == 0.2", "x + y == 1"])


def test_a_difference_that_floats_do_not_have_is_said_to_be_unknown() -> None:
    space = hr.Space({"x": hr.Real(0.5, 1), "y": hr.Real(0.5, 1), "z": hr.Real(0.5, 1)})
    with pytest.raises(hr.EffortExceeded, match="no numbers for which equalities hold to the last bit"):
        hr.FeasibleSet(space, ["x - y == 0.09", "x + y == 1.5 * z"]).sample(1)
