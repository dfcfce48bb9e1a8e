"""What rules are made of on the way to CP-SAT: conditions and whole numbers, with what is known of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ortools.sat.python import cp_model

from hedgerow.feasible.engines.cp_sat_model import Literal, Term
from hedgerow.feasible.engines.decimals import OnGrid

# Sums stay below this; the solver's own limit is a little higher.
REACH = 2**60


class Untranslatable(Exception):  # noqa: N818 - says what a part of a rule is
    """A part of a rule has no exact form here; the caller does without."""


@dataclass(frozen=True)
class Truth:
    """When a condition is true and when it is false; `no` is None where it is false whenever it is not true."""

    yes: Literal
    no: Literal | None = None

    @property
    def is_total(self) -> bool:
        """Whether Python can always evaluate the condition."""
        return self.no is None

    @property
    def is_false(self) -> Literal:
        """The literal of being false."""
        return ~self.yes if self.no is None else self.no


@dataclass(frozen=True)
class Number:
    """A whole number as a linear expression, with bounds."""

    term: Term
    low: int
    high: int

    @property
    def reach(self) -> int:
        """The largest magnitude."""
        return max(abs(self.low), abs(self.high))


def whole(values: Sequence[Any]) -> list[int]:
    """Return values that are all whole numbers within reach, or raise."""
    if not all(isinstance(value, int) and abs(value) < REACH for value in values):
        raise Untranslatable
    return [int(value) for value in values]


def scaled(number: Number, factor: int) -> Number:
    """Return a multiple of a number."""
    if number.reach * abs(factor) >= REACH:
        raise Untranslatable
    low, high = sorted((number.low * factor, number.high * factor))
    return Number(number.term * factor, low, high)


def summed(numbers: Sequence[Number]) -> Number:
    """Return the sum of numbers."""
    low, high = sum(number.low for number in numbers), sum(number.high for number in numbers)
    if sum(number.reach for number in numbers) >= REACH:
        raise Untranslatable
    return Number(cp_model.LinearExpr.sum([number.term for number in numbers]), low, high)


def holding(operator: str, number: Number, limit: int = 0) -> cp_model.Domain:
    """Return the values with which `number operator 0` holds, shifted by a limit that was taken off."""
    low, high = number.low, number.high
    intervals = {
        "==": [(0, 0)],
        "!=": [(low, -1), (1, high)],
        "<": [(low, -1)],
        "<=": [(low, 0)],
        ">": [(1, high)],
        ">=": [(0, high)],
    }[operator]
    inside = [[max(a, low) + limit, min(b, high) + limit] for a, b in intervals if max(a, low) <= min(b, high)]
    return cp_model.Domain.from_intervals(inside)


def roughly(operator: str, total: Number, grid: OnGrid) -> cp_model.Domain:
    """Return the values with which a comparison of a sum of floats may hold, rounding allowed for."""
    low = total.low if operator in ("<", "<=") else -grid.slack
    high = total.high if operator in (">", ">=") else grid.slack
    if low > high:
        return cp_model.Domain.from_intervals([])
    return cp_model.Domain(low, high)
