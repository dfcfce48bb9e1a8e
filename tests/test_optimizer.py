"""Ask, suggest and tell as a user meets them: threads, pickles, what is left, what a value may be, how it looks."""

import decimal
import fractions
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import hedgerow as hr

SPACE = hr.Space({"x": hr.Integer(0, 20), "y": hr.Integer(0, 20)})
RULES = ["x + y <= 25", "x != y"]


def test_several_threads_never_get_the_same_point() -> None:
    optimizer = hr.Optimizer(SPACE, RULES)
    with ThreadPoolExecutor(6) as pool:
        asked = [future.result() for future in [pool.submit(optimizer.ask) for _ in range(48)]]
    assert len({(point["x"], point["y"]) for point in asked}) == 48


def test_asking_and_telling_in_several_threads_loses_nothing() -> None:
    optimizer = hr.Optimizer(SPACE, RULES, method="random")

    def work(_: int) -> None:
        for _ in range(10):
            point = optimizer.ask()
            optimizer.tell(point, point["x"])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert len(optimizer.observations) == 60
    assert optimizer.pending == ()


def test_ask_gives_what_is_left() -> None:
    optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3, 4]}), ["x != 2"])
    assert sorted(point["x"] for point in optimizer.ask(10)) == [1, 3, 4]
    with pytest.raises(hr.SpaceExhausted, match="All 3 feasible points have been tried"):
        optimizer.ask(2)
    with pytest.raises(hr.SpaceExhausted):
        optimizer.ask()


@pytest.mark.parametrize("n", [0, -1, True, 2.0, "3"])
def test_a_number_of_points_that_is_none_is_refused(n: Any) -> None:
    with pytest.raises(hr.HedgerowError, match="whole number of at least 1"):
        hr.Optimizer(SPACE).ask(n)


def test_suggestions_are_what_ask_gives() -> None:
    asked, suggested = (hr.Optimizer(SPACE, RULES, seed=3) for _ in range(2))
    for _ in range(6):
        point, suggestion = asked.ask(), suggested.suggest()
        assert suggestion.point == point
        for optimizer in (asked, suggested):
            optimizer.tell(point, point["x"] * point["y"])
    assert suggestion.is_exact
    assert suggested.pending == ()


def test_drawn_points_are_not_called_the_best_of_all() -> None:
    drawn = hr.Optimizer(SPACE, method="random").suggest()
    assert not drawn.is_exact
    assert drawn.reason == hr.methods.Reason.DRAWN


def test_a_suggestion_says_why_it_was_chosen() -> None:
    optimizer = hr.Optimizer(SPACE, RULES)
    first = optimizer.suggest(2)
    assert {suggestion.reason for suggestion in first} == {hr.methods.Reason.NOTHING_LEARNED}
    for suggestion in first:
        optimizer.tell(suggestion.point, suggestion.point["x"])
    assert optimizer.suggest().reason == "It has the highest score of all untried points."


@pytest.mark.parametrize("value", ["1.5", b"1.5", bytearray(b"1"), True, np.True_, 1j, [1.0], {"time": 1.0}])
def test_a_value_is_a_number(value: Any) -> None:
    optimizer = hr.Optimizer(SPACE)
    with pytest.raises(hr.PointError, match="A value is a number"):
        optimizer.tell({"x": 1, "y": 2}, value)
    assert optimizer.observations == ()


@pytest.mark.parametrize(
    "value", [2, np.int32(2), np.float32(2), np.array(2.0), decimal.Decimal(2), fractions.Fraction(2)]
)
def test_all_kinds_of_numbers_are_taken(value: Any) -> None:
    optimizer = hr.Optimizer(SPACE)
    optimizer.tell({"x": 1, "y": 2}, value)
    assert optimizer.observations[0].value == 2.0


def test_a_told_point_that_breaks_a_rule_is_never_best() -> None:
    optimizer = hr.Optimizer(SPACE, RULES)
    optimizer.tell({"x": 5, "y": 5}, -100.0)
    assert optimizer.best is None
    optimizer.tell({"x": 5, "y": 4}, 3.0)
    assert optimizer.best == hr.Observation({"x": 5, "y": 4}, 3.0)
    assert [seen.is_feasible for seen in optimizer.observations] == [False, True]


def test_a_pickled_optimizer_goes_on_as_the_original() -> None:
    optimizer = hr.Optimizer(SPACE, RULES, seed=2)
    for point in optimizer.ask(4):
        optimizer.tell(point, point["x"])
    copied = pickle.loads(pickle.dumps(optimizer))  # noqa: S301 - made here
    assert copied.ask() == optimizer.ask()


def test_an_optimizer_with_a_lambda_as_a_rule_says_that_it_cannot_be_pickled() -> None:
    optimizer = hr.Optimizer(SPACE, {"near": lambda x, y: abs(x - y) < 5})
    with pytest.raises(hr.HedgerowError, match=r"cannot be pickled; here near"):
        pickle.dumps(optimizer)


def test_an_optimizer_shows_what_one_wants_to_know() -> None:
    optimizer = hr.Optimizer(hr.Space({"x": ["<b>", "<i>"]}))
    assert repr(optimizer) == "Optimizer(minimize over 1 variables, 0 told, no value yet)"
    assert "no value yet" in optimizer._repr_html_()
    optimizer.tell({"x": "<b>"}, 0.25)
    optimizer.ask()
    assert "1 told, 1 pending, best 0.25 at {'x': '<b>'}" in repr(optimizer)
    assert "&lt;b&gt;" in optimizer._repr_html_()
    assert "<b>" not in optimizer._repr_html_()
