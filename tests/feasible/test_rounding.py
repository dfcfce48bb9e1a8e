"""Sums of decimal levels are Python's; `isclose` finds what was meant, and the doctor says what is lost."""

from __future__ import annotations

import itertools
import operator
import warnings
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from hedgerow import FeasibleSet, Integer, Real, RuleWarning, Space, Vector
from tests.oracles import quiet_set

TENTHS = Real(0.0, 1.0, 11)
MIXTURE = Space(dict.fromkeys("abcd", TENTHS))
COMPARISONS = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge
}  # fmt: skip


def combinations(space: Space) -> Iterator[tuple[Any, ...]]:
    return itertools.product(*(slot.variable.values for slot in space.slots))


def exact(value: Any) -> Fraction:
    """What somebody meant who wrote the number in decimals."""
    return Fraction(repr(value))


def test_equality_of_floats_keeps_what_python_keeps_and_says_what_is_lost() -> None:
    with pytest.warns(RuleWarning, match=r"loses 30 of 286 combinations to the rounding.*isclose.*hr\.Shares"):
        feasible = FeasibleSet(MIXTURE, ["a + b + c + d == 1"])
    assert feasible.count == sum(a + b + c + d == 1 for a, b, c, d in combinations(MIXTURE)) == 256
    found = feasible.doctor()
    (rounding,) = found.rounded_rules.values()
    assert (rounding.n_exact, rounding.n_lost, rounding.n_gained) == (286, 30, 0)
    assert not found.is_healthy
    assert any("loses 30 of 286" in finding for finding in found.findings())


def test_isclose_is_exact_arithmetic_on_decimals() -> None:
    feasible = FeasibleSet(MIXTURE, ["isclose(a + b + c + d, 1)"])
    meant = {row for row in combinations(MIXTURE) if sum(map(exact, row)) == 1}
    assert {tuple(point.values()) for point in feasible} == meant
    assert len(meant) == 286


def test_no_word_where_nothing_is_lost() -> None:
    quarters = Space(dict.fromkeys("abc", Real(0.0, 1.0, 5)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rule in ("a + b + c == 1", "a + b <= 0.75", "2 * a - b != 0.5"):
            assert not FeasibleSet(quarters, [rule]).doctor().rounded_rules


@pytest.mark.parametrize("symbol", list(COMPARISONS))
@pytest.mark.parametrize(
    "shape", ["a + b + c {} 0.6", "a - b - c {} -0.3", "3 * a - 2 * b {} c + 0.1", "not a + b {} 0.7"]
)
def test_the_doctor_counts_against_rational_arithmetic(shape: str, symbol: str) -> None:
    space = Space(dict.fromkeys("abc", TENTHS))
    text = shape.format(symbol)
    names = ("a", "b", "c") if "c" in shape else ("a", "b")
    rows = list(itertools.product(TENTHS.values, repeat=len(names)))
    in_floats = [bool(eval(text, {}, dict(zip(names, row, strict=True)))) for row in rows]  # noqa: S307
    wrapped = text
    for number in ("0.6", "0.3", "0.1", "0.7"):
        wrapped = wrapped.replace(number, f"F('{number}')")
    exactly = [
        bool(eval(wrapped, {"F": Fraction}, dict(zip(names, map(exact, row), strict=True))))  # noqa: S307
        for row in rows
    ]
    found = quiet_set(space, [text]).doctor().rounded_rules
    lost = sum(b and not a for a, b in zip(in_floats, exactly, strict=True))
    gained = sum(a and not b for a, b in zip(in_floats, exactly, strict=True))
    assert [(r.n_exact, r.n_lost, r.n_gained) for r in found.values()] == (
        [(sum(exactly), lost, gained)] if lost or gained else []
    )


@pytest.mark.parametrize(
    "text",
    [
        "abs(a - b) <= 0.15",
        "abs(a + b + c - 1) <= 1e-9",
        "abs(a + b + c - 1) < 0.1",
        "abs(a - 0.3) <= 0.2",
        "a + b <= 0.55",
        "a + b <= 0.5",
        "2 * a + b > c + 0.35",
        "abs(a + 0.1 * n) <= 0.35",
        "isclose(a * b, c)",
        "isclose(a + b, n, tol=0.05)",
        "isclose(a + b, 1e300)",
        "isclose(a, 1.0, tol=0)",
    ],
)
def test_sums_of_decimals_mean_what_python_says(text: str) -> None:
    space = Space({"a": TENTHS, "b": Real(0.0, 1.0, 6), "c": Real(0.0, 0.7, 8), "n": Integer(0, 3)})
    meaning = {"isclose": lambda left, right, tol=1e-9: abs(left - right) <= tol}
    wanted = [
        dict(zip(space, row, strict=True))
        for row in combinations(space)
        if eval(text, meaning, dict(zip(space, row, strict=True)))  # noqa: S307
    ]
    feasible = quiet_set(space, [text])
    assert feasible.count == len(wanted)
    assert all(point in feasible for point in wanted)


def test_ten_shares_of_a_twentieth_are_few_nodes() -> None:
    feasible = FeasibleSet(Space({"x": Vector(Real(0.0, 1.0, 21), 10)}), ["isclose(sum(x), 1)"])
    assert feasible.count == 10_015_005  # ways to put 20 ticks into 10 places
    assert feasible.codes.n_nodes < 250
