"""Rules as constraints of CP-SAT, exactly where that is possible, and what is implied by them where it is not.

A condition becomes two literals, "is true" and "is false", because Python may be unable to evaluate it, and then it is
neither. Whole numbers become linear expressions, products and minima of them; what reads one slot is evaluated code by
code by the plain evaluator, and what reads few codes together is tabulated. Whatever is left raises `Untranslatable`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import reduce
from itertools import combinations, product

import numpy as np
from ortools.sat.python import cp_model

from hedgerow.diagram.machine import Diagram
from hedgerow.expressions import (
    Absolute,
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
    Rank,
    Scalar,
)
from hedgerow.feasible.engines.cp_sat_model import CodeModel, Literal, Term
from hedgerow.feasible.engines.cp_sat_products import ProductTranslator
from hedgerow.feasible.engines.cp_sat_terms import (
    REACH,
    Number,
    Truth,
    Untranslatable,
    holding,
    roughly,
    scaled,
    summed,
    whole,
)
from hedgerow.feasible.engines.decimals import on_grid
from hedgerow.rules.resolve import slots_of
from hedgerow.rules.simplify import signed_terms

# Rows of a table.
_MAX_ROWS = 200_000


class RuleTranslator(ProductTranslator):
    """Adds resolved expressions to a model."""

    def __init__(self, codes: CodeModel, domains: Sequence[Sequence[Scalar | None]]) -> None:
        super().__init__(codes, domains)
        self._truths: dict[Expression, Truth] = {}
        self._numbers: dict[Expression, Number] = {}

    # --- what must hold ---

    def require(self, node: Expression) -> None:
        """Add a conjunct of a rule, exactly."""
        try:
            self._require(node)
        except Untranslatable:
            self._model.add_bool_or([self._tabulated_truth(node).yes])

    def _require(self, node: Expression) -> None:
        slots = slots_of(node)
        if len(slots) <= 1:
            is_true = self._truth_by_code(node, slots) == 1
            if slots:
                self._codes.allow(slots[0], is_true)
            elif not is_true.all():
                self._model.add_bool_or([self._codes.false])
        elif isinstance(node, AllDifferent) and node.ignore is None:
            self._model.add_all_different([self._variable(number) for number in self._symbols(node.items)])
        elif isinstance(node, AllowedTuples):
            variables, rows = self._table_rows(node)
            self._model.add_allowed_assignments(variables, rows)
        elif isinstance(node, Comparison) and (linear := self._linear(node)) is not None:
            self._keep_in(*linear)
        elif isinstance(node, Fold) and node.operator == "or":
            self._require_any(node)
        else:
            self._model.add_bool_or([self.truth(node).yes])

    def _require_any(self, node: Fold) -> None:
        truths = [self.truth(item) for item in node.items]
        if all(truth.is_total for truth in truths):
            self._model.add_bool_or([truth.yes for truth in truths])
        else:
            self._model.add_bool_or([self.truth(node).yes])

    def require_diagram(self, diagram: Diagram, slots: Sequence[int]) -> None:
        """Add a set of rows given as a diagram whose layers read these slots."""
        before: Term | int = diagram.root
        for place, (table, slot) in enumerate(zip(diagram.tables, slots, strict=True)):
            is_last = place == len(diagram.tables) - 1
            n_after = 2 if is_last else diagram.tables[place + 1].shape[0]
            nodes, codes = np.nonzero(table)
            after = self._model.new_int_var(1, max(1, n_after - 1), "")
            rows = np.stack([nodes, codes, table[nodes, codes]], axis=1)
            if place == 0:
                rows = rows[rows[:, 0] == diagram.root][:, 1:]
            variables = [before, self._codes.codes[slot], after][3 - rows.shape[1] :]
            self._model.add_allowed_assignments(variables, rows.tolist())
            before = after

    def require_roughly(self, node: Expression) -> None:
        """Add what a comparison of a sum of floats implies; nothing where it is no such thing."""
        if not isinstance(node, Comparison) or node.operator == "!=":
            return
        sides = [node.left]
        if isinstance(node.left, Absolute) and node.operator in ("<", "<="):
            # |a| <= b says that a <= b and -a <= b.
            sides = [node.left.operand, Negative(node.left.operand)]
        for side in sides:
            with suppress(Untranslatable):
                self._require_sum_roughly(side, node.operator, node.right)

    def _require_sum_roughly(self, left: Expression, operator: str, right: Expression) -> None:
        terms = signed_terms(left) + signed_terms(right, -1)
        if any(len(slots_of(item)) > 1 for _, item in terms):
            return
        values = [[weight * value for value in self._floats_by_code(item)] for weight, item in terms]
        if any(not math.isfinite(value) for row in values for value in row):
            return
        grid = on_grid(values)
        numbers = [
            self._by_code([int(value) for value in row], slots_of(item))
            for row, (_, item) in zip(grid.rows, terms, strict=True)
        ]
        total = summed(numbers)
        self._keep_in(total.term, roughly(operator, total, grid))

    def _floats_by_code(self, node: Expression) -> list[float]:
        values = self._values_by_code(node, slots_of(node))
        if not all(isinstance(value, int | float) for value in values):
            return [math.nan]
        try:
            return [float(value) for value in values]
        except OverflowError:
            return [math.nan]

    # --- conditions ---

    def truth(self, node: Expression) -> Truth:
        """Return when a condition holds."""
        if node not in self._truths:
            slots = slots_of(node)
            if len(slots) <= 1:
                self._truths[node] = self._single(node, slots)
            else:
                try:
                    self._truths[node] = self._truth(node)
                except Untranslatable:
                    self._truths[node] = self._tabulated_truth(node)
        return self._truths[node]

    def _single(self, node: Expression, slots: tuple[int, ...]) -> Truth:
        verdicts = self._truth_by_code(node, slots)
        if not slots:
            return Truth(self._codes.constant(bool(verdicts[0] == 1)), self._codes.constant(bool(verdicts[0] == 0)))
        yes = self._codes.member(slots[0], verdicts == 1)
        return Truth(yes) if (verdicts >= 0).all() else Truth(yes, self._codes.member(slots[0], verdicts == 0))

    def _truth(self, node: Expression) -> Truth:
        if isinstance(node, Not):
            operand = self.truth(node.operand)
            return Truth(operand.is_false, None if operand.is_total else operand.yes)
        if isinstance(node, Fold) and node.operator in ("and", "or"):
            return self._connective(node)
        if isinstance(node, Choice):
            return self._chosen_truth(node)
        if isinstance(node, Comparison):
            return self._comparison(node)
        if isinstance(node, Membership) and isinstance(node.container, Listing):
            equal = [self.truth(Comparison("==", node.item, member)) for member in node.container.items]
            if not all(truth.is_total for truth in equal):
                raise Untranslatable
            return Truth(self._any([truth.yes for truth in equal]))
        if isinstance(node, AllDifferent):
            return self._all_different(node)
        if isinstance(node, Contains):
            return self._contains(node)
        if not isinstance(node, Fold | Negative | Absolute | Arithmetic):
            raise Untranslatable
        number = self.number(node)
        return self._in_domain(number.term, holding("!=", number))

    def _connective(self, node: Fold) -> Truth:
        truths = [self.truth(item) for item in node.items]
        goes_on = [truth.yes if node.operator == "and" else truth.is_false for truth in truths]
        all_go_on = self._all(goes_on)
        if all(truth.is_total for truth in truths):
            return Truth(all_go_on) if node.operator == "and" else Truth(~all_go_on)
        # Python stops at the first item that decides; before it all must have been evaluated.
        decides = [truth.is_false if node.operator == "and" else truth.yes for truth in truths]
        stopped = self._any([self._all([*goes_on[:place], literal]) for place, literal in enumerate(decides)])
        return Truth(all_go_on, stopped) if node.operator == "and" else Truth(stopped, all_go_on)

    def _chosen_truth(self, node: Choice) -> Truth:
        condition, yes, no = self.truth(node.condition), self.truth(node.yes), self.truth(node.no)
        holds = self._any([self._all([condition.yes, yes.yes]), self._all([condition.is_false, no.yes])])
        if condition.is_total and yes.is_total and no.is_total:
            return Truth(holds)
        fails = self._any([self._all([condition.yes, yes.is_false]), self._all([condition.is_false, no.is_false])])
        return Truth(holds, fails)

    def _comparison(self, node: Comparison) -> Truth:
        linear = self._linear(node)
        if linear is not None:
            return self._in_domain(*linear)
        raise Untranslatable

    def _linear(self, node: Comparison) -> tuple[Term, cp_model.Domain] | None:
        """Return a linear expression and the values with which the comparison holds; None where there is none."""
        if len(slots_of(node.left)) <= 1 and len(slots_of(node.right)) <= 1:
            ranked = self._ranked(node)
            if ranked is not None:
                return ranked
        special = self._product_equation(node)
        if special is not None:
            return special
        try:
            terms = signed_terms(node.left) + signed_terms(node.right, -1)
            total = summed([scaled(self.number(item), weight) for weight, item in terms])
        except Untranslatable:
            return self._bounded_product(node)
        return total.term, holding(node.operator, total)

    def _ranked(self, node: Comparison) -> tuple[Term, cp_model.Domain] | None:
        """Compare two sides of one slot each by the places of their values in one order."""
        sides = [self._values_by_code(side, slots_of(side)) for side in (node.left, node.right)]
        try:
            ordered = sorted({value for side in sides for value in side})
        except TypeError:
            if node.operator not in ("==", "!="):
                return None
            ordered = list({value: None for side in sides for value in side})
        if any(value != value for value in ordered):  # noqa: PLR0124 - NaN
            return None
        place = {value: i for i, value in enumerate(ordered)}
        numbers = [
            self._by_code([place[value] for value in values], slots_of(side))
            for values, side in zip(sides, (node.left, node.right), strict=True)
        ]
        total = summed([numbers[0], scaled(numbers[1], -1)])
        return total.term, holding(node.operator, total)

    def _all_different(self, node: AllDifferent) -> Truth:
        ignore = [] if node.ignore is None else [node.ignore]
        numbers = self._symbols(node.items, ignore)
        same: list[Literal] = []
        for one, other in combinations(numbers, 2):
            difference = summed([one, scaled(other, -1)])
            equal = self._in_domain(difference.term, holding("==", difference)).yes
            # The value that may repeat has the number 0.
            counts = self._in_domain(one.term, holding("!=", one)).yes if ignore else self._codes.true
            same.append(self._all([equal, counts]))
        return Truth(~self._any(same))

    def _contains(self, node: Contains) -> Truth:
        equal = [[self.truth(Comparison("==", item, Constant(value))) for value in node.motif] for item in node.items]
        if not all(truth.is_total for row in equal for truth in row):
            raise Untranslatable
        width = len(node.motif)
        starts = range(len(node.items) - width + 1)
        return Truth(self._any([self._all([equal[start + i][i].yes for i in range(width)]) for start in starts]))

    def _tabulated_truth(self, node: Expression) -> Truth:
        slots = slots_of(node)
        rows = self._combinations(slots)
        yes, no = self._model.new_bool_var(""), self._model.new_bool_var("")
        table = []
        for row in rows:
            verdict = self._verdict(node, slots, row)
            table.append([*row, int(verdict == 1), int(verdict == 0)])
        self._model.add_allowed_assignments([*(self._codes.codes[slot] for slot in slots), yes, no], table)
        return Truth(yes, no)

    # --- whole numbers ---

    def number(self, node: Expression) -> Number:
        """Return the value of a part that is a whole number wherever it is evaluated."""
        if node not in self._numbers:
            slots = slots_of(node)
            if len(slots) <= 1:
                self._numbers[node] = self._by_code(whole(self._values_by_code(node, slots)), slots)
            else:
                try:
                    self._numbers[node] = self._number(node)
                except Untranslatable:
                    self._numbers[node] = self._tabulated_number(node)
        return self._numbers[node]

    def _number(self, node: Expression) -> Number:
        build = self._NUMBERS.get(type(node))
        if build is not None:
            return build(self, node)
        if isinstance(node, Fold):
            return self._fold(node)
        if isinstance(node, Rank | LongestRun):
            raise Untranslatable
        truth = self.truth(node)
        if not truth.is_total:
            raise Untranslatable
        return Number(truth.yes, 0, 1)

    def _fold(self, node: Fold) -> Number:
        if node.operator in ("and", "or"):
            # Python gives back the item itself, which is a number only where all items are truth values.
            if not all(isinstance(item, Comparison | Not | Membership | AllDifferent) for item in node.items):
                raise Untranslatable
            truth = self.truth(node)
            if not truth.is_total:
                raise Untranslatable
            return Number(truth.yes, 0, 1)
        if node.operator == "count":
            truths = [self.truth(item) for item in node.items]
            if not all(truth.is_total for truth in truths):
                raise Untranslatable
            return summed([Number(truth.yes, 0, 1) for truth in truths])
        numbers = [self.number(item) for item in node.items]
        if node.operator == "+":
            return summed(numbers)
        if node.operator == "*":
            return reduce(self._times, numbers)
        return self._extreme(node.operator, numbers)

    def _times(self, left: Number, right: Number) -> Number:
        corners = [a * b for a in (left.low, left.high) for b in (right.low, right.high)]
        if max(map(abs, corners)) >= REACH:
            raise Untranslatable
        if left.low == left.high or right.low == right.high:
            constant, other = (left.low, right) if left.low == left.high else (right.low, left)
            return scaled(other, constant)
        result = self._model.new_int_var(min(corners), max(corners), "")
        self._model.add_multiplication_equality(result, [self._variable(left), self._variable(right)])
        return Number(result, min(corners), max(corners))

    def _variable(self, number: Number) -> Term:
        """Return the number as a variable of its own, where sums are not allowed."""
        if isinstance(number.term, cp_model.IntVar | int):
            return number.term
        variable = self._model.new_int_var(number.low, number.high, "")
        self._model.add(variable == number.term)
        return variable

    def _extreme(self, name: str, numbers: list[Number]) -> Number:
        choose: Callable[..., int] = min if name == "min" else max
        low, high = choose(number.low for number in numbers), choose(number.high for number in numbers)
        result = self._model.new_int_var(low, high, "")
        terms = [number.term for number in numbers]
        if name == "min":
            self._model.add_min_equality(result, terms)
        else:
            self._model.add_max_equality(result, terms)
        return Number(result, low, high)

    def _negative(self, node: Negative) -> Number:
        return scaled(self.number(node.operand), -1)

    def _absolute(self, node: Absolute) -> Number:
        inner = self.number(node.operand)
        result = self._model.new_int_var(0, inner.reach, "")
        self._model.add_abs_equality(result, inner.term)
        return Number(result, 0, inner.reach)

    def _choice(self, node: Choice) -> Number:
        condition, yes, no = self.truth(node.condition), self.number(node.yes), self.number(node.no)
        if not condition.is_total:
            raise Untranslatable
        low, high = min(yes.low, no.low), max(yes.high, no.high)
        result = self._model.new_int_var(low, high, "")
        self._model.add(result == yes.term).only_enforce_if(condition.yes)
        self._model.add(result == no.term).only_enforce_if(~condition.yes)
        return Number(result, low, high)

    def _arithmetic(self, node: Arithmetic) -> Number:
        """Quotients and remainders by numbers above zero, as Python rounds them: down."""
        if node.operator not in ("//", "%"):
            raise Untranslatable
        left, right = self.number(node.left), self.number(node.right)
        if right.low <= 0 or left.reach + right.high >= REACH:
            raise Untranslatable
        low, high = min(left.low // right.low, left.low // right.high), max(left.high // right.low, 0)
        quotient = Number(self._model.new_int_var(low, high, ""), low, high)
        rest = self._model.new_int_var(0, right.high - 1, "")
        whole = self._times(quotient, right)
        self._model.add(whole.term + rest == left.term)
        self._model.add(rest <= right.term - 1)
        return quotient if node.operator == "//" else Number(rest, 0, right.high - 1)

    def _tabulated_number(self, node: Expression) -> Number:
        slots = slots_of(node)
        rows = self._combinations(slots)
        values = whole([self._value(node, slots, row) for row in rows])
        result = self._model.new_int_var(min(values), max(values), "")
        table = [[*row, value] for row, value in zip(rows, values, strict=True)]
        self._model.add_allowed_assignments([*(self._codes.codes[slot] for slot in slots), result], table)
        return Number(result, min(values), max(values))

    # --- products beyond the reach of the solver's numbers ---

    def _bounded_product(self, node: Comparison) -> tuple[Term, cp_model.Domain] | None:
        """Multiply only as far as the comparison needs: beyond its limit, one number stands for all that are larger."""
        factors = self._factors(node)
        if factors is None:
            return None
        numbers = [self.number(item) for item in factors]
        limit = int(node.right.value)  # type: ignore[attr-defined]
        most = max(limit, 0) + 1
        if any(number.low < 0 for number in numbers) or most * max(number.high for number in numbers) >= REACH:
            return None
        total = numbers[0]
        for number in numbers[1:]:
            exact = self._times(total, number)
            high = min(exact.high, most)
            result = self._model.new_int_var(0, high, "")
            self._model.add_min_equality(result, [exact.term, most])
            total = Number(result, 0, high)
        return total.term, holding(node.operator, summed([total, Number(-limit, -limit, -limit)]), limit)

    # --- equal values, and tables ---

    def _symbols(self, items: Sequence[Expression], first: Sequence[Scalar] = ()) -> list[Number]:
        """Return numbers that are equal where the values of items are; whole numbers stand for themselves."""
        if all(len(slots_of(item)) <= 1 for item in items):
            values = [self._values_by_code(item, slots_of(item)) for item in items]
            if not first and all(isinstance(value, int) for row in values for value in row):
                return [self.number(item) for item in items]
            number: dict[Scalar, int] = {}
            for value in [*first, *(value for row in values for value in row)]:
                if value != value:  # noqa: PLR0124 - NaN
                    raise Untranslatable
                number.setdefault(value, len(number))
            return [
                self._by_code([number[value] for value in row], slots_of(item))
                for row, item in zip(values, items, strict=True)
            ]
        if first:
            raise Untranslatable
        return [self.number(item) for item in items]

    def _table_rows(self, node: AllowedTuples) -> tuple[list[Term], list[list[int]]]:
        """Return variables and their allowed values: codes of slots, whole numbers where an item reads several."""
        scopes = [slots_of(item) for item in node.items]
        if any(len(scope) != 1 for scope in scopes) or len(set(scopes)) < len(scopes):
            raise Untranslatable
        codes_of: list[dict[Scalar, list[int]]] = []
        for item, scope in zip(node.items, scopes, strict=True):
            codes: dict[Scalar, list[int]] = {}
            for code, value in enumerate(self._values_by_code(item, scope)):
                codes.setdefault(value, []).append(code)
            codes_of.append(codes)
        rows: list[list[int]] = []
        for tuple_ in sorted(node.tuples, key=repr):
            options = [codes.get(value, []) for codes, value in zip(codes_of, tuple_, strict=True)]
            rows += [list(row) for row in product(*options)]
            if len(rows) > _MAX_ROWS:
                raise Untranslatable
        return [self._codes.codes[scope[0]] for scope in scopes], rows

    _NUMBERS: dict[type[Expression], Callable[..., Number]] = {  # noqa: RUF012 - a constant table of methods
        Negative: _negative,
        Absolute: _absolute,
        Choice: _choice,
        Arithmetic: _arithmetic,
    }
