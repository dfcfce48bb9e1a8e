"""The kernel surrogate against plain twins, finite differences and a dense Gaussian process."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgerow.methods.auto.kernel.fit import draw_parameters, fit_mode, negative_log_evidence
from hedgerow.methods.auto.kernel.loops import (
    half_sums,
    own_products,
    pair_sums,
    table_products,
)
from hedgerow.methods.auto.kernel.many_rows import ManyRows
from hedgerow.methods.auto.kernel.pairs import Pairs
from hedgerow.methods.auto.kernel.process import KernelFactor, KernelSurrogate
from hedgerow.methods.auto.kernel.tensor_kernel import TensorKernel
from hedgerow.methods.auto.transforms import Targets, magnified, standardized, step_between, tamed
from tests.methods.auto.kernel.plain import half_sums_plain, pair_sums_plain, table_products_plain

SIZES = (4, 5, 2, 3)
KERNEL = TensorKernel.of(SIZES, (True, False, True, True))


def rows(n: int, seed: int = 0) -> NDArray[np.int64]:
    return np.random.default_rng(seed).integers(0, SIZES, size=(n, len(SIZES)))


def test_loops_agree_with_their_plain_twins() -> None:
    tables = KERNEL.tables(KERNEL.center)
    left, right = rows(7), rows(9, seed=1)
    np.testing.assert_allclose(table_products(left, right, tables), table_products_plain(left, right, tables))
    np.testing.assert_allclose(own_products(left, tables), table_products_plain(left, left, tables))
    weights = np.random.default_rng(2).normal(size=(7, 7))
    weights += weights.T
    np.testing.assert_allclose(pair_sums(left, weights, 5), pair_sums_plain(left, weights, 5), atol=1e-12)
    places = np.array([3, 0, 3]), np.array([1, 2, 6])
    np.testing.assert_allclose(
        half_sums(weights, weights[:4], *places[::-1]), half_sums_plain(weights, weights[:4], *places[::-1])
    )


@pytest.mark.parametrize("is_ordered", [(True, False, True, True), (False,) * 4, (True,) * 4])
def test_pairs_agree_with_visiting_every_slot(is_ordered: tuple[bool, ...]) -> None:
    kernel = TensorKernel.of(SIZES, is_ordered)
    codes = rows(12)
    parameters = kernel.center + 0.4 * np.random.default_rng(1).normal(size=kernel.center.size)
    tables = kernel.tables(parameters)
    pairs = Pairs.of(kernel, codes)
    np.testing.assert_allclose(pairs.products(tables), table_products_plain(codes, codes, tables), rtol=1e-10)
    weights = np.random.default_rng(2).normal(size=(12, 12))
    weights += weights.T
    visited = pair_sums_plain(codes, weights, kernel.n_differences)
    similarity = kernel.similarity(parameters)
    by_pairs, by_visits = (kernel.gradient(parameters, similarity, sums) for sums in (pairs.sums(weights), visited))
    np.testing.assert_allclose(by_pairs, by_visits, rtol=1e-8, atol=1e-10)


def test_the_gradient_is_that_of_finite_differences() -> None:
    rng = np.random.default_rng(3)
    codes, targets = rows(14), rng.normal(size=14)
    parameters = KERNEL.center + 0.3 * rng.normal(size=KERNEL.center.size)
    pairs = Pairs.of(KERNEL, codes)
    _, gradient = negative_log_evidence(pairs, parameters, targets)
    steps = 1e-5 * np.eye(parameters.size)
    differences = [
        negative_log_evidence(pairs, parameters + step, targets)[0]
        - negative_log_evidence(pairs, parameters - step, targets)[0]
        for step in steps
    ]
    np.testing.assert_allclose(gradient, np.array(differences) / 2e-5, rtol=1e-5, atol=1e-6)


def test_the_kernel_is_one_at_equal_rows_and_smaller_elsewhere() -> None:
    codes = np.unique(rows(30), axis=0)
    matrix = table_products(codes, codes, KERNEL.tables(KERNEL.center))
    np.testing.assert_allclose(np.diag(matrix), 1.0)
    assert (matrix[~np.eye(len(codes), dtype=bool)] < 1.0).all()
    assert np.linalg.eigvalsh(matrix).min() > -1e-9


def test_predictions_are_those_of_a_dense_process() -> None:
    codes = np.unique(rows(20), axis=0)
    targets = np.random.default_rng(4).normal(size=len(codes))
    model = KernelSurrogate.condition(KernelFactor.of(KERNEL, KERNEL.center, codes), targets)
    others = rows(10, seed=5)
    tables = KERNEL.tables(KERNEL.center)
    noisy = table_products(codes, codes, tables) + KERNEL.noise(KERNEL.center) * np.eye(len(codes))
    inverse = np.linalg.inv(noisy)
    ones = np.ones(len(codes))
    center = ones @ inverse @ targets / (ones @ inverse @ ones)
    cross = table_products(codes, others, tables)
    mean, sd = model.predict(others)
    np.testing.assert_allclose(mean, center + cross.T @ inverse @ (targets - center), rtol=1e-6, atol=1e-8)
    left = 1 - np.einsum("ij,ik,kj->j", cross, inverse, cross)
    np.testing.assert_allclose(sd**2, model.variance * np.maximum(left, 1e-9), rtol=1e-5, atol=1e-8)


def test_fitted_values_are_the_predictions_at_observed_rows() -> None:
    codes = np.unique(rows(25), axis=0)
    parameters = KERNEL.center.copy()
    parameters[-1] = -1.0
    targets = np.random.default_rng(4).normal(size=len(codes))
    model = KernelSurrogate.condition(KernelFactor.of(KERNEL, parameters, codes), targets)
    np.testing.assert_allclose(model.fitted, model.predict(codes)[0], rtol=1e-8, atol=1e-10)


def test_a_factor_grows_row_by_row_as_if_it_were_made_at_once() -> None:
    codes = np.unique(rows(25), axis=0)
    grown = KernelFactor.of(KERNEL, KERNEL.center, codes[:6]).extended(codes[6:9]).extended(codes[9:])
    np.testing.assert_allclose(grown.lower, KernelFactor.of(KERNEL, KERNEL.center, codes).lower, atol=1e-10)
    assert grown.extended(codes[:0]) is grown


@pytest.mark.parametrize("n_used", [1, 7, 100])
def test_a_list_is_predicted_as_its_rows_are_with_a_bound_of_the_deviation(n_used: int) -> None:
    codes = np.unique(rows(20), axis=0)
    targets = np.random.default_rng(4).normal(size=len(codes))
    model = KernelSurrogate.condition(KernelFactor.of(KERNEL, KERNEL.center, codes), targets)
    others = rows(50, seed=6)
    mean, sd = model.predict(others)
    bounded_mean, bound = model.bound(ManyRows.of(others), n_used)
    np.testing.assert_allclose(bounded_mean, mean, atol=1e-8)
    assert (bound >= sd * (1 - 1e-6)).all()
    if n_used >= len(codes):
        np.testing.assert_allclose(bound, sd, rtol=1e-4)


def test_main_effects_are_averages_of_the_mean_over_everything() -> None:
    codes = np.unique(rows(20), axis=0)
    targets = np.random.default_rng(4).normal(size=len(codes))
    model = KernelSurrogate.condition(KernelFactor.of(KERNEL, KERNEL.center, codes), targets)
    everything = np.stack(np.meshgrid(*map(np.arange, SIZES), indexing="ij"), axis=-1).reshape(-1, len(SIZES))
    mean = model.predict(everything)[0]
    for k, effect in enumerate(model.main_effects()):
        averages = np.array([mean[everything[:, k] == code].mean() for code in range(SIZES[k])])
        np.testing.assert_allclose(effect, averages - averages.mean(), atol=1e-9)


def test_the_halves_of_a_list_make_its_rows() -> None:
    listed = rows(40, seed=8)
    halves = ManyRows.of(listed)
    together = np.concatenate([halves.lefts[halves.left], halves.rights[halves.right]], axis=1)
    np.testing.assert_array_equal(together, listed)
    tables = KERNEL.tables(KERNEL.center)
    np.testing.assert_allclose(halves.products(rows(5), tables), table_products(rows(5), listed, tables))


def test_a_fit_explains_an_additive_function_better_than_the_prior() -> None:
    codes = np.unique(rows(40), axis=0)
    values = codes[:, 0] * 1.0 + (codes[:, 1] == 2) * 3.0
    targets = standardized(values).values
    mode = fit_mode(Pairs.of(KERNEL, codes), targets)
    assert mode.log_evidence > -negative_log_evidence(Pairs.of(KERNEL, codes), KERNEL.center, targets)[0]
    everything = np.stack(np.meshgrid(*map(np.arange, SIZES), indexing="ij"), axis=-1).reshape(-1, len(SIZES))
    mean, _ = KernelSurrogate.condition(KernelFactor.of(KERNEL, mode.parameters, codes), targets).predict(everything)
    truth = everything[:, 0] * 1.0 + (everything[:, 1] == 2) * 3.0
    assert np.corrcoef(mean, truth)[0, 1] > 0.97


def test_parameter_draws_depend_on_the_seed_alone() -> None:
    codes, targets = rows(12), np.random.default_rng(1).normal(size=12)
    mode = fit_mode(Pairs.of(KERNEL, codes), targets)
    first = draw_parameters(Pairs.of(KERNEL, codes), targets, mode, 3, np.random.default_rng(7))
    second = draw_parameters(Pairs.of(KERNEL, codes), targets, mode, 3, np.random.default_rng(7))
    assert [draw.tolist() for draw in first] == [draw.tolist() for draw in second]
    low, high = KERNEL.bounds
    assert all((draw >= low).all() and (draw <= high).all() for draw in first)


@pytest.mark.parametrize("transform", [standardized, tamed, magnified])
def test_jacobians_are_those_of_finite_differences(transform: object) -> None:
    assert callable(transform)
    values = np.array([0.3, 1.0, 2.5, 7.0, 40.0])
    targets = transform(values)
    assert abs(targets.values.mean()) < 1e-12
    assert abs(targets.values.std() - 1) < 1e-12
    # The same affine map with the statistics held fixed: a shift of all values changes no target.
    shifted = transform(values + 5.0)
    np.testing.assert_allclose(shifted.values, targets.values, atol=1e-12)
    # Doubling all values costs log 2 per observation and changes no target.
    doubled = transform(2 * values)
    np.testing.assert_allclose(doubled.values, targets.values, atol=1e-12)
    assert abs(targets.log_jacobian - doubled.log_jacobian - len(values) * np.log(2)) < 1e-9


def test_taming_keeps_the_order_and_pulls_outliers_in() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0, 1000.0])
    targets = tamed(values).values
    assert (np.diff(targets) > 0).all()
    assert targets[-1] < standardized(values).values[-1] * 1.5
    assert targets[0] < standardized(values).values[0]


def test_a_goal_is_a_step_below_the_best_where_values_come_in_steps() -> None:
    stepped = np.array([1.0, 1.0, 1.5, 1.5, 2.5, 9.0])
    assert step_between(stepped) == 0.5
    targets = standardized(stepped)
    assert targets.goal(0.5) == pytest.approx((0.5 - stepped.mean()) / stepped.std())
    assert step_between(np.array([1.0, 1.1, 1.3, 2.0])) == 0.0
    assert step_between(np.ones(4)) == 0.0
    assert standardized(np.array([1.0, 2.0])).goal(0.0) == pytest.approx(-1.01)


@pytest.mark.parametrize("transform", [standardized, tamed, magnified])
def test_the_slope_at_the_best_is_that_of_the_transform(transform: Callable[[NDArray[np.float64]], Targets]) -> None:
    values = np.array([0.3, 0.3 + 1e-7, 1.0, 2.5, 7.0, 40.0])
    targets = transform(values)
    measured = (targets.values[1] - targets.values[0]) / 1e-7
    assert targets.slope_at_best == pytest.approx(measured, rel=1e-4)


def test_the_prior_of_thousands_of_slots_is_that_of_its_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = replace(TensorKernel.of([2] * 9 + [5] * 4, [False] * 9 + [True] * 4), groups=(0,) * 8 + (1,) * 5)
    offset = np.random.default_rng(0).normal(size=kernel.center.size)
    monkeypatch.setattr("hedgerow.methods.auto.kernel.tensor_kernel._MANY_SLOTS", 0)
    np.testing.assert_allclose(kernel.pull(offset), kernel.precision @ offset, atol=1e-12)


@pytest.mark.parametrize("shape", [(300, 6, 3), (40, 1, 5), (7, 9, 2), (1, 3, 4)])
def test_a_list_is_cut_where_its_halves_have_the_fewest_rows(shape: tuple[int, int, int]) -> None:
    n_rows, n_slots, size = shape
    rows = np.unique(np.random.default_rng(n_rows).integers(0, size, (n_rows, n_slots)), axis=0)
    halves = ManyRows.of(rows)
    np.testing.assert_array_equal(np.hstack([halves.lefts[halves.left], halves.rights[halves.right]]), rows)
    sums = [
        np.unique(rows[:, :place], axis=0).shape[0] + np.unique(rows[:, place:], axis=0).shape[0]
        for place in range(n_slots + 1)
    ]
    assert halves.lefts.shape[0] + halves.rights.shape[0] == min(sums)
    assert halves.lefts.shape[1] == sums.index(min(sums))
