"""T-norms: slopes against finite differences, and the compiled look at one row against the plain one at many."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from numpy.random import default_rng

from hedgerow.methods.catd.tensors.losses import TNorm, product_slope, product_violation
from tests.methods.catd.tensors.losses_plain import violation

TNORMS: tuple[TNorm, ...] = get_args(TNorm)


@pytest.mark.parametrize("tnorm", TNORMS)
def test_slopes_agree_with_finite_differences(tnorm: TNorm) -> None:
    gaps = default_rng(0).uniform(-0.5, 1.8, size=(12, 3))
    _, slopes = violation(gaps, tnorm)
    for i in range(gaps.shape[0]):
        up, down = gaps.copy(), gaps.copy()
        up[i] += 1e-6
        down[i] -= 1e-6
        numeric = (violation(up, tnorm)[0] - violation(down, tnorm)[0]) / 2e-6
        np.testing.assert_allclose(slopes[i], numeric, atol=1e-6)


@pytest.mark.parametrize("gap", [1e-9, 0.3, 0.95, 7.0])
def test_one_row_agrees_with_many(gap: float) -> None:
    value, slope = violation(np.array([[gap]]), "product")
    assert product_violation(gap) == pytest.approx(value[0], rel=1e-12)
    assert product_slope(gap) == pytest.approx(slope[0, 0], rel=1e-12)


@pytest.mark.parametrize("tnorm", TNORMS)
def test_a_kept_rule_costs_nothing(tnorm: TNorm) -> None:
    value, slopes = violation(np.array([[-0.2], [0.0], [-1e9]]), tnorm)
    assert value[0] == pytest.approx(0.0, abs=1e-15)
    assert not slopes.any()


def test_penalties_are_ordered_from_mean_to_worst() -> None:
    gaps = default_rng(1).uniform(-0.5, 0.9, size=(50, 2))
    mean, product, goedel = (violation(gaps, tnorm)[0] for tnorm in TNORMS)
    assert (mean < product).all() and (mean < goedel).all()
    assert (goedel < gaps.max(axis=0)).all()


@pytest.mark.parametrize("tnorm", TNORMS)
def test_huge_gaps_stay_finite(tnorm: TNorm) -> None:
    value, slopes = violation(np.array([[1e200], [3.0]]), tnorm)
    assert np.isfinite(value).all() and np.isfinite(slopes).all()
