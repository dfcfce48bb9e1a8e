"""The codes of all slots as variables of CP-SAT, and the few kinds of constraint that rules are written in.

OR-Tools is met in the modules named `cp_sat` and nowhere else. A search has one worker, a given seed and a limit on
deterministic time, which counts steps and not seconds: the same question has the same answer on every machine with the
same version.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ortools.sat.python import cp_model

from hedgerow.arrays import Codes, Mask, Whole
from hedgerow.errors import HedgerowError

# A literal or an expression over whole numbers; OR-Tools has no common type for them.
Literal = Any
Term = Any


@dataclass(frozen=True)
class Search:
    """How to look for one row.

    `hint` leads the way where rules allow it; without presolve an answer comes sooner where rules are loose.
    """

    effort: float
    seed: int = 0
    hint: Codes | None = None
    presolve: bool = True


@dataclass(frozen=True)
class Answer:
    """A row, or none; `is_proven` says that there is no row, or none of higher score."""

    row: Codes | None
    is_proven: bool


class CodeModel:
    """A model whose first variables are the codes of the slots."""

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self.model = cp_model.CpModel()
        self.codes: list[Term] = [
            self.model.new_bool_var("") if size == 2 else self.model.new_int_var(0, size - 1, "") for size in sizes
        ]
        self.true: Literal = self.model.new_bool_var("")
        self.model.add_bool_or([self.true])
        self._literals: dict[tuple[int, int], Literal] = {}
        self._members: dict[tuple[int, bytes], Literal] = {}

    def copied(self) -> CodeModel:
        """Return a model that can be added to without changing this one."""
        other = CodeModel.__new__(CodeModel)
        other.sizes, other.codes, other.true = self.sizes, self.codes, self.true
        other.model = self.model.clone()
        other._literals, other._members = dict(self._literals), dict(self._members)
        return other

    @property
    def false(self) -> Literal:
        """The literal that never holds."""
        return ~self.true

    def constant(self, holds: bool) -> Literal:
        """Return the literal that always or never holds."""
        return self.true if holds else self.false

    def literal(self, slot: int, code: int) -> Literal:
        """Return the literal of a slot having a code."""
        if self.sizes[slot] == 1:
            return self.true
        if self.sizes[slot] == 2:
            return self.codes[slot] if code else ~self.codes[slot]
        if (slot, code) not in self._literals:
            literal = self.model.new_bool_var("")
            self.model.add(self.codes[slot] == code).only_enforce_if(literal)
            self.model.add(self.codes[slot] != code).only_enforce_if(~literal)
            self._literals[slot, code] = literal
        return self._literals[slot, code]

    def member(self, slot: int, allowed: Mask) -> Literal:
        """Return the literal of a slot having one of the allowed codes."""
        n_allowed = int(np.count_nonzero(allowed))
        if n_allowed in (0, allowed.size):
            return self.constant(n_allowed > 0)
        if n_allowed == 1:
            return self.literal(slot, int(allowed.argmax()))
        if n_allowed == allowed.size - 1:
            return ~self.literal(slot, int(allowed.argmin()))
        key = slot, allowed.tobytes()
        if key not in self._members:
            inside, outside = _domain(np.flatnonzero(allowed)), _domain(np.flatnonzero(~allowed))
            literal = self.model.new_bool_var("")
            self.model.add_linear_expression_in_domain(self.codes[slot], inside).only_enforce_if(literal)
            self.model.add_linear_expression_in_domain(self.codes[slot], outside).only_enforce_if(~literal)
            self._members[key] = literal
        return self._members[key]

    def allow(self, slot: int, allowed: Mask) -> None:
        """Keep a slot to some of its codes."""
        if not allowed.all():
            codes = np.flatnonzero(allowed)
            if codes.size:
                self.model.add_linear_expression_in_domain(self.codes[slot], _domain(codes))
            else:
                self.model.add_bool_or([self.false])

    def forbid(self, row: Codes) -> None:
        """Exclude one row."""
        self.model.add_bool_or([~self.literal(slot, int(code)) for slot, code in enumerate(row)])

    def change_at_most(self, row: Codes, n_slots: int) -> None:
        """Keep all but so many codes of a row."""
        changed = [1 - self.literal(slot, int(code)) for slot, code in enumerate(row) if self.sizes[slot] > 1]
        self.model.add(cp_model.LinearExpr.sum(changed) <= n_slots)

    def maximize(self, scores: Sequence[Whole]) -> None:
        """Ask for a row of highest sum of scores, one whole number per slot and code."""
        literals: list[Literal] = []
        weights: list[int] = []
        for slot, score in enumerate(scores):
            for code in np.flatnonzero(score):
                literals.append(self.literal(slot, int(code)))
                weights.append(int(score[code]))
        if literals:
            self.model.maximize(cp_model.LinearExpr.weighted_sum(literals, weights))

    def solve(self, search: Search) -> Answer:
        """Look for a row."""
        self.model.clear_hints()  # type: ignore[no-untyped-call]
        if search.hint is not None:
            for variable, code in zip(self.codes, search.hint.tolist(), strict=True):
                self.model.add_hint(variable, code)
        solver = _solver(search)
        status = solver.solve(self.model)
        if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            row = np.array([solver.value(variable) for variable in self.codes], dtype=np.int64)
            return Answer(row, status == cp_model.OPTIMAL)
        if status == cp_model.MODEL_INVALID:
            raise HedgerowError(f"CP-SAT refuses the rules as they were written for it: {self.model.validate()}")
        return Answer(None, status == cp_model.INFEASIBLE)

    def contradicting(self, assumptions: Sequence[Literal], search: Search) -> list[int] | None:
        """Return which of the literals cannot hold together, not always the fewest; None where that is not settled."""
        self.model.add_assumptions(list(assumptions))
        solver = _solver(search)
        if solver.solve(self.model) != cp_model.INFEASIBLE:
            return None
        core = set(solver.sufficient_assumptions_for_infeasibility())
        return [place for place, literal in enumerate(assumptions) if literal.index in core]


def _solver(search: Search) -> cp_model.CpSolver:
    solver = cp_model.CpSolver()
    settings = solver.parameters
    settings.num_workers = 1
    settings.random_seed = search.seed
    settings.max_deterministic_time = search.effort
    settings.log_search_progress = False
    settings.catch_sigint_signal = False
    if not search.presolve:
        settings.cp_model_presolve = False
        settings.cp_model_probing_level = 0
        settings.symmetry_level = 0
        settings.linearization_level = 0
        # The hint decides where nothing else does, so that another hint leads to another row.
        settings.hint_conflict_limit = 100_000
    return solver


def _domain(codes: Whole) -> cp_model.Domain:
    return cp_model.Domain.from_values([int(code) for code in codes])
