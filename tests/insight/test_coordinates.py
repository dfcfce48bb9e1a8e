"""Parallel coordinates: every observation has a line near its levels, the best ones last."""

from __future__ import annotations

import numpy as np

import hedgerow as hr
from hedgerow.insight.coordinates import coordinates_of
from hedgerow.insight.levels import group_levels, shown

SPACE = hr.Space({"x": hr.Integer(0, 100), "y": ["a", "b", "c"], "z": [1]})


def test_lines_pass_by_the_ticks_of_their_levels() -> None:
    codes = np.array([[0, 0, 0], [100, 1, 0], [50, 2, 0]])
    lines = coordinates_of(SPACE, codes, np.array([3.0, 1.0, 2.0]), is_maximized=False, slots=[0, 1])
    assert list(lines.chosen) == [0, 2, 1]
    assert list(lines.goodness) == [0.0, 0.5, 1.0]
    ticks = {tick.label: tick.place for axis in lines.axes for tick in axis.ticks}
    expected = [[ticks["0"], ticks["a"]], [ticks["50"], ticks["c"]], [ticks["100"], ticks["b"]]]
    assert np.abs(lines.places - expected).max() < 0.04
    assert 0 <= lines.places.min() <= lines.places.max() <= 1


def test_equal_values_are_equally_good_and_a_single_one_is_the_best() -> None:
    codes = np.zeros((4, 3), dtype=np.int64)
    equal = coordinates_of(SPACE, codes, np.array([2.0, 2.0, 2.0, 2.0]), is_maximized=False, slots=[0])
    assert set(equal.goodness) == {1.0}
    some = coordinates_of(SPACE, codes, np.array([5.0, 2.0, 5.0, 7.0]), is_maximized=True, slots=[0])
    assert list(some.goodness) == [0.0, 0.5, 0.5, 1.0]


def test_of_very_many_observations_the_best_are_all_shown() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=5000)
    codes = np.stack([rng.integers(0, 101, 5000), rng.integers(0, 3, 5000), np.zeros(5000, np.int64)], axis=1)
    lines = coordinates_of(SPACE, codes, values, is_maximized=False, slots=[0, 1])
    assert lines.chosen.size + lines.n_left_out == 5000
    assert lines.chosen.size <= 800
    assert set(np.argsort(values)[:400]) <= set(lines.chosen)


def test_groups_of_levels_cover_all_codes_in_order() -> None:
    grouped = group_levels(SPACE, 0, 7)
    assert grouped.n == 7
    assert (np.diff(grouped.group_of) >= 0).all()
    assert set(grouped.group_of) == set(range(7))
    assert grouped.labels[0] == "0 – 14"
    space = hr.Space({"kind": [f"k{i}" for i in range(30)]})
    assert group_levels(space, 0, 5).labels == ("k0", "k1", "k2", "k3", "others")


def test_values_are_shown_as_people_write_them() -> None:
    assert [shown(value) for value in (True, 1000, 0.1, "text", [1, 2])] == ["True", "1,000", "0.1", "text", "1, 2"]
    assert shown(list("GATTACAGATTACA")) == "GATTACAGATTACA"
