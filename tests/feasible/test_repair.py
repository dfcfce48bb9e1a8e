"""Repair gives a feasible point, and none is nearer: fewest changed variables, then least ordered distance."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import Categorical, FeasibleSet, InfeasibleError, Integer, Ordinal, Space, Vector
from hedgerow.space import encode
from tests.oracles import BruteForce, quiet_set
from tests.strategies import Problem, examples, problems


@examples(150)
@given(problems(), st.data())
def test_no_feasible_point_is_nearer(problem: Problem, data: st.DataObject) -> None:
    brute = BruteForce(problem.space, problem.rules)
    feasible = quiet_set(problem.space, problem.texts)
    if not brute.feasible_rows:
        return
    for row in data.draw(st.lists(st.sampled_from(brute.rows), min_size=1, max_size=5)):
        repaired = feasible.repair(brute.point(row))
        assert all(rule.holds(repaired) for rule in problem.rules)
        found = brute.distance(row, encode(problem.space, repaired).tolist())
        assert found == min(brute.distance(row, other) for other in brute.feasible_rows)


def test_a_feasible_point_stays_as_it_is() -> None:
    feasible = FeasibleSet(Space({"x": Vector(Integer(0, 5), 6)}), ["sum(x) == 15"])
    for point in feasible.sample(20, seed=0):
        assert feasible.repair(point) == point


def test_one_large_step_is_nearer_than_two_small_ones() -> None:
    feasible = FeasibleSet(Space({"a": Integer(0, 9), "b": Integer(0, 9)}), ["a + b >= 9"])
    repaired = feasible.repair({"a": 0, "b": 0})
    assert sorted(repaired.values()) == [0, 9]


def test_among_single_changes_the_nearest_level_wins() -> None:
    space = Space({"size": Ordinal(["s", "m", "l", "xl"]), "kind": Categorical(["u", "v"])})
    assert FeasibleSet(space, ["size != 's'"]).repair({"size": "s", "kind": "u"}) == {"size": "m", "kind": "u"}


def test_a_long_point_is_repaired_exactly() -> None:
    feasible = FeasibleSet(Space({"x": Vector(bool, 400)}), ["count(x) == 150"])
    repaired = feasible.repair({"x": [True] * 200 + [False] * 200})
    assert sum(repaired["x"]) == 150
    assert sum(repaired["x"][:200]) == 150


def test_nothing_repairs_a_point_of_an_empty_set() -> None:
    empty = quiet_set(Space({"a": [1, 2]}), ["a > 3"])
    with pytest.raises(InfeasibleError):
        empty.repair({"a": 1})
