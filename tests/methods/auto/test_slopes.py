"""The chance that a trial works as a slope over logarithms."""

from __future__ import annotations

import math

import numpy as np

import hedgerow as hr
from hedgerow.methods.auto.slopes import SlopeColumns, fit_slopes
from hedgerow.space.encoding import encode

SPACE = hr.Space(
    {
        "x": [16, 32, 64, 128, 256],
        "y": [1, 2, 4, 8, 16],
        "z": [1, 2, 3, 4],
        "mode": ["a", "b", "c"],
        "on": [False, True],
        "one": [3],
    }
)


def fits(point: dict[str, object]) -> bool:
    return math.prod(point[name] for name in ("x", "y", "z")) <= 1024 * (1 + (point["mode"] == "c"))  # type: ignore[misc]


def test_a_product_of_three_is_learned_from_few_failures() -> None:
    points = hr.FeasibleSet(SPACE).sample(80, seed=1)
    rows = np.array([encode(SPACE, point) for point in points])
    worked = np.array([fits(point) for point in points])
    slopes = fit_slopes(SlopeColumns(SPACE), rows, worked)
    others = hr.FeasibleSet(SPACE).sample(500, seed=2)
    chance = slopes.chance(np.array([encode(SPACE, point) for point in others]))
    truth = np.array([fits(point) for point in others])
    assert ((chance > 0.5) == truth).mean() > 0.9
    # What is left out is predicted worse than what is seen, and better than by the share of failures.
    share = worked.mean()
    plain = worked.size * (share * math.log(share) + (1 - share) * math.log(1 - share))
    assert plain < slopes.log_left_out < 0


def test_spaces_of_very_many_columns_are_fitted_in_part() -> None:
    space = hr.Space({f"v{k}": ["a", "b", "c", "d"] for k in range(40)})
    rows = np.random.default_rng(0).integers(0, 4, size=(60, 40))
    worked = rows[:, 7] != 2
    chance = fit_slopes(SlopeColumns(space), rows, worked).chance(rows)
    assert chance[worked].mean() > chance[~worked].mean() + 0.3


def test_all_failed_is_no_trouble() -> None:
    rows = np.array([encode(SPACE, point) for point in hr.FeasibleSet(SPACE).sample(6, seed=1)])
    chance = fit_slopes(SlopeColumns(SPACE), rows, np.zeros(6, dtype=bool)).chance(rows)
    assert (chance < 0.2).all()
