"""Outcomes of any magnitude, limits at their ends, questions in any order: what is believed stays what it is."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow.methods import History
from hedgerow.methods.auto.several import Judged

SPACE = hr.Space({"s": hr.Vector(bool, 10)})
RULES = ["sum(s) >= 3"]
POINTS = hr.FeasibleSet(SPACE, RULES).sample(50, seed=1)
LINE = hr.Space({"x": hr.Integer(0, 99)})
BOTH = {"time": "minimize", "energy": "minimize"}


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


def base(point: dict[str, Any]) -> float:
    s = point["s"]
    return float(sum(s[k] * s[k + 1] * (k - 4) for k in range(9)) + 0.1 * sum(s))


@pytest.mark.parametrize("n", [3, 22, 41])
def test_predictions_know_no_unit(n: int) -> None:
    predictions = []
    for unit in (1.0, 1e300, 1e-300):
        optimizer = hr.Optimizer(SPACE, RULES)
        for point in POINTS[:n]:
            optimizer.tell(point, unit * base(point))
        estimates = [each["value"] for each in optimizer.predict(POINTS[41:])]
        predictions.append([number / unit for each in estimates for number in (each.mean, each.sd, *each.interval)])
    assert predictions[1] == pytest.approx(predictions[0], rel=1e-3, abs=1e-6)
    assert predictions[2] == pytest.approx(predictions[0], rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_predictions_over_reals_know_no_unit(unit: float) -> None:
    space = hr.Space({"r": hr.Real(0, 1), "n": hr.Integer(1, 4)})
    points = hr.FeasibleSet(space).sample(9, seed=1)
    optimizer = hr.Optimizer(space, objectives=BOTH)
    for point in points:
        optimizer.tell(point, {"time": unit * (point["r"] - 0.3) ** 2, "energy": unit * point["n"]})
    estimate = optimizer.predict(points)[0]["time"]
    assert 1e-6 < estimate.sd / unit < 1.0
    assert optimizer.ask() in optimizer.feasible


@pytest.mark.parametrize("n", [3, 7, 21, 41])
def test_outcomes_may_differ_by_hundreds_of_magnitudes(n: int) -> None:
    # Likelihoods do.
    optimizer = hr.Optimizer(SPACE, RULES, direction="maximize")
    for point in POINTS[:n]:
        optimizer.tell(point, 10.0 ** (-40 * abs(base(point))))
    assert optimizer.ask() in optimizer.feasible
    for each in optimizer.predict(POINTS[41:]):
        estimate = each["value"]
        assert all(map(math.isfinite, (estimate.mean, estimate.sd, *estimate.interval)))


@pytest.mark.parametrize("unit", [1e160, 1e306, 1e-300])
def test_several_objectives_of_any_magnitude(unit: float) -> None:
    optimizer = hr.Optimizer(SPACE, RULES, objectives=BOTH)
    for point in POINTS[:5]:
        optimizer.tell(point, {"time": unit * base(point), "energy": unit * sum(point["s"])})
    assert all(point in optimizer.feasible for point in optimizer.ask(2))


def test_numbers_near_the_largest_float_are_on_the_front_and_have_a_mean() -> None:
    optimizer = hr.Optimizer(LINE, objectives=BOTH, repeats=2)
    optimizer.tell({"x": 1}, {"time": [1.7e308, 1.7e308], "energy": 1.7e308})
    assert [seen.outcomes["time"] for seen in optimizer.front] == [1.7e308]


@pytest.mark.parametrize("unit", [1e-170, 1e300])
def test_noise_is_seen_in_any_unit(unit: float) -> None:
    def asked(unit: float) -> list[Any]:
        rng = random.Random(0)
        optimizer = hr.Optimizer(LINE, repeats="auto")
        for _ in range(14):
            point = optimizer.ask()
            optimizer.tell(point, unit * ((point["x"] - 30) ** 2 / 100 + rng.gauss(0, 5)))
        return [seen.point for seen in optimizer.observations]

    assert asked(unit) == asked(1.0)


def test_what_is_believed_does_not_depend_on_what_was_asked_before() -> None:
    def told() -> hr.Optimizer:
        rng = random.Random(1)
        optimizer = hr.Optimizer(SPACE, RULES, objectives={"cost": "minimize"}, repeats="auto")
        for point in POINTS[:25]:
            # What is not the objective comes first.
            optimizer.tell(point, {"heat": 1000.0 * point["s"][0] + rng.gauss(0, 1), "cost": base(point)})
        return optimizer

    one, other = told(), told()
    predicted, best = one.predict(POINTS[41:]), one.best
    assert other.best == best
    assert best is not None and other.best is not None and other.best.believed == best.believed
    assert other.predict(POINTS[41:]) == predicted


def test_a_strict_limit_is_broken_at_its_end() -> None:
    optimizer = hr.Optimizer(LINE, objectives={"time": "minimize"}, limits={"right": "errors < 1"})
    for x in range(0, 100, 9):
        optimizer.tell({"x": x}, {"time": float(x), "errors": 1.0})
    assert optimizer.best is None
    assert optimizer.predict([{"x": 4}])[0].within_limits == 0.0
    outcomes = [optimizer.goals.columns(seen.outcomes) for seen in optimizer.observations]
    codes = np.array([[seen.point["x"]] for seen in optimizer.observations])
    history = History(codes, np.array(outcomes)[:, 0], codes[:0], np.array(outcomes))
    assert not Judged(history, optimizer.goals, np.ones(len(outcomes), dtype=bool)).is_able.any()


def test_chances_are_no_larger_than_one() -> None:
    space = hr.Space({"x": hr.Integer(0, 19), "y": hr.Integer(0, 9)})
    optimizer = hr.Optimizer(space, limits={"cool": "heat <= 900"}, method="random", seed=7)
    for point in optimizer.ask(6):
        optimizer.tell(point, {"value": float(point["x"]), "heat": (point["x"] - 5.0) ** 2 + point["y"]})
    predicted = optimizer.predict([{"x": x, "y": 3} for x in range(20)])
    assert all(0.0 <= each.within_limits <= 1.0 for each in predicted)


def test_with_several_objectives_no_point_is_worth_another_reading_while_one_never_changes() -> None:
    rng = random.Random(0)
    optimizer = hr.Optimizer(LINE, objectives=BOTH, repeats="auto")
    reasons = []
    for _ in range(14):
        suggested = optimizer.suggest()
        reasons.append(suggested.reason)
        optimizer.tell(suggested.point, {"time": 1.0, "energy": abs(suggested.point["x"] - 50) + rng.gauss(0, 5)})
    assert hr.methods.Reason.AGAIN not in reasons


@pytest.mark.parametrize("space", [SPACE, hr.Space({"r": hr.Real(-9, 1), "s": hr.Vector(bool, 10)})])
def test_means_of_few_observations_are_of_their_magnitude(space: hr.Space) -> None:
    optimizer = hr.Optimizer(space, ["sum(s) >= 3"])
    rest = {name: 0.0 for name in space if name == "r"}
    for point in POINTS[:3]:
        optimizer.tell({**rest, **point}, base(point))
    for each in optimizer.predict([{**rest, **point} for point in POINTS[40:]]):
        assert abs(each["value"].mean) < 100.0


@pytest.mark.parametrize("space", [LINE, hr.Space({"x": hr.Real(0, 99)})])
def test_points_that_are_asked_together_under_noise_differ(space: hr.Space) -> None:
    rng = random.Random(0)
    optimizer = hr.Optimizer(space, objectives={"time": "minimize"}, repeats="auto")
    for _ in range(20):
        point = optimizer.ask()
        optimizer.tell(point, {"time": (point["x"] - 30) ** 2 / 100 + rng.gauss(0, 1)})
    assert len({point["x"] for point in optimizer.ask(8)}) == 8


def test_what_stands_for_a_failure_does_not_hide_the_others() -> None:
    optimizer = hr.Optimizer(SPACE, RULES)
    for place, point in enumerate(POINTS[:30]):
        optimizer.tell(point, 1e300 if place in (4, 17) else base(point))
    # Of which the logarithm is taken: in deviations of all values, the others would all be one.
    low = [each["value"].interval[0] for each in optimizer.predict(POINTS[:30])]
    kept = [place for place in range(30) if place not in (4, 17)]
    assert np.corrcoef(np.argsort(np.argsort(np.array(low)[kept])), [base(POINTS[k]) for k in kept])[0, 1] > 0.5
