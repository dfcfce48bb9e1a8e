"""Whole runs through the public functions."""

import math
from collections.abc import Callable

import numpy as np
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
        optimizer.tell({"x": 1, "y": 2}, value)
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


def interrupted_after(n: int) -> Callable[[dict[str, int]], float]:
    made = 0

    def objective(point: dict[str, int]) -> float:
        nonlocal made
        made += 1
        if made > n:
            raise KeyboardInterrupt
        return distance(point)

    return objective


def test_an_interrupted_run_returns_what_was_measured_and_goes_on_as_if_nothing_had_happened() -> None:
    whole = hr.minimize(distance, SPACE, RULES, budget=14, seed=4)
    part = hr.minimize(interrupted_after(9), SPACE, RULES, budget=14, seed=4)
    assert part.stopped == "interrupted"
    assert part.observations == whole.observations[:9]
    assert part.best_value == whole.best_so_far()[8]
    rest = hr.minimize(distance, SPACE, RULES, budget=5, seed=4, initial=part.observations)
    assert rest.observations == whole.observations


@pytest.mark.parametrize(("answer", "n_trials"), [(np.True_, 1), (np.False_, 4), ("yes", 4), (1, 4)])
def test_the_true_of_numpy_ends_a_run_and_other_answers_do_not(answer: object, n_trials: int) -> None:
    result = hr.minimize(distance, SPACE, budget=4, callbacks=[lambda _: answer])
    assert len(result.observations) == n_trials


def test_an_exception_from_a_callback_loses_nothing() -> None:
    def breaks(optimizer: Optimizer) -> None:
        if len(optimizer.observations) == 5:
            raise ZeroDivisionError("in the plot")

    with pytest.warns(hr.TrialWarning, match="after 5 trials in ZeroDivisionError: in the plot"):
        result = hr.minimize(distance, SPACE, RULES, budget=14, callbacks=[breaks])
    assert result.stopped == "error"
    assert isinstance(result.error, ZeroDivisionError)
    assert len(result.observations) == 5
    assert result.best_value is not None


def test_a_value_that_is_no_number_in_the_tenth_trial_is_a_failed_trial() -> None:
    values = iter([*range(9), "n/a", *range(9)])
    with pytest.warns(hr.TrialWarning, match="'n/a' was given") as shown:
        result = hr.minimize(lambda _: next(values), SPACE, RULES, budget=14)
    assert len(shown) == 1
    assert len(result.observations) == 14
    assert [seen.failed for seen in result.observations] == [i == 9 for i in range(14)]


def test_a_value_that_is_no_number_in_the_first_trial_is_an_error_at_once() -> None:
    with pytest.raises(hr.PointError, match="'fast' was given"):
        hr.minimize(lambda _: "fast", SPACE, RULES, budget=14)  # type: ignore[arg-type,return-value]


def test_points_without_values_are_evaluated_first() -> None:
    first = [{"x": 3, "y": 1}, {"x": 4, "y": 2}, {"x": 3, "y": 1}]
    known = ({"x": 4, "y": 2}, 1000.0)
    result = hr.minimize(distance, SPACE, RULES, budget=4, initial=[*first, known])
    assert [seen.point for seen in result.observations[:2]] == [{"x": 4, "y": 2}, {"x": 3, "y": 1}]
    assert len(result.observations) == 5


def test_a_first_point_that_breaks_a_rule_is_refused_before_any_trial() -> None:
    with pytest.raises(hr.PointError, match=r"evaluate first.*breaks 'x != y'"):
        hr.minimize(interrupted_after(0), SPACE, RULES, initial=[{"x": 3, "y": 3}])
    with pytest.raises(hr.PointError, match="initial takes observations"):
        hr.minimize(interrupted_after(0), SPACE, RULES, initial=[3])  # type: ignore[list-item]


def test_told_points_that_break_a_rule_are_never_the_best_so_far() -> None:
    known = [({"x": 5, "y": 5}, -100.0), ({"x": 13, "y": 8}, 1.0)]
    result = hr.minimize(distance, SPACE, RULES, budget=1, initial=known)
    assert math.isnan(result.best_so_far()[0])
    assert result.best_so_far()[1:] == [1.0, min(1.0, result.observations[-1].value or 0.0)]
    assert result.best_value == result.best_so_far()[-1]


def test_a_result_says_how_it_ended_and_how_to_go_on() -> None:
    result = hr.minimize(distance, SPACE, budget=2)
    assert result.stopped is hr.Stopped.BUDGET
    assert "initial=result.observations" in result.stopped.advice
    assert all(stopped.advice for stopped in hr.Stopped)
    assert "2 trials" in result._repr_html_()


def test_an_objective_that_always_fails_ends_the_run_early() -> None:
    def broken(point: dict[str, int]) -> float:
        raise RuntimeError("no license")

    with pytest.warns(hr.TrialWarning, match="no license"):
        result = hr.minimize(broken, hr.Space({"x": hr.Integer(0, 99)}), budget=50)
    assert (len(result.observations), str(result.stopped)) == (5, "failing")
    known = [({"x": 1}, 3.0)]
    with pytest.warns(hr.TrialWarning, match="no license"):
        result = hr.minimize(broken, hr.Space({"x": hr.Integer(0, 99)}), budget=7, initial=known)
    assert (len(result.observations), str(result.stopped)) == (8, "budget"), "something has worked before"
