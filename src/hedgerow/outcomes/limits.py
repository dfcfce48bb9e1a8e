"""Limits: rules about what trials give, such as `memory <= 16`. They are measured and learned, not compiled.

A limit is written in the rule language, with names of outcomes: comparisons by `<`, `<=`, `>` and `>=`, joined by
`and` or in chains. Each comparison has a slack, the distance to its limit in the unit of the outcome, which is positive
within and negative beyond: how far a trial is from a limit teaches more than on which side it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from hedgerow import checks
from hedgerow.errors import RuleError
from hedgerow.expressions import Absolute, Arithmetic, Comparison, Constant, Expression, Fold, Name, Negative
from hedgerow.outcomes.objectives import check_name
from hedgerow.rules.evaluate import power
from hedgerow.rules.parse import fail_at, parse_rule

_ADVICE = "a limit compares numbers by <, <=, > or >=, as in 'memory <= 16' or '0 < error and error < 0.01'"


@dataclass(frozen=True, eq=False)
class Threshold:
    """One comparison of a limit: `larger` must not be below `smaller`, or must be above it where that is strict."""

    text: str
    larger: Expression
    smaller: Expression
    is_strict: bool

    def slack(self, numbers: Mapping[str, float]) -> float:
        """Return how far within the limit a trial is, negative beyond it; NaN where that was not measured."""
        try:
            slack = float(_number(self.larger, numbers) - _number(self.smaller, numbers))
        except (KeyError, ArithmeticError):
            return math.nan
        return slack if math.isfinite(slack) else math.nan

    def holds(self, numbers: Mapping[str, float]) -> bool:
        """Return whether it is known to hold."""
        slack = self.slack(numbers)
        return slack > 0 if self.is_strict else slack >= 0


@dataclass(frozen=True, eq=False)
class Limit:
    """A named limit: all its thresholds must hold. `outcomes` are the names it needs."""

    name: str
    text: str
    thresholds: tuple[Threshold, ...]
    outcomes: tuple[str, ...]

    def slack(self, numbers: Mapping[str, float]) -> float:
        """Return the least slack of its thresholds; NaN where one was not measured."""
        slacks = [threshold.slack(numbers) for threshold in self.thresholds]
        return math.nan if any(map(math.isnan, slacks)) else min(slacks)

    def holds(self, numbers: Mapping[str, float]) -> bool:
        """Return whether it is known to hold."""
        return all(threshold.holds(numbers) for threshold in self.thresholds)


def read_limits(given: Any) -> tuple[Limit, ...]:
    """Read a mapping from names to texts."""
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise RuleError(
            f"limits maps names to texts, as in {{'fits': 'memory <= 16'}}, but {checks.shown(given)} was given."
        )
    limits = tuple(_limit(name, text) for name, text in given.items())
    for limit, other in combinations(limits, 2):
        what = _without_numbers((*limit.thresholds, *other.thresholds))
        if what is not None:
            raise RuleError(
                f"No trial can keep the limits '{limit.name}' and '{other.name}' together: nothing lets '{what}' "
                f"satisfy both\n    {limit.text.strip()}\n    {other.text.strip()}"
            )
    return limits


def _limit(name: Any, text: Any) -> Limit:
    if not isinstance(name, str) or not name:
        raise RuleError(
            f"A limit is named by a text, as in {{'fits': 'memory <= 16'}}, but {checks.shown(name)} was given."
        )
    if not isinstance(text, str):
        raise RuleError(f"The limit '{name}' is a text, as in 'memory <= 16', but {checks.shown(text)} was given.")
    try:
        thresholds = tuple(_thresholds(parse_rule(text), text))
    except RuleError as error:
        raise RuleError(f"The limit '{name}' cannot be read. {error}") from None
    outcomes = tuple(dict.fromkeys(name for threshold in thresholds for name in _names(threshold)))
    for outcome in outcomes:
        check_name("outcome", outcome)
    if (what := _without_numbers(thresholds)) is not None:
        raise RuleError(f"No trial can keep the limit '{name}': nothing lets '{what}' satisfy\n    {text.strip()}")
    return Limit(name, text, thresholds, outcomes)


def _thresholds(node: Expression, text: str) -> Iterator[Threshold]:
    if isinstance(node, Fold) and node.operator == "and":
        for item in node.items:
            yield from _thresholds(item, text)
        return
    if not isinstance(node, Comparison) or node.operator not in ("<", "<=", ">", ">="):
        fail_at(text, getattr(node, "column", None), f"'{node}' is no limit: {_ADVICE}")
    for side in (node.left, node.right):
        _check_arithmetic(side, text)
    smaller, larger = (node.left, node.right) if node.operator[0] == "<" else (node.right, node.left)
    threshold = Threshold(str(node), larger, smaller, is_strict=len(node.operator) == 1)
    if not any(True for _ in _names(threshold)):
        fail_at(text, node.column, f"'{node}' names no outcome, so no trial can change whether it holds")
    if str(node.left) == str(node.right):
        fail_at(text, node.column, f"'{node}' compares an outcome with itself")
    yield threshold


def _check_arithmetic(node: Expression, text: str) -> None:
    is_number = isinstance(node, Constant) and not isinstance(node.value, bool | str)
    is_sum = isinstance(node, Fold) and node.operator in ("+", "*")
    is_other = isinstance(node, Name | Negative | Absolute) or (
        isinstance(node, Arithmetic) and node.operator in ("/", "**")
    )
    if not (is_number or is_sum or is_other):
        fail_at(
            text,
            getattr(node, "column", None),
            f"'{node}' is not allowed in a limit, which has +, -, *, /, ** and abs()",
        )
    if isinstance(node, Constant) and not math.isfinite(_as_float(node)):
        fail_at(text, None, f"'{node}' is not a finite number")
    for child in node.children:
        _check_arithmetic(child, text)


def _as_float(constant: Constant) -> float:
    try:
        return float(constant.value)
    except OverflowError:
        return math.inf


def _names(threshold: Threshold) -> Iterator[str]:
    stack = [threshold.smaller, threshold.larger]
    while stack:
        node = stack.pop()
        if isinstance(node, Name):
            yield node.name
        stack += node.children


def _without_numbers(thresholds: tuple[Threshold, ...]) -> str | None:
    """Return the expression whose bounds leave no number between them; None where there is none."""
    low: dict[str, tuple[float, bool]] = {}
    high: dict[str, tuple[float, bool]] = {}
    for threshold in thresholds:
        is_upper = isinstance(threshold.larger, Constant)
        if is_upper == isinstance(threshold.smaller, Constant):
            continue
        bound, bounded = (threshold.larger, threshold.smaller) if is_upper else (threshold.smaller, threshold.larger)
        number, what = _number(bound, {}), str(bounded)
        # Of equal bounds the strict one counts: it comes last among the lower and first among the upper ones.
        if is_upper:
            high[what] = min(high.get(what, (math.inf, True)), (number, not threshold.is_strict))
        else:
            low[what] = max(low.get(what, (-math.inf, False)), (number, threshold.is_strict))
    for what, (least, is_open) in low.items():
        most, is_closed = high.get(what, (math.inf, True))
        if least > most or (least == most and (is_open or not is_closed)):
            return what
    return None


def _number(node: Expression, numbers: Mapping[str, float]) -> float:
    """Return the value of an expression over outcomes; KeyError where one is missing, ArithmeticError as in Python."""
    if isinstance(node, Constant):
        return float(node.value)
    if isinstance(node, Name):
        return numbers[node.name]
    if isinstance(node, Negative):
        return -_number(node.operand, numbers)
    if isinstance(node, Absolute):
        return abs(_number(node.operand, numbers))
    if isinstance(node, Arithmetic):
        left, right = _number(node.left, numbers), _number(node.right, numbers)
        return float(left / right if node.operator == "/" else power(left, right))
    assert isinstance(node, Fold)
    parts = [_number(item, numbers) for item in node.items]
    return float(sum(parts)) if node.operator == "+" else math.prod(parts)
