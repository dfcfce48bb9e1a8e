"""The default on orders of items: distances that make a kernel, gradients, and suggestions inside the rules."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.methods.auto.orders import belief
from hedgerow.methods.auto.orders.distances import RowDistances
from hedgerow.methods.auto.orders.run import OrderRun
from hedgerow.space import encode_many

SPACE = hr.Space({"k": hr.Integer(0, 3), "x": hr.Permutation(range(7)), "c": ["p", "q", "r"]})
PLACES = np.random.default_rng(5).random((8, 2))


def length(order: list[int]) -> float:
    return float(sum(np.hypot(*(PLACES[a] - PLACES[b])) for a, b in zip(order, [*order[1:], order[0]], strict=True)))


def some_rows(n: int) -> np.ndarray:
    return hr.FeasibleSet(SPACE).codes.draw(n, np.random.default_rng(2))


def test_distances_are_those_of_the_lists() -> None:
    points = [{"k": 1, "x": [2, 0, 1, 3, 4, 5, 6], "c": "p"}, {"k": 3, "x": [0, 1, 2, 4, 3, 6, 5], "c": "q"}]
    rows = encode_many(SPACE, points)
    found = RowDistances(SPACE).between(rows[:1], rows[1:])[:, 0, 0]
    left, right = points[0]["x"], points[1]["x"]
    assert isinstance(left, list) and isinstance(right, list)
    pairs = list(itertools.combinations(range(7), 2))
    turned = sum((left.index(a) < left.index(b)) != (right.index(a) < right.index(b)) for a, b in pairs)
    far = sum(abs(left.index(a) - right.index(a)) for a in range(7))
    steps = set(itertools.pairwise(right)) - set(itertools.pairwise(left))
    apart = {step for step in steps if step[::-1] not in set(itertools.pairwise(left))}
    expected = [turned / 21, far / 24.5, len(apart) / 6, len(steps) / 6, 2 / 3, 1.0]
    assert found == pytest.approx(expected)


def test_the_kernel_is_positive_and_its_gradient_right() -> None:
    rows = some_rows(25)
    apart = RowDistances(SPACE).between(rows, rows)
    for seed in range(4):
        parameters = np.append(np.random.default_rng(seed).normal(-1, 1.5, apart.shape[0]), -6.0)
        assert np.linalg.eigvalsh(belief._kernel(parameters, apart)).min() > -1e-9
    flat, targets = apart.reshape(apart.shape[0], -1), np.random.default_rng(1).normal(size=25)
    center = np.full(parameters.size, -1.0)
    value, gradient = belief._negative_log_evidence(flat, parameters, center, targets)
    for place in range(parameters.size):
        step = np.zeros(parameters.size)
        step[place] = 1e-5
        ahead = belief._negative_log_evidence(flat, parameters + step, center, targets)[0]
        back = belief._negative_log_evidence(flat, parameters - step, center, targets)[0]
        assert gradient[place] == pytest.approx((ahead - back) / 2e-5, rel=1e-3, abs=1e-4)
    assert np.isfinite(value)


def test_suggestions_keep_the_rules_and_are_the_same_again() -> None:
    space = hr.Space({"x": hr.Permutation(range(8)), "k": hr.Integer(0, 3)})
    rules = ["before(x, 3, 5)", "k < 2 or before(x, 1, 0)", "position(x, 7) >= 3"]

    def cost(point: dict[str, Any]) -> float:
        return float(length(point["x"]) + 0.2 * abs(point["k"] - 2))

    results = [hr.minimize(cost, space, rules, budget=10, seed=4, progress=False) for _ in range(2)]
    points = [seen.point for seen in results[0].observations]
    assert points == [seen.point for seen in results[1].observations]
    assert len({repr(point) for point in points}) == 10
    feasible = hr.FeasibleSet(space, rules)
    assert all(point in feasible for point in points)


def test_a_short_tour_is_found() -> None:
    space = hr.Space({"x": hr.Permutation(range(8))})
    shortest = min(length(list(order)) for order in itertools.permutations(range(8)) if order[0] == 0)
    result = hr.minimize(lambda point: length(point["x"]), space, budget=60, seed=1, progress=False)
    assert result.best_value is not None and result.best_value <= 1.02 * shortest


def test_failures_and_pending_points_are_learned_from_and_the_end_is_said() -> None:
    optimizer = hr.Optimizer(hr.Space({"x": hr.Permutation(["a", "b", "c", "d"])}), ["before(x, 'a', 'b')"], seed=0)
    seen = []
    for _ in range(3):
        for point in optimizer.ask(4):
            seen.append(tuple(point["x"]))
            optimizer.tell(point, hr.Failure("jam") if point["x"][0] == "d" else float(point["x"].index("c")))
    assert len(set(seen)) == 12
    with pytest.raises(hr.SpaceExhausted):
        optimizer.ask()


def test_several_outcomes_go_the_usual_way() -> None:
    space = hr.Space({"x": hr.Permutation(range(6))})
    goals = {"length": "minimize", "late": "minimize"}
    optimizer = hr.Optimizer(space, ["before(x, 1, 2)"], objectives=goals, seed=0)
    for _ in range(6):
        point = optimizer.ask()
        optimizer.tell(point, {"length": length(point["x"]), "late": point["x"].index(4)})
    assert len(optimizer.observations) == 6


def test_orders_have_a_run_of_their_own() -> None:
    problem = hr.methods.CodeProblem(hr.FeasibleSet(SPACE))
    assert isinstance(hr.methods.Auto().start(problem), OrderRun)
