"""Rules that ask only about sums of numbers, one per variable: `3 * a + 5 * b <= 100`, `count(x) >= 2`, and choices
among such conditions, as `not a or b + c <= 4`.

Whatever is built from parts of a row knows its sum from the sums of the parts, so that such a rule joins a circuit
however wide its diagram would be. Sums are shifted to begin at zero, and counted only as far as it makes a difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hedgerow.arrays import Mask, Whole
from hedgerow.expressions import Absolute, Comparison, Constant, Expression, Fold, Not, Scalar
from hedgerow.feasible.ticks import TickSum, in_ticks
from hedgerow.feasible.valued import Valued, constant, of_layer
from hedgerow.feasible.values import pack
from hedgerow.rules.evaluate import evaluate
from hedgerow.rules.resolve import slots_of
from hedgerow.rules.simplify import signed_terms

# Numbers, and so their sums, stay below this.
_REACH = 2**53
# Conditions that one rule chooses among.
_MAX_CONDITIONS = 8
_OPPOSITES = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}

Domains = Sequence[Sequence[Scalar | None]]


@dataclass(frozen=True, eq=False)
class SumCondition:
    """The numbers of some slots' codes, none below zero, and where their sum may lie: `holds[min(sum, cap)]`."""

    numbers: dict[int, Whole]
    holds: Mask

    @property
    def cap(self) -> int:
        """From here on a larger sum makes no difference."""
        return self.holds.size - 1


@dataclass(frozen=True, eq=False)
class SumRule:
    """Conditions on sums of which at least one must hold."""

    conditions: tuple[SumCondition, ...]


def sum_rule(expression: Expression, domains: Domains, max_cap: int) -> SumRule | None:
    """Return a rule as conditions on sums, or None where it is none, or sums are told apart beyond `max_cap`."""
    is_choice = isinstance(expression, Fold) and expression.operator == "or"
    items = expression.children if is_choice else (expression,)
    if len(items) > _MAX_CONDITIONS:
        return None
    found = [_condition(item, domains, max_cap) for item in items]
    conditions = tuple(condition for condition in found if condition is not None)
    return SumRule(conditions) if len(conditions) == len(found) else None


def _condition(node: Expression, domains: Domains, max_cap: int) -> SumCondition | None:
    if len(slots_of(node)) == 1:
        return _of_one_slot(node, domains)
    is_turned = False
    while isinstance(node, Not):
        node, is_turned = node.operand, not is_turned
    if not isinstance(node, Comparison):
        return None
    operator = _OPPOSITES[node.operator] if is_turned else node.operator
    return _whole_sum(node, operator, domains, max_cap) or _decimal_sum(node, operator, domains, max_cap)


def _of_one_slot(node: Expression, domains: Domains) -> SumCondition | None:
    (slot,) = slots_of(node)
    values = _values(node, slot, domains)
    if values is None:
        return None
    truths = np.array([bool(value) for value in values], dtype=np.int64)
    return SumCondition({slot: truths}, np.array([False, True]))


def _values(node: Expression, slot: int | None, domains: Domains) -> list[Scalar | None] | None:
    """Return the value of an expression for each code of the one slot that it reads; None where Python raises."""
    try:
        if slot is None:
            return [evaluate(node, ())]
        return [evaluate(node, {slot: value}) for value in domains[slot]]  # type: ignore[arg-type]
    except (ArithmeticError, TypeError, ValueError):
        return None


def _terms(node: Comparison) -> list[tuple[int, Expression]]:
    return signed_terms(node.left) + signed_terms(node.right, -1)


def _whole_sum(node: Comparison, operator: str, domains: Domains, max_cap: int) -> SumCondition | None:
    numbers: dict[int, Whole] = {}
    total = 0
    for weight, term in _terms(node):
        read = slots_of(term)
        values = _values(term, read[0] if read else None, domains) if len(read) <= 1 else None
        if values is None or not all(isinstance(value, int) and abs(value * weight) < _REACH for value in values):
            return None
        own = weight * np.array([int(value) for value in values], dtype=np.int64)  # type: ignore[arg-type]
        if read:
            numbers[read[0]] = numbers.get(read[0], 0) + own
        else:
            total += int(own[0])
    low, high = _limits(operator, -total)
    return _capped(numbers, low, high, operator == "!=", max_cap)


def _limits(operator: str, limit: int) -> tuple[int | None, int | None]:
    """Return the least and the largest sum that a comparison with a limit takes; that it refuses, for `!=`."""
    if operator in ("==", "!="):
        return limit, limit
    if operator in ("<", "<="):
        return None, limit - (operator == "<")
    return limit + (operator == ">"), None


def _decimal_sum(node: Comparison, operator: str, domains: Domains, max_cap: int) -> SumCondition | None:
    """Return a sum of decimals in whole ticks, where the rounding of floats cannot turn the answer."""
    is_distance = isinstance(node.left, Absolute) and isinstance(node.right, Constant) and operator in ("<", "<=")
    terms = signed_terms(node.left.operand) if is_distance else _terms(node)  # type: ignore[attr-defined]
    limit = node.right.value if is_distance else 0  # type: ignore[attr-defined]
    if operator in ("==", "!=") or not isinstance(limit, int | float):
        return None
    total = _ticks(terms, domains)
    ends = (Fraction(-limit), Fraction(limit))
    if total is None or not all(total.is_clear_of(end) for end in ends):
        return None
    numbers: dict[int, Whole] = {}
    for item in total.items:
        slot = item.layers[0]
        numbers[slot] = numbers.get(slot, 0) + item.values[item.machine.tables[0][0]]
    low, high = total.limits(operator, ends[1])
    return _capped(numbers, total.limits(">=", ends[0])[0] if is_distance else low, high, False, max_cap)


def _ticks(terms: Sequence[tuple[int, Expression]], domains: Domains) -> TickSum | None:
    items: list[tuple[int, Valued]] = []
    for weight, term in terms:
        read = slots_of(term)
        values = _values(term, read[0] if read else None, domains) if len(read) <= 1 else None
        if values is None or not all(isinstance(value, int | float) for value in values):
            return None
        items.append((weight, of_layer(read[0], pack(values)) if read else constant(values[0])))
    return in_ticks(items)


def _capped(
    numbers: dict[int, Whole], low: int | None, high: int | None, is_refused: bool, max_cap: int
) -> SumCondition | None:
    """Shift the numbers to begin at zero, and turn them around where that needs fewer sums."""
    least = sum(int(own.min()) for own in numbers.values())
    numbers = {slot: own - own.min() for slot, own in numbers.items() if own.min() != own.max()}
    divisor = max(1, math.gcd(*(int(number) for own in numbers.values() for number in own)))
    numbers = {slot: own // divisor for slot, own in numbers.items()}
    most = sum(int(own.max()) for own in numbers.values())
    first = 0 if low is None else max(0, -((least - low) // divisor))
    last = most if high is None else min(most, (high - least) // divisor)
    if first > last:
        # No sum lies there.
        return SumCondition({}, np.array([is_refused]))
    if _cap(most - last, most - first, most, is_refused) < _cap(first, last, most, is_refused):
        numbers = {slot: own.max() - own for slot, own in numbers.items()}
        first, last = most - last, most - first
    cap = _cap(first, last, most, is_refused)
    if cap > max_cap:
        return None
    sums = np.arange(cap + 1)
    inside = (sums >= first) & (sums <= last)
    return SumCondition(numbers, ~inside if is_refused else inside)


def _cap(first: int, last: int, most: int, is_refused: bool) -> int:
    """Return the sum from which on the answer stays the same."""
    if first == 0 and last == most and not is_refused:
        return 0
    return last + 1 if last < most else first
