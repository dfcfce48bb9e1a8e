"""Innocent questions stay within reasonable memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from hedgerow import EffortExceeded, FeasibleSet, Integer, Space, Vector

MIB = 2**20


@contextmanager
def at_most(n_bytes: int) -> Iterator[None]:
    """Fail when more memory than this is in use at any moment."""
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < n_bytes, f"{peak / MIB:,.0f} MiB in use"


@pytest.mark.parametrize("n_variables", [10, 100, 1000])
def test_a_count_needs_no_more_than_its_layers(n_variables: int) -> None:
    with at_most(40 * MIB):
        feasible = FeasibleSet(Space({"x": Vector(bool, n_variables)}), ["count(x) <= 5"])
        assert feasible.count > 0


@pytest.mark.parametrize("draw", ["draw", "draw_rejected"])
def test_draws_from_wide_variables_stay_small(draw: str) -> None:
    feasible = FeasibleSet(Space({"a": Integer(1, 5000), "b": Integer(1, 9)}), ["a % 7 == 0 or b > 3"])
    assert feasible.count > 0
    ask: Callable[..., object] = getattr(feasible.codes, draw)
    with at_most(100 * MIB):
        ask(4096, np.random.default_rng(0))


def test_a_budget_holds_for_runs_too() -> None:
    space = Space({"x": Vector(Integer(0, 59), 60)})
    with at_most(50 * MIB):
        feasible = FeasibleSet(space, ["longest_run(x) % 2 == 0"], node_budget=1)
        with pytest.raises(EffortExceeded):
            _ = feasible.count


def test_a_rule_that_would_blow_up_stays_within_the_budget() -> None:
    space = Space({"x": Vector(Integer(1, 100), 8)})
    with at_most(600 * MIB):
        feasible = FeasibleSet(space, ["x[0] * x[1] * x[2] * x[3] * x[4] * x[5] * x[6] * x[7] <= 10**5"])
        assert all(point in feasible for point in feasible.sample(3, seed=0))
