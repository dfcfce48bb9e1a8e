"""The Gaussian process over the grid: what it suggests, whatever it has been asked before."""

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.errors import SpaceExhausted
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from research.rivals import GaussianProcess
from research.rivals.features import unit_cube
from research.rivals.gaussian_process.grown import GrownProcess

pytest.importorskip("sklearn", reason="scikit-learn is not installed: pip install 'hedgerow[research]'")


def test_ordered_slots_are_one_column_and_others_one_per_level() -> None:
    space = hr.Space({"x": hr.Integer(0, 3), "only": [1], "kind": ["a", "b", "c"], "y": hr.Integer(0, 1)})
    assert unit_cube(space, np.zeros((1, 4), np.int64)).shape == (1, 5)


def test_no_row_is_suggested_twice_and_the_grid_is_then_exhausted() -> None:
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


def test_what_was_asked_before_does_not_matter() -> None:
    problem = CodeProblem(hr.FeasibleSet(hr.Space({"x": hr.Vector(hr.Integer(0, 12), 2)}), ["x[0] <= 9"]))
    codes = problem.feasible.draw(30, np.random.default_rng(0))
    values = ((codes - [7, 3]) ** 2).sum(axis=1).astype(np.float64)
    run = GaussianProcess().start(problem)
    for n in (3, 25, 26, 30):
        history = History(codes[:n], values[:n], codes[:0])
        fresh = GaussianProcess().start(problem).suggest(history, 0)
        np.testing.assert_array_equal(run.suggest(history, 0).codes, fresh.codes)


def test_a_process_that_grows_says_what_scikit_learn_says() -> None:
    from sklearn.gaussian_process import GaussianProcessRegressor  # noqa: PLC0415 - only where it is installed
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern  # noqa: PLC0415

    rng = np.random.default_rng(0)
    rows, targets, scored, others = rng.random((12, 3)), rng.normal(size=12), rng.random((7, 3)), rng.random((4, 3))
    rows[9] = rows[2]
    kernel = ConstantKernel(1.7) * Matern([0.3, 0.9, 2.0], nu=2.5)
    whole = GaussianProcessRegressor(kernel, alpha=1e-6, optimizer=None).fit(rows, targets)
    grown = GrownProcess(kernel, 1e-6, rows[:8], targets[:8], scored, n_more=4)
    for row, target in zip(rows[8:], targets[8:], strict=True):
        grown.observe(row, float(target))
    for said, expected in ((grown.scored, scored), (grown.predict(others), others)):
        np.testing.assert_allclose(said, whole.predict(expected, return_std=True), rtol=1e-4, atol=1e-5)
