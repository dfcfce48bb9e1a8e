"""Scaling to the unit interval, for ordinary and for extreme values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.surrogates.scaling import Scaling


def test_lowest_goes_to_zero_and_highest_to_one() -> None:
    np.testing.assert_allclose(Scaling.of([3.0, 7.0, 5.0]).normalise([3.0, 7.0, 5.0, 9.0]), [0.0, 1.0, 0.5, 1.5])


@pytest.mark.parametrize("value", [0.0, -3.5, 1e300, 1e-300, 5e-324])
def test_equal_values_go_to_the_middle_and_come_back(value: float) -> None:
    scaling = Scaling.of([value, value])
    assert scaling.is_constant
    np.testing.assert_array_equal(scaling.normalise([value]), [0.5])
    np.testing.assert_array_equal(scaling.restore([0.1, 0.5]), [value, value])
    np.testing.assert_array_equal(scaling.restore_spread([0.3]), [0.0])


@pytest.mark.parametrize(
    "values",
    [[1e-300, 2e-300, 3e-300], [-1e300, 0.0, 1e300], [-1.7e308, 1.7e308], [0.0, 1.0, 1e300], [0.0, 5e-324, 1e-323]],
)
def test_extreme_values_stay_finite_and_keep_their_order(values: list[float]) -> None:
    scaling = Scaling.of(values)
    normalised = scaling.normalise(values)
    assert normalised[0] == 0.0 and normalised[-1] == 1.0
    assert (np.diff(normalised) >= 0.0).all()
    np.testing.assert_allclose(
        scaling.restore(normalised), values, rtol=1e-12, atol=np.ptp(np.array(values) / 4) * 1e-14
    )
    assert np.isfinite(scaling.restore([-5.0, 5.0])).all()
    assert np.isfinite(scaling.restore_spread([5.0])).all()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_any_finite_values_land_on_the_unit_interval(values: list[float]) -> None:
    normalised = Scaling.of(values).normalise(values)
    assert ((normalised >= 0.0) & (normalised <= 1.0 + 1e-15)).all()
    assert (np.argsort(normalised, kind="stable")[0] == 0) or normalised[0] >= normalised.min()


def test_spread_comes_back_in_the_units_of_the_values() -> None:
    np.testing.assert_allclose(Scaling.of([10.0, 30.0]).restore_spread([0.25]), [5.0])


def test_no_values_count_as_equal() -> None:
    assert Scaling.of([]).is_constant


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="Leave failed trials"):
        Scaling.of([1.0, bad])
