"""Explanations name exactly the broken rules, with the values that break them."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from hedgerow import FeasibleSet, Integer, Rule, Space, Vector
from tests.oracles import BruteForce, quiet_set
from tests.strategies import Problem, examples, problems

SPACE = Space({"block_x": [16, 32, 64], "block_y": Integer(1, 16), "padding": bool, "v": Vector([0, 1, 2], 10)})
POINT = {"block_x": 64, "block_y": 4, "padding": True, "v": [2] * 10}


@examples(150)
@given(problems(max_rules=4), st.data())
def test_exactly_the_broken_rules_are_named(problem: Problem, data: st.DataObject) -> None:
    brute = BruteForce(problem.space, problem.rules)
    named = {f"rule number {i}": rule.text for i, rule in enumerate(problem.rules)}
    feasible = quiet_set(problem.space, named)
    for place in data.draw(st.lists(st.integers(0, len(brute.rows) - 1), min_size=1, max_size=5)):
        explanation = feasible.explain(brute.points[place])
        expected = [name for name, holds in zip(named, brute.verdicts[place], strict=True) if not holds]
        assert [broken.name for broken in explanation] == expected
        assert explanation.is_feasible is brute.is_feasible[place]
        assert len(explanation) == len(expected)
        json.dumps(explanation.to_dict())
        assert all(f"breaks '{name}'" in str(explanation) for name in expected)


def test_a_broken_rule_shows_its_values_and_parts() -> None:
    feasible = FeasibleSet(SPACE, {"threads": "block_x * block_y <= 128", "banks": "not padding or block_x % 32 != 0"})
    threads, banks = feasible.explain(POINT)
    assert threads.text == "block_x * block_y <= 128"
    assert threads.values == {"block_x": 64, "block_y": 4}
    assert threads.parts == {"block_x * block_y": 256}
    assert banks.values == {"block_x": 64, "padding": True}
    assert banks.parts == {"block_x % 32": 0}
    assert "breaks 'threads' (block_x * block_y <= 128): it is false" in str(feasible.explain(POINT))
    assert "block_x * block_y = 256" in str(feasible.explain(POINT))


def test_only_the_failing_conjuncts_are_shown() -> None:
    feasible = FeasibleSet(SPACE, ["block_x <= 64 and block_x * block_y <= 128 and sum(v) < 30"])
    broken = feasible.explain(POINT).broken[0]
    assert broken.reason == "'block_x * block_y <= 128' is false"
    assert broken.parts == {"block_x * block_y": 256}


def test_a_rule_that_cannot_be_evaluated_says_so() -> None:
    broken = FeasibleSet(SPACE, ["block_x / (block_y - 4) > 1"]).explain(POINT).broken[0]
    assert broken.reason == "it cannot be evaluated (division by zero)"


def test_a_feasible_point_has_nothing_to_explain() -> None:
    explanation = FeasibleSet(SPACE, ["sum(v) == 20"]).explain(POINT)
    assert explanation.is_feasible
    assert str(explanation) == "The point satisfies every rule."
    assert explanation.to_dict() == {"feasible": True, "broken": []}


def test_many_values_are_shown_in_short() -> None:
    text = str(FeasibleSet(SPACE, [Rule("sum(v) < 5", name="light")]).explain(POINT))
    assert "sum(v) = 20" in text
    assert "and 2 more" in text


def test_functions_are_explained_by_their_values() -> None:
    broken = FeasibleSet(SPACE, [lambda block_x, block_y: block_x < 5 * block_y]).explain(POINT).broken[0]
    assert broken.name == "function(block_x, block_y)"
    assert broken.values == {"block_x": 64, "block_y": 4}
