"""What can be said of a rule when only some variables are known: bounds on numbers, and whether it may still hold.

Used where a rule is not part of the diagram. The answers are safe, not sharp: `may_hold` is never False for an
assignment that can still be completed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from hedgerow.expressions import (
    AllDifferent,
    Comparison,
    Expression,
    Fold,
    Negative,
    Not,
    Rank,
    Scalar,
    Slot,
)
from hedgerow.rules.evaluate import evaluate, holds
from hedgerow.rules.resolve import slots_of

Known = Mapping[int, Scalar]
Bounds = tuple[float, float]
_ANYTHING: Bounds = (-math.inf, math.inf)


class PartialEvaluator:
    """Looks at one resolved rule under growing assignments."""

    def __init__(self, expression: Expression, domains: Sequence[Sequence[Scalar]]) -> None:
        self._expression = expression
        self._domains = domains
        self._slots: dict[Expression, tuple[int, ...]] = {}

    def may_hold(self, known: Known) -> bool:
        """Return False only when no completion of the known slots satisfies the rule."""
        return self._truth(self._expression, known) is not False

    def _slots_of(self, node: Expression) -> tuple[int, ...]:
        if node not in self._slots:
            self._slots[node] = slots_of(node)
        return self._slots[node]

    def _is_known(self, node: Expression, known: Known) -> bool:
        return all(slot in known for slot in self._slots_of(node))

    def _truth(self, node: Expression, known: Known) -> bool | None:
        if self._is_known(node, known):
            return holds(node, known)  # type: ignore[arg-type]
        if isinstance(node, Not):
            operand = self._truth(node.operand, known)
            return None if operand is None else not operand
        if isinstance(node, Fold) and node.operator in ("and", "or"):
            return self._connective(node, known)
        if isinstance(node, Comparison):
            return self._comparison(node, known)
        if isinstance(node, AllDifferent):
            return self._all_different(node, known)
        return None

    def _connective(self, node: Fold, known: Known) -> bool | None:
        verdicts = [self._truth(item, known) for item in node.items]
        if node.operator == "and":
            return False if any(verdict is False for verdict in verdicts) else None
        # A part that cannot be evaluated might come first and fail the whole, so `or` is never certain to hold.
        return False if all(verdict is False for verdict in verdicts) else None

    def _comparison(self, node: Comparison, known: Known) -> bool | None:
        (a, b), (c, d) = self._bounds(node.left, known), self._bounds(node.right, known)
        impossible = {
            "<": a >= d,
            "<=": a > d,
            ">": b <= c,
            ">=": b < c,
            "==": a > d or b < c,
            "!=": a == b == c == d,
        }
        return False if impossible[node.operator] else None

    def _all_different(self, node: AllDifferent, known: Known) -> bool | None:
        seen: set[Any] = set()
        for item in node.items:
            if isinstance(item, Slot):
                value: Any = known.get(item.position)
            else:
                value = self._value_if_known(item, known)
            if value is None:
                continue
            if value in seen and value != node.ignore:
                return False
            seen.add(value)
        return None

    def _value_if_known(self, node: Expression, known: Known) -> Any:
        if not self._is_known(node, known):
            return None
        try:
            return evaluate(node, known)  # type: ignore[arg-type]
        except ArithmeticError:
            return None

    def _bounds(self, node: Expression, known: Known) -> Bounds:
        if self._is_known(node, known):
            return self._exactly(node, known)
        if isinstance(node, Rank):
            return (0, len(node.labels) - 1)
        if isinstance(node, Slot):
            return self._domain_bounds(node)
        if isinstance(node, Negative):
            low, high = self._bounds(node.operand, known)
            return (-high, -low)
        if isinstance(node, Fold) and node.operator in ("+", "*", "min", "max", "count"):
            return self._fold_bounds(node, known)
        if isinstance(node, Comparison | Not | AllDifferent):
            return (0, 1)
        return _ANYTHING

    def _exactly(self, node: Expression, known: Known) -> Bounds:
        try:
            value = evaluate(node, known)  # type: ignore[arg-type]
            return (value, value) if not isinstance(value, str) else _ANYTHING
        except ArithmeticError:
            return _ANYTHING

    def _domain_bounds(self, slot: Slot) -> Bounds:
        numbers = [value for value in self._domains[slot.position] if not isinstance(value, str)]
        return (min(numbers), max(numbers)) if len(numbers) == len(self._domains[slot.position]) else _ANYTHING

    def _fold_bounds(self, node: Fold, known: Known) -> Bounds:
        if node.operator == "count":
            verdicts = [self._truth(item, known) for item in node.items]
            return (
                sum(verdict is True for verdict in verdicts),
                sum(verdict is not False for verdict in verdicts),
            )
        parts = [self._bounds(item, known) for item in node.items]
        if node.operator == "min":
            return (min(low for low, _ in parts), min(high for _, high in parts))
        if node.operator == "max":
            return (max(low for low, _ in parts), max(high for _, high in parts))
        if node.operator == "+":
            return self._sum_bounds(parts)
        return self._product_bounds(parts)

    def _sum_bounds(self, parts: list[Bounds]) -> Bounds:
        try:
            low, high = (reduce(operator.add, ends) for ends in zip(*parts, strict=True))
            reach = reduce(operator.add, (max(abs(a), abs(b)) for a, b in parts))
        except OverflowError:
            return _ANYTHING
        return _widened(low, high, reach)

    def _product_bounds(self, parts: list[Bounds]) -> Bounds:
        low: float = 1
        high: float = 1
        try:
            for a, b in parts:
                corners = [low * a, low * b, high * a, high * b]
                if any(isinstance(corner, float) and math.isnan(corner) for corner in corners):
                    return _ANYTHING
                low, high = min(corners), max(corners)
        except OverflowError:
            return _ANYTHING
        return _widened(low, high, max(abs(low), abs(high)))


def _widened(low: float, high: float, reach: float) -> Bounds:
    """Leave room for the rounding of floats along the way; whole numbers need none."""
    if isinstance(low, int) and isinstance(high, int):
        return (low, high)
    if math.isnan(low) or math.isnan(high) or math.isinf(reach):
        return _ANYTHING
    return (low - 1e-9 * reach, high + 1e-9 * reach)
