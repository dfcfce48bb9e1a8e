"""Acquisition functions against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

from hedgerow.search import acquisition as af

MEAN = np.array([0.2, 0.5, 0.9, -0.3])
SD = np.array([0.1, 0.4, 0.2, 0.05])


def test_ensemble_improvement_is_the_mean_over_models() -> None:
    predictions = np.array([[0.1, 0.5], [0.3, 0.4], [-0.1, 0.0]])
    np.testing.assert_allclose(af.ensemble_expected_improvement(predictions, 0.2), [0.05, 0.0, 0.25])


def test_gaussian_improvement_agrees_with_sampling() -> None:
    draws = MEAN + SD * default_rng(0).standard_normal((400_000, 4))
    sampled = np.maximum(0.4 - draws, 0.0).mean(axis=0)
    np.testing.assert_allclose(af.expected_improvement(MEAN, SD, 0.4), sampled, atol=1e-3)


def test_logarithm_agrees_with_the_improvement_where_that_is_not_zero() -> None:
    exact = af.expected_improvement(MEAN, SD, 0.4)
    np.testing.assert_allclose(np.exp(af.log_expected_improvement(MEAN, SD, 0.4)), exact, rtol=1e-9)


def test_logarithm_falls_steadily_over_all_magnitudes() -> None:
    z = np.concatenate([np.linspace(5.0, -2000.0, 20_000), -np.logspace(3.4, 8, 50)])
    falls = np.diff(af.log_standard_improvement(z))
    assert np.isfinite(falls).all() and (falls < 0.0).all()


@pytest.mark.parametrize("z", [-30.0, -100.0, -999.0, -1001.0, -1e5])
def test_logarithm_agrees_with_its_asymptotic_series(z: float) -> None:
    series = -0.5 * z**2 - 0.5 * np.log(2 * np.pi) - 2 * np.log(-z) + np.log1p(-3 / z**2 + 15 / z**4 - 105 / z**6)
    np.testing.assert_allclose(af.log_standard_improvement(np.array([z])), series, rtol=1e-11)


def test_certain_rows_improve_by_their_gain_or_not_at_all() -> None:
    mean, none = np.array([0.1, 0.7]), np.zeros(2)
    np.testing.assert_allclose(af.expected_improvement(mean, none, 0.4), [0.3, 0.0])
    np.testing.assert_allclose(af.log_expected_improvement(mean, none, 0.4), [np.log(0.3), -np.inf])


def test_confidence_bound_rewards_low_means_and_wide_spreads() -> None:
    np.testing.assert_allclose(af.lower_confidence_bound(MEAN, SD, 1.0), SD - MEAN)


def test_thompson_takes_one_model_for_all_rows() -> None:
    predictions = default_rng(0).standard_normal((6, 4))
    scores = af.one_model(predictions, default_rng(1))
    assert any(np.array_equal(scores, -predictions[:, m]) for m in range(4))


def test_thompson_draws_have_the_given_spread() -> None:
    draws = af.one_draw(np.full(100_000, 0.3), np.full(100_000, 0.2), default_rng(0))
    assert draws.mean() == pytest.approx(-0.3, abs=0.01)
    assert draws.std() == pytest.approx(0.2, abs=0.01)


def test_lowest_mean_prefers_the_lowest() -> None:
    assert af.lowest_mean(MEAN).argmax() == 3
