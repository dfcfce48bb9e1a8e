"""Rules as given: names, functions and their arguments."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow import FeasibleSet, Integer, Rule, Space, Vector
from hedgerow.rules import bind_rules
from tests.oracles import quiet_set

SPACE = Space({"a": Integer(0, 3), "b": Integer(0, 3), "v": Vector(bool, 2)})


def named(rules: Any) -> list[str]:
    return [rule.name for rule in bind_rules(SPACE, rules)]


def test_a_short_rule_is_its_own_name() -> None:
    assert named(["a  >\n 1"]) == ["a > 1"]
    assert named([SPACE["a"] > 1]) == ["a > 1"]
    assert named([lambda a, b: a > b]) == ["function(a, b)"]


def test_a_long_rule_is_named_by_its_place() -> None:
    assert named(["a > 1", "a > 1 and " * 10 + "b > 1"])[1] == "rule 2"


def test_equal_names_are_told_apart() -> None:
    assert named(["a > 1", "a > 1", "a > 1"]) == ["a > 1", "a > 1 (rule 2)", "a > 1 (rule 3)"]


def test_a_dict_gives_the_names() -> None:
    assert named({"first": "a > 1", "second": Rule("b > 1", name="other")}) == ["first", "second"]


def test_rules_may_come_as_a_generator() -> None:
    assert named(f"a > {i}" for i in range(2)) == ["a > 0", "a > 1"]


def test_a_rule_knows_the_slots_it_reads() -> None:
    bound = bind_rules(SPACE, ["a > 1", "v[1] and b > 0", "sum(v) > 0", lambda v, a: True, "1 < 2"])
    assert [rule.slots for rule in bound] == [(0,), (1, 3), (2, 3), (0, 2, 3), ()]


def test_a_function_gets_plain_values_and_lists() -> None:
    seen: list[tuple[Any, ...]] = []

    def watch(a: int, v: list[bool]) -> bool:
        seen.append((a, v))
        return True

    quiet_set(SPACE, [watch])
    assert len(seen) == 16
    assert all(type(a) is int and type(v) is list and type(v[0]) is bool for a, v in seen)


def test_arguments_with_defaults_need_not_be_variables() -> None:
    assert FeasibleSet(SPACE, [lambda a, limit=2: a > limit]).count == 16


def test_keyword_only_arguments_are_variables_too() -> None:
    assert FeasibleSet(SPACE, [lambda *, b: b == 3]).count == 16


def test_a_function_that_divides_by_zero_breaks_the_rule_there() -> None:
    feasible = FeasibleSet(SPACE, [lambda a, b: a / b >= 1])
    assert {(point["a"], point["b"]) for point in feasible} == {(a, b) for a in range(4) for b in range(1, 4) if a >= b}


@pytest.mark.parametrize("result", [np.bool_(True), 1, "yes", [0], Fraction(1, 2)])
def test_a_function_may_return_anything_with_a_truth_value(result: object) -> None:
    assert FeasibleSet(SPACE, [lambda a: result if a else 0]).count == 48


def test_a_bound_method_and_a_callable_object_are_functions() -> None:
    class Limit:
        def check(self, a: int) -> bool:
            return a < 2

        def __call__(self, b: int) -> bool:
            return b < 2

    assert FeasibleSet(SPACE, [Limit().check, Limit()]).count == 16


def test_a_space_given_as_a_dict_is_read() -> None:
    variables: Any = {"a": [1, 2]}
    assert FeasibleSet(variables, ["a > 1"]).count == 1
