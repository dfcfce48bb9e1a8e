"""Taking a rule apart where that does not change its meaning: conjuncts, and sums as signed terms."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.expressions import Comparison, Constant, Expression, Fold, Negative, Not


def conjuncts(expression: Expression) -> list[Expression]:
    """Return expressions that all hold exactly when the rule does.

    A part that cannot be evaluated fails the whole rule either way, so the order of `and` does not matter here.
    """
    found: list[Expression] = []
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Fold) and node.operator == "and":
            stack.extend(reversed(node.items))
        elif (conditions := conditions_of(node)) is not None:
            stack.extend(reversed(conditions))
        elif isinstance(node, Not) and isinstance(node.operand, Not):
            stack.append(node.operand.operand)
        elif isinstance(node, Not) and isinstance(node.operand, Fold) and node.operand.operator == "or":
            stack.extend(Not(item) for item in reversed(node.operand.items))
        else:
            found.append(node)
    return found


def every(conditions: Sequence[Expression]) -> Expression:
    """Return that all conditions hold, as a count: unlike `and`, it looks at each of them before it answers."""
    return Comparison("==", Fold("count", tuple(conditions)), Constant(len(conditions)))


def conditions_of(node: Expression) -> tuple[Expression, ...] | None:
    """Return the conditions of what `every` makes, None for anything else."""
    if not isinstance(node, Comparison) or node.operator != "==" or not isinstance(node.right, Constant):
        return None
    if not isinstance(node.left, Fold) or node.left.operator != "count":
        return None
    return node.left.items if node.right.value == len(node.left.items) else None


def signed_terms(expression: Expression, factor: int = 1) -> list[tuple[int, Expression]]:
    """Return (factor, term) pairs whose weighted sum is the expression, as far as whole-number factors go.

    Right only where every term is a whole number: floating-point sums depend on the order of addition.
    """
    terms: list[tuple[int, Expression]] = []
    stack = [(factor, expression)]
    while stack:
        weight, node = stack.pop()
        if isinstance(node, Negative):
            stack.append((-weight, node.operand))
        elif isinstance(node, Fold) and node.operator in ("+", "count"):
            wrap = _condition if node.operator == "count" else _itself
            stack.extend((weight, wrap(item)) for item in reversed(node.items))
        elif isinstance(node, Fold) and node.operator == "*" and _whole_factor(node) is not None:
            number, rest = _whole_factor(node) or (1, node)
            stack.append((weight * number, rest))
        else:
            terms.append((weight, node))
    return terms


def _itself(node: Expression) -> Expression:
    return node


def _condition(node: Expression) -> Expression:
    """A condition as the number 0 or 1."""
    return Not(Not(node))


def _whole_factor(node: Fold) -> tuple[int, Expression] | None:
    """Return (constant, other operand) for a product of two of which one is a whole number."""
    if len(node.items) != 2:
        return None
    for constant, other in (node.items, node.items[::-1]):
        if isinstance(constant, Constant) and isinstance(constant.value, int):
            return int(constant.value), other
    return None
