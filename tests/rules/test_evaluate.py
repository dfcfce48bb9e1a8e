"""The plain evaluator is Python: values, short circuits, and where an arithmetic error breaks a rule."""

from __future__ import annotations

from typing import Any

import pytest

from hedgerow import FeasibleSet, RuleError, Space, Vector
from hedgerow.expressions import Scalar
from hedgerow.rules import bind_rules
from hedgerow.rules.evaluate import MAX_POWER_BITS, MAX_PRODUCT_BITS, evaluate, holds, power
from tests.oracles import quiet_set, time_limit

SPACE = Space({"a": [-2, 0, 3], "b": [0.0, 0.1, 0.2], "t": ["x", "", "xy"], "v": Vector([1, 2, 3], 3)})
VALUES: list[Scalar] = [3, 0.1, "xy", 1, 2, 2]


def value(text: str) -> Any:
    return evaluate(bind_rules(SPACE, [text])[0].expression, VALUES)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a / 2", 1.5),
        ("a // 2", 1),
        ("-a // 2", -2),
        ("-a % 5", 2),
        ("a ** 2", 9),
        ("a ** -1", 3**-1),
        ("b + b + b", 0.1 + 0.1 + 0.1),
        ("sum([b, b, b, b, b, b, b, b, b, b])", 0.9999999999999999),
        ("a and t", "xy"),
        ("a == 0 or t", "xy"),
        ("0 * a or b", 0.1),
        ("t if a else b", "xy"),
        ("a > 1", True),
        ("not t", False),
        ("abs(-a)", 3),
        ("min(v)", 1),
        ("max(v, b)", 2),
        ("count(v == 2, a)", 3),
        ("longest_run(v)", 2),
        ("longest_run(v, 1)", 1),
        ("longest_run(v, 3)", 0),
        ("contains(v, [1, 2])", True),
        ("contains(v, [2, 1])", False),
        ("all_different(v)", False),
        ("all_different(v, ignore=2)", True),
        ("table([v[0], t], [(1, 'xy')])", True),
        ("'x' in t", True),
        ("a in v", False),
        ("sum(v[3:])", 0),
        ("count(v[3:])", 0),
        ("longest_run(v[3:])", 0),
        ("contains(v[3:], [1])", False),
    ],
)
def test_values_are_pythons(text: str, expected: object) -> None:
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize("text", ["all(v[3:])", "all_different(v[3:])", "increasing(v[3:])", "not any(v[3:])"])
def test_nothing_satisfies_every_condition(text: str) -> None:
    assert value(text)


@pytest.mark.parametrize(
    "text", ["a / (a - 3) > 0", "a % (a - 3) > 0", "0.0 ** -a < 1", "(-a) ** 0.5 < 1", "1e308 * 10 ** (a * 200) > 0"]
)
def test_an_arithmetic_error_breaks_the_rule_and_its_negation(text: str) -> None:
    for rule in (text, f"not ({text})"):
        assert not holds(bind_rules(SPACE, [rule])[0].expression, VALUES)


@pytest.mark.parametrize(
    "text", ["a == 3 or 1 / (a - 3) > 0", "not (a != 3 and 1 / (a - 3) > 0)", "True if a == 3 else 1 / (a - 3) > 0"]
)
def test_a_guard_stops_before_the_error(text: str) -> None:
    assert holds(bind_rules(SPACE, [text])[0].expression, VALUES)


@pytest.mark.parametrize(
    "arguments", ["2, 1, 1 / (a - 3)", "1 / (a - 3), 1, 2", "1, 1 / (a - 3)", "1 / (a - 3)", "v, 0, 1 / (a - 3)"]
)
@pytest.mark.parametrize("function", ["increasing({})", "increasing({}, strict=True)", "all_different({})"])
def test_functions_evaluate_all_their_arguments(function: str, arguments: str) -> None:
    text = function.format(arguments)
    for rule in (text, f"not {text}", f"{text} or True", f"not {text} or True"):
        expression = bind_rules(SPACE, [rule])[0].expression
        assert not holds(expression, VALUES)
        feasible = quiet_set(SPACE, [rule])
        assert dict(zip(SPACE, [3, 0.1, "xy", [1, 2, 2]], strict=True)) not in feasible


def test_short_powers_are_exact_and_long_ones_refused() -> None:
    assert power(3, 200) == 3**200
    assert power(-1, 10**12) == 1
    assert power(1, 10**12) == 1
    assert power(2, -2) == 0.25
    with pytest.raises(RuleError, match=f"at most {MAX_POWER_BITS:,} are computed"):
        power(2, MAX_POWER_BITS)
    with pytest.raises(ArithmeticError):
        power(-8, 0.5)


def test_products_of_absurd_length_are_refused() -> None:
    with time_limit(5), pytest.raises(RuleError, match=f"at most {MAX_PRODUCT_BITS:,} are computed"):
        FeasibleSet(Space({"x": [1, 2, 3]}), [" * ".join(["3 ** 9999"] * 400) + " * x >= 1"])
