"""What is said of a rule when only some variables are known is never too much: it refuses only what cannot hold."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import Space, Vector
from hedgerow.expressions import Scalar
from hedgerow.rules import bind_rules
from hedgerow.rules.partial import PartialEvaluator
from tests.oracles import BruteForce, Phrase, quiet_set
from tests.strategies import Problem, examples, problems


def evaluator(space: Space, text: str) -> PartialEvaluator:
    quiet_set(space, [text])
    return PartialEvaluator(bind_rules(space, [text])[0].expression, [slot.variable.values for slot in space.slots])


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@examples(200)
@given(problems(max_rules=1, max_points=100), st.data())
def test_a_refused_assignment_has_no_completion(problem: Problem, data: st.DataObject) -> None:
    brute = BruteForce(problem.space, problem.rules)
    partial = evaluator(problem.space, problem.rules[0].text)
    kept = data.draw(st.sets(st.integers(0, len(brute.domains) - 1)))
    for codes in itertools.product(*(range(len(brute.domains[slot])) for slot in sorted(kept))):
        known: dict[int, Scalar] = {
            slot: brute.domains[slot][code] for slot, code in zip(sorted(kept), codes, strict=True)
        }
        possible = any(
            all(row[slot] == code for slot, code in zip(sorted(kept), codes, strict=True))
            for row in brute.feasible_rows
        )
        assert partial.may_hold(known) or not possible


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@examples(80)
@given(problems(max_rules=1, max_points=60))
def test_a_whole_assignment_is_decided_exactly(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    partial = evaluator(problem.space, problem.rules[0].text)
    decided = [
        partial.may_hold(dict(enumerate(domain[code] for domain, code in zip(brute.domains, row, strict=True))))
        for row in brute.rows
    ]
    assert decided == brute.is_feasible


@pytest.mark.parametrize(
    ("text", "known", "may_hold"),
    [
        ("sum(v) <= 5", {0: 3, 1: 3}, False),
        ("sum(v) <= 5", {0: 3, 1: 2}, True),
        ("sum(v) >= 8", {0: 0, 1: 1}, False),
        ("v[0] * v[1] * v[2] > 20", {0: 2, 1: 2}, False),
        ("all_different(v)", {0: 2, 2: 2}, False),
        ("all_different(v, ignore=2)", {0: 2, 2: 2}, True),
        ("max(v) <= 1", {1: 2}, False),
        ("min(v) >= 1", {1: 0}, False),
        ("count(v == 3) >= 3", {1: 0, 3: 1}, False),
        ("v[0] == 3 or v[1] == 3", {0: 1, 1: 1}, False),
        ("not (v[0] < 2 and v[1] < 2)", {0: 0, 1: 0}, False),
        ("v[0] != v[1]", {0: 0}, True),
    ],
)
def test_bounds_refuse_what_they_can(text: str, known: dict[int, int], may_hold: bool) -> None:
    space = Space({"v": Vector([0, 1, 2, 3], 4)})
    assert evaluator(space, text).may_hold(known) is may_hold


LONG = Space({"a": [2**53], "b": [2**53 + 1]})


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@pytest.mark.parametrize("text", ["a < b", "a != b"])
def test_long_integers_are_told_apart(text: str) -> None:
    assert Phrase(text, text).holds({"a": 2**53, "b": 2**53 + 1})
    assert evaluator(LONG, text).may_hold({0: 2**53})


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
def test_bounds_of_a_sum_round_as_the_sum_does() -> None:
    space = Space({"a": [1e16], "b": [1.0], "c": [1.0], "d": [-1e16]})
    assert evaluator(space, "a + b + c + d <= 0").may_hold({0: 1e16})
