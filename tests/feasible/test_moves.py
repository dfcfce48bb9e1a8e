"""Neighbors and exchanges are exactly the feasible points that differ in one and in two places."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import FeasibleSet, Integer, Space, Vector
from hedgerow.feasible.changes import changed_rows
from hedgerow.space import encode
from tests.oracles import BruteForce, quiet_set
from tests.strategies import Problem, examples, problems


@examples(120)
@given(problems(), st.data())
def test_moves_match_enumeration(problem: Problem, data: st.DataObject) -> None:
    brute = BruteForce(problem.space, problem.rules)
    feasible = quiet_set(problem.space, problem.texts)
    for row in data.draw(st.lists(st.sampled_from(brute.rows), min_size=1, max_size=3)):
        for n_places, moves in ((1, feasible.neighbors), (2, feasible.exchanges)):
            found = [tuple(encode(problem.space, point).tolist()) for point in moves(brute.point(row))]
            assert len(found) == len(set(found))
            assert set(found) == brute.differing(row, n_places)


def test_an_equality_has_exchanges_but_no_neighbors() -> None:
    feasible = FeasibleSet(Space({"x": Vector(Integer(0, 9), 5)}), ["sum(x) == 20"])
    point = feasible.sample(1, seed=0)[0]
    assert feasible.neighbors(point) == []
    assert len(feasible.exchanges(point)) > 10


def test_one_variable_has_no_exchanges() -> None:
    feasible = FeasibleSet(Space({"a": Integer(0, 9)}), ["a % 2 == 0"])
    assert feasible.exchanges({"a": 0}) == []
    assert [point["a"] for point in feasible.neighbors({"a": 1})] == [0, 2, 4, 6, 8]


@examples(60)
@given(problems(), st.data(), st.sampled_from([None, 1, 20]))
def test_changes_lead_to_neighbors_and_exchanges(
    problem: Problem, data: st.DataObject, node_budget: int | None
) -> None:
    brute = BruteForce(problem.space, problem.rules)
    feasible = quiet_set(problem.space, problem.texts, node_budget=node_budget)
    row = np.array(data.draw(st.sampled_from(brute.rows)))
    for n_slots in (1, 2):
        rows = changed_rows(row, feasible.codes.changes(row, n_slots))
        assert {tuple(found) for found in rows.tolist()} == brute.differing(tuple(row.tolist()), n_slots)


def test_the_name_of_earlier_versions_still_works() -> None:
    feasible = FeasibleSet(Space({"a": Integer(0, 9)}), ["a % 2 == 0"])
    assert feasible.neighbours({"a": 1}) == feasible.neighbors({"a": 1})
