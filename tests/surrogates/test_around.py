"""Predictions around a row against those of whole rows."""

from __future__ import annotations

import numpy as np

from hedgerow.feasible.changes import all_single_changes, changed_rows
from hedgerow.surrogates.around import Around
from hedgerow.surrogates.kernel import KernelFactor, KernelSurrogate
from hedgerow.surrogates.kernel_loops import change_ratios, change_ratios_plain, changed_sums, changed_sums_plain
from hedgerow.surrogates.tensor_kernel import TensorKernel

SIZES = (4, 5, 2, 3, 6)
KERNEL = TensorKernel.of(SIZES, (True, False, True, True, False))
ROW = np.array([1, 4, 0, 2, 3])


def model(n: int) -> KernelSurrogate:
    rng = np.random.default_rng(n)
    codes = np.unique(rng.integers(0, SIZES, size=(n, len(SIZES))), axis=0)
    return KernelSurrogate.condition(KernelFactor.of(KERNEL, KERNEL.centre, codes), rng.normal(size=len(codes)))


def lines_of_pairs() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of single changes in different slots, as lines and as changes of two slots."""
    singles = all_single_changes(SIZES)
    first, second = np.nonzero(singles[:, None, 0] < singles[None, :, 0])
    return first, second, np.concatenate([singles[first][:, :2], singles[second][:, :2]], axis=1)


def test_loops_agree_with_their_plain_twins() -> None:
    small = model(30)
    sizes = np.array(SIZES)
    ratios = change_ratios(ROW, small.columns, small.tables, sizes)
    np.testing.assert_allclose(ratios, change_ratios_plain(ROW, small.columns, small.tables, sizes))
    first, second = np.array([0, 7, 3]), np.array([12, -1, 19])
    np.testing.assert_allclose(
        changed_sums(small.weights, ratios, first, second), changed_sums_plain(small.weights, ratios, first, second)
    )


def test_single_and_double_changes_have_the_means_of_their_rows() -> None:
    many = model(200)
    around = Around.of(many, ROW)
    singles = all_single_changes(SIZES)
    np.testing.assert_allclose(around.single_means(), many.predict(changed_rows(ROW, singles))[0], rtol=1e-9)
    mean, _ = around.predict(np.arange(len(singles)), np.full(len(singles), -1))
    np.testing.assert_allclose(mean, around.single_means())
    first, second, pairs = lines_of_pairs()
    np.testing.assert_allclose(around.predict(first, second)[0], many.predict(changed_rows(ROW, pairs))[0], rtol=1e-9)


def test_deviations_are_exact_with_few_observations_and_bounds_with_many() -> None:
    first, second, pairs = lines_of_pairs()
    few, many = model(100), model(400)
    np.testing.assert_allclose(
        Around.of(few, ROW).predict(first, second)[1], few.predict(changed_rows(ROW, pairs))[1], rtol=1e-6
    )
    bounds, exact = Around.of(many, ROW).predict(first, second)[1], many.predict(changed_rows(ROW, pairs))[1]
    assert (bounds >= exact - 1e-9).all()
    assert np.median(bounds / exact) < 2.0
