"""Python list source: what is read, and what is refused."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from hedgerow.importers.list_source import read_list


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("[16, 32]", [16, 32]),
        ("  (1, 2.5, -3)\n", [1, 2.5, -3]),
        ("['a', \"b\", True]", ["a", "b", True]),
        ("[1, 2, 4, 8, 16] + list(range(32, 1024+1, 32))", [1, 2, 4, 8, 16, *range(32, 1025, 32)]),
        ("[2**i for i in range(0, 6)]", [1, 2, 4, 8, 16, 32]),
        ("[i for i in range(1, 10+1)]", list(range(1, 11))),
        ("[8 * i + 1 for i in [1, 2, 4]] + [64]", [9, 17, 33, 64]),
        ("range(5, 0, -2)", [5, 3, 1]),
        ("[7 // 2, 7 % 4, 7 / 2, 2 ** -1, +3]", [3, 3, 3.5, 0.5, 3]),
        ("[]", []),
    ],
)
def test_reads_what_python_would_compute(text: str, values: list[object]) -> None:
    assert read_list(text) == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[].__class__", "not allowed"),
        ("[1].append", "not allowed"),
        ("().__class__.__bases__[0].__subclasses__()", "only range"),
        ("__import__('os').system('true')", "only range"),
        ("eval('[1]')", "only range"),
        ("list.__call__([1])", "only range"),
        ("sorted([2, 1])", "only range"),
        ("(lambda: [1])()", "only range"),
        ("range(stop=3)", "only range"),
        ("__builtins__", "cannot be looked up"),
        ("[x, 1]", "cannot be looked up"),
        ("[i for i in range(3)] + [i]", "cannot be looked up"),
        ("[f'{1}']", "not allowed"),
        ("[1, *[2, 3]]", "not allowed"),
        ("{1, 2}", "not allowed"),
        ("{1: 2}", "not allowed"),
        ("[1][0]", "not allowed"),
        ("[i := 3]", "not allowed"),
        ("[1 if True else 2]", "not allowed"),
        ("[1 < 2]", "not allowed"),
        ("[not 1]", "not allowed"),
        ("[~1]", "not allowed"),
        ("[1 << 3]", "only the operators"),
        ("[1] * 3", "need numbers"),
        ("'%s' % 1", "need numbers"),
        ("['a' + 'b']", "need numbers"),
        ("[True + 1]", "need numbers"),
        ("[None, 1]", "must be a number"),
        ("[1j]", "must be a number"),
        ("[b'a']", "must be a number"),
        ("[i for i in range(3) if i]", "without 'if'"),
        ("[i + j for i in range(3) for j in range(3)]", "nested or have several loops"),
        ("[[j for j in range(i)] for i in range(3)]", "nested or have several loops"),
        ("[i for i, j in [(1, 2)]]", "without 'if'"),
        ("(i for i in range(3))", "not allowed"),
        ("[i for i in 3]", "a list is needed"),
        ("list()", "takes one argument"),
        ("range()", "one to three whole numbers"),
        ("range(1, 2, 0)", "one to three whole numbers"),
        ("range(1.5)", "one to three whole numbers"),
        ("[1, 2], [3]", "lists inside a list"),
        ("3", "a single value"),
        ("'abc'", "a single value"),
        ("[1 / 0]", "cannot be computed"),
        ("[10.0 ** 400]", "cannot be computed"),
        ("[(-8) ** 0.5]", "need numbers"),
        ("[1, 2", "not a Python list"),
        ("", "not a Python list"),
        ("[1]\n[2]", "not a Python list"),
        ("import os", "not a Python list"),
        ("[1\x00]", "not a Python list"),
    ],
)
def test_refuses_everything_else(text: str, message: str) -> None:
    with pytest.raises(hr.ProblemFileError, match=message):
        read_list(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[9**9**9]", "power is too large"),
        ("[9**9**9**9]", "power is too large"),
        ("[2**64 * 2**64]", "64 bits"),
        (f"[{10**30}]", "64 bits"),
        (f"[{'9' * 5000}]", "not a Python list"),
        ("range(10**9)", "too long"),
        ("range(-2**63, 2**63)", "too long"),
        ("[i for i in range(10**12)]", "too long"),
        ("[list(range(10000)) for i in range(10000)]", "too long"),
        ("[i" + "+i" * 30 + " for i in range(100000)]", "steps to compute"),
        ("[" + "1, " * 10_000 + "]", "characters long"),
        ("[" * 100 + "]" * 100, "nested"),
        ("[" + "-" * 5000 + "1]", "nested"),
        ("[" + "1" + "+1" * 5000 + "]", "nested"),
        ("(" * 5000, "nested|not a Python list"),
    ],
)
def test_costly_text_is_refused_quickly(text: str, message: str) -> None:
    started = time.perf_counter()
    with pytest.raises(hr.ProblemFileError, match=message):
        read_list(text)
    assert time.perf_counter() - started < 5


@given(st.text(alphabet="[]()+-*/%,. 0123456789eijfornrangelist'", max_size=40))
def test_any_text_gives_values_or_a_clear_error(text: str) -> None:
    try:
        values = read_list(text)
    except hr.ProblemFileError:
        return
    assert all(isinstance(value, bool | int | float | str) for value in values)
