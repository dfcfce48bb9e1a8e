"""The best points under a sum of scores are those of sorted enumeration."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import FeasibleSet, Integer, PointError, Space, Vector
from hedgerow.space import encode
from tests.oracles import BruteForce, quiet_set
from tests.strategies import Problem, examples, problems


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@examples(150)
@given(problems(), st.data())
def test_the_k_best_are_those_of_sorted_enumeration(problem: Problem, data: st.DataObject) -> None:
    brute = BruteForce(problem.space, problem.rules)
    numbers = data.draw(
        st.sampled_from([[-1.0, 0.0, 2.0], [0.1, 0.25, -3.5, 1e-9], [-math.inf, 0.0, 1.0], [1e6, 1e-3]])
    )
    tables = [
        {value: data.draw(st.sampled_from(numbers)) for value in domain if data.draw(st.booleans())}
        for domain in brute.domains
    ]
    scores: dict[str, Any] = {}
    for name, variable in problem.space.variables.items():
        start = problem.space.first_slot[name]
        scores[name] = tables[start : start + variable.length] if isinstance(variable, Vector) else tables[start]
    k = data.draw(st.sampled_from([1, 3, 1000]))

    def total(row: tuple[int, ...]) -> float:
        return math.fsum(tables[slot].get(brute.domains[slot][code], 0.0) for slot, code in enumerate(row))

    found = [
        tuple(encode(problem.space, point).tolist())
        for point in quiet_set(problem.space, problem.texts).best(scores, k)
    ]
    ordered = sorted((total(row) for row in brute.feasible_rows if total(row) > -math.inf), reverse=True)
    assert len(set(found)) == len(found)
    assert set(found) <= set(brute.feasible_rows)
    assert [total(row) for row in found] == pytest.approx(ordered[:k], rel=1e-12, abs=1e-12)


SPACE = Space({"a": Integer(0, 3), "x": Vector([0, 1], 2)})


def test_what_has_no_score_counts_zero() -> None:
    feasible = FeasibleSet(SPACE, ["a + sum(x) <= 3"])
    assert feasible.best({"a": {3: 1.0}})[0] == {"a": 3, "x": [0, 0]}
    assert feasible.best({"x": [{1: 1.0}, {1: 2.0}]})[0]["x"] == [1, 1]
    assert feasible.best({"x": {1: 1.0}})[0]["x"] == [1, 1]
    assert len(feasible.best({}, k=100)) == feasible.count


def test_minus_infinity_forbids_a_value_even_beside_dead_ends() -> None:
    feasible = FeasibleSet(Space({"a": [0, 1], "b": [0, 1]}), ["a + b <= 1"])
    found = feasible.best({"a": {1: -1}, "b": {1: -math.inf}}, k=4)
    assert found == [{"a": 0, "b": 0}, {"a": 1, "b": 0}]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({"z": {1: 1.0}}, "which is not in the space"),
        ({"a": {9: 1.0}}, "a = 9 is not in its domain"),
        ({"a": {1: math.nan}}, "is nan; use finite numbers"),
        ({"a": {1: math.inf}}, "is inf; use finite numbers"),
        ({"a": [1.0, 2.0]}, "must be a dict of values and numbers"),
        ({"x": [{1: 1.0}]}, "need 2 dicts, one per component, but 1 were given"),
        ([1, 2], "is a dict"),
    ],
)
def test_scores_that_make_no_sense_are_refused(scores: Any, message: str) -> None:
    with pytest.raises(PointError) as caught:
        FeasibleSet(SPACE, ["a > 0"]).best(scores)
    assert message in str(caught.value)


@pytest.mark.parametrize("score", ["high", None, [1]])
def test_a_score_that_is_no_number_is_refused(score: Any) -> None:
    with pytest.raises(PointError):
        FeasibleSet(SPACE, ["a > 0"]).best({"a": {1: score}})
