"""Predictions around a row against those of whole rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.methods.auto.kernel.neighborhood import Around
from hedgerow.methods.auto.kernel.neighborhood_loops import (
    changed_products,
    changed_products_plain,
    changed_sums,
    changed_sums_plain,
    line_ratios,
    line_ratios_plain,
    single_sums,
    single_sums_plain,
)
from hedgerow.methods.auto.kernel.process import KernelFactor, KernelSurrogate
from hedgerow.methods.auto.kernel.tensor_kernel import TensorKernel

SIZES = (4, 5, 2, 3, 6)
KERNEL = TensorKernel.of(SIZES, (True, False, True, True, False))
ROW = np.array([1, 4, 0, 2, 3])
LINES = Literals.all_of(SIZES)

Places = NDArray[np.int64]


def model(n: int, kernel: TensorKernel = KERNEL) -> KernelSurrogate:
    rng = np.random.default_rng(n)
    codes = np.unique(rng.integers(0, kernel.sizes, size=(n, kernel.n_slots)), axis=0)
    return KernelSurrogate.condition(KernelFactor.of(kernel, kernel.centre, codes), rng.normal(size=len(codes)))


def around_row(surrogate: KernelSurrogate) -> Around:
    return Around.of(surrogate, ROW, LINES.slots, LINES.codes)


def pairs_of_lines() -> tuple[Places, Places, NDArray[np.int64]]:
    """Pairs of lines of different slots, and the rows they lead to."""
    first, second = np.nonzero(LINES.slots[:, None] < LINES.slots[None, :])
    changes = np.concatenate([LINES.changes[first][:, :2], LINES.changes[second][:, :2]], axis=1)
    return first, second, changed_rows(ROW, changes)


@pytest.mark.parametrize("n", [4, 30])
def test_loops_agree_with_their_plain_twins(n: int) -> None:
    small = model(n)
    kinds, observed = small.observed.kinds, small.observed.codes
    ratios = line_ratios(ROW, LINES.slots, LINES.codes, small.tables, observed)
    np.testing.assert_allclose(ratios, line_ratios_plain(ROW, LINES.slots, LINES.codes, small.tables, observed))
    weights = small.weights
    np.testing.assert_allclose(
        single_sums(weights, kinds, ratios, LINES.slots),
        single_sums_plain(weights, kinds, ratios, LINES.slots),
        atol=1e-12,
    )
    first, second = np.array([0, 0, 7, 3]), np.array([12, 5, 13, 19])
    arguments = (weights, kinds, ratios, LINES.slots, first, second)
    np.testing.assert_allclose(changed_sums(*arguments), changed_sums_plain(*arguments), atol=1e-12)
    arguments = (weights, kinds, ratios, LINES.slots, first, np.array([12, -1, 13, -1]))
    np.testing.assert_allclose(changed_products(*arguments), changed_products_plain(*arguments))


def test_single_and_double_changes_have_the_means_of_their_rows() -> None:
    many = model(200)
    around = around_row(many)
    single = many.predict(changed_rows(ROW, LINES.changes))[0]
    np.testing.assert_allclose(around.single_means, single, rtol=1e-9)
    first, second, rows = pairs_of_lines()
    mixed = np.concatenate([first, np.arange(LINES.n)]), np.concatenate([second, np.full(LINES.n, -1)])
    np.testing.assert_allclose(around.means(*mixed), np.concatenate([many.predict(rows)[0], single]), rtol=1e-9)


def test_deviations_are_those_of_the_rows_and_never_above_their_bounds() -> None:
    first, second, rows = pairs_of_lines()
    for n in (20, 400):
        surrogate = model(n)
        around, exact = around_row(surrogate), surrogate.predict(rows)[1]
        np.testing.assert_allclose(around.deviations(first, second), exact, rtol=1e-6)
        bounds = around.bounds(first, second)
        assert (bounds >= exact - 1e-9).all()
        assert np.median(bounds / exact) < 3.0


def test_slots_of_a_thousand_codes_are_compared_at_the_codes_that_were_observed() -> None:
    surrogate = model(30, TensorKernel.of((1000, 3, 1000), (True, False, True)))
    assert surrogate.observed.codes.shape == (3, 30)
    row, lines = np.array([500, 1, 7]), Literals.all_of((1000, 3, 1000)).only(np.arange(0, 2003, 13))
    means = Around.of(surrogate, row, lines.slots, lines.codes).single_means
    np.testing.assert_allclose(means, surrogate.predict(changed_rows(row, lines.changes))[0], rtol=1e-9)
