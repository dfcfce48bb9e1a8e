"""Completions of a partial point: their count and draws are those of enumeration."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import FeasibleSet, InfeasibleError, Integer, PointError, Space, Vector
from tests.oracles import BruteForce, quiet_set
from tests.strategies import Problem, examples, problems


def agrees(partial: dict[str, Any], point: dict[str, Any]) -> bool:
    for name, value in partial.items():
        given_values = value if isinstance(value, list) else [value]
        own = point[name] if isinstance(point[name], list) else [point[name]]
        if any(g is not None and g != o for g, o in zip(given_values, own, strict=True)):
            return False
    return True


@examples(150)
@given(problems(), st.data())
def test_completions_match_enumeration(problem: Problem, data: st.DataObject) -> None:
    brute = BruteForce(problem.space, problem.rules)
    whole = brute.point(data.draw(st.sampled_from(brute.rows)))
    partial: dict[str, Any] = {}
    for name, value in whole.items():
        if data.draw(st.booleans()):
            partial[name] = (
                [item if data.draw(st.booleans()) else None for item in value] if isinstance(value, list) else value
            )
    completions = quiet_set(problem.space, problem.texts).completions(partial)
    expected = [point for point in brute.feasible_points if agrees(partial, point)]
    assert completions.count == len(expected)
    if not expected:
        with pytest.raises(InfeasibleError):
            completions.sample(1, seed=0)
        return
    for point in completions.sample(10, seed=0):
        assert agrees(partial, point)
        assert all(rule.holds(point) for rule in problem.rules)


SPACE = Space({"a": Integer(0, 3), "x": Vector([0, 1, 2], 3)})


def test_an_empty_partial_point_is_the_whole_set() -> None:
    feasible = FeasibleSet(SPACE, ["a < sum(x)"])
    assert feasible.completions({}).count == feasible.count
    assert feasible.completions({"x": [None, None, None]}).count == feasible.count


@pytest.mark.parametrize(
    ("partial", "message"),
    [
        ({"z": 1}, "which is not in the space"),
        ({"a": 7}, "a = 7 is not in its domain"),
        ({"a": None}, "a = None is not in its domain"),
        ({"x": [1, 2]}, "x is a vector of 3 values, but 2 were given"),
        ({"x": [1, 5, None]}, "x[1] = 5 is not in its domain"),
        ({"x": 5}, "Give a list"),
        ([1], "A point is a dict"),
    ],
)
def test_a_partial_point_that_does_not_fit_is_refused(partial: Any, message: str) -> None:
    with pytest.raises(PointError) as caught:
        FeasibleSet(SPACE, ["a > 0"]).completions(partial)
    assert message in str(caught.value)


@pytest.mark.parametrize("values", [{1, 2, 0}, {0: 1, 1: 1, 2: 1}])
def test_a_vector_needs_an_order(values: Any) -> None:
    with pytest.raises(PointError, match="Give a list"):
        FeasibleSet(SPACE, ["a > 0"]).completions({"x": values})
