"""What a d-DNNF holds of rules that are Boolean for the most part.

Rules with small diagrams are written as clauses and compiled; those about sums join the circuit that comes out. What
neither can be done with is left for others: rules that share no variable with the rest get an engine of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from hedgerow.expressions import Scalar
from hedgerow.feasible.compile import Pieces
from hedgerow.feasible.engines import clause_compiler
from hedgerow.feasible.engines.additive import SumRule, sum_rule
from hedgerow.feasible.engines.circuit import Circuit
from hedgerow.feasible.engines.circuit_set import CircuitSet
from hedgerow.feasible.engines.circuit_sums import MAX_STATES, SumsExceeded, with_sums
from hedgerow.feasible.engines.clause_compiler import NotCompiled
from hedgerow.feasible.engines.cnf import Cnf, encode_rules, is_narrow, is_small
from hedgerow.feasible.engines.solved import RuleSet

# Of so many rules at most one may be left over.
_MOST_OF = 4


@dataclass(frozen=True, eq=False)
class CircuitAndRest:
    """The circuit of some parts, and the places of the others."""

    codes: CircuitSet
    left: tuple[int, ...]


class Structured:
    """The parts of rules by what can be done with them."""

    def __init__(self, pieces: Pieces, domains: Sequence[Sequence[Scalar | None]], node_budget: int | None) -> None:
        self._pieces, self._domains = pieces, domains
        self._node_budget = node_budget
        self._is_small = [is_small(part.diagram) for part in pieces.parts]

    @cached_property
    def _sums(self) -> dict[int, SumRule]:
        """The parts that are no clauses but conditions on sums."""
        found: dict[int, SumRule] = {}
        for place, (part, is_clause) in enumerate(zip(self._pieces.parts, self._is_small, strict=True)):
            rule = None if is_clause else sum_rule(part.expression, self._domains, MAX_STATES)
            if rule is not None:
                found[place] = rule
        return found

    @cached_property
    def left(self) -> tuple[int, ...]:
        """The parts that are neither clauses nor conditions on sums."""
        return tuple(place for place, own in enumerate(self._is_small) if not own and place not in self._sums)

    @property
    def no_clauses(self) -> tuple[int, ...]:
        """The parts that are no clauses."""
        return tuple(place for place, own in enumerate(self._is_small) if not own)

    @property
    def is_boolean(self) -> bool:
        """Whether clauses and sums say most of it, so that a d-DNNF is worth its while."""
        n_parts = len(self._pieces.parts)
        n_narrow = sum(is_narrow(part.diagram) for part in self._pieces.parts)
        return 2 * n_narrow >= n_parts > 0 and _MOST_OF * len(self.left) <= n_parts and self._encoded is not None

    @cached_property
    def _encoded(self) -> Cnf | None:
        parts = [part for part, own in zip(self._pieces.parts, self._is_small, strict=True) if own]
        return encode_rules(parts, self._pieces.order, [len(domain) for domain in self._domains])

    def compiled(self) -> CircuitAndRest:
        """Return the circuit, or raise `NotCompiled`."""
        cnf = self._encoded
        if not self.is_boolean or cnf is None:
            raise NotCompiled("some rules are too large to be written as clauses")
        circuit = clause_compiler.compiled_clauses(cnf, self._node_budget)
        circuit, beyond = self._with_sums(circuit, cnf)
        left = tuple(sorted((*self.left, *beyond)))
        held = [part for place, part in enumerate(self._pieces.parts) if place not in left]
        rules = RuleSet(held, self._pieces.order, self._domains)
        n_sums = len(self._sums) - len(beyond)
        return CircuitAndRest(CircuitSet(circuit, cnf.variables, rules, n_sums=n_sums), left)

    def _with_sums(self, circuit: Circuit, cnf: Cnf) -> tuple[Circuit, list[int]]:
        """Return the circuit with as many of the sums as it takes, and the places of the others."""
        if not self._sums:
            return circuit, []
        try:
            return with_sums(circuit, cnf.variables, list(self._sums.values())), []
        except SumsExceeded:
            pass
        beyond: list[int] = []
        easy_first = sorted(self._sums, key=lambda place: _n_states(self._sums[place]))
        for place in easy_first if len(self._sums) > 1 else ():
            try:
                circuit = with_sums(circuit, cnf.variables, [self._sums[place]])
            except SumsExceeded:
                beyond.append(place)
        return circuit, beyond if len(self._sums) > 1 else easy_first


def _n_states(rule: SumRule) -> int:
    return sum(condition.cap for condition in rule.conditions)
