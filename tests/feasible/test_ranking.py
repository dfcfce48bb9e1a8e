"""Every feasible point has a number: unrank of rank is the identity, and iteration follows it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from hedgerow import FeasibleSet, Integer, PointError, Space, Vector
from tests.oracles import BruteForce, frozen, quiet_set
from tests.strategies import Problem, examples, problems


@examples(100)
@given(problems(max_points=150))
def test_unrank_of_rank_is_the_identity_both_ways(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    feasible = quiet_set(problem.space, problem.texts)
    listed = list(feasible)
    assert [feasible[i] for i in range(feasible.count)] == listed
    assert [feasible.index(point) for point in listed] == list(range(len(listed)))
    rows = np.array(brute.feasible_rows, dtype=np.int64).reshape(-1, len(brute.domains))
    ranks = feasible.codes.rank(rows)
    assert sorted(ranks) == list(range(feasible.count))
    assert feasible.codes.unrank(ranks).tolist() == rows.tolist()


def test_long_numbers_have_points_too() -> None:
    feasible = FeasibleSet(Space({"x": Vector(Integer(0, 9), 60)}), ["sum(x) == 200", "x[0] < x[59]"])
    total = feasible.count
    assert total > 10**50
    for place in (0, 1, total // 3, total - 1, 2**44, 2**88, 10**40 + 7):
        assert feasible.index(feasible[place]) == place
        assert feasible[place] in feasible
    assert feasible[-1] == feasible[total - 1]
    assert feasible[-total] == feasible[0]


def test_a_number_outside_is_an_index_error() -> None:
    feasible = FeasibleSet(Space({"a": [1, 2, 3], "b": [1, 2, 3]}), ["a < b"])
    for place in (3, -4, 10**30):
        with pytest.raises(IndexError, match="there are 3"):
            feasible[place]


def test_a_broken_point_has_no_number() -> None:
    feasible = FeasibleSet(Space({"a": [1, 2], "b": [1, 2]}), {"order": "a < b", "small": "a < 2", "other": "b > 1"})
    with pytest.raises(PointError, match=r"it breaks 'order' and 'small'\. explain\(point\) says why, repair\(point\)"):
        feasible.index({"a": 2, "b": 2})


def test_iteration_can_stop_early_in_a_vast_set() -> None:
    feasible = FeasibleSet(Space({"x": Vector(Integer(0, 9), 100)}), ["sum(x) == 300"])
    first = next(iter(feasible))
    assert frozen(first) == frozen(feasible[0])
    assert sum(first["x"]) == 300
