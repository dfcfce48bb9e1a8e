"""What a rule may be on a box: true, false, or not computable, each possible or not.

A box gives every slot a range: of floats for a real, of codes for the others. The answers hold for every point in it;
where a rule "may be true" and "may be false", the box has to be cut, or the evaluator asked about a point. What has a
condition may have no value: the last code of a slot, infinity for a real, so that a range that reaches it says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow.arrays import Mask, Matrix
from hedgerow.expressions import (
    Absolute,
    Active,
    AllDifferent,
    AllowedTuples,
    Arithmetic,
    Choice,
    Comparison,
    Constant,
    Expression,
    Fold,
    Listing,
    Membership,
    Negative,
    Not,
    Rank,
    Scalar,
    Slot,
)
from hedgerow.feasible.reals import intervals
from hedgerow.feasible.reals.intervals import Interval
from hedgerow.space.space import Space


@dataclass(frozen=True, eq=False)
class BoxTruth:
    """For each box whether a rule may be true, may be false, and may fail to be computed."""

    may_hold: Mask
    may_not: Mask
    may_fail: Mask
    # Python's `a or b` is worth a or b, which is known to be 0 or 1 only where both are conditions.
    is_condition: bool = True

    @property
    def surely_holds(self) -> Mask:
        """Where it holds at every point."""
        return ~self.may_not & ~self.may_fail

    @classmethod
    def unknown(cls, n: int) -> BoxTruth:
        """Return what is known where nothing is known."""
        return cls(np.ones(n, np.bool_), np.ones(n, np.bool_), np.ones(n, np.bool_))


@dataclass(frozen=True, eq=False)
class Labels:
    """Which of some scalars, text among them, a slot may be: (n, n_options)."""

    options: tuple[Scalar, ...]
    possible: Mask

    @cached_property
    def is_single(self) -> Mask:
        """Where only one is possible."""
        return np.asarray(self.possible.sum(axis=1) == 1)


Value = Interval | BoxTruth | Labels


@dataclass(frozen=True, eq=False)
class Boxes:
    """Ranges of all slots, (n, n_slots) each: floats for reals, codes for the others."""

    space: Space
    low: Matrix
    high: Matrix

    @property
    def n(self) -> int:
        """How many boxes."""
        return int(self.low.shape[0])

    def at(self, places: Any) -> Boxes:
        """Return some of them."""
        return Boxes(self.space, self.low[places], self.high[places])

    @classmethod
    def whole(cls, space: Space) -> Boxes:
        """Return the one box that is the space."""
        ends = [_ends(space, slot) for slot in range(len(space.slots))]
        return cls(space, np.array([[low for low, _ in ends]]), np.array([[high for _, high in ends]]))

    @classmethod
    def joined(cls, parts: list[Boxes]) -> Boxes:
        """Return boxes one after the other."""
        low, high = [part.low for part in parts], [part.high for part in parts]
        return cls(parts[0].space, np.concatenate(low), np.concatenate(high))


def _ends(space: Space, slot: int) -> tuple[float, float]:
    variable = space.slots[slot].variable
    if variable.is_continuous:
        is_conditional = space.slots[slot].is_conditional
        return float(variable.values[0]), np.inf if is_conditional else float(variable.values[-1])
    return 0.0, float(space.slots[slot].n_levels - 1)


def truth(rule: Expression, boxes: Boxes) -> BoxTruth:
    """Return what a resolved rule may be on each box; bound rules read no variable where it has no value."""
    return _as_truth(_value(rule, boxes, {}))


def number(expression: Expression, boxes: Boxes) -> Interval:
    """Return what a resolved expression may be worth on each box."""
    return _as_number(_value(expression, boxes, {}), boxes.n)


def _value(node: Expression, boxes: Boxes, known: dict[Expression, Value]) -> Value:
    if node not in known:
        handler = _HANDLERS.get(type(node))
        known[node] = BoxTruth.unknown(boxes.n) if handler is None else handler(node, boxes, known)
    return known[node]


def _number(node: Expression, boxes: Boxes, known: dict[Expression, Value]) -> Interval:
    return _as_number(_value(node, boxes, known), boxes.n)


def _as_number(value: Value, n: int) -> Interval:
    if isinstance(value, BoxTruth) and value.is_condition:
        return Interval((~value.may_not).astype(np.float64), value.may_hold.astype(np.float64), value.may_fail)
    return value if isinstance(value, Interval) else Interval.anything(n)


def _as_truth(value: Value) -> BoxTruth:
    if isinstance(value, BoxTruth):
        return value
    if isinstance(value, Labels):
        is_true = np.array([bool(option) for option in value.options])
        may_hold = np.asarray(value.possible[:, is_true].any(axis=1))
        may_not = np.asarray(value.possible[:, ~is_true].any(axis=1))
        return BoxTruth(may_hold, may_not, np.zeros_like(may_hold))
    may_hold = (value.low != 0) | (value.high != 0)
    return BoxTruth(may_hold, (value.low <= 0) & (value.high >= 0), value.may_fail)


# --- one function per kind of node ---


def _constant(node: Constant, boxes: Boxes, _: dict[Expression, Value]) -> Value:
    if isinstance(node.value, str):
        return Labels((node.value,), np.ones((boxes.n, 1), dtype=np.bool_))
    return Interval.constant(node.value, boxes.n)


def _slot(node: Slot, boxes: Boxes, _: dict[Expression, Value]) -> Value:
    variable = boxes.space.slots[node.position].variable
    low, high = boxes.low[:, node.position], boxes.high[:, node.position]
    if variable.is_continuous:
        highest = float(variable.values[-1])
        return Interval.of(np.minimum(low, highest), np.minimum(high, highest))
    # The last code of a slot with a condition stands for no value, which rules ask for before they read it.
    end = len(variable.values) - 1
    first, last = np.minimum(low.astype(np.int64), end), np.minimum(high.astype(np.int64), end)
    if any(isinstance(value, str) for value in variable.values):
        codes = np.arange(len(variable.values))
        return Labels(tuple(variable.values), (codes >= first[:, None]) & (codes <= last[:, None]))
    table = _table(variable.values)
    if variable.is_ordered:
        return Interval.of(table[first], table[last])
    is_single = first == last
    return Interval.of(np.where(is_single, table[first], table.min()), np.where(is_single, table[first], table.max()))


def _active(node: Active, boxes: Boxes, _: dict[Expression, Value]) -> Value:
    """Whether there is a value: surely where the range ends at the last one, surely not where it begins after it."""
    assert isinstance(node.operand, Slot)
    slot = node.operand.position
    variable = boxes.space.slots[slot].variable
    last = float(variable.values[-1]) if variable.is_continuous else len(variable.values) - 1.0
    return BoxTruth(boxes.low[:, slot] <= last, boxes.high[:, slot] > last, np.zeros(boxes.n, dtype=np.bool_))


def _table(values: tuple[Scalar, ...]) -> Any:
    """Return numbers as floats; whole numbers beyond the largest float are taken for it."""
    largest = np.finfo(np.float64).max
    return np.array([float(max(-largest, min(largest, value))) for value in values])


def _rank(node: Rank, boxes: Boxes, known: dict[Expression, Value]) -> Value:
    value = _value(node.operand, boxes, known)
    assert isinstance(value, Labels)
    ranks = np.array([node.labels.index(str(option)) for option in value.options], dtype=np.float64)
    low = np.where(value.possible, ranks, np.inf).min(axis=1)
    return Interval.of(low, np.where(value.possible, ranks, -np.inf).max(axis=1))


_ARITHMETIC: dict[str, Callable[[Interval, Interval], Interval]] = {
    "+": intervals.add,
    "*": intervals.multiply,
    "/": intervals.divide,
    "//": intervals.floor_divide,
    "%": intervals.remainder,
    "**": intervals.power,
}


def _arithmetic(node: Arithmetic, boxes: Boxes, known: dict[Expression, Value]) -> Value:
    return _ARITHMETIC[node.operator](_number(node.left, boxes, known), _number(node.right, boxes, known))


def _fold(node: Fold, boxes: Boxes, known: dict[Expression, Value]) -> Value:
    if node.operator in ("and", "or"):
        values = [_value(item, boxes, known) for item in node.items]
        result = _logic([_as_truth(value) for value in values], node.operator == "or")
        are_conditions = all(isinstance(value, BoxTruth) and value.is_condition for value in values)
        return replace(result, is_condition=are_conditions)
    if node.operator == "count":
        truths = [_as_truth(_value(item, boxes, known)) for item in node.items]
        numbers = [_as_number(one, boxes.n) for one in truths]
    else:
        numbers = [_number(item, boxes, known) for item in node.items]
    if node.operator in ("min", "max"):
        return (intervals.lowest if node.operator == "min" else intervals.highest)(numbers)
    combine = _ARITHMETIC["+" if node.operator == "count" else node.operator]
    total = numbers[0]
    for one in numbers[1:]:
        total = combine(total, one)
    return total


def _logic(items: list[BoxTruth], is_or: bool) -> BoxTruth:
    """Python's `and` and `or`: later items are looked at only where those before leave it open."""
    goes_on = np.ones_like(items[0].may_hold)
    stops = np.zeros_like(goes_on)
    fails = np.zeros_like(goes_on)
    for item in items:
        stops |= goes_on & (item.may_hold if is_or else item.may_not)
        fails |= goes_on & item.may_fail
        goes_on = goes_on & (item.may_not if is_or else item.may_hold)
    return BoxTruth(stops, goes_on, fails) if is_or else BoxTruth(goes_on, stops, fails)


def _comparison(node: Comparison, boxes: Boxes, known: dict[Expression, Value]) -> Value:
    left, right = _value(node.left, boxes, known), _value(node.right, boxes, known)
    if isinstance(left, Labels) or isinstance(right, Labels):
        equal = _same_label(left, right, boxes.n)
        return equal if node.operator == "==" else _not(equal) if node.operator == "!=" else BoxTruth.unknown(boxes.n)
    a, b = _as_number(left, boxes.n), _as_number(right, boxes.n)
    fails = a.may_fail | b.may_fail
    if node.operator in (">", ">="):
        a, b = b, a
    if node.operator in ("<", ">"):
        return BoxTruth(a.low < b.high, a.high >= b.low, fails)
    if node.operator in ("<=", ">="):
        return BoxTruth(a.low <= b.high, a.high > b.low, fails)
    may_equal = (a.low <= b.high) & (b.low <= a.high)
    equal = BoxTruth(may_equal, ~(a.is_single & b.is_single & (a.low == b.low)), fails)
    return equal if node.operator == "==" else _not(equal)


def _same_label(left: Value, right: Value, n: int) -> BoxTruth:
    if not isinstance(left, Labels) or not isinstance(right, Labels):
        return BoxTruth.unknown(n)
    same = np.zeros(n, dtype=np.bool_)
    for place, option in enumerate(left.options):
        for other, label in enumerate(right.options):
            if option == label:
                same |= left.possible[:, place] & right.possible[:, other]
    return BoxTruth(same, ~(same & left.is_single & right.is_single), np.zeros(n, dtype=np.bool_))


def _not(value: BoxTruth) -> BoxTruth:
    return BoxTruth(value.may_not, value.may_hold, value.may_fail)


def _choice(node: Choice, boxes: Boxes, known: dict[Expression, Value]) -> Value:
    condition = _as_truth(_value(node.condition, boxes, known))
    yes, no = _value(node.yes, boxes, known), _value(node.no, boxes, known)
    if isinstance(yes, BoxTruth) and isinstance(no, BoxTruth):
        both = [getattr(yes, name) & condition.may_hold | getattr(no, name) & condition.may_not for name in _PARTS]
        return BoxTruth(both[0], both[1], both[2] | condition.may_fail)
    if isinstance(yes, Labels) or isinstance(no, Labels):
        return BoxTruth.unknown(boxes.n)
    a, b = _as_number(yes, boxes.n), _as_number(no, boxes.n)
    only_yes, only_no = ~condition.may_not, ~condition.may_hold
    both_ways = intervals.hull(a, b)
    return Interval(
        np.where(only_yes, a.low, np.where(only_no, b.low, both_ways.low)),
        np.where(only_yes, a.high, np.where(only_no, b.high, both_ways.high)),
        condition.may_fail | np.where(only_yes, a.may_fail, np.where(only_no, b.may_fail, both_ways.may_fail)),
    )


_PARTS = ("may_hold", "may_not", "may_fail")


def _membership(node: Membership, boxes: Boxes, known: dict[Expression, Value]) -> Value:
    if not isinstance(node.container, Listing):
        return BoxTruth.unknown(boxes.n)
    equal = [_comparison(Comparison("==", node.item, one), boxes, known) for one in node.container.items]
    found = _logic([_as_truth(one) for one in equal], is_or=True)
    fails = np.logical_or.reduce([_as_truth(one).may_fail for one in equal])
    return BoxTruth(found.may_hold, found.may_not, fails)


def _all_different(node: AllDifferent, boxes: Boxes, known: dict[Expression, Value]) -> Value:
    if node.ignore is not None:
        return BoxTruth.unknown(boxes.n)
    pairs = [
        _as_truth(_comparison(Comparison("!=", a, b), boxes, known))
        for place, a in enumerate(node.items)
        for b in node.items[:place]
    ]
    return _logic(pairs, is_or=False) if pairs else BoxTruth.unknown(boxes.n)


def _allowed_tuples(node: AllowedTuples, boxes: Boxes, known: dict[Expression, Value]) -> Value:
    rows = [
        _logic(
            [
                _as_truth(_comparison(Comparison("==", item, Constant(value)), boxes, known))
                for item, value in zip(node.items, row, strict=True)
            ],
            is_or=False,
        )
        for row in sorted(node.tuples, key=repr)
    ]
    return _logic(rows, is_or=True) if rows else BoxTruth.unknown(boxes.n)


_HANDLERS: dict[type[Expression], Callable[[Any, Boxes, dict[Expression, Value]], Value]] = {
    Constant: _constant,
    Slot: _slot,
    Active: _active,
    Rank: _rank,
    Negative: lambda node, boxes, known: intervals.negative(_number(node.operand, boxes, known)),
    Absolute: lambda node, boxes, known: intervals.absolute(_number(node.operand, boxes, known)),
    Not: lambda node, boxes, known: _not(_as_truth(_value(node.operand, boxes, known))),
    Arithmetic: _arithmetic,
    Comparison: _comparison,
    Fold: _fold,
    Choice: _choice,
    Membership: _membership,
    AllDifferent: _all_different,
    AllowedTuples: _allowed_tuples,
}
