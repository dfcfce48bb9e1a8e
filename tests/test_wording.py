"""Numbers and durations as a person would write them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.wording import readable_number, readable_seconds


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1234567, "1,234,567"),
        (1234567.0, "1,234,567"),
        (0.1, "0.1"),
        (0.1 + 0.2, "0.3"),
        (-2.5, "-2.5"),
        (123.456789, "123.457"),
        (1e-7, "1e-7"),
        (1.5e300, "1.5e300"),
        (999999.96, "1,000,000"),
    ],
)
def test_numbers_are_written_shortly(number: float, text: str) -> None:
    assert readable_number(number) == text


@given(st.floats(-1e307, 1e307))
def test_a_written_number_is_nearly_the_number(number: float) -> None:
    assert math.isclose(float(readable_number(number).replace(",", "")), number, rel_tol=1e-3, abs_tol=1e-320)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 ms"),
        (0.0123, "12.3 ms"),
        (1.0, "1 s"),
        (59.0, "59 s"),
        (60, "1 min"),
        (61, "1 min 1 s"),
        (3600, "1 h"),
        (5400, "1 h 30 min"),
        (200_000, "2 days 7 h"),
    ],
)
def test_durations_have_their_units(seconds: float, text: str) -> None:
    assert readable_seconds(seconds) == text
