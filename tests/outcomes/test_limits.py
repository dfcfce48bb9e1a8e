"""Limits: what they say about a trial, and what is refused before anything is measured."""

import math
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.outcomes.limits import Limit, read_limits


def only(text: str) -> Limit:
    return read_limits({"limit": text})[0]


@pytest.mark.parametrize(
    ("text", "numbers", "slack"),
    [
        ("memory <= 16", {"memory": 11.5}, 4.5),
        ("memory <= 16", {"memory": 20.0}, -4.0),
        ("16 >= memory", {"memory": 20.0}, -4.0),
        ("0.5 < share", {"share": 0.75}, 0.25),
        ("1 <= x <= 4", {"x": 2.0}, 1.0),
        ("1 <= x and x <= 4", {"x": 3.5}, 0.5),
        ("time * power <= 40", {"time": 4.0, "power": 8.0}, 8.0),
        ("abs(a - b) / 2 <= 1", {"a": 1.0, "b": 5.0}, -1.0),
        ("a ** 2 + -b < 3", {"a": 2.0, "b": 1.0}, 0.0),
    ],
)
def test_slack_is_the_distance_to_the_limit(text: str, numbers: dict[str, float], slack: float) -> None:
    assert only(text).slack(numbers) == pytest.approx(slack)


def test_a_strict_limit_does_not_hold_at_its_end() -> None:
    assert only("x <= 3").holds({"x": 3.0})
    assert not only("x < 3").holds({"x": 3.0})


@pytest.mark.parametrize("numbers", [{}, {"b": 1.0}, {"a": 1.0, "b": 0.0}, {"a": 1e300, "b": 1e-300}])
def test_what_was_not_measured_is_not_known_to_hold(numbers: dict[str, float]) -> None:
    limit = only("a / b <= 2")
    assert math.isnan(limit.slack(numbers))
    assert not limit.holds(numbers)


def test_a_limit_knows_the_outcomes_it_needs() -> None:
    assert set(only("a + b <= 2 and c > 1").outcomes) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("memory", "is no limit"),
        ("memory == 16", "is no limit"),
        ("memory != 16", "is no limit"),
        ("memory <= 16 or time <= 3", "is no limit"),
        ("not memory > 16", "is no limit"),
        ("memory in [1, 2]", "is no limit"),
        ("memory % 2 <= 1", "not allowed in a limit"),
        ("memory // 2 <= 1", "not allowed in a limit"),
        ("max(a, b) <= 3", "not allowed in a limit"),
        ("memory <= 'big'", "not allowed in a limit"),
        ("memory <= True", "not allowed in a limit"),
        ("memory <= 1e999", "not a finite number"),
        ("x[0] <= 3", "not allowed in a limit"),
        ("3 <= 4", "names no outcome"),
        ("memory <= memory", "compares an outcome with itself"),
        ("memory <= 3 and memory >= 5", "No trial can keep the limit"),
        ("3 < memory < 3", "No trial can keep the limit"),
        ("memory < 3 and memory >= 3", "No trial can keep the limit"),
        ("memory =< 3", "cannot be read"),
        ("", "empty"),
        ("__import__('os').system('x') < 3", "Only the functions"),
    ],
)
def test_what_is_no_limit_is_refused_by_name(text: str, message: str) -> None:
    with pytest.raises(hr.RuleError, match=message) as raised:
        only(text)
    assert "'limit'" in str(raised.value)


@pytest.mark.parametrize("given", [["memory <= 3"], "memory <= 3", {3: "memory <= 3"}, {"fits": 3}])
def test_limits_are_texts_by_name(given: Any) -> None:
    with pytest.raises(hr.RuleError, match="limit"):
        read_limits(given)


def test_bounds_that_touch_leave_one_number() -> None:
    assert only("3 <= memory <= 3").holds({"memory": 3.0})


def test_two_limits_that_no_trial_can_keep_together_are_refused() -> None:
    with pytest.raises(hr.RuleError, match="limits 'small' and 'large' together: nothing lets 'memory' satisfy both"):
        read_limits({"small": "memory <= 3", "quick": "time < 1", "large": "memory > 3"})
    assert len(read_limits({"small": "memory <= 3", "large": "memory >= 3"})) == 2
