"""Scaling to the unit interval, for ordinary and for extreme values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.methods.catd.ensemble.scaling import Scaling, TamedScaling


def test_lowest_goes_to_zero_and_highest_to_one() -> None:
    np.testing.assert_allclose(Scaling.of([3.0, 7.0, 5.0]).normalize([3.0, 7.0, 5.0, 9.0]), [0.0, 1.0, 0.5, 1.5])


@pytest.mark.parametrize("value", [0.0, -3.5, 1e300, 1e-300, 5e-324])
def test_equal_values_go_to_the_middle_and_come_back(value: float) -> None:
    scaling = Scaling.of([value, value])
    assert scaling.is_constant
    np.testing.assert_array_equal(scaling.normalize([value]), [0.5])
    np.testing.assert_array_equal(scaling.restore([0.1, 0.5]), [value, value])


@pytest.mark.parametrize(
    "values",
    [[1e-300, 2e-300, 3e-300], [-1e300, 0.0, 1e300], [-1.7e308, 1.7e308], [0.0, 1.0, 1e300], [0.0, 5e-324, 1e-323]],
)
def test_extreme_values_stay_finite_and_keep_their_order(values: list[float]) -> None:
    scaling = Scaling.of(values)
    normalized = scaling.normalize(values)
    assert normalized[0] == 0.0 and normalized[-1] == 1.0
    assert (np.diff(normalized) >= 0.0).all()
    np.testing.assert_allclose(
        scaling.restore(normalized), values, rtol=1e-12, atol=np.ptp(np.array(values) / 4) * 1e-14
    )
    assert np.isfinite(scaling.restore([-5.0, 5.0])).all()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_any_finite_values_land_on_the_unit_interval(values: list[float]) -> None:
    normalized = Scaling.of(values).normalize(values)
    assert ((normalized >= 0.0) & (normalized <= 1.0 + 1e-15)).all()
    assert (np.argsort(normalized, kind="stable")[0] == 0) or normalized[0] >= normalized.min()


def test_no_values_count_as_equal() -> None:
    assert Scaling.of([]).is_constant


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="Leave failed trials"):
        Scaling.of([1.0, bad])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9))
def test_taming_keeps_the_order_and_the_ends(values: list[float]) -> None:
    scaling = TamedScaling.of(values)
    normalized = scaling.normalize(values)
    assert (np.diff(normalized[np.argsort(values, kind="stable")]) >= 0.0).all()
    if not scaling.linear.is_constant:
        assert normalized.min() == 0.0 and normalized.max() == pytest.approx(1.0)


def test_taming_moves_the_outlier_and_leaves_the_lower_half_straight() -> None:
    values = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 1000.0])
    normalized = TamedScaling.of(values).normalize(values)
    assert normalized[1] > 10 * Scaling.of(values).normalize(values)[1]
    assert normalized[2] - normalized[1] == pytest.approx(normalized[1] - normalized[0])


@pytest.mark.parametrize(
    "values", [[0.0, 1.0, 5.0, 9.0], [1e-300, 2e-300, 9e-300], [-1e300, 0.0, 1e300], [3.0, 3.0], [0.0, 0.0, 0.0, 1.0]]
)
def test_tamed_values_come_back(values: list[float]) -> None:
    scaling = TamedScaling.of(values)
    np.testing.assert_allclose(scaling.restore(scaling.normalize(values)), values, rtol=1e-9, atol=max(values) * 1e-12)
    assert np.isfinite(scaling.restore([-50.0, 1e4])).all()
