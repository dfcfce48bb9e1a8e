"""How points meet rules: slack is what is left, and a rule binds where its absence would free a step."""

from __future__ import annotations

import pytest

import hedgerow as hr
from hedgerow.insight.meeting import meet
from hedgerow.space.encoding import encode

SPACE = hr.Space({"x": hr.Integer(1, 5), "y": [1, 2, 4, 8], "kind": ["a", "b", "c"], "on": bool})
RULES = {
    "product": "x * y <= 16",
    "kinds": "kind != 'c' or x >= 3",
    "off": "not on or y <= 2",
    "both": "1 <= x + y <= 12 and x != 4",
}


def test_a_blocked_step_is_one_that_the_set_without_this_rule_would_allow() -> None:
    feasible = hr.FeasibleSet(SPACE, RULES)
    without = {name: hr.FeasibleSet(SPACE, {k: v for k, v in RULES.items() if k != name}) for name in RULES}
    for point in feasible:
        for rule in meet(feasible, encode(SPACE, point)):
            blocked = {(step.name, step.after) for step in rule.blocked}
            freed = {
                (name, value)
                for name, value in steps(point)
                if {**point, name: value} in without[rule.name] and {**point, name: value} not in feasible
            }
            assert blocked == freed
            assert all(point[step.name] == step.before for step in rule.blocked)


def steps(point: dict[str, object]) -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for name, variable in SPACE.variables.items():
        values = list(variable.values)  # type: ignore[union-attr]
        place = values.index(point[name])
        near = [place - 1, place + 1] if name != "kind" else [other for other in range(3) if other != place]
        found += [(name, values[other]) for other in near if 0 <= other < len(values)]
    return found


@pytest.mark.parametrize(
    ("rule", "slacks", "binds"),
    [
        ("x * y <= 32", [20.0], False),
        ("x * y <= 16", [4.0], True),
        ("x * y <= 12", [0.0], True),
        ("x * y >= 12", [0.0], True),
        ("12 < x * y + 1 < 20", [1.0, 7.0], True),
        ("3 < x * y + 1 < 40", [10.0, 27.0], False),
        ("x == 3", [None], True),
        ("x + y != 9", [None], False),
        ("x + y != 6", [None], True),
        ("x % 1 == 0 and y >= 2", [None, 2.0], False),
        ("x * y % 4 == 0", [None], True),
        ("kind == 'a'", [None], True),
    ],
)
def test_slack_and_binding_at_a_point(rule: str, slacks: list[float | None], binds: bool) -> None:
    feasible = hr.FeasibleSet(SPACE, [rule])
    met = meet(feasible, encode(SPACE, {"x": 3, "y": 4, "kind": "a", "on": False}))[0]
    assert [side.slack for side in met.sides] == slacks
    assert met.binds == binds


def test_a_slack_that_only_rounding_leaves_is_none() -> None:
    space = hr.Space({"a": [0.1, 0.2, 0.5], "b": [0.2, 0.1, 0.9]})
    feasible = hr.FeasibleSet(space, ["a + b <= 0.30000000000000004"])
    met = meet(feasible, encode(space, {"a": 0.2, "b": 0.1}))[0]
    assert met.sides[0].is_tight


def test_functions_and_patterns_have_no_sides_but_block() -> None:
    def never_three(x: int) -> bool:
        if x == 3:
            raise ZeroDivisionError
        return True

    feasible = hr.FeasibleSet(SPACE, {"function": never_three, "different": "all_different(x, y)"})
    met = {rule.name: rule for rule in meet(feasible, encode(SPACE, {"x": 4, "y": 2, "kind": "a", "on": True}))}
    assert met["function"].sides == ()
    assert [step.after for step in met["function"].blocked] == [3]
    assert [(step.name, step.after) for step in met["different"].blocked] == [("y", 4)]


def test_a_space_of_many_variables_takes_bounded_effort() -> None:
    space = hr.Space({f"v{i}": hr.Integer(0, 3) for i in range(400)})
    feasible = hr.FeasibleSet(space, [" + ".join(f"v{i}" for i in range(400)) + " <= 30"])
    point = {f"v{i}": int(i < 30) for i in range(400)}
    met = meet(feasible, encode(space, point))[0]
    assert met.least_slack == 0
    assert len(met.blocked) == 400
