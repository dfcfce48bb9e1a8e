"""The meaning of a rule: one plain evaluator, in Python's own operators, that everything compiled is checked
against.

A rule holds at a point when its value is true. Where Python would raise an arithmetic error (a division by zero, an
overflow) the rule cannot be evaluated, and a rule that cannot be evaluated does not hold. `and`, `or` and `x if c
else y` look only as far as Python does, so `b == 0 or a / b < 2` is a guard.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from hedgerow.errors import RuleError
from hedgerow.expressions import (
    Absolute,
    Active,
    AllDifferent,
    AllowedTuples,
    Arithmetic,
    Choice,
    Comparison,
    Constant,
    Contains,
    Expression,
    Fold,
    Listing,
    LongestRun,
    Membership,
    Negative,
    Not,
    Opaque,
    Rank,
    Scalar,
    Slot,
)
from hedgerow.wording import approximate

# Powers beyond this many bits are a mistake or an attack, never meant.
MAX_POWER_BITS = 20_000
MAX_PRODUCT_BITS = 100_000


class NoValueError(ArithmeticError):
    """Raised where an inactive variable is read; rules are bound so that none of them ever does (`rules.inactive`)."""


def holds(expression: Expression, values: Sequence[Scalar | None]) -> bool:
    """Return whether a resolved rule is satisfied by the slot values of a point."""
    try:
        return bool(evaluate(expression, values))
    except ArithmeticError:
        return False


def evaluate(expression: Expression, values: Sequence[Scalar | None]) -> Any:
    """Return the value of a resolved expression, or raise ArithmeticError as Python would."""
    return _EVALUATORS[type(expression)](expression, values)


def power(base: Any, exponent: Any) -> Any:
    """Python's `**`, refusing results of absurd length and treating complex ones as errors."""
    if isinstance(base, int) and isinstance(exponent, int) and exponent > 0:
        bits = base.bit_length() * exponent
        if abs(base) > 1 and bits > MAX_POWER_BITS:
            raise RuleError(
                f"A power in the rule has about {approximate(bits)} bits; at most {MAX_POWER_BITS:,} are computed."
            )
    result = base**exponent
    if isinstance(result, complex):
        raise ArithmeticError("a fractional power of a negative number is not a real number")
    return result


def product(left: Any, right: Any) -> Any:
    """Python's `*`, refusing results of absurd length."""
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() + right.bit_length()
        if bits > MAX_PRODUCT_BITS:
            raise RuleError(
                f"A product in the rule has about {approximate(bits)} bits; at most {MAX_PRODUCT_BITS:,} are computed."
            )
    return left * right


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "*": product,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": power,
}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _fold(node: Fold, values: Sequence[Scalar | None]) -> Any:
    if node.operator in ("and", "or"):
        stops_at = node.operator == "or"
        result: Any = not stops_at
        for item in node.items:
            result = evaluate(item, values)
            if bool(result) is stops_at:
                break
        return result
    evaluated = [evaluate(item, values) for item in node.items]
    if node.operator == "count":
        return sum(bool(value) for value in evaluated)
    if node.operator in ("min", "max"):
        return min(evaluated) if node.operator == "min" else max(evaluated)
    # Left to right, as `a + b + c`; the built-in sum() rounds differently from one Python version to the next.
    result = evaluated[0]
    for value in evaluated[1:]:
        result = ARITHMETIC[node.operator](result, value)
    return result


def _choice(node: Choice, values: Sequence[Scalar | None]) -> Any:
    return evaluate(node.yes if evaluate(node.condition, values) else node.no, values)


def _membership(node: Membership, values: Sequence[Scalar | None]) -> bool:
    item = evaluate(node.item, values)
    if isinstance(node.container, Listing):
        return item in [evaluate(member, values) for member in node.container.items]
    return item in evaluate(node.container, values)


def _all_different(node: AllDifferent, values: Sequence[Scalar | None]) -> bool:
    evaluated = [evaluate(item, values) for item in node.items]
    if node.ignore is not None:
        evaluated = [value for value in evaluated if value != node.ignore]
    return len(set(evaluated)) == len(evaluated)


def _contains(node: Contains, values: Sequence[Scalar | None]) -> bool:
    sequence = tuple(evaluate(item, values) for item in node.items)
    width = len(node.motif)
    return any(sequence[start : start + width] == node.motif for start in range(len(sequence) - width + 1))


def _longest_run(node: LongestRun, values: Sequence[Scalar | None]) -> int:
    sequence = [evaluate(item, values) for item in node.items]
    runs = [(value, len(list(run))) for value, run in groupby(sequence)]
    return max((length for value, length in runs if node.value is None or value == node.value), default=0)


def _slot(node: Slot, values: Sequence[Scalar | None]) -> Scalar:
    value = values[node.position]
    if value is None:
        raise NoValueError(f"{node.name} is inactive")
    return value


def _opaque(node: Opaque, values: Sequence[Scalar | None]) -> bool:
    # A function is given None for what is inactive; who binds it sees to that it is never asked then.
    arguments = [
        [_argument(item, values) for item in argument.items]
        if isinstance(argument, Listing)
        else _argument(argument, values)
        for argument in node.arguments
    ]
    try:
        return bool(node.function(**dict(zip(node.names, arguments, strict=True))))
    except ArithmeticError:
        raise
    except Exception as error:
        seen = ", ".join(f"{name}={value!r}" for name, value in zip(node.names, arguments, strict=True))
        raise RuleError(f"The function {node} raised {type(error).__name__}: {error} (at {seen}).") from error


def _argument(node: Expression, values: Sequence[Scalar | None]) -> Any:
    return values[node.position] if isinstance(node, Slot) else evaluate(node, values)


_EVALUATORS: dict[type[Expression], Callable[[Any, Sequence[Scalar | None]], Any]] = {
    Constant: lambda node, _: node.value,
    Slot: _slot,
    Active: lambda node, values: values[node.operand.position] is not None,
    Rank: lambda node, values: node.labels.index(evaluate(node.operand, values)),
    Negative: lambda node, values: -evaluate(node.operand, values),
    Not: lambda node, values: not evaluate(node.operand, values),
    Absolute: lambda node, values: abs(evaluate(node.operand, values)),
    Arithmetic: lambda node, values: ARITHMETIC[node.operator](
        evaluate(node.left, values), evaluate(node.right, values)
    ),
    Comparison: lambda node, values: COMPARISONS[node.operator](
        evaluate(node.left, values), evaluate(node.right, values)
    ),
    Fold: _fold,
    Choice: _choice,
    Membership: _membership,
    AllDifferent: _all_different,
    AllowedTuples: lambda node, values: tuple(evaluate(item, values) for item in node.items) in node.tuples,
    Contains: _contains,
    LongestRun: _longest_run,
    Opaque: _opaque,
}
