"""Rules that make no sense: each is refused, or warned about, with words that help."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import pytest

from hedgerow import (
    FeasibleSet,
    HedgerowError,
    InfeasibleError,
    Integer,
    Optimizer,
    Ordinal,
    Real,
    Rule,
    RuleError,
    RuleWarning,
    Shares,
    Space,
    Vector,
    minimize,
)
from hedgerow import rules as catalog

SPACE = Space(
    {
        "block_x": Integer(1, 8),
        "block_y": Integer(1, 8),
        "kernel": ["naive", "tiled"],
        "size": Ordinal(["small", "medium", "large"]),
        "weight": Ordinal(["light", "heavy"]),
        "dna": Vector(["A", "C", "G", "T"], 4),
    }
)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("kernel > 3", "compares text with a number: 'kernel' is text, '3' is a number"),
        ("kernel == 3", "compares text with a number"),
        ("kernel in [1, 2]", "compares text with a number: 'kernel' is text"),
        (
            "size >= 'medum'",
            "'medum' is not one of the ordered labels ['small', 'medium', 'large']; did you mean 'medium'?",
        ),
        ("kernel >= 'tiled'", "an order of labels that have none; write hr.Ordinal(['naive', 'tiled']) for 'kernel'"),
        ("dna[0] < dna[1]", "write hr.Ordinal(['A', 'C', 'G', 'T']) for 'dna', lowest first"),
        ("increasing(dna)", "asks for an order of labels that have none"),
        ("isclose(block_x, 3, tol=-1)", "isclose() takes a number of at least 0 as tol, but -1 was given"),
        ("isclose(block_x, 3, tol=block_y)", "isclose() takes a plain value where 'block_y' stands"),
        ("size < weight", "cannot be put in the order of"),
        ("size < kernel", "cannot be put in the order of"),
        ("dna == 'A'", "The rule gives 4 truth values, one per component; wrap it in all(...) or count(...)"),
        ("sum(dna) > 1", "is text, but arithmetic needs numbers"),
        ("count(dna) > 1", "count() counts conditions, but 'dna[0]' is text; write count(x == 'value')"),
        ("dna[4] == 'A'", "'dna[4]' is outside the vector 'dna' of length 4"),
        ("all(dna == dna[:2])", "combines vectors of different lengths: 2, 4"),
        ("table([block_x, block_y], [(1, 2, 3)])", "The table row (1, 2, 3) has 3 values for 2 variables"),
        ("block_x / 0 > 1 / 0", "'1 / 0' cannot be computed: division by zero"),
        ("block_x in 5", "needs a list, a vector or text on the right of 'in'"),
        (True, "is the plain value True, not a rule. Python compared two things before the rule could see them"),
        (None, "must be text, an expression or a function, but NoneType was given"),
        (3.5, "must be text, an expression or a function, but float was given: 3.5"),
        (lambda z: z, "the function's argument 'z' is not a variable"),
        (lambda blok_x: blok_x, "is not a variable; did you mean 'block_x'?"),
        (lambda *args: True, "the function must name its variables; '*args' does not"),
        (lambda **options: True, "the function must name its variables; '**options' does not"),
        (lambda: True, "the function reads no variable of the space"),
        (lambda block_x, /: True, "the function must name its variables"),
        (max, "Wrap it: lambda x, y: f(x, y)"),
        (lambda block_x: block_x + "a", "raised TypeError: unsupported operand type(s)"),
        (lambda block_x, block_y: [][block_x], "raised IndexError: list index out of range (at block_x=1, block_y=1)"),
    ],
)
def test_a_rule_without_sense_is_refused(rule: Any, message: str) -> None:
    with pytest.raises(RuleError) as caught:
        FeasibleSet(SPACE, [rule])
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "rules",
    ["block_x > 1", SPACE["block_x"] > 1, Rule("block_x > 1"), lambda block_x: block_x > 1],
    ids=["text", "expression", "rule", "function"],
)
def test_a_single_rule_must_be_wrapped_in_a_list(rules: Any) -> None:
    with pytest.raises(RuleError, match=r"Rules come as a list, .* wrap a single rule in \[ \]"):
        FeasibleSet(SPACE, rules)


@pytest.mark.parametrize("rules", [None, True, 5])
def test_what_is_no_list_of_rules_is_refused(rules: Any) -> None:
    with pytest.raises(RuleError):
        FeasibleSet(SPACE, rules)


def test_an_error_uses_the_name_of_the_rule() -> None:
    with pytest.raises(RuleError, match=r"^Rule 'threads': There is no variable 'z'"):
        FeasibleSet(SPACE, [Rule("z > 1", name="threads")])
    with pytest.raises(RuleError, match=r"^Rule 'banks': "):
        FeasibleSet(SPACE, {"threads": "block_x > 1", "banks": "z > 1"})
    with pytest.raises(RuleError, match=r"^Rule 2: "):
        FeasibleSet(SPACE, ["block_x > 1", "z > 1"])


def test_a_function_of_too_many_combinations_gets_advice() -> None:
    space = Space({"x": Vector(Integer(1, 10), 7)})
    with pytest.raises(RuleError) as caught:
        FeasibleSet(space, [Rule(lambda x: True, name="all")])
    for part in ("Rule 'all'", "7 variables with 10,000,000 combinations", "at most 1,048,576", "Write it as text"):
        assert part in str(caught.value)


def test_a_function_of_very_many_combinations_gets_advice_too() -> None:
    space = Space({"x": Vector(Integer(1, 10), 5000)})
    with pytest.raises(RuleError, match="at most 1,048,576"):
        FeasibleSet(space, [lambda x: True])


@pytest.mark.parametrize("rule", ["block_x > 8", "block_x != block_x", "1 > 2", lambda block_x: False])
def test_a_rule_that_never_holds_is_named(rule: Any) -> None:
    with pytest.raises(InfeasibleError) as caught:
        FeasibleSet(SPACE, ["block_y > 2", Rule(rule, name="culprit")])
    assert caught.value.rules == ("culprit",)
    assert "196,608 points, 0 feasible" in str(caught.value)
    assert "Rule 'culprit' can never hold by itself; correct or drop it" in str(caught.value)


@pytest.mark.parametrize(
    "rule", ["block_x >= 1", "block_x == block_x", "1 < 2", "size <= 'large'", lambda block_x: True]
)
def test_a_rule_that_always_holds_is_a_warning(rule: Any) -> None:
    with pytest.warns(RuleWarning, match="Rule 'idle' is always true in this space; it has no effect"):
        FeasibleSet(SPACE, [Rule(rule, name="idle")])


@pytest.mark.parametrize(
    "made",
    [
        lambda: FeasibleSet(SPACE, ["block_x >= 1", "kernel != 'tield'"]),
        lambda: Optimizer(SPACE, ["block_x >= 1", "kernel != 'tield'"]),
        lambda: minimize(lambda _: 1.0, SPACE, ["block_x >= 1", "kernel != 'tield'"], budget=1),
        lambda: FeasibleSet(Space({"x": [1, 2], "y": Integer(1, 2, when="x >= 1")})),
        lambda: FeasibleSet(Space({"x": [1, 2], "y": Real(1, 2, when="x >= 1")})),
    ],
)
def test_a_warning_names_the_line_of_the_user(made: Callable[[], object]) -> None:
    with pytest.warns(RuleWarning) as caught:
        made()
    assert {warning.filename for warning in caught} == {__file__}


def test_rules_that_contradict_each_other_are_named() -> None:
    rules = {"wide": "block_x > 5", "flat": "block_y < 4", "square": "block_x == block_y", "letter": "dna[0] == 'A'"}
    with pytest.raises(InfeasibleError) as caught:
        FeasibleSet(SPACE, rules)
    assert set(caught.value.rules) == {"wide", "flat", "square"}
    assert "Rules 'wide', 'flat' and 'square' contradict each other; drop or relax one of them" in str(caught.value)


def test_a_contradiction_in_a_vast_space_is_named() -> None:
    with pytest.raises(InfeasibleError, match="can never hold"):
        FeasibleSet(Space({"x": Vector(Integer(1, 30), 3000)}), ["x[0] > 40"])


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("kernel == 'tield'", "'kernel' is never 'tield'; did you mean 'tiled'?"),
        ("kernel in ['naive', 'fast']", "'kernel' is never 'fast'"),
        ("count(dna == 'U') == 0", "'dna[0]' is never 'U'"),
        ("not contains(dna, 'GU')", "is never 'U'"),
        ("size != 'huge'", "'size' is never 'huge'"),
        ("longest_run(dna, 'X') < 2", "is never 'X'"),
    ],
)
def test_a_value_outside_the_domain_is_remarked(rule: str, message: str) -> None:
    with pytest.warns(RuleWarning) as caught:
        FeasibleSet(SPACE, [rule], allow_empty=True)
    assert any(message in str(warning.message) for warning in caught)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda x, y: 1 < x < 5, "has no truth value until a point is given"),
        (lambda x, y: x > 1 and y > 1, "Use & for and"),
        (lambda x, y: sum(x), "cannot be looped over"),
        (lambda x, y: 3 in x, "use .is_in"),
        (lambda x, y: x == math.nan, "cannot contain nan"),  # noqa: PLW0177
        (lambda x, y: x < math.inf, "cannot contain inf"),
        (lambda x, y: x == object(), "cannot contain <object"),
        (lambda x, y: x == None, "cannot contain None"),  # noqa: E711
        (lambda x, y: catalog.contains(x, ""), "needs a motif of at least one element"),
        (
            lambda x, y: catalog.table([x], [(object(),)]),  # type: ignore[list-item]
            "A table holds plain values",
        ),
    ],
)
def test_python_that_cannot_build_a_rule_says_so(build: Callable[[Any, Any], Any], message: str) -> None:
    with pytest.raises(RuleError) as caught:
        build(SPACE["block_x"], SPACE["block_y"])
    assert message in str(caught.value)


def test_a_deep_expression_is_refused() -> None:
    deep = functools.reduce(lambda inner, _: abs(inner), range(3000), SPACE["block_x"] + 0)
    with pytest.raises(RuleError, match="nested more than"):
        FeasibleSet(SPACE, [deep < 3])


def test_every_error_is_a_hedgerow_error() -> None:
    assert issubclass(RuleError, HedgerowError)
    assert issubclass(RuleError, ValueError)
    assert issubclass(InfeasibleError, HedgerowError)


def test_a_share_is_written_with_what_it_is_a_share_of() -> None:
    space = Space({"mix": Shares(["resin", "wax"], step=0.25)})
    with pytest.raises(RuleError, match=r"no variable 'resin'; it is a share: mix\['resin'\]"):
        FeasibleSet(space, ["resin >= 0.2"])
    assert FeasibleSet(space, ["mix['resin'] >= 0.2"]).count == 4
