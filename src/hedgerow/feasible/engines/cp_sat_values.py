"""Slots as terms of CP-SAT, and what the plain evaluator says of expressions, code by code or row by row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from hedgerow.expressions import Expression, Scalar
from hedgerow.feasible.engines.cp_sat_model import CodeModel, Literal, Term
from hedgerow.feasible.engines.cp_sat_terms import Number, Truth, Untranslatable
from hedgerow.rules.evaluate import evaluate

# Combinations of codes of which a table is made.
_MAX_TABLE = 2**12
# Codes of a slot up to which a value is a sum over its codes.
_MAX_SUMMED = 64


class CodeTranslator:
    """A model, and what its slots are worth: the part of a translation that needs no other part."""

    def __init__(self, codes: CodeModel, domains: Sequence[Sequence[Scalar | None]]) -> None:
        self._codes = codes
        self._model = codes.model
        self._domains = domains

    def _keep_in(self, term: Term, domain: cp_model.Domain) -> None:
        if domain.is_empty():
            self._model.add_bool_or([self._codes.false])
        else:
            self._model.add_linear_expression_in_domain(term, domain)

    def _by_code(self, values: Sequence[int], slots: tuple[int, ...]) -> Number:
        """Return a number that depends on one slot, or on none."""
        low, high = min(values), max(values)
        if low == high:
            return Number(low, low, high)
        variable = self._codes.codes[slots[0]]
        step = values[1] - values[0]
        if all(value == values[0] + step * code for code, value in enumerate(values)):
            return Number(variable * step + values[0], low, high)
        if len(values) <= _MAX_SUMMED:
            literals = [self._codes.literal(slots[0], code) for code in range(len(values))]
            return Number(cp_model.LinearExpr.weighted_sum(literals, list(values)), low, high)
        result = self._model.new_int_var_from_domain(cp_model.Domain.from_values(sorted(set(values))), "")
        self._model.add_allowed_assignments([variable, result], [[code, value] for code, value in enumerate(values)])
        return Number(result, low, high)

    # --- literals ---

    def _all(self, literals: Sequence[Literal]) -> Literal:
        true, false = self._codes.true.index, self._codes.false.index
        kept = {literal.index: literal for literal in literals if literal.index != true}
        if false in kept or any(~literal.index in kept for literal in kept.values()):
            return self._codes.false
        if len(kept) <= 1:
            return next(iter(kept.values()), self._codes.true)
        result = self._model.new_bool_var("")
        self._model.add_bool_and(list(kept.values())).only_enforce_if(result)
        self._model.add_bool_or([result, *(~literal for literal in kept.values())])
        return result

    def _any(self, literals: Sequence[Literal]) -> Literal:
        return ~self._all([~literal for literal in literals])

    def _in_domain(self, term: Term, domain: cp_model.Domain) -> Truth:
        if domain.is_empty():
            return Truth(self._codes.false)
        literal = self._model.new_bool_var("")
        self._model.add_linear_expression_in_domain(term, domain).only_enforce_if(literal)
        self._model.add_linear_expression_in_domain(term, domain.complement()).only_enforce_if(~literal)
        return Truth(literal)

    # --- values of the plain evaluator ---

    def _combinations(self, slots: tuple[int, ...]) -> list[tuple[int, ...]]:
        sizes = [len(self._domains[slot]) for slot in slots]
        if math.prod(sizes) > _MAX_TABLE:
            raise Untranslatable
        return list(product(*map(range, sizes)))

    def _truth_by_code(self, node: Expression, slots: tuple[int, ...]) -> Any:
        """Return 1, 0 or -1 (cannot be evaluated) for each code of the one slot that is read."""
        rows = [(code,) for code in range(len(self._domains[slots[0]]))] if slots else [()]
        return np.array([self._verdict(node, slots, row) for row in rows])

    def _verdict(self, node: Expression, slots: tuple[int, ...], row: Sequence[int]) -> int:
        try:
            return int(bool(self._value(node, slots, row)))
        except Untranslatable:
            return -1

    def _values_by_code(self, node: Expression, slots: tuple[int, ...]) -> list[Any]:
        if not slots:
            return [self._value(node, (), ())]
        return [self._value(node, slots, (code,)) for code in range(len(self._domains[slots[0]]))]

    def _value(self, node: Expression, slots: Sequence[int], row: Sequence[int]) -> Any:
        values = {slot: self._domains[slot][code] for slot, code in zip(slots, row, strict=True)}
        try:
            return evaluate(node, values)  # type: ignore[arg-type]
        except ArithmeticError:
            raise Untranslatable from None
