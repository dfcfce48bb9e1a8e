"""Taking rules apart changes nothing: conjuncts together are the rule, signed terms add up to the sum."""

from __future__ import annotations

import pytest
from hypothesis import given

from hedgerow import Space
from hedgerow.rules import bind_rules
from hedgerow.rules.evaluate import evaluate, holds
from hedgerow.rules.simplify import conjuncts, signed_terms
from tests.oracles import BruteForce
from tests.strategies import Problem, examples, problems


@pytest.mark.filterwarnings("ignore::hedgerow.errors.RuleWarning")
@examples(150)
@given(problems(max_rules=1, max_points=60))
def test_conjuncts_hold_together_exactly_when_the_rule_does(problem: Problem) -> None:
    brute = BruteForce(problem.space, problem.rules)
    expression = bind_rules(problem.space, problem.texts)[0].expression
    parts = conjuncts(expression)
    for row, expected in zip(brute.rows, brute.is_feasible, strict=True):
        values = [domain[code] for domain, code in zip(brute.domains, row, strict=True)]
        assert all(holds(part, values) for part in parts) is expected
        assert holds(expression, values) is expected


SPACE = Space({"a": [-1, 0, 2], "b": [0, 1, 5], "c": [0, 3]})


@pytest.mark.parametrize(
    ("text", "n_terms"),
    [
        ("a + b + c", 3),
        ("a - b - (c - a)", 4),
        ("3 * a - 2 * (b + c)", 3),
        ("-(a + b) * 4", 2),
        ("a * b + c", 2),
        ("count(a, b > 1, c) - 2 * count(a)", 4),
        ("a * 0 + True * b", 2),
        ("sum(a, b, -c)", 3),
    ],
)
def test_signed_terms_add_up(text: str, n_terms: int) -> None:
    expression = bind_rules(SPACE, [text])[0].expression
    terms = signed_terms(expression)
    assert len(terms) == n_terms
    for point in BruteForce(SPACE).points:
        values = list(point.values())
        assert sum(weight * evaluate(term, values) for weight, term in terms) == evaluate(expression, values)
