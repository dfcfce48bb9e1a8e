"""Text outside the rule language is refused with a RuleError, at once, whatever it tries."""

from __future__ import annotations

import time
import warnings

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hedgerow import FeasibleSet, Integer, Ordinal, RuleError, RuleWarning, Space, Vector
from hedgerow.rules.parse import parse_rule
from tests.oracles import time_limit
from tests.strategies import examples

SPACE = Space(
    {
        "x": Integer(0, 3),
        "y": [0.5, 2.0],
        "kernel": ["naive", "tiled"],
        "size": Ordinal(["small", "large"]),
        "v": Vector(bool, 3),
    }
)

ATTACKS = {
    "attribute": "x.real > 0",
    "method": "kernel.upper() == 'NAIVE'",
    "dunder": "().__class__.__bases__[0].__subclasses__() == 0",
    "dunder name": "__import__('os').system('true') == 0",
    "dunder of text": "''.__class__ == x",
    "format": "'{0.__class__}'.format(x) == 'a'",
    "eval": "eval('1')",
    "exec": "exec('import os')",
    "open": "open('/etc/passwd')",
    "getattr": "getattr(x, 'real')",
    "print": "print(x)",
    "call of a call": "abs(1)(2)",
    "call of a subscript": "v[0](1)",
    "list comprehension": "sum([i for i in range(3)]) > x",
    "generator": "any(i > 1 for i in v)",
    "set comprehension": "x in {i for i in v}",
    "dict comprehension": "x in {i: 1 for i in v}",
    "dict": "x in {1: 2}",
    "lambda": "(lambda: x)()",
    "walrus": "(y := 3) > x",
    "f-string": "f'{x}' == 'a'",
    "nested f-string": "f'{().__class__}' == kernel",
    "power tower": "9**9**9 > x",
    "long power tower": "9**9**9**9**9 > x",
    "power of a variable": "x**10**9 > 1",
    "power of a negative": "(-9)**9**9 > x",
    "shift": "1 << 10**9 > x",
    "deep brackets": "(" * 1000 + "x" + ")" * 1000,
    "deep lists": "[" * 500 + "x" + "]" * 500,
    "deep calls": "abs(" * 300 + "x" + ")" * 300,
    "deep not": "not " * 4000 + "x",
    "deep minus": "-" * 19_000 + "x",
    "deep plus": "+" * 19_000 + "x",
    "deep power": "x" + "**x" * 5000,
    "deep division": "x" + "/2" * 5000,
    "deep choice": "x if x else " * 1000 + "x",
    "deep not in brackets": "not (" * 400 + "x" + ")" * 400,
    "deep lambda": "lambda: " * 2000 + "x",
    "deep index": "v" + "[0]" * 5000,
    "a million characters": "x > 0 or " * 111_111 + "x",
    "a million digits": "x < " + "9" * 1_000_000,
    "many digits": "x < " + "9" * 10_000,
    "null byte": "x > \0 1",
    "surrogate": "x > '\ud800'",
    "unclosed bracket": "(x > 1",
    "unopened bracket": "x > 1)",
    "crossed brackets": "(x > [1)]",
    "unclosed text": "kernel == 'naive",
    "two statements": "x > 1; y > 1",
    "statement on a new line": "x > 1\nimport os",
    "import": "import os",
    "assignment": "x = 1",
    "augmented": "x += 1",
    "def": "def f(): pass",
    "decorator": "@x\ndef f(): pass",
    "assert": "assert x",
    "yield": "(yield x)",
    "await": "await x",
    "bytes": "kernel == b'naive'",
    "complex": "x == 1j",
    "none": "x == None",
    "ellipsis": "x == ...",
    "is": "x is 1",
    "star arguments": "sum(*v) > 1",
    "double star": "all_different(**v)",
    "starred list": "x in [*v]",
    "starred alone": "*v",
    "unknown keyword": "sum(v, start=3) > 1",
    "huge range": "x in range(1000000000)",
    "range without end": "x in range()",
    "range of a variable": "x in range(x)",
    "range with step zero": "x in range(1, 5, 0)",
    "bit and": "x & 1",
    "bit or": "x | 1",
    "bit xor": "x ^ 1",
    "invert": "~x",
    "matrix product": "x @ x",
    "index by a variable": "v[x]",
    "index by a float": "v[1.5]",
    "index by a bool": "v[True]",
    "index of a number": "x[0]",
    "index of text": "'abc'[0] == kernel",
    "index outside": "v[3]",
    "index far outside": "v[99999999999999999999999]",
    "step zero": "sum(v[::0]) > 1",
    "two indices": "v[0, 1]",
    "unknown function": "cuont(v) > 1",
    "unknown variable": "z > 1",
    "empty": "",
    "blank": " \n\t ",
    "comment only": "# nothing",
    "not python": "x => 1",
    "doubled operator": "x && y",
    "division by zero": "1/0 > x",
    "text plus number": "kernel + 1 > 2",
    "text times number": "kernel * 3 == 'a'",
    "minus text": "-kernel == 1",
    "text compared with a number": "kernel > 1",
    "whole vector": "v > 0",
    "vectors of different lengths": "all(v == [1, 2])",
    "table with short rows": "table([x, y], [(1,)])",
    "table with variables": "table([x], [(y,)])",
    "table without rows": "table([x], 3)",
    "motif of a variable": "contains(v, x)",
    "empty motif": "contains(v, [])",
    "nothing to choose from": "min(v[3:]) > 1",
    "too many arguments": "implies(x, x, x)",
    "too few arguments": "iff(x)",
    "xor of three": "xor(x, x, x)",
}  # fmt: skip

ODD_NUMBERS = {
    "longer power tower": "x < 2**10**5000",
    "hexadecimal beyond printing": "kernel == 0x" + "f" * 4000,
    "range beyond memory": "x in range(99999999999999999999)",
    "infinite run": "longest_run(v) <= 1e999",
    "undefined run": "longest_run(v) <= 1e999 - 1e999",
    "weight beyond floats": "x*10**400 + v[0] + v[1] > 5",
    "sum beyond floats": "x + y + 10**400 > 5",
    "product beyond floats": "x * y * 10**400 > 5",
    "infinite level": "x < 1e999",
    "huge hexadecimal weight": "x * 0x" + "f" * 9000 + " > 5",
}


def refuse_or_read(text: str, seconds: float = 5) -> FeasibleSet | None:
    """Compile a text; None where it is refused. Anything but a RuleError comes through."""
    with warnings.catch_warnings(), time_limit(seconds):
        warnings.simplefilter("ignore", RuleWarning)
        try:
            return FeasibleSet(SPACE, [text], allow_empty=True)
        except RuleError:
            return None


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in ATTACKS.items()])
def test_text_outside_the_language_is_refused_quickly(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(RuleError) as caught, time_limit(5):
        FeasibleSet(SPACE, [text])
    assert time.perf_counter() - start < 1
    assert str(caught.value).startswith("Rule ")
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("text", ODD_NUMBERS.values(), ids=ODD_NUMBERS)
def test_odd_numbers_are_read_or_refused(text: str) -> None:
    feasible = refuse_or_read(text)
    assert feasible is None or feasible.count >= 0


@pytest.mark.parametrize(
    "text",
    [
        "x" + " + x" * 4000 + " > 3",
        "x" + " * x" * 4000 + " > 3",
        "x > 0" + " and x > 0" * 700,
        "x" + " <= x" * 700,
        "x in [" + "1, " * 5000 + "]",
        "sum([" + "x, " * 5000 + "]) > 3",
        "x in range(10000)",
        "kernel == '" + "a" * 19_000 + "'",
        "1" + "0" * 4000 + " > x",
    ],
    ids=["sum", "product", "and", "chain", "list", "sum of a list", "range", "text", "digits"],
)
def test_long_flat_rules_are_read_or_refused_quickly(text: str) -> None:
    feasible = refuse_or_read(text, seconds=2)
    assert feasible is None or feasible.count >= 0


def nested(shape: str, depth: int) -> str:
    text = "x"
    for _ in range(depth):
        text = shape.format(text)
    return text


@pytest.mark.parametrize(
    "shape",
    [
        "x in [{}]",
        "0 <= ({}) <= y",
        "increasing(0, {}, y)",
        "({}) == y",
        "max({}, y)",
        "count({}, y)",
        "y if {} else y",
        "iff({}, y > 1)",
        "all_different({}, y)",
        "abs({}) - y",
        "not ({} and y)",
        "x if y > 1 else ({})",
        "table([{}], [(1,), (0,)])",
    ],
)
def test_nesting_costs_no_more_than_its_length(shape: str) -> None:
    feasible = refuse_or_read(nested(shape, 25), seconds=1)
    assert feasible is None or feasible.count >= 0


NAMES = ["x", "y", "v", "kernel", "size"]
LITERALS = [
    "0",
    "1",
    "2.5",
    "-1",
    "'naive'",
    "'small'",
    "True",
    "None",
    "1e999",
    "0x1f",
    "1j",
    "b''",
    "f''",
    "...",
    "''",
]
SIGNS = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    ".",
    "#",
    ";",
    "\\",
    "@",
    "=",
    ":=",
    "~",
    "&",
    "|",
    "^",
    "'",
    '"',
    "\n",
]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "and", "or", "not", "in", "is"]
CALLS = [f"{name}(" for name in ("sum", "min", "count", "abs", "table", "contains", "longest_run", "range", "implies")]
OPTIONS = ["all_different(", "increasing(", "at_least(", "ignore=", "strict=", "if", "else", "lambda", "for"]
TOKENS = st.sampled_from(NAMES * 4 + LITERALS + SIGNS + OPERATORS * 2 + CALLS + OPTIONS)


@examples(400)
@given(st.lists(TOKENS, max_size=14).map(" ".join))
@example("longest_run(v) in [1]")
@example("x in x")
@example("size in size")
@example("kernel in kernel")
@example("-True < x")
@example("all_different(v, ignore=-1)")
def test_any_mixture_of_tokens_is_read_or_refused(text: str) -> None:
    feasible = refuse_or_read(text)
    assert feasible is None or 0 <= feasible.count <= SPACE.size


@examples(300)
@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    feasible = refuse_or_read(text)
    assert feasible is None or 0 <= feasible.count <= SPACE.size


@pytest.mark.parametrize("text", [None, 3, b"x > 1", ["x > 1"]])
def test_rule_text_must_be_text(text: object) -> None:
    with pytest.raises(RuleError, match="Rule text must be a string"):
        parse_rule(text)  # type: ignore[arg-type]
