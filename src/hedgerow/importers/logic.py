"""Conditions put together so that they read well: what always or never holds is left out, double negation too."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hedgerow.expressions import Comparison, Constant, Expression, Fold, Not
from hedgerow.rules import iff

ALWAYS, NEVER = Constant(True), Constant(False)
_OPPOSITES = {"==": "!=", "!=": "=="}


def is_always(condition: Expression) -> bool:
    """Whether the condition is the plain value True."""
    return isinstance(condition, Constant) and condition.value is True


def is_never(condition: Expression) -> bool:
    """Whether the condition is the plain value False."""
    return isinstance(condition, Constant) and condition.value is False


def opposite(condition: Expression) -> Expression:
    """The condition does not hold."""
    if isinstance(condition, Not):
        return condition.operand
    if is_always(condition) or is_never(condition):
        return NEVER if is_always(condition) else ALWAYS
    if isinstance(condition, Comparison) and condition.operator in _OPPOSITES:
        return Comparison(_OPPOSITES[condition.operator], condition.left, condition.right)
    return Not(condition)


def any_holds(conditions: Iterable[Expression]) -> Expression:
    """At least one of the conditions holds."""
    return _folded("or", conditions, is_always, is_never, NEVER)


def all_hold(conditions: Iterable[Expression]) -> Expression:
    """Every condition holds."""
    return _folded("and", conditions, is_never, is_always, ALWAYS)


def implication(condition: Expression, consequence: Expression) -> Expression:
    """If the condition holds, so does the consequence."""
    return any_holds([opposite(condition), consequence])


def both_or_neither(left: Expression, right: Expression) -> Expression:
    """The two conditions hold together."""
    for one, other in ((left, right), (right, left)):
        if is_always(one) or is_never(one):
            return other if is_always(one) else opposite(other)
    return iff(left, right)


def _folded(
    operator: str,
    conditions: Iterable[Expression],
    decides: Callable[[Expression], bool],
    is_idle: Callable[[Expression], bool],
    nothing: Expression,
) -> Expression:
    found: dict[int, Expression] = {}
    for condition in conditions:
        if decides(condition):
            return condition
        if is_idle(condition):
            continue
        is_same_fold = isinstance(condition, Fold) and condition.operator == operator
        for item in condition.children if is_same_fold else (condition,):
            # What is mentioned twice is said once; without this, conditions on conditions would double at each step.
            found[id(item)] = item
    items = list(found.values())
    if len(items) <= 1:
        return items[0] if items else nothing
    return Fold(operator, tuple(items))
