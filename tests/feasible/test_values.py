"""Arrays of values compute what Python computes, pair by pair, to the last bit and the type."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hedgerow import RuleError
from hedgerow.feasible.values import (
    FALSE,
    TRUE,
    UNDEFINED,
    UNKNOWN,
    arithmetic,
    compare,
    distinct,
    from_truth,
    mapped,
    pack,
    truth,
)
from hedgerow.rules.evaluate import ARITHMETIC, COMPARISONS
from tests.strategies import examples

near_limit = st.integers(-3, 3).flatmap(
    lambda d: st.sampled_from([2**53 + d, -(2**53) + d, 2**52 + d, 2**31 + d, 2**63 + d])
)
integers = st.one_of(st.integers(-10, 10), near_limit, st.integers(-(2**70), 2**70))
floats = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.0, -0.0, 5e-324, 1e308, -1e308, 1e-308, 0.1, 2.0**53, 2.0**53 + 2, 1.5]),
)
exponents = st.sampled_from([-3, -1, 0, 1, 2, 7, 0.5, -0.5, True])
kinds: dict[str, st.SearchStrategy[Any]] = {
    "small": st.integers(-9, 9),
    "integers": integers,
    "floats": floats,
    "booleans": st.booleans(),
    "mixed": st.one_of(integers, floats, st.booleans()),
}


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[Any], list[Any]]:
    """Two lists of the same length, each of one kind or mixed."""
    n = draw(st.integers(1, 6))
    left, right = (draw(st.sampled_from(sorted(kinds))) for _ in range(2))
    return draw(st.lists(kinds[left], min_size=n, max_size=n)), draw(st.lists(kinds[right], min_size=n, max_size=n))


def expected(function: Any, left: Sequence[Any], right: Sequence[Any]) -> list[Any]:
    results: list[Any] = []
    for a, b in zip(left, right, strict=True):
        try:
            results.append(function(a, b))
        except ArithmeticError:
            results.append(UNDEFINED)
    return results


def shown(values: Sequence[Any]) -> list[str]:
    """Values to the last bit and the type: 1, 1.0, True, 0.0 and -0.0 are all different, NaN equals NaN."""
    return [f"{type(value).__name__} {value!r}" for value in values]


@pytest.mark.parametrize("symbol", ["+", "*", "/", "//", "%"])
@examples(300)
@given(pairs())
@example(([2**53], [1]))
@example(([2**53, 2**53 - 1], [2**53, 1]))
@example(([1e308], [10]))
@example(([-0.0], [0]))
@example(([1, 2], [0, 1]))
@example(([-7], [2.5]))
@example(([2**63], [2.0]))
@example(([10**400], [0.5]))
def test_arithmetic_is_pythons(symbol: str, operands: tuple[list[Any], list[Any]]) -> None:
    left, right = operands
    found = arithmetic(symbol, pack(left), pack(right)).tolist()
    assert shown(found) == shown(expected(ARITHMETIC[symbol], left, right))


@examples(200)
@given(
    st.lists(st.tuples(st.one_of(st.integers(-20, 20), floats), st.sampled_from([-3, -1, 0, 1, 2, 7, 0.5, -0.5, True])))
)
def test_powers_are_pythons(operands: list[tuple[Any, Any]]) -> None:
    left, right = [a for a, _ in operands], [b for _, b in operands]
    found = arithmetic("**", pack(left), pack(right)).tolist()
    assert shown(found) == shown(expected(ARITHMETIC["**"], left, right))


@pytest.mark.parametrize("symbol", sorted(COMPARISONS))
@examples(200)
@given(pairs())
@example(([2**53], [2**53 + 1]))
@example(([2**53 + 1], [2.0**53]))
@example(([2**53], [2.0**53]))
@example(([True], [1.0]))
@example(([0.0], [-0.0]))
def test_comparisons_are_pythons(symbol: str, operands: tuple[list[Any], list[Any]]) -> None:
    left, right = operands
    found = compare(symbol, pack(left), pack(right)).tolist()
    assert found == [int(value) for value in expected(COMPARISONS[symbol], left, right)]


@pytest.mark.parametrize("symbol", sorted(COMPARISONS))
@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_overflown_floats_compare_as_in_python(symbol: str, value: float) -> None:
    others = [0.0, 1e308, math.inf, math.nan]
    found = compare(symbol, pack([value] * 4), pack(others)).tolist()
    assert found == [int(COMPARISONS[symbol](value, other)) for other in others]


@examples(200)
@given(pairs())
def test_packing_keeps_every_value(operands: tuple[list[Any], list[Any]]) -> None:
    values = operands[0]
    assert shown(pack(values).tolist()) == shown(values)
    found, places = distinct(pack(values))
    assert [found.tolist()[place] for place in places.tolist()] == values
    assert truth(pack(values)).tolist() == [int(bool(value)) for value in values]


def test_undefined_spreads() -> None:
    values = pack([1, UNDEFINED, 3])
    assert arithmetic("+", values, pack([1, 1, 1])).tolist() == [2, UNDEFINED, 4]
    assert compare("<", values, pack([2, 2, 2])).tolist() == [TRUE, UNKNOWN, FALSE]
    assert mapped(abs, values).tolist() == [1, UNDEFINED, 3]
    assert truth(values).tolist() == [TRUE, UNKNOWN, TRUE]


def test_truth_becomes_pythons_booleans() -> None:
    found = from_truth(np.array([TRUE, FALSE, UNKNOWN])).tolist()
    assert shown(found) == ["bool True", "bool False", "_Undefined UNDEFINED"]


def test_an_absurd_power_is_refused() -> None:
    with pytest.raises(RuleError, match="at most 20,000 are computed"):
        arithmetic("**", pack([2]), pack([10**9]))
