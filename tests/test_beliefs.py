"""What an optimizer believes, asked directly: predictions, the best point under noise, and points measured again."""

import contextlib
import math
from typing import Any

import numpy as np
import pytest

import hedgerow as hr

SPACE = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
RULES = ["x + y <= 12"]


def truth(point: Any) -> float:
    return float((point["x"] - 3) ** 2 + 2 * abs(point["y"] - 4))


def told(n: int, seed: int = 0, **options: Any) -> hr.Optimizer:
    optimizer = hr.Optimizer(SPACE, RULES, method="random", seed=seed, **options)
    for point in optimizer.ask(n):
        optimizer.tell(point, truth(point))
    return optimizer


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_predictions_are_near_the_truth_and_know_how_far(direction: Any) -> None:
    optimizer = told(40, direction=direction)
    points = [point for point in optimizer.feasible if all(seen.point != point for seen in optimizer.observations)]
    predictions = optimizer.predict(points)
    off = np.array([each["value"].mean - truth(each.point) for each in predictions])
    assert np.abs(off).mean() < 1.5
    inside = [
        each["value"].interval[0] - 0.05 <= truth(each.point) <= each["value"].interval[1] + 0.05
        for each in predictions
    ]
    assert np.mean(inside) > 0.75
    assert {each.chance for each in predictions} == {1.0}
    assert {each.within_limits for each in predictions} == {1.0}


def test_every_outcome_and_the_chances_are_predicted() -> None:
    optimizer = hr.Optimizer(
        SPACE, RULES, method="random", objectives={"time": "maximize"}, limits={"fits": "memory <= 30"}
    )
    for point in optimizer.ask(45):
        outcome = {"time": truth(point), "memory": 10.0 * point["x"] + point["y"]}
        optimizer.tell(point, hr.Failure("no") if point["y"] >= 7 else outcome)
    low, high, broken = optimizer.predict([{"x": 1, "y": 2}, {"x": 6, "y": 2}, {"x": 1, "y": 9}])
    assert low["memory"].mean == pytest.approx(12, abs=3)
    assert high["memory"].mean == pytest.approx(62, abs=6)
    assert low.within_limits > 0.8
    assert high.within_limits < 0.2
    assert low.chance > 0.8
    assert broken.chance < 0.4


def test_what_never_changed_is_predicted_without_a_deviation() -> None:
    optimizer = hr.Optimizer(SPACE)
    with pytest.raises(hr.HedgerowError, match="before a trial has given a value"):
        optimizer.predict([{"x": 1, "y": 1}])
    optimizer.tell({"x": 1, "y": 1}, 5.0)
    assert optimizer.predict([]) == []
    estimate = optimizer.predict([{"x": 2, "y": 1}])[0]["value"]
    assert estimate.mean == 5.0
    assert math.isnan(estimate.sd)
    with pytest.raises(hr.PointError):
        optimizer.predict([{"x": 99, "y": 1}])


def noisy(point: Any, rng: np.random.Generator, scale: float = 6.0) -> float:
    return truth(point) + scale * rng.normal()


def test_under_noise_the_best_is_what_is_believed_not_the_luckiest_reading() -> None:
    named, lowest = [], []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        optimizer = hr.Optimizer(SPACE, RULES, method="random", seed=seed, repeats="auto")
        for point in optimizer.ask(60):
            optimizer.tell(point, noisy(point, rng))
        assert optimizer.best is not None
        assert optimizer.best.believed is not None
        assert optimizer.best.believed.sd > 0
        named.append(truth(optimizer.best.point))
        luckiest = min(optimizer.observations, key=lambda seen: seen.value or 0.0)
        lowest.append(truth(luckiest.point))
    assert np.mean(named) <= 0.5 * np.mean(lowest)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_what_is_believed_of_the_best_is_what_is_predicted_of_it(direction: Any) -> None:
    rng = np.random.default_rng(3)
    optimizer = hr.Optimizer(
        SPACE, RULES, method="random", repeats="auto", limits={"fits": "memory <= 99"}, direction=direction
    )
    for point in optimizer.ask(12):
        # The first outcome that trials give is not the objective.
        for _ in range(2):
            optimizer.tell(point, {"memory": float(point["y"]), "value": truth(point) + rng.normal()})
    best = optimizer.best
    assert best is not None
    assert best.believed is not None
    predicted = optimizer.predict([best.point])[0]["value"]
    assert (predicted.mean, predicted.sd) == pytest.approx((best.believed.mean, best.believed.sd))


def test_points_are_measured_again_where_that_is_worth_more() -> None:
    small = hr.Space({"x": [1, 2, 3, 4, 5]})
    rng = np.random.default_rng(3)
    optimizer = hr.Optimizer(small, repeats="auto")
    with contextlib.suppress(hr.SpaceExhausted):
        for _ in range(30):
            suggestion = optimizer.suggest()
            optimizer.tell(suggestion.point, 0.5 * suggestion.point["x"] + rng.normal())
    counts = [sum(seen.point["x"] == x for seen in optimizer.observations) for x in range(1, 6)]
    assert sum(counts) >= 10
    assert min(counts) >= 1
    assert max(counts[:2]) > max(counts[3:])
    assert suggestion.reason in (hr.methods.Reason.AGAIN, hr.methods.Reason.NOISE_UNKNOWN)


def test_a_noisy_run_goes_on_where_another_process_stopped() -> None:
    rng = np.random.default_rng(0)
    optimizer = hr.Optimizer(SPACE, RULES, repeats="auto", seed=5)
    for _ in range(12):
        point = optimizer.ask()
        optimizer.tell(point, noisy(point, rng, 1.0))
    resumed = hr.Optimizer(SPACE, RULES, repeats="auto", seed=5)
    for seen in optimizer.observations:
        resumed.tell(seen.point, seen.told)
    assert resumed.ask(2) == optimizer.ask(2)


def test_exact_values_are_measured_again_twice_and_no_more() -> None:
    optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}), repeats="auto")
    for _ in range(13):
        point = optimizer.ask()
        optimizer.tell(point, float(point["x"]))
    assert len({seen.point["x"] for seen in optimizer.observations}) == 11
    with pytest.raises(hr.SpaceExhausted):
        optimizer.ask()
