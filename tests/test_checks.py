"""Arguments are checked in one way, with errors of one family, before any costly work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hedgerow as hr
from hedgerow import checks

SPACE = hr.Space({"a": hr.Integer(0, 3), "b": hr.Integer(0, 3)})
NO_WHOLE_NUMBERS: list[Any] = [True, np.bool_(True), "3", 2.0, 2.5, float("nan"), -1, np.int64(-1), [3], b"3"]


@pytest.mark.parametrize("value", [0, 7, np.int64(7), np.uint8(7), 10**30])
def test_whole_numbers_become_plain_integers(value: Any) -> None:
    checked = checks.whole_number("n", value)
    assert checked == value
    assert type(checked) is int


@pytest.mark.parametrize("value", [*NO_WHOLE_NUMBERS, None])
def test_what_is_no_whole_number_is_refused(value: Any) -> None:
    with pytest.raises(hr.ArgumentError, match=r"n is a whole number of at least 0, but .* was given"):
        checks.whole_number("n", value)


@pytest.mark.parametrize("value", [*NO_WHOLE_NUMBERS, 0])
def test_node_budgets_are_whole_numbers_of_at_least_one(value: Any) -> None:
    with pytest.raises(hr.ArgumentError, match=r"node_budget is a whole number of at least 1, but .* was given"):
        hr.FeasibleSet(SPACE, ["a < b"], node_budget=value)


@pytest.mark.parametrize("value", [None, 1, 1000, np.int64(1000)])
def test_other_node_budgets_serve(value: Any) -> None:
    assert {"a": 0, "b": 1} in hr.FeasibleSet(SPACE, ["a < b"], node_budget=value)


@pytest.mark.parametrize("value", NO_WHOLE_NUMBERS)
@pytest.mark.parametrize(
    "call",
    [
        lambda feasible, value: feasible.sample(value),
        lambda feasible, value: feasible.sample(1, seed=value),
        lambda feasible, value: feasible.sample_infeasible(value),
        lambda feasible, value: feasible.sample_infeasible(1, seed=value),
        lambda feasible, value: feasible.completions({"a": 1}).sample(value),
        lambda feasible, value: feasible.best({}, k=value),
    ],
)
def test_feasible_sets_check_their_arguments(call: Callable[[hr.FeasibleSet, Any], object], value: Any) -> None:
    with pytest.raises(hr.ArgumentError, match="is a whole number of at least 0"):
        call(hr.FeasibleSet(SPACE, ["a < b"]), value)


@pytest.mark.parametrize("index", [True, "0", 1.0, slice(0, 2), None])
def test_places_in_the_set_are_whole_numbers(index: Any) -> None:
    with pytest.raises(hr.ArgumentError, match="A place in the set is a whole number"):
        hr.FeasibleSet(SPACE, ["a < b"])[index]


@pytest.mark.parametrize("value", [0, 1.5, np.float64(2), None, 10**6])
def test_seconds_are_numbers_or_none(value: Any) -> None:
    assert checks.seconds("timeout", value) == value


@pytest.mark.parametrize("value", [True, "1", -0.1, float("nan"), 1j])
def test_other_seconds_are_refused(value: Any) -> None:
    with pytest.raises(hr.ArgumentError, match="timeout is a number of seconds of at least 0, or None"):
        checks.seconds("timeout", value)


def test_words_are_suggested_where_there_are_several() -> None:
    assert checks.one_of("method", "auto", ["auto", "catd", "random"]) == "auto"
    with pytest.raises(hr.ArgumentError, match="did you mean 'random'"):
        checks.one_of("method", "randon", ["auto", "catd", "random"])
    with pytest.raises(hr.ArgumentError, match="method is 'auto' or 'catd', but 7 was given"):
        checks.one_of("method", 7, ["auto", "catd"])


def test_functions_can_be_called() -> None:
    assert checks.function("objective", len, "a point") is len
    with pytest.raises(hr.ArgumentError, match="objective is a function of a point, but 'f' was given"):
        checks.function("objective", "f", "a point")  # type: ignore[type-var]


def test_long_values_are_shortened_in_messages() -> None:
    with pytest.raises(hr.ArgumentError) as caught:
        checks.whole_number("n", "x" * 10_000)
    assert len(str(caught.value)) < 200


def test_argument_errors_are_of_the_family_and_value_errors() -> None:
    assert issubclass(hr.ArgumentError, hr.HedgerowError)
    assert issubclass(hr.ArgumentError, ValueError)
