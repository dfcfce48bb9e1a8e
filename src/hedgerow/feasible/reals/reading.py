"""What a rule reads of reals: their values, or only whether they have one; and rules that hold for some codes alone.

`active(x)` asks for a code, not for a number, so it is answered by the diagram. `kind == 'a' or x + y == 1` is an
equality for other kinds alone, and so is one about reals with conditions: rules are bound to hold where any is missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hedgerow.expressions import Absolute, Active, Arithmetic, Choice, Comparison, Expression, Fold, Negative, Slot


def values_read(expression: Expression) -> frozenset[int]:
    """Return the slots whose values an expression reads, not only whether they have one."""
    found: set[int] = set()
    seen: set[int] = set()
    stack = [expression]
    while stack:
        node = stack.pop()
        if id(node) in seen or isinstance(node, Active):
            continue
        seen.add(id(node))
        if isinstance(node, Slot):
            found.add(node.position)
        stack.extend(node.children)
    return frozenset(found)


@dataclass(frozen=True, eq=False)
class Guarded:
    """A rule `guard or comparison`, of which the guard is about codes: there the comparison counts for nothing."""

    guard: Expression | None
    comparison: Comparison


def guarded(rule: Expression, reals: Iterable[int]) -> Guarded | None:
    """Return a rule as one comparison of reals behind a guard; None for any other rule."""
    wanted = frozenset(reals)
    guards: list[Expression] = []
    comparisons: list[Expression] = []
    stack = [rule]
    while stack:
        node = stack.pop()
        if isinstance(node, Fold) and node.operator == "or":
            stack.extend(reversed(node.items))
        else:
            (comparisons if values_read(node) & wanted else guards).append(node)
    if len(comparisons) != 1 or not isinstance(comparisons[0], Comparison):
        return None
    guard = None if not guards else guards[0] if len(guards) == 1 else Fold("or", tuple(guards))
    comparison = comparisons[0]
    left, right = (without_stand_ins(side) if guards else side for side in (comparison.left, comparison.right))
    return Guarded(guard, Comparison(comparison.operator, left, right, comparison.column))


def without_stand_ins(node: Expression) -> Expression:
    """Return a number that reads variables as they are, without asking first whether they have a value."""
    if isinstance(node, Choice) and isinstance(node.condition, Active) and isinstance(node.yes, Slot):
        return node.yes
    if isinstance(node, Negative):
        return Negative(without_stand_ins(node.operand))
    if isinstance(node, Absolute):
        return Absolute(without_stand_ins(node.operand))
    if isinstance(node, Arithmetic):
        return Arithmetic(node.operator, without_stand_ins(node.left), without_stand_ins(node.right))
    if isinstance(node, Fold):
        return Fold(node.operator, tuple(without_stand_ins(item) for item in node.items))
    return node
