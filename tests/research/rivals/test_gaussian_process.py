"""The Gaussian process over the grid: its evidence, its conditioning, and what it proposes."""

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.errors import SpaceExhausted
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from research.rivals import GaussianProcess
from research.rivals.features import column_slots, unit_cube
from research.rivals.grid_process import GridProcess
from research.rivals.matern import RATE, SHAPE, Column, Features, Matern, fit, negative_log_evidence

RNG = np.random.default_rng(0)
FEATURES, TARGETS = RNG.random((25, 5)), RNG.normal(size=25)
SLOTS = np.array([0, 1, 1, 1, 2])


def test_the_gradient_of_the_evidence_is_its_slope() -> None:
    parameters = np.array([-0.3, 0.2, 0.1, -3.0])
    _, gradient = negative_log_evidence(FEATURES, SLOTS, TARGETS, parameters)
    for k in range(4):
        step = np.eye(4)[k] * 1e-5
        above, below = (negative_log_evidence(FEATURES, SLOTS, TARGETS, parameters + s * step)[0] for s in (1, -1))
        assert gradient[k] == pytest.approx((above - below) / 2e-5, rel=1e-5)


def test_columns_of_one_slot_share_a_length_scale() -> None:
    lengths = fit(FEATURES, SLOTS, TARGETS).lengths
    assert lengths[1] == lengths[2] == lengths[3]
    assert len(set(lengths.tolist())) == 3


def test_columns_belong_to_the_slots_that_make_them() -> None:
    space = hr.Space({"x": hr.Integer(0, 3), "only": [1], "kind": ["a", "b", "c"], "y": hr.Integer(0, 1)})
    assert column_slots(space).tolist() == [0, 1, 1, 1, 2]
    assert unit_cube(space, np.zeros((1, 4), np.int64)).shape == (1, 5)


def dense(kernel: Matern, grid: Features) -> tuple[Column, Column]:
    """Mean and deviation after 25 and then 3 more observations, by the textbook's inverse."""
    known, targets = np.vstack([FEATURES, grid[[4, 7, 4]]]), np.append(TARGETS, [0.3, -1.0, 0.2])
    inverse = np.linalg.inv(kernel.between(known, known) + kernel.noise * np.eye(28))
    ones = np.ones(28)
    mean = ones @ inverse @ targets / (ones @ inverse @ ones)
    residual = targets - mean
    variance = (residual @ inverse @ residual + 2 * RATE) / (28 + 2 * SHAPE)
    shared = kernel.between(known, grid)
    left = 1.0 - np.einsum("ij,ik,kj->j", shared, inverse, shared)
    return mean + residual @ inverse @ shared, np.sqrt(variance * left)


def test_one_observation_at_a_time_is_the_textbook() -> None:
    grid = np.random.default_rng(1).random((40, 5))
    kernel = Matern(np.full(5, 0.8), 1e-3)
    process = GridProcess(kernel, FEATURES, TARGETS, grid, room=3)
    for place, target in ((4, 0.3), (7, -1.0), (4, 0.2)):
        process.tell(grid[place : place + 1], target)
    for found in (process.predict(), process.predict_at(grid)):
        for ours, theirs in zip(found, dense(kernel, grid), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-8)


def test_no_row_is_proposed_twice_and_the_grid_is_then_exhausted() -> None:
    problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]}), ["x + y == 4"]))
    run = GaussianProcess().start(problem)
    history = History.empty(2)
    for n in range(9):
        row = run.suggest(history, 0).codes
        history = History(np.vstack([history.codes, row]), np.append(history.values, n % 3), history.pending)
    assert len(history.seen) == 9
    with pytest.raises(SpaceExhausted, match="All 9 points of the grid"):
        run.suggest(history, 0)


@pytest.mark.parametrize("max_listed", [20_000, 10])
def test_the_minimum_of_a_bowl_is_found(max_listed: int) -> None:
    problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": hr.Vector(hr.Integer(0, 12), 2)}), ["x[0] <= 9"]))
    run = GaussianProcess(n_offline=20, infeasible_value=100.0, max_listed=max_listed, n_drawn=40).start(problem)
    history = History.empty(2)
    for _ in range(25):
        row = run.suggest(history, 1).codes
        value = float(((row - [7, 3]) ** 2).sum()) if row[0] <= 9 else 100.0
        history = History(np.vstack([history.codes, row]), np.append(history.values, value), history.pending)
    assert history.values.min() == 0.0


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_values_of_any_size_are_no_trouble(scale: float) -> None:
    problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": hr.Integer(0, 30)})))
    run = GaussianProcess().start(problem)
    history = History.empty(1)
    for _ in range(8):
        row = run.suggest(history, 0).codes
        value = scale * float((row[0] - 11) ** 2 + 1)
        history = History(np.vstack([history.codes, row]), np.append(history.values, value), history.pending)
    assert len(history.seen) == 8
