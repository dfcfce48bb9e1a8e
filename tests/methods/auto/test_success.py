"""What the chance that a trial works does to what a row is worth."""

from __future__ import annotations

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.arrays import Codes, Mask
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.methods import CodeProblem
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.auto.success import TIMES, Success, SuccessLearner

TILES = np.array([8, 16, 32, 64, 128])
SPACE = hr.Space({"tile": TILES.tolist(), "stages": hr.Integer(1, 6), "layout": ["row", "column"]})


def works(rows: Codes) -> Mask:
    return np.asarray(TILES[rows[:, 0]] * (1 + rows[:, 1]) <= 200)


@pytest.fixture(scope="module")
def learned() -> tuple[Success, Codes]:
    problem = KernelProblem(CodeProblem(hr.FeasibleSet(SPACE, ["tile != 8 or stages != 6"])))
    every = problem.codes.listed(1000)
    assert every is not None
    told = every[np.random.default_rng(0).permutation(every.shape[0])[:30]]
    success = SuccessLearner(problem).learned(told, works(told), problem.kernel.center)
    assert success is not None
    return success, every


def test_a_failed_trial_is_worse_than_one_that_gains_nothing(learned: tuple[Success, Codes]) -> None:
    success, every = learned
    chances, weights = success.log_rows(every), success.log_weights(every)
    assert (chances <= 0).all()
    able = works(every)
    np.testing.assert_allclose(weights[able], TIMES * chances[able])
    assert TIMES > 1
    assert weights[~able].max() < np.log(0.5)


def test_where_little_is_expected_what_may_fail_for_any_reason_comes_last(learned: tuple[Success, Codes]) -> None:
    """A border counts as the rest of the chance does: it was left out of what is said to be likely to fail."""
    success, every = learned
    chances, weights = success.log_rows(every), success.wary().log_weights(every)
    may_fail = chances < np.log(0.9)
    assert 0 < may_fail.sum() < every.shape[0]
    assert weights[may_fail].max() < -1000 < weights[~may_fail].min()
    np.testing.assert_allclose(success.wary().log_rows(every), chances)  # what is predicted stays what it is


def test_lists_and_changes_are_weighed_alike(learned: tuple[Success, Codes]) -> None:
    success, every = learned
    np.testing.assert_allclose(success.log_weights_listed(), success.log_weights(every), rtol=1e-6)
    literals = Literals.all_of(SPACE.sizes)
    near = success.near(every[7], literals).log_weights(literals.changes)
    np.testing.assert_allclose(near, success.log_weights(changed_rows(every[7], literals.changes)), rtol=1e-6)
