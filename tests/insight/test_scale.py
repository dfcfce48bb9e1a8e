"""Axes: ticks lie on them, are told apart, and nothing overflows."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hedgerow.insight.scale import Scale, count_scale, count_ticks, is_wide, scale_of

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(FINITE, min_size=1, max_size=8))
def test_every_value_has_a_place_in_order_and_ticks_lie_on_the_axis(values: list[float]) -> None:
    scale = scale_of(values)
    places = [scale.place(value) for value in sorted(values)]
    assert all(0 <= place <= 1 for place in places)
    assert places == sorted(places)
    ticks = scale.ticks()
    assert all(0 <= tick.place <= 1 for tick in ticks)
    assert len(ticks) <= 6


@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9))
@example(low=999999999.0, span=2.0)
def test_ticks_are_told_apart(low: float, span: float) -> None:
    labels = [tick.label for tick in scale_of([low, low + span]).ticks()]
    assert len(labels) >= 2
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([0, 10], ["0", "2.5", "5", "7.5", "10"]),
        ([1, 10_000], ["1", "10", "100", "1,000", "10,000"]),
        ([7], ["6.8", "7", "7.2"]),
        ([-1e-9, 1e-9], ["-1e-9", "-5e-10", "0", "5e-10", "1e-9"]),
    ],
)
def test_ticks_are_round(values: list[float], labels: list[str]) -> None:
    assert [tick.label for tick in scale_of(values).ticks()] == labels


def test_only_positive_values_of_many_magnitudes_are_wide() -> None:
    assert is_wide([1, 100])
    assert not is_wide([1, 10])
    assert not is_wide([-1, 100])
    assert not is_wide([0, 100])
    assert scale_of([1, 100]) != scale_of([1, 100], may_be_log=False)


@given(st.integers(1, 100_000))
def test_counts_have_whole_numbers_that_keep_apart(n: int) -> None:
    ticks = count_ticks(count_scale(n), n)
    numbers = [int(tick.label.replace(",", "")) for tick in ticks]
    assert numbers[0] == 1
    assert numbers == sorted(set(numbers))
    assert numbers[-1] <= n
    assert len(numbers) <= 8
    assert all(b.place - a.place > 0.05 for a, b in pairwise(ticks)) or n < 10


def test_equal_factors_are_equal_steps_on_a_logarithmic_axis() -> None:
    scale = Scale(1.0, 100.0, is_log=True)
    assert scale.place(10.0) == pytest.approx(0.5)
