"""What a trial gives, as a user tells it: numbers by name, limits, readings, failures; and what becomes of each."""

import math
import pickle
import warnings
from typing import Any

import pytest

import hedgerow as hr

SPACE = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
RULES = ["x + y <= 12"]
BOTH = {"time": "minimize", "speed": "maximize"}


def optimizer(**options: Any) -> hr.Optimizer:
    return hr.Optimizer(SPACE, RULES, method="random", **options)


def at(x: int, y: int = 0) -> dict[str, int]:
    return {"x": x, "y": y}


def test_the_front_is_what_no_other_dominates() -> None:
    several = optimizer(objectives=BOTH)
    told = {1: (1.0, 1.0), 2: (2.0, 5.0), 3: (2.0, 4.0), 4: (3.0, 5.0), 5: (1.0, 1.0), 6: (0.5, 0.5)}
    for x, (time, speed) in told.items():
        several.tell(at(x), {"time": time, "speed": speed})
    assert [seen.point["x"] for seen in several.front] == [1, 2, 5, 6]


def test_with_several_objectives_nothing_is_the_best() -> None:
    with pytest.raises(hr.HedgerowError, match=r"'time' and 'speed'.*`front`"):
        _ = optimizer(objectives=BOTH).best


def test_points_that_break_a_rule_are_never_on_the_front() -> None:
    several = optimizer(objectives=BOTH)
    several.tell(at(9, 9), {"time": 0.0, "speed": 9.0})
    several.tell(at(1), {"time": 1.0, "speed": 1.0})
    assert [seen.point for seen in several.front] == [at(1)]


def test_a_missing_objective_informs_and_is_never_on_the_front() -> None:
    several = optimizer(objectives=BOTH)
    several.tell(at(1), {"time": 1.0})
    several.tell(at(2), {"time": 0.5, "speed": math.nan})
    several.tell(at(3), {"time": 9.0, "speed": 0.0})
    assert [seen.point for seen in several.front] == [at(3)]
    first, second, _ = several.observations
    assert (first.outcomes, second.outcomes) == ({"time": 1.0}, {"time": 0.5})
    assert not first.failed
    history = several._log.history().outcomes
    assert history is not None
    assert history[:, 0].tolist() == [1.0, 0.5, 9.0]
    assert [math.isnan(value) for value in history[:, 1]] == [True, True, False]


def test_the_best_keeps_the_limits() -> None:
    limited = optimizer(objectives={"time": "minimize"}, limits={"fits": "memory <= 16", "exact": "error < 0.01"})
    limited.tell(at(1), {"time": 1.0, "memory": 20.0, "error": 0.001})
    limited.tell(at(2), {"time": 2.0, "memory": 10.0, "error": 0.01})
    assert limited.best is None
    limited.tell(at(3), {"time": 3.0, "memory": 16.0, "error": 0.0})
    assert limited.best is not None
    assert limited.best.point == at(3)
    assert [seen.broken_limits for seen in limited.observations] == [("fits",), ("exact",), ()]
    assert limited.observations[0].slacks == {"fits": -4.0, "exact": pytest.approx(0.009)}


def test_limits_go_with_an_objective_that_has_no_name() -> None:
    limited = optimizer(direction="maximize", limits={"fits": "memory <= 16"})
    limited.tell(at(1), {"value": 3.0, "memory": 1.0})
    limited.tell(at(2), {"value": 5.0, "memory": 1.0})
    limited.tell(at(3), {"value": 9.0, "memory": 17.0})
    assert limited.best is not None
    assert (limited.best.value, limited.best.point) == (5.0, at(2))


def test_an_outcome_that_a_limit_is_about_and_no_trial_gives_is_said_once() -> None:
    limited = optimizer(objectives={"time": "minimize"}, limits={"fits": "memory <= 16"})
    with pytest.warns(
        hr.TrialWarning, match=r"no 'memory', which the limit 'fits' is about.*'memry' may be meant to be 'memory'"
    ):
        limited.tell(at(1), {"time": 1.0, "memry": 1.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        limited.tell(at(2), {"time": 1.0})
        limited.tell(at(3), None)
    assert limited.best is None
    assert len(limited.observations) == 3


def test_a_failure_has_a_reason() -> None:
    plain = optimizer()
    plain.tell(at(1), hr.Failure("out of memory"))
    seen = plain.observations[0]
    assert (seen.failed, seen.reason, seen.told) == (True, "out of memory", hr.Failure("out of memory"))
    assert "reason='out of memory'" in repr(seen)
    with pytest.raises(hr.PointError, match="a text"):
        hr.Failure(3)  # type: ignore[arg-type]


def test_numbers_that_are_all_missing_are_a_failure() -> None:
    several = optimizer(objectives=BOTH)
    several.tell(at(1), {"time": None, "speed": math.inf})
    assert several.observations[0].failed


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (3.0, "numbers by name, 'time' and 'speed'"),
        ({}, "An empty dict"),
        ({"time": "fast"}, "The outcome 'time' cannot be read"),
        ({"time": True}, "The outcome 'time' cannot be read"),
        ({"time": [1.0, 2.0]}, "need repeats"),
        ([{"time": 1.0}], "need repeats"),
        ("3", "A value is a number"),
    ],
)
def test_what_cannot_be_meant_is_refused_and_nothing_is_recorded(given: Any, message: str) -> None:
    several = optimizer(objectives=BOTH)
    with pytest.raises(hr.PointError, match=message):
        several.tell(at(1), given)
    assert several.observations == ()


@pytest.mark.parametrize("given", [{3: 1.0}, {"my time": 1.0}])
def test_names_of_outcomes_are_words(given: Any) -> None:
    with pytest.raises(hr.HedgerowError, match="The name of an outcome"):
        optimizer(objectives=BOTH).tell(at(1), given)


@pytest.mark.parametrize("given", [[1.0, None], [1.0, "2"], [], [1.0, math.nan], [1.0, {"time": 2.0}]])
def test_readings_of_different_kinds_are_refused(given: list[Any]) -> None:
    noisy = optimizer(repeats="auto")
    with pytest.raises(hr.PointError, match="Readings of one point are numbers, all of them"):
        noisy.tell(at(1), given)
    assert noisy.observations == ()


def test_readings_are_taken_together() -> None:
    noisy = optimizer(repeats="auto")
    noisy.tell(at(1), [1.0, 3.0])
    noisy.tell(at(2), 1.5)
    noisy.tell(at(1), 5.0)
    assert [seen.value for seen in noisy.observations] == [2.0, 1.5, 5.0]
    assert [seen.value for seen in noisy.front] == [1.5]
    noisy.tell(at(2), 8.5)
    assert noisy.front[0].readings == (1.0, 3.0, 5.0)
    assert noisy._log.history().codes[:, 0].tolist() == [1, 1, 2, 1, 2]


def test_readings_by_name_are_taken_together() -> None:
    noisy = optimizer(objectives=BOTH, repeats=3)
    noisy.tell(at(1), {"time": [1.0, 3.0], "speed": 5.0})
    noisy.tell(at(1), [{"time": 5.0, "speed": 7.0}])
    seen = noisy.front[0]
    assert seen.outcomes == {"time": 3.0, "speed": 6.0}
    assert len(seen.readings) == 3


def test_each_point_is_measured_so_often() -> None:
    noisy = optimizer(repeats=3)
    asked = []
    for _ in range(9):
        point = noisy.ask()
        asked.append((point["x"], point["y"]))
        noisy.tell(point, 1.0)
    assert [asked.count(point) for point in dict.fromkeys(asked)] == [3, 3, 3]
    batch = noisy.ask(4)
    assert batch[0] == batch[1] == batch[2] != batch[3]
    noisy.tell(batch[0], 2.0)
    assert len(noisy.pending) == 3


def test_a_failed_trial_is_not_measured_again() -> None:
    noisy = optimizer(repeats=2)
    point = noisy.ask()
    noisy.tell(point, None)
    assert noisy.ask() != point


@pytest.mark.parametrize("repeats", [True, 0, -1, 2.0, "yes", None])
def test_repeats_is_false_or_a_number_or_auto(repeats: Any) -> None:
    with pytest.raises(hr.HedgerowError, match="repeats is False"):
        optimizer(repeats=repeats)


@pytest.mark.parametrize("objectives", [{}, ["time"], "time", {"time": "down"}, {"a b": "minimize"}, {3: "minimize"}])
def test_objectives_are_directions_by_name(objectives: Any) -> None:
    with pytest.raises(hr.HedgerowError, match=r"objectives maps|is 'minimize' or 'maximize'|name of an objective"):
        optimizer(objectives=objectives)


@pytest.mark.parametrize("reference", [{"time": 1.0}, [1.0, 2.0], {"time": 1.0, "speed": math.inf}])
def test_a_reference_has_a_number_for_each_objective(reference: Any) -> None:
    with pytest.raises(hr.HedgerowError, match="reference"):
        optimizer(objectives=BOTH, reference=reference)


def test_a_method_of_one_number_says_that_it_cannot_do_more() -> None:
    with pytest.raises(hr.HedgerowError, match="CATD learns from one number per trial"):
        hr.Optimizer(SPACE, method="catd", objectives=BOTH)


def test_observations_go_into_another_optimizer_unchanged() -> None:
    one = optimizer(objectives=BOTH, limits={"fits": "memory <= 3"}, repeats="auto")
    one.tell(at(1), {"time": [1.0, 2.0], "speed": 3.0, "memory": 2.0})
    one.tell(at(2), hr.Failure("no"))
    one.tell(at(3), {"time": 1.0, "speed": 2.0, "memory": 4.0})
    other = optimizer(objectives=BOTH, limits={"fits": "memory <= 3"}, repeats="auto")
    for seen in one.observations:
        other.tell(seen.point, seen.told)
    assert other.observations == one.observations
    assert pickle.loads(pickle.dumps(one)).observations == one.observations  # noqa: S301 - made here


def test_how_it_looks() -> None:
    several = optimizer(objectives=BOTH)
    assert repr(several) == "Optimizer(minimize time and maximize speed over 2 variables, 0 told, no value yet)"
    several.tell(at(1), {"time": 1.0, "speed": 2.0})
    assert "1 on the front" in repr(several)
    assert "1 on the front" in several._repr_html_()


def test_minimize_takes_objectives_that_return_dicts() -> None:
    result = hr.minimize(
        lambda p: {"time": p["x"] + 1.0, "speed": p["y"], "memory": p["x"] * p["y"]},
        SPACE,
        RULES,
        budget=30,
        method="random",
        objectives=BOTH,
        limits={"fits": "memory <= 20"},
    )
    assert len(result.observations) == 30
    assert result.front
    assert all(not seen.broken_limits for seen in result.front)
    assert result.best_point is None
    assert f"front of {len(result.front)}" in repr(result)
    again = hr.minimize(
        lambda p: {"time": 0.0, "speed": 0.0, "memory": 0.0},
        SPACE,
        RULES,
        budget=1,
        method="random",
        objectives=BOTH,
        limits={"fits": "memory <= 20"},
        initial=result.observations,
    )
    assert again.observations[:30] == result.observations


def test_an_objective_that_raises_is_a_failure_with_its_reason() -> None:
    def objective(point: Any) -> float:
        if point["x"] > 4:
            raise ValueError("too large")
        return float(point["x"])

    with pytest.warns(hr.TrialWarning, match="too large"):
        result = hr.minimize(objective, SPACE, RULES, budget=20, method="random")
    assert {seen.reason for seen in result.observations if seen.failed} == {"ValueError: too large"}
