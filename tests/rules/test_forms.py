"""Text, expression and function forms of the same rule agree with each other and with plain Python."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import FeasibleSet, Integer, Ordinal, RuleError, Space, Vector
from hedgerow import rules as catalog
from hedgerow.expressions import Expression
from hedgerow.rules.parse import parse_rule
from tests.oracles import BruteForce, Phrase, quiet_set
from tests.strategies import Problem, examples, problems


def accepted(feasible: FeasibleSet) -> list[bool]:
    return [point in feasible for point in BruteForce(feasible.space).points]


@examples(150)
@given(problems(max_rules=1, max_points=100))
def test_text_and_function_forms_agree_with_python(problem: Problem) -> None:
    rule = problem.rules[0]
    expected = [rule.holds(point) for point in BruteForce(problem.space).points]
    assert accepted(quiet_set(problem.space, [rule.text])) == expected
    if any(name in rule.code.co_names for name in problem.space):
        assert accepted(quiet_set(problem.space, [rule.as_function(problem.space)])) == expected


@pytest.mark.parametrize("text", ["increasing(v, strict=True)", "increasing(a, b, strict=True) or p"])
def test_the_text_of_a_strict_increase_reads_as_the_same_rule(text: str) -> None:
    written = parse_rule(text)
    assert accepted(quiet_set(WORDS, [parse_rule(str(written))])) == accepted(quiet_set(WORDS, [written]))


@examples(250)
@given(problems(max_rules=1, max_points=60))
def test_the_text_of_an_expression_reads_as_the_same_rule(problem: Problem) -> None:
    written = parse_rule(problem.rules[0].text)
    again = parse_rule(str(written))
    # Where the text settles down, the tree is the same; the sets are compared because meaning is what counts.
    assert str(again) == str(parse_rule(str(again)))
    assert accepted(quiet_set(problem.space, [again])) == accepted(quiet_set(problem.space, [written]))


@dataclass(frozen=True)
class Built:
    """An expression made with Python's operators, and the same in plain Python."""

    expression: Any
    plain: str


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
SPACE = Space({"a": Integer(-2, 2), "b": [0, 1, 3], "c": [0.5, 0.0, 2.5]})
leaves = st.sampled_from([Built(SPACE[name], name) for name in SPACE] + [Built(n, repr(n)) for n in (0, 2, -1, 0.5)])


def joined(left: Built, symbol: str, right: Built) -> Built:
    return Built(OPERATORS[symbol](left.expression, right.expression), f"({left.plain} {symbol} {right.plain})")


def applied(name: str, inner: Built) -> Built:
    build: dict[str, Callable[[Any], Any]] = {"-": operator.neg, "+": operator.pos, "abs": abs}
    return Built(build[name](inner.expression), f"({name}({inner.plain}))")


names = leaves.filter(lambda built: isinstance(built.expression, Expression))
# Operands on the right are sums with a variable, so that nothing is computed (and refused) before the space is seen.
numbers = st.recursive(
    names,
    lambda inner: st.one_of(
        st.builds(joined, inner, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner),
        st.builds(joined, leaves, st.sampled_from(["+", "-", "*", "/", "//", "%"]), inner),
        st.builds(applied, st.sampled_from(["-", "+", "abs"]), inner),
    ),
    max_leaves=5,
)
comparisons = st.builds(joined, numbers, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), numbers)


@examples(150)
@given(comparisons)
def test_operators_build_what_they_say(built: Built) -> None:
    rule = Phrase(str(built.expression), built.plain)
    expected = [rule.holds(point) for point in BruteForce(SPACE).points]
    assert accepted(quiet_set(SPACE, [built.expression])) == expected
    assert accepted(quiet_set(SPACE, [rule.text])) == expected


WORDS = Space(
    {
        "a": Integer(0, 3),
        "b": Integer(0, 3),
        "p": bool,
        "kernel": ["naive", "tiled", "tensor"],
        "size": Ordinal(["small", "medium", "large"]),
        "v": Vector(Integer(0, 2), 3),
    }
)
a, b, p, kernel, size, v = (WORDS[name] for name in WORDS)
EVERY_ROW = np.array(BruteForce(WORDS).rows)


@pytest.mark.parametrize(
    ("expression", "text", "function"),
    [
        (~(a > 1), "not a > 1", lambda a: not a > 1),
        ((a > 1) & p, "a > 1 and p", lambda a, p: a > 1 and p),
        ((a > 1) | (b == 0) | p, "a > 1 or b == 0 or p", lambda a, b, p: a > 1 or b == 0 or p),
        (kernel.is_in(["tiled", "tensor"]), "kernel in ['tiled', 'tensor']", lambda kernel: kernel != "naive"),
        (a.is_in({1, 2}), "a in (1, 2)", lambda a: 1 <= a <= 2),
        (2**a <= b, "2 ** a <= b", lambda a, b: 2**a <= b),
        (a**b == 1, "a ** b == 1", lambda a, b: a**b == 1),
        (5 - a > b, "5 - a > b", lambda a, b: 5 - a > b),
        (6 / (a + 1) == b, "6 / (a + 1) == b", lambda a, b: 6 / (a + 1) == b),
        (7 // (a + 1) == b, "7 // (a + 1) == b", lambda a, b: 7 // (a + 1) == b),
        (7 % (a + 1) == b, "7 % (a + 1) == b", lambda a, b: 7 % (a + 1) == b),
        (True & (a > 1), "True and a > 1", lambda a: a > 1),
        (catalog.implies(p, a > b), "implies(p, a > b)", lambda a, b, p: not p or a > b),
        (catalog.iff(p, a > b), "iff(p, a > b)", lambda a, b, p: p == (a > b)),
        (catalog.xor(p, a > b), "xor(p, a > b)", lambda a, b, p: p != (a > b)),
        (catalog.count(p, a, v == 1) == 2, "count(p, a, v == 1) == 2", lambda a, p, v: p + (a > 0) + v.count(1) == 2),
        (catalog.at_least(2, v), "at_least(2, v)", lambda v: sum(x > 0 for x in v) >= 2),
        (catalog.at_most(1, v == 2), "at_most(1, v == 2)", lambda v: v.count(2) <= 1),
        (catalog.exactly(b, v), "exactly(b, v)", lambda b, v: sum(x > 0 for x in v) == b),
        (catalog.sum_of(v, a) == 5, "sum(v, a) == 5", lambda v, a: sum(v) + a == 5),
        (catalog.min_of(v) > a, "min(v) > a", lambda v, a: min(v) > a),
        (catalog.max_of(a, b, 2) == 3, "max(a, b, 2) == 3", lambda a, b: max(a, b, 2) == 3),
        (catalog.all_of(v), "all(v)", lambda v: 0 not in v),
        (catalog.any_of(v == 2, p), "any(v == 2, p)", lambda v, p: 2 in v or p),
        (catalog.all_different(a, b), "all_different(a, b)", lambda a, b: a != b),
        (
            catalog.all_different(v, ignore=0),
            "all_different(v, ignore=0)",
            lambda v: v.count(1) < 2 and v.count(2) < 2,
        ),
        (catalog.increasing(v), "increasing(v)", lambda v: v == sorted(v)),
        (catalog.increasing(a, b, strict=True), "increasing(a, b, strict=True)", lambda a, b: a < b),
        (
            catalog.table([a, b], [(1, 2), [3, 0]]),
            "table([a, b], [(1, 2), (3, 0)])",
            lambda a, b: (a, b) in [(1, 2), (3, 0)],
        ),
        (~catalog.table([a], [(1,), (2,)]), "not table([a], [1, 2])", lambda a: a not in (1, 2)),
        (catalog.contains(v, [1, 2]), "contains(v, [1, 2])", lambda v: [1, 2] in (v[:2], v[1:])),
        (catalog.longest_run(v) == 2, "longest_run(v) == 2", lambda v: len({*v[:2]}) + len({*v[1:]}) == 3),
        (catalog.longest_run(v, 0) >= 2, "longest_run(v, 0) >= 2", lambda v: [0, 0] in (v[:2], v[1:])),
        (size >= "medium", "size >= 'medium'", lambda size: size != "small"),
        (size == "large", "size == 'large'", lambda size: size == "large"),
        (v[0] == v[-1], "v[0] == v[-1]", lambda v: v[0] == v[2]),
        (catalog.sum_of(v[1:]) == a, "sum(v[1:]) == a", lambda v, a: v[1] + v[2] == a),
        (catalog.sum_of(v[::2]) == a, "sum(v[::2]) == a", lambda v, a: v[0] + v[2] == a),
        (catalog.all_of(v * 2 <= a), "all(v * 2 <= a)", lambda v, a: max(v) * 2 <= a),
        (catalog.count(v == v[0]) == 3, "count(v == v[0]) == 3", lambda v: len(set(v)) == 1),
        (catalog.all_of(~(v == a)), "all(not v == a)", lambda v, a: a not in v),
        (catalog.any_of((v > 0) & (v < a)), "any(v > 0 and v < a)", lambda v, a: any(0 < x < a for x in v)),
        (catalog.all_of(v.is_in([0, a])), "all(v in [0, a])", lambda v, a: all(x in (0, a) for x in v)),
        (catalog.all_of(v == [0, 1, 2]), "all(v == [0, 1, 2])", lambda v: v == [0, 1, 2]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_three_forms_of_the_same_rule(expression: Any, text: str, function: Callable[..., object]) -> None:
    feasible = FeasibleSet(WORDS, [text])
    assert 0 < feasible.count < WORDS.size
    assert list(FeasibleSet(WORDS, [expression])) == list(feasible)
    codes = [quiet_set(WORDS, [rule]).codes.accepts(EVERY_ROW).tolist() for rule in (text, function)]
    assert codes[0] == codes[1]


@pytest.mark.parametrize("text", ["any([a == 0, 6 / a > 2])", "all([a > 0, 6 / a > 2]) == False"])
def test_quantifiers_compute_all_their_items_as_python_does(text: str) -> None:
    rule = Phrase(text, text)
    assert accepted(quiet_set(WORDS, [text])) == [rule.holds(point) for point in BruteForce(WORDS).points]


@pytest.mark.parametrize("text", ["(size if p else size) >= 'medium'", "(size or size) >= 'medium'"])
def test_chosen_labels_keep_their_order_or_are_refused(text: str) -> None:
    with contextlib.suppress(RuleError):
        assert accepted(quiet_set(WORDS, [text])) == accepted(quiet_set(WORDS, ["size >= 'medium'"]))
