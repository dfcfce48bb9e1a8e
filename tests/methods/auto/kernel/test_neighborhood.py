"""Predictions around a row against those of whole rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.methods.auto.kernel.neighborhood import KernelNeighborhood
from hedgerow.methods.auto.kernel.neighborhood_loops import (
    changed_products,
    changed_sums,
    literal_ratios,
    single_sums,
)
from hedgerow.methods.auto.kernel.process import KernelFactor, KernelSurrogate
from hedgerow.methods.auto.kernel.tensor_kernel import TensorKernel
from tests.methods.auto.kernel.plain import (
    changed_products_plain,
    changed_sums_plain,
    literal_ratios_plain,
    single_sums_plain,
)

SIZES = (4, 5, 2, 3, 6)
KERNEL = TensorKernel.of(SIZES, (True, False, True, True, False))
ROW = np.array([1, 4, 0, 2, 3])
LITERALS = Literals.all_of(SIZES)

Places = NDArray[np.int64]


def model(n: int, kernel: TensorKernel = KERNEL) -> KernelSurrogate:
    rng = np.random.default_rng(n)
    codes = np.unique(rng.integers(0, kernel.sizes, size=(n, kernel.n_slots)), axis=0)
    return KernelSurrogate.condition(KernelFactor.of(kernel, kernel.center, codes), rng.normal(size=len(codes)))


def neighborhood_of_row(surrogate: KernelSurrogate) -> KernelNeighborhood:
    return KernelNeighborhood.of(surrogate, ROW, LITERALS.slots, LITERALS.codes)


def pairs_of_literals() -> tuple[Places, Places, NDArray[np.int64]]:
    """Pairs of literals of different slots, and the rows they lead to."""
    first, second = np.nonzero(LITERALS.slots[:, None] < LITERALS.slots[None, :])
    changes = np.concatenate([LITERALS.changes[first][:, :2], LITERALS.changes[second][:, :2]], axis=1)
    return first, second, changed_rows(ROW, changes)


@pytest.mark.parametrize("n", [4, 30])
def test_loops_agree_with_their_plain_twins(n: int) -> None:
    small = model(n)
    kinds, observed = small.observed.kinds, small.observed.codes
    ratios = literal_ratios(ROW, LITERALS.slots, LITERALS.codes, small.tables, observed)
    np.testing.assert_allclose(
        ratios, literal_ratios_plain(ROW, LITERALS.slots, LITERALS.codes, small.tables, observed)
    )
    weights = small.weights
    np.testing.assert_allclose(
        single_sums(weights, kinds, ratios, LITERALS.slots),
        single_sums_plain(weights, kinds, ratios, LITERALS.slots),
        atol=1e-12,
    )
    first, second = np.array([0, 0, 7, 3]), np.array([12, 5, 13, 19])
    arguments = (weights, kinds, ratios, LITERALS.slots, first, second)
    np.testing.assert_allclose(changed_sums(*arguments), changed_sums_plain(*arguments), atol=1e-12)
    arguments = (weights, kinds, ratios, LITERALS.slots, first, np.array([12, -1, 13, -1]))
    np.testing.assert_allclose(changed_products(*arguments), changed_products_plain(*arguments))


def test_single_and_double_changes_have_the_means_of_their_rows() -> None:
    many = model(200)
    neighborhood = neighborhood_of_row(many)
    single = many.predict(changed_rows(ROW, LITERALS.changes))[0]
    np.testing.assert_allclose(neighborhood.single_means, single, rtol=1e-9)
    first, second, rows = pairs_of_literals()
    mixed = np.concatenate([first, np.arange(LITERALS.n)]), np.concatenate([second, np.full(LITERALS.n, -1)])
    np.testing.assert_allclose(neighborhood.means(*mixed), np.concatenate([many.predict(rows)[0], single]), rtol=1e-9)


def test_deviations_are_those_of_the_rows_and_never_above_their_bounds() -> None:
    first, second, rows = pairs_of_literals()
    for n in (20, 400):
        surrogate = model(n)
        neighborhood, exact = neighborhood_of_row(surrogate), surrogate.predict(rows)[1]
        np.testing.assert_allclose(neighborhood.deviations(first, second), exact, rtol=1e-6)
        bounds = neighborhood.bounds(first, second)
        assert (bounds >= exact - 1e-9).all()
        assert np.median(bounds / exact) < 3.0


def test_slots_of_a_thousand_codes_are_compared_at_the_codes_that_were_observed() -> None:
    surrogate = model(30, TensorKernel.of((1000, 3, 1000), (True, False, True)))
    assert surrogate.observed.codes.shape == (3, 30)
    row, literals = np.array([500, 1, 7]), Literals.all_of((1000, 3, 1000)).only(np.arange(0, 2003, 13))
    means = KernelNeighborhood.of(surrogate, row, literals.slots, literals.codes).single_means
    np.testing.assert_allclose(means, surrogate.predict(changed_rows(row, literals.changes))[0], rtol=1e-9)
