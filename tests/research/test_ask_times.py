"""Timing of suggestions: what is timed, not how long it takes."""

import pytest

from hedgerow.errors import HedgerowError
from research.measurements.ask_times import ask_times


def test_asks_are_timed_after_the_observations() -> None:
    timed = ask_times("ackley-7", "random", n_observations=20, n_asks=3)
    assert (timed.task, timed.n_feasible, timed.n_observations) == ("ackley-7", 29, 20)
    assert 0 < timed.median <= timed.slowest


def test_too_few_feasible_points_are_refused() -> None:
    with pytest.raises(HedgerowError, match="29 feasible points"):
        ask_times("ackley-7", "random", n_observations=28, n_asks=3)
