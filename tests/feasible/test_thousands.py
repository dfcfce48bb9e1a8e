"""Thousands of variables are fine: counts match closed forms, and every question is answered in seconds."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hedgerow import FeasibleSet, Integer, Space, Vector
from hedgerow import rules as catalog
from hedgerow.feasible.engines.diagram import DiagramSet
from tests.oracles import time_limit


def test_two_thousand_booleans_with_at_most_ten_true() -> None:
    with time_limit(10):
        feasible = FeasibleSet(Space({"x": Vector(bool, 2000)}), ["count(x) <= 10"])
        total = sum(math.comb(2000, k) for k in range(11))
        assert feasible.count == total
        assert all(sum(point["x"]) <= 10 for point in feasible.sample(50, seed=0))
        assert feasible.codes.usage()[0] == [total - (ones := sum(math.comb(1999, k) for k in range(10))), ones]
        assert feasible.index(feasible[total - 1]) == total - 1
        assert sum(feasible.repair({"x": [True] * 2000})["x"]) == 10
        assert len(feasible.neighbors({"x": [False] * 2000})) == 2000


def test_three_thousand_separate_names() -> None:
    with time_limit(10):
        space = Space({f"v{i}": [0, 1, 2] for i in range(3000)})
        feasible = FeasibleSet(space, [catalog.sum_of(*(space[name] for name in space)) <= 2, "v7 != v2999"])
        # Either or both of the two are not zero, and differ; the others add up to the rest.
        expected = 2 * (1 + 2998) + 2
        assert feasible.count == expected
        points = feasible.sample(10, seed=0)
        assert [feasible[feasible.index(point)] for point in points] == points
    assert all(sum(point.values()) <= 2 and point["v7"] != point["v2999"] for point in points)


def test_a_chain_of_a_thousand_rules() -> None:
    with time_limit(10):
        space = Space({"x": Vector(bool, 1000)})
        feasible = FeasibleSet(space, [f"not x[{i}] or not x[{i + 1}]" for i in range(999)])
        before, count = 1, 2
        for _ in range(999):
            before, count = count, before + count
        assert feasible.count == count


def test_fifteen_hundred_increasing_values() -> None:
    with time_limit(15):
        feasible = FeasibleSet(Space({"x": Vector(Integer(0, 3), 1500)}), ["increasing(x)"])
        assert feasible.count == math.comb(1503, 3)
        rows = feasible.codes.draw(20, np.random.default_rng(0))
    assert (np.diff(rows, axis=1) >= 0).all()


def test_free_variables_cost_nothing() -> None:
    with time_limit(5):
        feasible = FeasibleSet(Space({f"v{i}": Integer(1, 100) for i in range(2000)}), ["v3 + v4 == 5"])
        assert feasible.count == 4 * 100**1998
        assert isinstance(feasible.codes, DiagramSet)
        assert feasible.codes.diagram.n_bytes < 10**6


@pytest.mark.parametrize("n", [44, 62, 63, 64, 88, 132, 176])
def test_a_set_of_exactly_so_many_bits_can_be_drawn_from(n: int) -> None:
    with time_limit(5):
        feasible = FeasibleSet(Space({"x": Vector(bool, n)}))
        assert feasible.count == 2**n
        assert len({tuple(point["x"]) for point in feasible.sample(20, seed=0)}) == 20


def test_the_doctor_examines_hundreds_of_rules_in_seconds() -> None:
    space = Space({"x": Vector(bool, 200)})
    feasible = FeasibleSet(space, [f"not x[{i}] or not x[{i + 1}]" for i in range(199)])
    with time_limit(3):
        assert feasible.doctor().redundant_rules == ()
