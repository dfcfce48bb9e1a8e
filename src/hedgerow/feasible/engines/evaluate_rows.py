"""Whether a rule holds at many rows: what `rules.evaluate` says of each of them, at the speed of arrays.

Arrays of values have Python's own semantics (`feasible.values`). What has no form for arrays is asked of the plain
evaluator row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hedgerow.arrays import Codes, Mask, Whole
from hedgerow.expressions import (
    Absolute,
    AllDifferent,
    Arithmetic,
    Choice,
    Comparison,
    Constant,
    Expression,
    Fold,
    Negative,
    Not,
    Scalar,
)
from hedgerow.feasible.values import (
    FALSE,
    TRUE,
    UNDEFINED,
    UNKNOWN,
    Values,
    arithmetic,
    compare,
    from_truth,
    is_whole,
    mapped,
    pack,
    truth,
)
from hedgerow.rules.evaluate import evaluate
from hedgerow.rules.resolve import slots_of

# The codes of one slot in all rows.
Column = Callable[[int], Codes]


class RowEvaluator:
    """Evaluates one resolved rule at many rows at once; what reads one slot is evaluated once per code."""

    def __init__(self, expression: Expression, domains: Sequence[Sequence[Scalar | None]]) -> None:
        self._expression = expression
        self._domains = domains
        self.slots = slots_of(expression)
        self._by_code: dict[Expression, Values] = {}
        self._scopes: dict[Expression, tuple[int, ...]] = {}

    def holds(self, column: Column, n_rows: int) -> Mask:
        """Return for each row whether the rule holds."""
        return np.asarray(_Pass(self, column, n_rows).truth(self._expression) == TRUE)

    def scope(self, node: Expression) -> tuple[int, ...]:
        """Return the slots that a part reads."""
        if node not in self._scopes:
            self._scopes[node] = slots_of(node)
        return self._scopes[node]

    def values_by_code(self, node: Expression) -> Values:
        """Return the value of a part for each code of the one slot that it reads, or once."""
        if node not in self._by_code:
            scope = self.scope(node)
            options = [{scope[0]: value} for value in self._domains[scope[0]]] if scope else [{}]
            self._by_code[node] = pack([value_at(node, values) for values in options])
        return self._by_code[node]

    def one_by_one(self, node: Expression, column: Column, n_rows: int) -> Values:
        """Return the value of a part at each row, from the plain evaluator."""
        scope = self.scope(node)
        columns = [column(slot) for slot in scope]
        values: list[Any] = []
        for row in range(n_rows):
            known = {slot: self._domains[slot][codes[row]] for slot, codes in zip(scope, columns, strict=True)}
            values.append(value_at(node, known))
        return pack(values)


class _Pass:
    """One evaluation of a rule; parts that the rule mentions twice are evaluated once."""

    def __init__(self, rule: RowEvaluator, column: Column, n_rows: int) -> None:
        self._rule = rule
        self._column = column
        self._n_rows = n_rows
        self._truths: dict[Expression, Whole] = {}
        self._values: dict[Expression, Values] = {}

    def truth(self, node: Expression) -> Whole:
        if node not in self._truths:
            self._truths[node] = self._truth(node)
        return self._truths[node]

    def _truth(self, node: Expression) -> Whole:
        if len(self._rule.scope(node)) <= 1:
            return self._spread(node, truth(self._rule.values_by_code(node)))
        if isinstance(node, Not):
            return np.array([TRUE, FALSE, UNKNOWN])[self.truth(node.operand)]
        if isinstance(node, Comparison):
            return compare(node.operator, self.value(node.left), self.value(node.right))
        if isinstance(node, Fold) and node.operator in ("and", "or"):
            goes_on = TRUE if node.operator == "and" else FALSE
            result = self.truth(node.items[0])
            for item in node.items[1:]:
                result = np.where(result == goes_on, self.truth(item), result)
            return result
        if isinstance(node, AllDifferent):
            return self._all_different(node)
        return truth(self.value(node))

    def _all_different(self, node: AllDifferent) -> Whole:
        items = [self.value(item) for item in node.items]
        if node.ignore is not None or not all(is_whole(item) for item in items):
            return truth(self._rule.one_by_one(node, self._column, self._n_rows))
        ordered = np.sort(np.stack([item.astype(np.int64) for item in items]), axis=0)
        return np.asarray((ordered[1:] != ordered[:-1]).all(axis=0), dtype=np.int64)

    def value(self, node: Expression) -> Values:
        if node not in self._values:
            self._values[node] = self._value(node)
        return self._values[node]

    def _value(self, node: Expression) -> Values:
        if len(self._rule.scope(node)) <= 1:
            return self._spread(node, self._rule.values_by_code(node))
        if isinstance(node, Negative | Absolute):
            operand = self.value(node.operand)
            function: Callable[[Any], Any] = abs if isinstance(node, Absolute) else lambda value: -value
            return np.asarray(function(operand)) if operand.dtype.kind in "if" else mapped(function, operand)
        if isinstance(node, Arithmetic):
            return arithmetic(node.operator, self.value(node.left), self.value(node.right))
        if isinstance(node, Fold) and node.operator in ("+", "*"):
            result = self.value(node.items[0])
            for item in node.items[1:]:
                result = arithmetic(node.operator, result, self.value(item))
            return result
        if isinstance(node, Fold) and node.operator == "count":
            return self._counted([self.truth(item) for item in node.items])
        if isinstance(node, Comparison | Not | AllDifferent):
            return from_truth(self.truth(node))
        if isinstance(node, Choice | Fold) and self._is_simple(node):
            return self._simple(node)
        return self._rule.one_by_one(node, self._column, self._n_rows)

    def _counted(self, truths: list[Whole]) -> Values:
        total = sum(held == TRUE for held in truths)
        unknown = np.any([held == UNKNOWN for held in truths], axis=0)
        counts = np.asarray(total, dtype=np.int64)
        if not unknown.any():
            return counts
        return pack([UNDEFINED if lost else count for lost, count in zip(unknown, counts.tolist(), strict=True)])

    def _is_simple(self, node: Choice | Fold) -> bool:
        """Whether NumPy chooses among the values as Python does: numbers of one kind, none undefined or NaN."""
        parts = node.items if isinstance(node, Fold) else (node.yes, node.no)
        if isinstance(node, Fold) and node.operator not in ("min", "max"):
            return False
        kinds = {self.value(part).dtype for part in parts}
        return kinds == {np.dtype(np.int64)}

    def _simple(self, node: Choice | Fold) -> Values:
        if isinstance(node, Fold):
            reduce = np.min if node.operator == "min" else np.max
            return np.asarray(reduce([self.value(item) for item in node.items], axis=0))
        condition = self.truth(node.condition)
        chosen = np.where(condition == TRUE, self.value(node.yes), self.value(node.no))
        if not (condition == UNKNOWN).any():
            return chosen
        return pack(
            [UNDEFINED if held == UNKNOWN else value for held, value in zip(condition, chosen.tolist(), strict=True)]
        )

    def _spread(self, node: Expression, by_code: Values) -> Values:
        scope = self._rule.scope(node)
        if not scope:
            return np.repeat(by_code, self._n_rows)
        return np.asarray(by_code[self._column(scope[0])])


def value_at(node: Expression, values: dict[int, Scalar | None]) -> Any:
    """Return the value of a part, UNDEFINED where Python would raise."""
    if isinstance(node, Constant):
        return node.value
    try:
        return evaluate(node, values)  # type: ignore[arg-type]
    except ArithmeticError:
        return UNDEFINED
