"""The search over reals with conditions: no row twice while others are left, no corners of what is not known yet."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import hedgerow as hr
from hedgerow.arrays import Codes, Column, Mask, Matrix, Scores
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.feasible.reals.inside import Function
from hedgerow.search.mixed import best_inside
from hedgerow.search.suggestion import Reason
from hedgerow.space.encoding import decode, encode

SPACE = hr.Space(
    {
        "model": ["near", "smooth"],
        "k": hr.Integer(1, 12, when="model == 'near'"),
        "rate": hr.Real(1e-4, 1.0, log=True, when="model == 'smooth'"),
        "part": hr.Real(0.0, 1.0, when="model == 'smooth'"),
    }
)


def cost(p: dict[str, Any]) -> float:
    """A rough branch of twelve points that is better than all of the smooth one."""
    if p["model"] == "near":
        return float(0.5 + 0.02 * math.sin(37.0 * p["k"]) + 0.002 * abs(p["k"] - 6))
    return float(1.0 + (math.log10(p["rate"]) + 2) ** 2 - p["part"] * 0.3)


def test_a_branch_without_reals_is_left_once_all_of_it_is_tried() -> None:
    optimizer = hr.Optimizer(SPACE, seed=0)
    reasons = []
    for _ in range(24):
        suggestion = optimizer.suggest()
        reasons.append(suggestion.reason)
        optimizer.tell(suggestion.point, cost(suggestion.point))
    assert str(Reason.NOTHING_FOUND) not in reasons


class Outward:
    """What is worth most in the upper corner."""

    def __init__(self, feasible: MixedSet) -> None:
        self._scales = feasible.rules.scales

    def scores(self, rows: Matrix) -> Scores:
        """Return where the reals lie, added up; nothing where there is none."""
        reals = rows[:, self._scales.reals]
        return np.asarray(np.where(np.isinf(reals), -1.0, self._scales.to_unit(reals)).sum(axis=1))

    rough = scores

    def falling(self, _: Column) -> Function:
        """Return minus that, which has the same slope everywhere."""
        return lambda units: (-float(units.sum()), -np.ones_like(units))


def found_after(*told: dict[str, Any]) -> dict[str, Any]:
    """Return what a search finds after some rows."""
    feasible = hr.FeasibleSet(SPACE).codes
    assert isinstance(feasible, MixedSet)
    rows = np.array([encode(SPACE, point) for point in told])

    def is_seen(codes: Codes) -> Mask:
        return np.zeros(codes.shape[0], dtype=np.bool_)

    found = best_inside(feasible, Outward(feasible), is_seen, rows, np.random.default_rng(0))
    assert found is not None
    return decode(SPACE, found.codes)


def test_reals_climb_once_as_many_rows_with_them_are_known() -> None:
    first, second = ({"model": "smooth", "rate": rate, "part": 0.5} for rate in (0.01, 0.1))
    known = found_after(first, second)
    assert known["rate"] > 0.999
    assert known["part"] > 0.999
    new = found_after({"model": "near", "k": 3}, first)
    assert new["model"] == "smooth"
    assert min(new["rate"], new["part"]) < 0.999
