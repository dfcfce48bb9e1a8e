"""Linear and logical rules as rows of a linear program over one 0/1 variable per slot and level.

Whatever reads a single slot is a weighted sum of that slot's variables, however it is written; sums, counts, multiples
and comparisons of such sums are rows; `and`, `or`, `not` and `if` are rows under conditions, each condition a truth
value that lifts a row when it is 0. A truth value that rules use as a number becomes a variable of its own, bound in
both directions.

Whole numbers are translated exactly. Sums of other numbers depend on the order of addition in their last digits: with
`exactly=False` their rows are loosened by more than that, so that no point that keeps the rule is lost, and the
solution must be checked. What has no linear form raises UntranslatableError.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from hedgerow.expressions import (
    AllDifferent,
    AllowedTuples,
    Choice,
    Comparison,
    Expression,
    Fold,
    Listing,
    Membership,
    Negative,
    Not,
    Scalar,
)
from hedgerow.rules.evaluate import evaluate
from hedgerow.rules.resolve import slots_of
from research.rivals.nn_milp.affine import Number, UntranslatableError, WeightedSum, total
from research.rivals.nn_milp.program import Indices, Program

# Solvers allow for errors of about 1e-6 in a row: larger whole numbers could hide a difference of 1.
_MAX_EXTENT = 100_000
# Far above the rounding of any sum, and above what solvers drop as too small, relative to the sum of all magnitudes.
_LOOSENING = 1e-6

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TRUTHS = (Not, Comparison, Membership, AllDifferent, AllowedTuples)

Conditions = tuple[WeightedSum, ...]


class Translator:
    """Adds rules to a program; `columns[slot]` are the 0/1 variables of its levels."""

    def __init__(
        self, program: Program, columns: Sequence[Indices], domains: Sequence[Sequence[Scalar]], *, exactly: bool
    ) -> None:
        self._program = program
        self._columns = columns
        self._domains = domains
        self._exactly = exactly
        self._truths: dict[Expression, WeightedSum] = {}

    def require(self, expression: Expression) -> None:
        """Add rows that hold where the rule does (with exactly=False: at least there)."""
        self._enforce(expression, True, ())

    # --- truth, under conditions ---

    def _enforce(self, node: Expression, wanted: bool, conditions: Conditions) -> None:
        """Add rows so that the node has the wanted truth where all conditions hold."""
        if len(slots_of(node)) <= 1:
            self._clause([self._told(self._single(node, bool), wanted)], conditions)
        elif isinstance(node, Not):
            self._enforce(node.operand, not wanted, conditions)
        elif isinstance(node, Fold) and node.operator in ("and", "or"):
            if wanted is (node.operator == "and"):
                for item in node.items:
                    self._enforce(item, wanted, conditions)
            else:
                self._clause([self._implying(item, wanted) for item in node.items], conditions)
        elif isinstance(node, Choice):
            condition = self._truth(node.condition)
            self._enforce(node.yes, wanted, (*conditions, condition))
            self._enforce(node.no, wanted, (*conditions, condition.negated))
        elif isinstance(node, Comparison):
            operator = node.operator if wanted else _OPPOSITE[node.operator]
            self._compare(self._number(node.left) - self._number(node.right), operator, conditions)
        elif isinstance(node, Membership) and isinstance(node.container, Listing):
            equalities = tuple(Comparison("==", node.item, member) for member in node.container.items)
            self._enforce(Fold("or", equalities), wanted, conditions)
        elif isinstance(node, AllDifferent) and wanted:
            self._all_different(node, conditions)
        else:
            self._enforce_number(node, wanted, conditions)

    def _enforce_number(self, node: Expression, wanted: bool, conditions: Conditions) -> None:
        """A number counts as true where it is not 0."""
        if not isinstance(node, Fold | Negative):
            raise UntranslatableError
        self._compare(self._number(node), "!=" if wanted else "==", conditions)

    def _clause(self, literals: list[WeightedSum], conditions: Conditions) -> None:
        """At least one of the literals is 1, or one of the conditions 0."""
        self._at_least(total([*literals, *(condition.negated for condition in conditions)]), 1)

    def _implying(self, node: Expression, wanted: bool) -> WeightedSum:
        """Return a truth value that is 1 only where the node is as wanted; it may be 0 there, too."""
        if len(slots_of(node)) <= 1:
            return self._told(self._single(node, bool), wanted)
        literal = WeightedSum(0, {self._program.binary(): 1})
        self._enforce(node, wanted, (literal,))
        return literal

    def _truth(self, node: Expression) -> WeightedSum:
        """Return the truth value of the node as a number, 0 or 1."""
        if len(slots_of(node)) <= 1:
            return self._single(node, bool)
        if isinstance(node, Not):
            return self._truth(node.operand).negated
        if node not in self._truths:
            literal = WeightedSum(0, {self._program.binary(): 1})
            self._truths[node] = literal
            self._enforce(node, True, (literal,))
            self._enforce(node, False, (literal.negated,))
        return self._truths[node]

    @staticmethod
    def _told(truth: WeightedSum, wanted: bool) -> WeightedSum:
        return truth if wanted else truth.negated

    # --- numbers ---

    def _number(self, node: Expression) -> WeightedSum:
        if len(slots_of(node)) <= 1:
            return self._single(node, _plain_number)
        if isinstance(node, Negative):
            return self._number(node.operand).times(-1)
        if isinstance(node, _TRUTHS):
            return self._truth(node)
        if not isinstance(node, Fold):
            raise UntranslatableError
        if node.operator == "+":
            return total([self._number(item) for item in node.items])
        if node.operator == "count":
            return total([self._truth(item) for item in node.items])
        if node.operator == "*":
            return self._multiple(node)
        raise UntranslatableError

    def _multiple(self, node: Fold) -> WeightedSum:
        """A product in which only one factor varies."""
        varying = [item for item in node.items if slots_of(item)]
        if len(varying) != 1:
            raise UntranslatableError
        result = self._number(varying[0])
        for item in node.items:
            if item is not varying[0]:
                result = result.times(_plain_number(evaluate(item, ())))
        return result

    def _single(self, node: Expression, convert: Callable[[Any], Number]) -> WeightedSum:
        """What reads one slot at most, by its value at every level."""
        slots = slots_of(node)
        try:
            if not slots:
                return WeightedSum(_not_bool(convert(evaluate(node, ()))))
            values = [convert(evaluate(node, ValuesAt({slots[0]: value}))) for value in self._domains[slots[0]]]
        except ArithmeticError:
            raise UntranslatableError from None
        columns = self._columns[slots[0]]
        return WeightedSum(
            0, {int(column): _not_bool(value) for column, value in zip(columns, values, strict=True) if value}
        )

    # --- rows ---

    def _compare(self, difference: WeightedSum, operator: str, conditions: Conditions) -> None:
        """Compare the difference of both sides with 0."""
        difference = difference.reduced()
        step = 1.0
        if not difference.is_whole or difference.extent > _MAX_EXTENT:
            if self._exactly:
                raise UntranslatableError
            if operator == "!=":
                return
            difference = difference.times(1.0 / float(difference.extent))
            step = -_LOOSENING
        if operator == "!=":
            side = WeightedSum(0, {self._program.binary(): 1})
            self._at_most(difference, -step, (*conditions, side))
            self._at_most(difference.times(-1), -step, (*conditions, side.negated))
            return
        allowed = max(0.0, -step)
        if operator in ("<=", "=="):
            self._at_most(difference, allowed, conditions)
        if operator in (">=", "=="):
            self._at_most(difference.times(-1), allowed, conditions)
        if operator == "<":
            self._at_most(difference, -step, conditions)
        if operator == ">":
            self._at_most(difference.times(-1), -step, conditions)

    def _all_different(self, node: AllDifferent, conditions: Conditions) -> None:
        """No value is taken twice."""
        takers: dict[Scalar, list[WeightedSum]] = {}
        for item in node.items:
            if len(slots_of(item)) > 1:
                raise UntranslatableError
            for value in self._values_of(item):
                if node.ignore is None or value != node.ignore:
                    takers.setdefault(value, []).append(self._single(item, partial(_equal, value)))
        for literals in takers.values():
            if len(literals) > 1:
                self._at_most(total(literals), 1.0, conditions)

    def _values_of(self, node: Expression) -> list[Scalar]:
        slots = slots_of(node)
        try:
            points = [ValuesAt({slots[0]: value}) for value in self._domains[slots[0]]] if slots else [()]
            return list(dict.fromkeys(evaluate(node, point) for point in points))
        except ArithmeticError:
            raise UntranslatableError from None

    def _at_least(self, affine: WeightedSum, limit: float) -> None:
        self._at_most(affine.times(-1), -limit, ())

    def _at_most(self, affine: WeightedSum, limit: float, conditions: Conditions) -> None:
        """Keep the sum below the limit where all conditions hold."""
        room = max(0.0, float(affine.highest) - limit)
        lifted = affine - total([condition.negated.times(room) for condition in conditions])
        if lifted.terms:
            self._program.row(lifted.terms, upper=limit - float(lifted.constant))
        elif lifted.constant > limit:
            self._never()

    def _never(self) -> None:
        """A rule that nothing satisfies."""
        self._program.row({int(self._columns[0][0]): 0.0}, lower=1.0)


class ValuesAt(Sequence[Scalar]):
    """The values of a point of which only some slots are ever looked at."""

    def __init__(self, known: Mapping[int, Scalar]) -> None:
        self._known = known

    def __len__(self) -> int:
        return max(self._known) + 1

    def __getitem__(self, index: Any) -> Any:
        return self._known[index]


def _plain_number(value: Any) -> Number:
    if not isinstance(value, bool | int | float) or (isinstance(value, float) and not np.isfinite(value)):
        raise UntranslatableError
    return value


def _not_bool(value: Number) -> Number:
    return int(value) if isinstance(value, bool) else value


def _equal(wanted: Scalar, value: Scalar) -> bool:
    return value == wanted
