"""Readings of one point tell noise from roughness, and readings that are exact cost two trials and nothing more."""

from __future__ import annotations

import numpy as np

import hedgerow as hr
from hedgerow.methods.auto.noise import Pooled
from hedgerow.methods.repeats import last_readings

SPACE = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
RULES = ["x + y <= 14"]


def value(point: hr.Point) -> float:
    # Rough: neighbors differ by more than the trend, so that a smooth belief takes much of it for noise.
    return float((point["x"] - 3) ** 2 / 4 + point["y"] / 2 + 3.0 * ((7 * point["x"] + 3 * point["y"]) % 5 == 0))


def test_readings_are_pooled_by_point() -> None:
    codes = np.array([[0, 1], [2, 2], [0, 1], [0, 1]])
    pooled = Pooled.of(codes, np.array([1.0, 5.0, 2.0, 3.0]))
    assert pooled.rows.tolist() == [[0, 1], [2, 2]]
    assert pooled.counts.tolist() == [3, 1]
    assert pooled.means.tolist() == [2, 5]
    assert (pooled.squares, pooled.freedom) == (2.0, 2)
    assert not pooled.is_exact


def test_exact_readings_are_repeated_twice_and_then_taken_as_they_are() -> None:
    optimizer = hr.Optimizer(SPACE, RULES, repeats="auto", seed=0)
    for _ in range(24):
        point = optimizer.ask()
        optimizer.tell(point, value(point))
    points = [tuple(seen.point.values()) for seen in optimizer.observations]
    assert len(points) - len(set(points)) == 2
    best = optimizer.best
    assert best is not None
    assert best.believed is not None
    assert best.value == min(seen.value for seen in optimizer.observations if seen.value is not None)
    assert abs(best.believed.mean - best.value) < 0.01


def test_the_best_believed_point_is_no_lucky_reading() -> None:
    optimizer = hr.Optimizer(SPACE, RULES, repeats="auto", seed=0)
    rng = np.random.default_rng(0)
    for point in optimizer.feasible.sample(30, seed=1):
        optimizer.tell(point, value(point) + rng.normal())
    good, lucky = {"x": 3, "y": 0}, {"x": 9, "y": 5}
    optimizer.tell(good, [0.3, -0.4, 0.1, 0.2])
    optimizer.tell(lucky, [-4.0, 11.0, 14.0, 13.0])
    best = optimizer.best
    assert best is not None
    assert best.point != lucky
    assert value(best.point) < 4


def test_the_last_tenth_of_a_run_confirms_what_is_known() -> None:
    rng = np.random.default_rng(5)
    space = hr.Space({"x": hr.Integer(0, 30), "y": hr.Integer(0, 30)})
    made = hr.minimize(
        lambda point: (point["x"] - 9) ** 2 / 50 + (point["y"] - 4) ** 2 / 50 + rng.normal(),
        space,
        budget=40,
        repeats="auto",
        progress=False,
    )
    points = [tuple(seen.point.values()) for seen in made.observations]
    assert all(point in points[:36] for point in points[36:])


def test_readings_that_end_a_run_are_a_tenth_of_it() -> None:
    assert last_readings(50, 50) == range(45, 50)
    assert last_readings(12, 2) == range(11, 12)
