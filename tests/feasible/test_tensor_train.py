"""The feasible set as a tensor train: 1 at feasible codes, 0 elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from hedgerow import EffortExceeded, FeasibleSet, Integer, Space, Vector
from tests.oracles import BruteForce, quiet_set
from tests.strategies import Problem, examples, problems


@examples(120)
@given(problems())
def test_entries_are_the_indicator(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    train = quiet_set(problem.space, problem.texts).tensor_train()
    assert train.entries(np.array(brute.rows)).tolist() == [float(feasible) for feasible in brute.is_feasible]


@examples(60)
@given(problems())
def test_cores_fit_together(problem: Problem) -> None:
    train = quiet_set(problem.space, problem.texts).tensor_train()
    assert sorted(train.order) == list(range(len(problem.space.slots)))
    shapes = [core.shape for core in train.cores]
    assert [shape[1] for shape in shapes] == [problem.space.sizes[slot] for slot in train.order]
    assert (shapes[0][0], shapes[-1][2]) == (1, 1)
    assert [shape[2] for shape in shapes[:-1]] == [shape[0] for shape in shapes[1:]] == list(train.ranks)


def test_contracting_all_cores_counts_the_set() -> None:
    feasible = FeasibleSet(Space({"x": Vector(Integer(0, 4), 8)}), ["sum(x) == 16"])
    total = np.ones((1, 1))
    for core in feasible.tensor_train().cores:
        total = total @ core.sum(axis=1)
    assert total[0, 0] == feasible.count


def test_a_train_too_large_to_be_dense_is_refused_with_advice() -> None:
    feasible = FeasibleSet(Space({"x": Vector(Integer(1, 16), 16)}), ["all_different(x)"])
    with pytest.raises(EffortExceeded, match="Use the diagram itself, which holds the same cores sparsely"):
        feasible.tensor_train()
