"""Expressions to machines: each node by the smallest construction that is exact for it.

`value` gives the machine of what an expression is worth, `truth` the machine of whether it holds (with a third
value for points where Python would raise). Anything that reads a single variable is evaluated by the plain
evaluator, code by code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np

from hedgerow.arrays import Mask
from hedgerow.diagram.effort import NodeBudgetExceeded
from hedgerow.errors import RuleError
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
    Opaque,
    Rank,
    Scalar,
    Slot,
)
from hedgerow.feasible.automata import motif_automaton, motifs_automaton, run_automaton
from hedgerow.feasible.logic import conjoined, disjoined, either, every, otherwise, python_logic, when_true
from hedgerow.feasible.scan import MAX_SYMBOLS, ThresholdCount, Total, UsedSymbols, accumulate
from hedgerow.feasible.ticks import TickSum, in_ticks
from hedgerow.feasible.valued import (
    Setting,
    Valued,
    combined,
    constant,
    from_dense,
    of_layer,
    relabeled,
    tournament,
)
from hedgerow.feasible.values import (
    FALSE,
    TRUE,
    UNDEFINED,
    UNKNOWN,
    Values,
    arithmetic,
    compare,
    elementwise,
    from_truth,
    is_whole,
    mapped,
    pack,
    truth,
)
from hedgerow.rules.evaluate import evaluate
from hedgerow.rules.resolve import slots_of
from hedgerow.rules.simplify import conditions_of, signed_terms
from hedgerow.wording import approximate

# A function is called once for each combination of its variables.
MAX_TABULATED = 2**20


class Compiler:
    """Compiles resolved expressions for one order of the slots."""

    def __init__(self, domains: Sequence[Sequence[Scalar | None]], layer_of: Sequence[int], setting: Setting) -> None:
        self._domains = domains
        self.layer_of = layer_of
        self._setting = setting
        # Parts that a rule mentions twice are compiled once.
        self._truths: dict[Expression, Valued] = {}
        self._values: dict[Expression, Valued] = {}
        self._last_sequence: tuple[tuple[int, ...], tuple[dict[Scalar, int], list[Valued]] | None] | None = None

    def forget(self) -> None:
        """Let go of the parts of the last rule."""
        self._truths.clear()
        self._values.clear()

    def layers_of(self, node: Expression) -> set[int]:
        """Return the layers that an expression reads."""
        return {self.layer_of[slot] for slot in slots_of(node)}

    # --- whether an expression holds ---

    def verdicts(self, node: Expression, slot: int) -> Mask | None:
        """Return for each code of the one slot that is read whether the expression holds; None where Python raises."""
        truths = np.array([_truth_at(node, {slot: value}) for value in self._domains[slot]])
        return None if (truths == UNKNOWN).any() else np.asarray(truths == TRUE)

    def truth(self, node: Expression) -> Valued:
        """Return the machine of FALSE, TRUE and UNKNOWN."""
        if node not in self._truths:
            self._truths[node] = self._truth(node)
        return self._truths[node]

    def _truth(self, node: Expression) -> Valued:
        if len(slots_of(node)) <= 1:
            valued = self._by_code(node)
            return relabeled(valued.machine, truth(valued.values))
        compiler = self._TRUTHS.get(type(node))
        if compiler is not None:
            return compiler(self, node)
        if isinstance(node, Fold) and node.operator in ("and", "or"):
            return tournament(
                conjoined if node.operator == "and" else disjoined,
                [self.truth(item) for item in node.items],
                self._setting,
            )
        if type(node) not in self._VALUES:
            raise NotImplementedError(f"No machine is known for {type(node).__name__}; one of the tables lacks it.")
        valued = self.value(node)
        return relabeled(valued.machine, truth(valued.values))

    def _not(self, node: Not) -> Valued:
        operand = self.truth(node.operand)
        return relabeled(operand.machine, np.array([TRUE, FALSE, UNKNOWN])[operand.values])

    def _comparison(self, node: Comparison) -> Valued:
        conditions = [self.truth(condition) for condition in conditions_of(node) or ()]
        if any(len(condition.layers) > 1 for condition in conditions):
            # Which of them fail does not matter, and telling their numbers apart would cost states.
            return tournament(every, conditions, self._setting)
        terms = signed_terms(node.left) + signed_terms(node.right, -1)
        if len(terms) > 2:
            summed = self._threshold(node.operator, terms)
            if summed is not None:
                return summed
        ticks = self._clear_ticks(node)
        if ticks is not None:
            return ticks
        if isinstance(node.right, Constant):
            return self._compared_with(node.operator, node.left, node.right)
        left, right = self.value(node.left), self.value(node.right)
        return combined(lambda a, b: compare(node.operator, a, b), left, right, self._setting)

    def _compared_with(self, symbol: str, node: Expression, constant_node: Constant) -> Valued:
        """Compare with a constant: the last operation and the comparison in one go, which saves sorting its values."""
        limit = pack([constant_node.value])

        def finish(values: Values) -> Values:
            return compare(symbol, values, np.repeat(limit, values.size))

        if isinstance(node, LongestRun):
            left = self._longest_run(node, constant_node.value)
        elif isinstance(node, Arithmetic):
            sides = self.value(node.left), self.value(node.right)
            return combined(lambda a, b: finish(arithmetic(node.operator, a, b)), *sides, self._setting)
        elif isinstance(node, Fold) and node.operator == "*":
            return self._product([self.value(item) for item in node.items], finish)
        else:
            left = self.value(node)
        return relabeled(left.machine, finish(left.values))

    def _threshold(self, symbol: str, terms: list[tuple[int, Expression]]) -> Valued | None:
        """Compare a sum of whole numbers with zero, or return None where it is not one."""
        items = [self._weighted(weight, self.value(term)) for weight, term in terms]
        if not all(is_whole(item.values) for item in items) or _reach(items) >= 2**53:
            return None
        if all(len(item.layers) <= 1 for item in items):
            return accumulate(ThresholdCount(symbol), items, self._setting)
        total = self._whole_sum(items)
        return relabeled(total.machine, compare(symbol, total.values, np.zeros_like(total.values)))

    def _clear_ticks(self, node: Comparison) -> Valued | None:
        """Compare in whole ticks where floats cannot differ, or return None."""
        if node.operator in ("==", "!="):
            return None
        is_distance = isinstance(node.left, Absolute) and isinstance(node.right, Constant)
        if not is_distance:
            total = self._tick_sum(signed_terms(node.left) + signed_terms(node.right, -1))
            if total is None or not total.is_clear_of(Fraction(0)):
                return None
            return self._within(total.items, *total.limits(node.operator, Fraction(0)))
        limit = node.right.value  # type: ignore[attr-defined]
        total = self._tick_sum(signed_terms(node.left.operand))  # type: ignore[attr-defined]
        if total is None or node.operator not in ("<", "<=") or not isinstance(limit, int | float):
            return None
        ends = Fraction(-limit), Fraction(limit)
        if not all(total.is_clear_of(end) for end in ends):
            return None
        return self._within(total.items, total.limits(">=", ends[0])[0], total.limits("<=", ends[1])[1])

    def exactly(self, node: Comparison) -> Valued | None:
        """Return the truth of a comparison of sums in exact arithmetic, or None where it is not one of decimals."""
        total = self._tick_sum(signed_terms(node.left) + signed_terms(node.right, -1))
        if total is None:
            return None
        holds = self._within(total.items, *total.limits(node.operator.replace("!", "="), Fraction(0)))
        return holds if node.operator != "!=" else relabeled(holds.machine, np.array([TRUE, FALSE])[holds.values])

    def _tick_sum(self, terms: list[tuple[int, Expression]]) -> TickSum | None:
        """Return a sum over several variables, each term of one, in whole ticks."""
        if any(len(slots_of(term)) > 1 for _, term in terms) or sum(len(slots_of(term)) for _, term in terms) < 2:
            return None
        return in_ticks([(weight, self.value(term)) for weight, term in terms])

    def _within(self, items: list[Valued], low: int | None, high: int | None) -> Valued:
        """Return where a sum of whole numbers lies between two numbers."""
        if low is not None and low == high:
            return accumulate(ThresholdCount("=="), [constant(-low), *items], self._setting)
        sides = [(symbol, end) for symbol, end in ((">=", low), ("<=", high)) if end is not None]
        thresholds = [
            accumulate(ThresholdCount(symbol), [constant(-end), *items], self._setting) for symbol, end in sides
        ]
        return tournament(conjoined, thresholds, self._setting)

    def _weighted(self, weight: int, term: Valued) -> Valued:
        if weight == 1:
            return term
        return relabeled(term.machine, arithmetic("*", term.values, pack([weight] * term.values.size)))

    def _membership(self, node: Membership) -> Valued:
        if not isinstance(node.container, Listing):
            parts = [self.value(node.item), self.value(node.container)]
            return combined(
                lambda a, b: truth(elementwise(lambda x, y: x in y, a, b)), parts[0], parts[1], self._setting
            )
        members = node.container.items
        if all(isinstance(member, Constant) for member in members):
            item = self.value(node.item)
            listed = [evaluate(member, ()) for member in members]
            return relabeled(item.machine, truth(mapped(lambda value: value in listed, item.values)))
        equalities = [self.truth(Comparison("==", node.item, member)) for member in members]
        return tournament(either, equalities, self._setting)

    def _all_different(self, node: AllDifferent) -> Valued:
        items = [self.value(item) for item in node.items]
        symbols = _symbols(items)
        if symbols is None:
            return self._tabulated(node)
        if node.ignore is not None and node.ignore in symbols:
            symbols[node.ignore] = -1
        self._check_permutation_size(items)
        if len(symbols) > MAX_SYMBOLS:
            return self._pairwise_different(node)
        return accumulate(UsedSymbols(), [_as_symbols(item, symbols) for item in items], self._setting)

    def _check_permutation_size(self, items: list[Valued]) -> None:
        """Give up at once where items over the same values must need more sets of used values than allowed."""
        n_values = items[0].values.size
        if all(item.values.size == n_values and (item.values == items[0].values).all() for item in items):
            widest = max(math.comb(n_values, used) * n_values for used in range(min(len(items), n_values)))
            if widest > self._setting.effort.max_layer:
                raise NodeBudgetExceeded(f"All different over {n_values} values needs a layer of {widest:,} edges.")

    def _pairwise_different(self, node: AllDifferent) -> Valued:
        pairs: list[Expression] = []
        for left, right in combinations(node.items, 2):
            different = Comparison("!=", left, right)
            pairs.append(
                different
                if node.ignore is None
                else Fold("or", (different, Comparison("==", left, Constant(node.ignore))))
            )
        return tournament(conjoined, [self.truth(pair) for pair in pairs], self._setting)

    def _table(self, node: AllowedTuples) -> Valued:
        """Follow the rows item by item: a state is the set of rows that still fit, named by the prefix read."""
        items = [self.value(item) for item in node.items]
        if any(UNDEFINED in item.values.tolist() for item in items if item.values.dtype == object):
            return self._tabulated(node)
        # In the order of the layers the states are prefixes of rows, and no more.
        order = sorted(range(len(items)), key=lambda i: items[i].layers[-1] if items[i].layers else -1)
        rows = [tuple(row[i] for i in order) for row in node.tuples]
        state = constant(0)
        prefixes: dict[tuple[Scalar, ...], int] = {(): 0}
        for length, i in enumerate(order, start=1):
            known = {prefix: number for number, prefix in enumerate(sorted({row[:length] for row in rows}, key=repr))}
            state = combined(_prefix_step(prefixes, known), state, items[i], self._setting)
            prefixes = known
        return relabeled(state.machine, np.where(state.values < 0, FALSE, TRUE))

    def _contains(self, node: Contains) -> Valued:
        sequence = self._sequence(node.items)
        if sequence is None:
            return self._tabulated(node)
        symbols, items = sequence
        if len(node.motif) > len(items) or any(element not in symbols for element in node.motif):
            return constant(FALSE)
        automaton = motif_automaton([symbols[element] for element in node.motif], len(symbols))
        return accumulate(automaton, items, self._setting)

    def _sequence(self, items: Sequence[Expression]) -> tuple[dict[Scalar, int], list[Valued]] | None:
        """Return the symbols of a sequence and its items as such; None where some element cannot be evaluated.

        Hundreds of rules forbid motifs in one vector, so the last sequence of plain slots is kept beyond its rule.
        """
        positions = tuple(item.position for item in items if isinstance(item, Slot))
        is_plain = len(positions) == len(items)
        if is_plain and self._last_sequence is not None and self._last_sequence[0] == positions:
            return self._last_sequence[1]
        valued = [self.value(item) for item in items]
        symbols = _symbols(valued)
        sequence = None if symbols is None else (symbols, [_as_symbols(item, symbols) for item in valued])
        if is_plain:
            self._last_sequence = positions, sequence
        return sequence

    def contains_none(self, items: Sequence[Expression], motifs: Sequence[Sequence[Scalar]]) -> Valued | None:
        """Return whether a sequence holds none of several motifs; None where some element cannot be evaluated."""
        sequence = self._sequence(items)
        if sequence is None:
            return None
        symbols, valued = sequence
        possible = [
            [symbols[element] for element in motif]
            for motif in motifs
            if len(motif) <= len(valued) and all(element in symbols for element in motif)
        ]
        if not possible:
            return constant(TRUE)
        automaton = motifs_automaton(possible, len(symbols))
        held = accumulate(automaton, valued, self._setting)
        return relabeled(held.machine, np.where(held.values == TRUE, FALSE, TRUE))

    def _tabulated(self, node: Expression) -> Valued:
        """Evaluate at every combination of the variables that the expression reads."""
        slots = sorted(slots_of(node), key=lambda slot: self.layer_of[slot])
        n_calls = math.prod(len(self._domains[slot]) for slot in slots)
        if n_calls > MAX_TABULATED:
            raise RuleError(
                f"'{node}' is a function of {len(slots)} variables with {approximate(n_calls)} combinations; at most "
                f"{MAX_TABULATED:,} are tabulated. Write it as text or as an expression, which has no such limit, "
                "or split it into functions of fewer variables."
            )
        values: dict[int, Scalar | None] = {}
        results: list[int] = []
        for combination in product(*(self._domains[slot] for slot in slots)):
            values.update(zip(slots, combination, strict=True))
            results.append(_truth_at(node, values))
        layers = tuple(self.layer_of[slot] for slot in slots)
        return from_dense(layers, np.array(results, dtype=np.int64), self._setting.sizes)

    # --- what an expression is worth ---

    def value(self, node: Expression) -> Valued:
        """Return the machine of the value."""
        if node not in self._values:
            self._values[node] = self._value(node)
        return self._values[node]

    def _value(self, node: Expression) -> Valued:
        if len(slots_of(node)) <= 1:
            return self._by_code(node)
        compiler = self._VALUES.get(type(node))
        if compiler is not None:
            return compiler(self, node)
        holds = self.truth(node)
        return relabeled(holds.machine, from_truth(holds.values))

    def _by_code(self, node: Expression) -> Valued:
        """Ask the plain evaluator for each code of the one variable that is read, or once."""
        slots = slots_of(node)
        if not slots:
            return constant(_value_at(node, {}))
        values = pack([_value_at(node, {slots[0]: value}) for value in self._domains[slots[0]]])
        return of_layer(self.layer_of[slots[0]], values)

    def _mapped(self, node: Negative | Absolute | Rank) -> Valued:
        operand = self.value(node.operand)
        if isinstance(node, Rank):
            return relabeled(operand.machine, mapped(node.labels.index, operand.values))
        function: Callable[[Any], Any] = abs if isinstance(node, Absolute) else lambda value: -value
        if operand.values.dtype.kind in "if":
            return relabeled(operand.machine, np.asarray(function(operand.values)))
        return relabeled(operand.machine, mapped(function, operand.values))

    def _arithmetic(self, node: Arithmetic) -> Valued:
        left, right = self.value(node.left), self.value(node.right)
        return combined(lambda a, b: arithmetic(node.operator, a, b), left, right, self._setting)

    def _choice(self, node: Choice) -> Valued:
        condition = self.truth(node.condition)
        # Where the condition holds the choice is made; elsewhere a placeholder waits for the other outcome.
        chosen = combined(when_true, condition, self.value(node.yes), self._setting)
        return combined(otherwise, chosen, self.value(node.no), self._setting)

    def _fold(self, node: Fold) -> Valued:
        if node.operator in ("and", "or"):
            stops_at = node.operator == "or"
            state = self.value(node.items[0])
            for item in node.items[1:]:
                state = combined(lambda a, b: python_logic(a, b, stops_at), state, self.value(item), self._setting)
            return state
        if node.operator == "count":
            items = [self._counted(item) for item in node.items]
        else:
            items = [self.value(item) for item in node.items]
        if node.operator in ("min", "max"):
            return self._extreme(node.operator, items)
        if all(is_whole(item.values) for item in items):
            if node.operator == "*":
                return self._product(items, lambda values: values)
            if _reach(items) < 2**53:
                return self._whole_sum(items)
        symbol = "*" if node.operator == "*" else "+"
        return self._left_to_right(symbol, items)

    def _product(self, items: list[Valued], finish: Callable[[Values], Values]) -> Valued:
        """Multiply, the largest factor last where the order is free, and finish with a function of the product."""
        if all(is_whole(item.values) for item in items):
            items = sorted(items, key=lambda item: item.machine.n_edges)
        first = self._left_to_right("*", items[:-1])
        return combined(lambda a, b: finish(arithmetic("*", a, b)), first, items[-1], self._setting)

    def _left_to_right(self, symbol: str, items: list[Valued]) -> Valued:
        """Fold in Python's order, which matters to floating point."""
        if symbol == "+" and all(item.values.dtype != object for item in items) and _reach(items) < 2**53:
            # Whole numbers this small are exact as floats, so their sums are Python's too.
            floats = [relabeled(item.machine, item.values.astype(np.float64)) for item in items]
            return accumulate(Total(is_commutative=False), floats, self._setting)
        state = items[0]
        for item in items[1:]:
            state = combined(lambda a, b: arithmetic(symbol, a, b), state, item, self._setting)
        return state

    def _whole_sum(self, items: list[Valued]) -> Valued:
        """Add whole numbers: those of one variable in one sweep, then the others."""
        simple = [_as_integers(item) for item in items if len(item.layers) <= 1]
        others = [item for item in items if len(item.layers) > 1]
        if simple:
            others.insert(0, accumulate(Total(is_commutative=True), simple, self._setting))
        return tournament(lambda a, b: arithmetic("+", a, b), others, self._setting)

    def _extreme(self, name: str, items: list[Valued]) -> Valued:
        kinds = {item.values.dtype for item in items}
        if len(kinds) == 1 and np.dtype(object) not in kinds and not any(_has_nan(item.values) for item in items):
            return tournament(np.minimum if name == "min" else np.maximum, items, self._setting)
        choose: Callable[[Any, Any], Any] = min if name == "min" else max
        # Left to right: of equal numbers of different types Python takes the first, and NaN is never smaller.
        state = items[0]
        for item in items[1:]:
            state = combined(lambda a, b: elementwise(choose, a, b), state, item, self._setting)
        return state

    def _counted(self, condition: Expression) -> Valued:
        holds = self.truth(condition)
        values = from_truth(holds.values)
        return relabeled(holds.machine, values.astype(np.int64) if values.dtype == np.bool_ else values)

    def _longest_run(self, node: LongestRun, limit: Scalar | None = None) -> Valued:
        items = [self.value(item) for item in node.items]
        symbols = _symbols(items)
        if symbols is None:
            raise RuleError(f"'{node}' reads an expression that cannot always be evaluated; guard it with a condition.")
        # Beyond the number it is compared with, the exact length makes no difference.
        is_limit = isinstance(limit, int) or (isinstance(limit, float) and math.isfinite(limit))
        cap = max(1, min(len(items), math.floor(limit) + 1)) if is_limit else len(items)  # type: ignore[arg-type]
        counted = [node.value is None or node.value == value for value in symbols]
        self._setting.effort.meter().layer((len(symbols) + 1) * (cap + 1) ** 2, len(symbols))
        automaton = run_automaton(len(symbols), counted, cap)
        return accumulate(automaton, [_as_symbols(item, symbols) for item in items], self._setting)

    _TRUTHS: dict[type[Expression], Callable[..., Valued]] = {  # noqa: RUF012 - a constant table of methods
        Not: _not,
        Comparison: _comparison,
        Membership: _membership,
        AllDifferent: _all_different,
        AllowedTuples: _table,
        Contains: _contains,
        Opaque: _tabulated,
    }
    _VALUES: dict[type[Expression], Callable[..., Valued]] = {  # noqa: RUF012 - a constant table of methods
        Negative: _mapped,
        Absolute: _mapped,
        Rank: _mapped,
        Arithmetic: _arithmetic,
        Choice: _choice,
        Fold: _fold,
        LongestRun: _longest_run,
    }


def _value_at(node: Expression, values: dict[int, Scalar | None]) -> Any:
    try:
        return evaluate(node, values)  # type: ignore[arg-type]
    except ArithmeticError:
        return UNDEFINED


def _truth_at(node: Expression, values: dict[int, Scalar | None]) -> int:
    value = _value_at(node, values)
    return UNKNOWN if value is UNDEFINED else int(bool(value))


def _symbols(items: list[Valued]) -> dict[Scalar, int] | None:
    """Number the values that occur, equal ones alike; None where some cannot be evaluated or equal nothing."""
    symbols: dict[Scalar, int] = {}
    for item in items:
        for value in item.values.tolist():
            if value is UNDEFINED or value != value:  # noqa: PLR0124 - NaN
                return None
            symbols.setdefault(value, len(symbols))
    return symbols


def _has_nan(values: Values) -> bool:
    return values.dtype == np.float64 and bool(np.isnan(values).any())


def _as_symbols(item: Valued, symbols: dict[Scalar, int]) -> Valued:
    return relabeled(item.machine, np.array([symbols[value] for value in item.values.tolist()], dtype=np.int64))


def _as_integers(item: Valued) -> Valued:
    return item if item.values.dtype == np.int64 else relabeled(item.machine, item.values.astype(np.int64))


def _prefix_step(
    known: dict[tuple[Scalar, ...], int], longer: dict[tuple[Scalar, ...], int]
) -> Callable[[Values, Values], Values]:
    prefixes = list(known)

    def step(states: Values, values: Values) -> Values:
        extended = [
            longer.get((*prefixes[state], value), -1) if state >= 0 else -1
            for state, value in zip(states.tolist(), values.tolist(), strict=True)
        ]
        return np.array(extended, dtype=np.int64)

    return step


def _reach(items: list[Valued]) -> int:
    """A bound on the magnitude of any partial sum of the whole numbers among them."""
    return sum(max(abs(int(item.values.max())), abs(int(item.values.min()))) for item in items if is_whole(item.values))
