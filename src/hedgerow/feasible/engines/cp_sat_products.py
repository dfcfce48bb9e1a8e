"""Products that must equal a number beyond the reach of the solver's own: their divisors, followed factor by factor."""

from __future__ import annotations

from collections.abc import Sequence

from ortools.sat.python import cp_model

from hedgerow.expressions import Comparison, Constant, Expression, Fold
from hedgerow.feasible.engines.cp_sat_model import Term
from hedgerow.feasible.engines.cp_sat_terms import whole
from hedgerow.feasible.engines.cp_sat_values import CodeTranslator
from hedgerow.rules.resolve import slots_of

# Different partial products of an equation, and steps between them.
_MAX_STATES = 5_000
_MAX_STEPS = 200_000


class ProductTranslator(CodeTranslator):
    """Adds equations of products of single slots."""

    def _product_equation(self, node: Comparison) -> tuple[Term, cp_model.Domain] | None:
        """Follow the partial products that divide what the product must be equal to."""
        factors = self._factors(node)
        if factors is None or node.operator not in ("==", "!=") or node.right.value == 0:  # type: ignore[attr-defined]
            return None
        wanted = int(node.right.value)  # type: ignore[attr-defined]
        states: dict[int, int] = {1: 1}
        variable: Term = None
        n_steps = 0
        for item in factors:
            slots = slots_of(item)
            values = whole(self._values_by_code(item, slots))
            steps, states = _dividing(states, values, wanted)
            n_steps += len(steps)
            if len(states) > _MAX_STATES or n_steps > _MAX_STEPS:
                return None
            after = self._model.new_int_var(0, len(states), "")
            columns: dict[int, Term] = {1: self._codes.codes[slots[0]] if slots else None, 2: after}
            if variable is not None:
                columns[0] = variable
            # Before the first factor the product is 1, whose number is 1; a constant has one code.
            kept = [step for step in steps if variable is not None or step[0] == 1]
            places = [place for place in sorted(columns) if columns[place] is not None]
            self._model.add_allowed_assignments(
                [columns[place] for place in places], [[step[place] for place in places] for step in kept]
            )
            variable = after
        goal = states.get(wanted)
        reached = cp_model.Domain(goal, goal) if goal is not None else cp_model.Domain.from_intervals([])
        if node.operator == "==":
            return variable, reached
        return variable, reached.complement().intersection_with(cp_model.Domain(0, len(states)))

    def _factors(self, node: Comparison) -> list[Expression] | None:
        """Return the factors of a product of single slots that is compared with a whole number."""
        is_product = isinstance(node.left, Fold) and node.left.operator == "*" and len(node.left.items) > 2
        if not is_product or not isinstance(node.right, Constant) or not isinstance(node.right.value, int):
            return None
        factors = sorted(node.left.children, key=lambda item: len(slots_of(item)), reverse=True)
        if any(len(slots_of(item)) > 1 for item in factors):
            return None
        values = [self._values_by_code(item, slots_of(item)) for item in factors]
        is_whole = all(isinstance(value, int) for row in values for value in row)
        return factors if is_whole else None


def _dividing(
    states: dict[int, int], values: Sequence[int], wanted: int
) -> tuple[list[tuple[int, int, int]], dict[int, int]]:
    """Return steps (state, code, next state) and the next states; state 0 stands for what divides no more."""
    after: dict[int, int] = {}
    steps = [(0, code, 0) for code in range(len(values))]
    for partial, state in states.items():
        for code, value in enumerate(values):
            result = partial * value
            if result == 0 or wanted % result:
                steps.append((state, code, 0))
            else:
                steps.append((state, code, after.setdefault(result, len(after) + 1)))
    return steps, after
