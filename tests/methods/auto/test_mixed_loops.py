"""The compiled kernel over coordinates is its plain twin, values that are missing included; slopes are differences."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.methods.auto.mixed.kernel import CoordinateKernel
from hedgerow.search.acquisition import log_standard_improvement, log_standard_improvement_at


def rows(n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    drawn = rng.random((n, 4))
    drawn[:, 2] = rng.integers(0, 3, n)
    drawn[rng.random(n) < 0.3, 3] = np.nan
    return drawn


@pytest.mark.parametrize("is_smooth", [False, True])
def test_products_and_slopes(is_smooth: bool) -> None:
    kernel = CoordinateKernel(np.array([True, True, False, True]), is_smooth)
    parameters = kernel.center + 0.3 * np.random.default_rng(0).normal(size=kernel.center.size)
    left, right = rows(12, 1), rows(9, 2)
    plain = kernel.products(parameters, kernel.apart(left, right))
    np.testing.assert_allclose(kernel.between(parameters, left, right), plain, rtol=1e-12)
    weights = np.random.default_rng(3).normal(size=(12, 12))
    weights += weights.T
    apart = kernel.apart(left, left)
    products, decays = kernel.own(parameters, left)
    np.testing.assert_allclose(products, kernel.between(parameters, left, left), rtol=1e-14)
    summed = kernel.summed_slopes(parameters, left, decays, weights)
    np.testing.assert_allclose(summed, kernel.log_gradient(parameters, apart, weights), atol=1e-9)
    for row in right:
        shared, slopes = kernel.with_slopes(parameters, left, row)
        np.testing.assert_allclose(shared, kernel.between(parameters, left, row[None, :])[:, 0], rtol=1e-12)
        for place in (0, 1, 3):
            moved = np.stack([row, row])
            moved[:, place] += [-1e-6, 1e-6]
            low, high = kernel.between(parameters, left, moved).T
            np.testing.assert_allclose(slopes[place], (high - low) / 2e-6, atol=1e-6)


def test_the_improvement_of_one_number_is_that_of_many() -> None:
    z = np.array([-1e12, -3e6, -50.0, -2.0, -1.0001, -1.0, -0.5, 0.0, 3.0, 40.0])
    ours = [log_standard_improvement_at(float(each)) for each in z]
    np.testing.assert_allclose(ours, log_standard_improvement(z), rtol=1e-9)
