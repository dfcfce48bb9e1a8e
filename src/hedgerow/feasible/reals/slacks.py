"""How far inside a rule a point is, with derivatives by its reals: what searches follow along borders.

A slack is above 0 where the rule holds, as far as floats can say; the evaluator decides. `and` is the least of its
parts' slacks, `or` the largest, a count the slack of the condition that tips it. What has no slack by degrees, such as
a condition about labels, has 1 or -1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.expressions import (
    Absolute,
    Arithmetic,
    Choice,
    Comparison,
    Constant,
    Expression,
    Fold,
    Negative,
    Not,
    Scalar,
    Slot,
)
from hedgerow.rules.evaluate import evaluate, holds

Gradient = Any  # (n_reals,)


@dataclass(frozen=True, eq=False)
class Dual:
    """A number and its derivative by each real."""

    value: float
    gradient: Gradient


class Slacks:
    """Slacks of rules at one point: `values` of all slots, of which those at `reals` may move."""

    def __init__(self, values: list[Scalar | None], reals: tuple[int, ...]) -> None:
        self._values = values
        self._place = {slot: place for place, slot in enumerate(reals)}
        self._zero = np.zeros(len(reals))

    def of(self, rule: Expression) -> Dual:
        """Return the slack of a resolved rule."""
        try:
            return self._slack(rule)
        except (ArithmeticError, ValueError, TypeError):
            return Dual(-1.0, self._zero)

    def difference(self, left: Expression, right: Expression) -> Dual:
        """Return left minus right, for equalities."""
        try:
            a, b = self._number(left), self._number(right)
        except (ArithmeticError, ValueError, TypeError):
            return Dual(1.0, self._zero)
        return Dual(a.value - b.value, a.gradient - b.gradient)

    def _slack(self, node: Expression) -> Dual:
        if isinstance(node, Comparison) and node.operator in _SIGNS:
            return self._compared(node)
        if isinstance(node, Not):
            inner = self._slack(node.operand)
            return Dual(-inner.value, -inner.gradient)
        if isinstance(node, Fold) and node.operator in ("and", "or"):
            parts = [self._slack(item) for item in node.items]
            return (min if node.operator == "and" else max)(parts, key=lambda part: part.value)
        if isinstance(node, Choice):
            return self._slack(node.yes if holds(node.condition, self._values) else node.no)
        return Dual(1.0 if holds(node, self._values) else -1.0, self._zero)

    def _compared(self, node: Comparison) -> Dual:
        for side, other, sign in ((node.left, node.right, 1.0), (node.right, node.left, -1.0)):
            if isinstance(side, Fold) and side.operator == "count" and isinstance(other, Constant):
                return self._counted(side, other, node.operator, sign)
        sign = _SIGNS[node.operator]
        if sign == 0.0:
            return Dual(1.0 if holds(node, self._values) else -1.0, self._zero)
        a, b = self._number(node.left), self._number(node.right)
        return Dual(sign * (b.value - a.value), sign * (b.gradient - a.gradient))

    def _counted(self, counted: Fold, bound: Constant, operator: str, sign: float) -> Dual:
        """Return the slack of the condition that has to change for the count to keep its bound."""
        parts = sorted((self._slack(item) for item in counted.items), key=lambda part: -part.value)
        n, wanted = len(parts), float(bound.value)
        is_upper = _SIGNS[operator] * sign > 0
        is_strict = operator in ("<", ">")
        if _SIGNS[operator] == 0.0:
            return Dual(1.0 if sum(p.value >= 0 for p in parts) == wanted else -1.0, self._zero)
        if is_upper:
            most = int(np.ceil(wanted) - 1) if is_strict else int(np.floor(wanted))
            if most >= n:
                return Dual(1.0, self._zero)
            part = parts[max(0, most)]
            return Dual(-part.value, -part.gradient)
        least = int(np.floor(wanted) + 1) if is_strict else int(np.ceil(wanted))
        return Dual(1.0, self._zero) if least <= 0 else parts[min(n, least) - 1]

    def _number(self, node: Expression) -> Dual:
        handler = _NUMBERS.get(type(node))
        if handler is not None:
            return handler(self, node)
        return Dual(float(evaluate(node, self._values)), self._zero)

    def slot(self, node: Slot) -> Dual:
        """Return a slot: its own derivative is 1 where it may move."""
        gradient = self._zero
        if node.position in self._place:
            gradient = self._zero.copy()
            gradient[self._place[node.position]] = 1.0
        return Dual(float(self._values[node.position]), gradient)  # type: ignore[arg-type]

    def absolute(self, node: Absolute) -> Dual:
        """Return the absolute value."""
        inner = self._number(node.operand)
        return inner if inner.value >= 0 else Dual(-inner.value, -inner.gradient)

    def negative(self, node: Negative) -> Dual:
        """Return minus the operand."""
        inner = self._number(node.operand)
        return Dual(-inner.value, -inner.gradient)

    def chosen(self, node: Choice) -> Dual:
        """Return the outcome that the condition chooses here."""
        return self._number(node.yes if holds(node.condition, self._values) else node.no)

    def folded(self, node: Fold) -> Dual:
        """Return a sum, a product, a least or a largest."""
        if node.operator not in ("+", "*", "min", "max"):
            return Dual(float(evaluate(node, self._values)), self._zero)
        parts = [self._number(item) for item in node.items]
        if node.operator in ("min", "max"):
            return (min if node.operator == "min" else max)(parts, key=lambda part: part.value)
        result = parts[0]
        for part in parts[1:]:
            if node.operator == "+":
                result = Dual(result.value + part.value, result.gradient + part.gradient)
            else:
                gradient = result.value * part.gradient + part.value * result.gradient
                result = Dual(result.value * part.value, gradient)
        return result

    def arithmetic(self, node: Arithmetic) -> Dual:
        """Return a quotient or a power; whole parts and remainders have no derivative."""
        if node.operator not in ("/", "**"):
            return Dual(float(evaluate(node, self._values)), self._zero)
        a, b = self._number(node.left), self._number(node.right)
        if node.operator == "/":
            return Dual(a.value / b.value, (a.gradient - a.value / b.value * b.gradient) / b.value)
        value = a.value**b.value
        if isinstance(value, complex):
            raise ArithmeticError("a fractional power of a negative number is not a real number")
        gradient = b.value * a.value ** (b.value - 1) * a.gradient if a.value != 0 else self._zero
        if b.gradient.any() and a.value > 0:
            gradient = gradient + value * np.log(a.value) * b.gradient
        return Dual(value, gradient)


# By what the difference right - left counts: 0 where it does not.
_SIGNS = {"<": 1.0, "<=": 1.0, ">": -1.0, ">=": -1.0, "==": 0.0, "!=": 0.0}
_NUMBERS: dict[type[Expression], Callable[[Slacks, Any], Dual]] = {
    Slot: Slacks.slot,
    Absolute: Slacks.absolute,
    Negative: Slacks.negative,
    Choice: Slacks.chosen,
    Fold: Slacks.folded,
    Arithmetic: Slacks.arithmetic,
}
