"""Whole runs through the public functions."""

import math

import pytest

import hedgerow as hr
from hedgerow.optimizer import Optimizer

SPACE = hr.Space({"x": hr.Integer(0, 20), "y": hr.Integer(0, 20)})
RULES = ["x + y <= 25", "x != y"]


def distance(point: dict[str, int]) -> float:
    return (point["x"] - 13) ** 2 + (point["y"] - 7) ** 2


def test_minimize_finds_the_optimum_in_few_trials() -> None:
    result = hr.minimize(distance, SPACE, rules=RULES, budget=25, seed=1)
    assert result.best_point == {"x": 13, "y": 7}
    assert result.best_value == 0
    assert len(result.observations) == 25
    assert result.best_so_far() == sorted(result.best_so_far(), reverse=True)


def test_maximize_is_minimize_of_the_opposite() -> None:
    lowest = hr.minimize(distance, SPACE, rules=RULES, budget=15)
    highest = hr.maximize(lambda point: -distance(point), SPACE, rules=RULES, budget=15)
    assert [o.point for o in lowest.observations] == [o.point for o in highest.observations]
    assert highest.best_value == -(lowest.best_value or 0.0)


def test_exceptions_are_failed_trials() -> None:
    def fragile(point: dict[str, int]) -> float:
        if point["x"] < 5:
            raise OSError("does not run here")
        return distance(point)

    result = hr.minimize(fragile, SPACE, rules=RULES, budget=30)
    assert result.best_value is not None
    assert result.n_failed == sum(o.point["x"] < 5 for o in result.observations)


def test_the_space_may_be_exhausted() -> None:
    result = hr.minimize(lambda point: point["x"], hr.Space({"x": [3, 1, 2]}), budget=10)
    assert result.stopped == "exhausted"
    assert len(result.observations) == 3


def test_callbacks_and_timeouts_end_a_run() -> None:
    def three_told(optimizer: Optimizer) -> bool:
        return len(optimizer.observations) == 3

    assert len(hr.minimize(distance, SPACE, budget=10, callbacks=[three_told]).observations) == 3
    assert hr.minimize(distance, SPACE, budget=10, timeout=0.0).stopped == "timeout"


def test_initial_observations_inform_and_are_not_repeated() -> None:
    known = [({"x": x, "y": 0}, distance({"x": x, "y": 0})) for x in range(1, 6)]
    result = hr.minimize(distance, SPACE, rules=RULES, budget=5, initial=known)
    assert len(result.observations) == 10
    assert len({(o.point["x"], o.point["y"]) for o in result.observations}) == 10


@pytest.mark.parametrize("value", ["fast", object(), [1]])
def test_a_value_that_is_no_number_is_refused(value: object) -> None:
    optimizer = hr.Optimizer(SPACE)
    with pytest.raises(hr.PointError, match="A value is a number"):
        optimizer.tell({"x": 1, "y": 2}, value)  # type: ignore[arg-type]
    assert optimizer.observations == ()


def test_bad_options_are_refused_before_any_trial() -> None:
    with pytest.raises(hr.HedgerowError, match="budget"):
        hr.minimize(distance, SPACE, budget=0)
    with pytest.raises(hr.HedgerowError, match="There is no method 'atuo'; did you mean 'auto'"):
        hr.minimize(distance, SPACE, method="atuo")
    with pytest.raises(hr.HedgerowError, match="objective"):
        hr.minimize(3, SPACE)  # type: ignore[arg-type]
    with pytest.raises(hr.HedgerowError, match="seed"):
        hr.Optimizer(SPACE, seed=-1)


def test_nothing_but_failures_has_no_best() -> None:
    result = hr.minimize(lambda _: math.nan, SPACE, budget=3)
    assert result.best_point is None
    assert result.n_failed == 3


def test_a_mistake_in_the_objective_is_shown_once_and_told_as_failed() -> None:
    with pytest.warns(hr.TrialWarning, match="raised KeyError: 'tmp'") as shown:
        result = hr.minimize(lambda point: point["tmp"], hr.Space({"x": hr.Integer(0, 9)}), budget=3)
    assert len(shown) == 1
    assert result.n_failed == 3
    assert repr(result) == "Result(no value, 3 trials, 3 failed, stopped='budget')"
