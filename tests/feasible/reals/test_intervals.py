"""Intervals and truths on boxes hold whatever the evaluator computes inside; rules of random shape, random boxes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.feasible.reals.truths import Boxes, truth
from hedgerow.rules.evaluate import evaluate
from hedgerow.space.floats import float_at, floats_at, place_of, places_of
from tests.strategies import examples

SPACE = hr.Space(
    {
        "x": hr.Real(-3, 5),
        "y": hr.Real(1e-3, 10, log=True),
        "n": hr.Integer(-2, 4),
        "k": ["red", "green", "blue"],
        "s": hr.Ordinal(["small", "medium", "large"]),
        "p": bool,
    }
)
NUMBERS = ("x", "y", "n", "p", "0.5", "2", "-1.25", "0")


@st.composite
def numbers(draw: st.DrawFn, depth: int = 2) -> str:
    """Return an expression that is a number."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(NUMBERS))
    a, b = draw(numbers(depth - 1)), draw(numbers(depth - 1))
    forms = ("({a} + {b})", "({a} - {b})", "({a} * {b})", "({a} / {b})", "({a} ** 2)", "({a} ** 3)", "({b} ** 0.5)")
    more = ("abs({a})", "min({a}, {b})", "max({a}, {b})", "({a} // {b})", "({a} % {b})", "({a} if p else {b})")
    form: str = draw(st.sampled_from(forms + more))
    return form.format(a=a, b=b)


@st.composite
def rules(draw: st.DrawFn, depth: int = 2) -> str:
    """Return a rule."""
    if depth == 0 or draw(st.booleans()):
        labels = ("k == 'red'", "k != 'blue'", "k in ['red', 'green']", "s >= 'medium'", "p", "n in [1, 2]")
        if draw(st.integers(0, 3)) == 0:
            return draw(st.sampled_from(labels))
        symbol = draw(st.sampled_from(("<", "<=", ">", ">=", "==", "!=")))
        return f"{draw(numbers())} {symbol} {draw(numbers())}"
    a, b = draw(rules(depth - 1)), draw(rules(depth - 1))
    forms = ("({a} and {b})", "({a} or {b})", "(not {a})", "count({a}, {b}) >= 1", "(({a}) if p else ({b}))")
    form: str = draw(st.sampled_from(forms))
    return form.format(a=a, b=b)


@examples(150)
@given(rule=rules(), seed=st.integers(0, 2**31))
def test_what_the_evaluator_says_is_among_what_a_box_allows(rule: str, seed: int) -> None:
    try:
        (bound,) = hr.rules.bind_rules(SPACE, [rule])
    except hr.RuleError:
        return
    rng = np.random.default_rng(seed)
    whole = Boxes.whole(SPACE)
    ends = np.sort(rng.random((2, 8, 6)), axis=0)
    ends[1, ::2] = ends[0, ::2]  # every other box is one point
    low, high = (whole.low + share * (whole.high - whole.low) for share in ends)
    low[:, 2:], high[:, 2:] = np.floor(low[:, 2:]), np.floor(high[:, 2:])
    found = truth(bound.expression, Boxes(SPACE, low, high))
    for box in range(8):
        for _ in range(4):
            numbers_in = low[box] + rng.random(6) * (high[box] - low[box])
            values = [
                float(number) if slot.variable.is_continuous else slot.variable.value_at(round(number))
                for slot, number in zip(SPACE.slots, numbers_in, strict=True)
            ]
            try:
                holds = bool(evaluate(bound.expression, values))
            except ArithmeticError:
                assert found.may_fail[box]
                continue
            assert (found.may_hold if holds else found.may_not)[box], (rule, values)


@examples(50)
@given(st.lists(st.floats(allow_nan=False), min_size=2, max_size=6))
def test_places_keep_floats_and_their_order(values: list[float]) -> None:
    array = np.array(values)
    assert (floats_at(places_of(array)) == array).all()
    assert [float_at(place_of(value)) for value in values] == values
    assert places_of(array).tolist() == [place_of(value) for value in values]
    assert (np.argsort(places_of(array), kind="stable") == np.argsort(array, kind="stable")).all()
