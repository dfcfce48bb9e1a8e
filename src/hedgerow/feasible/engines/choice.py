"""Which engine holds a set of rules: one diagram where it holds them all, a d-DNNF where most rules are Boolean and its
compiler is installed (with sums joined to it, and a diagram or a solver for what shares no variable or does not fit),
else a solver beside a diagram of some rules.

The choice depends on the rules and on what is installed, and, where the compiler's bounds are near, on the machine; so
whoever must ask the same again keeps the name of the engine and asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from hedgerow.checks import Engine
from hedgerow.diagram.machine import everything, extend
from hedgerow.expressions import Scalar
from hedgerow.feasible.code_set import CodeSet
from hedgerow.feasible.compile import Compiled, Pieces, compile_pieces
from hedgerow.feasible.engines import clause_compiler
from hedgerow.feasible.engines.apart import Share, share_of, tied_slots
from hedgerow.feasible.engines.clause_compiler import NOT_INSTALLED, NotCompiled
from hedgerow.feasible.engines.diagram import DiagramSet
from hedgerow.feasible.engines.hung import hung_together
from hedgerow.feasible.engines.order_choice import Rest, hold_orders
from hedgerow.feasible.engines.product import Factor, ProductSet
from hedgerow.feasible.engines.relaxed import RelaxedSet
from hedgerow.feasible.engines.solved import RuleSet, SolvedSet
from hedgerow.feasible.engines.structured import Structured
from hedgerow.rules.resolve import slots_of
from hedgerow.rules.rule import BoundRule
from hedgerow.space.space import Space

# Work, in edges, that a diagram may cost where a d-DNNF could be had instead.
_QUICK_WORK = 2**20
# The same where more than clauses over switches takes part, of which diagrams hold far more: about a second.
_MORE_WORK = 2**24
# Items whose orders a diagram holds: it has a node for each set of them.
_FEW_ITEMS = 9
# A small part of a diagram, for the solver when it is asked for.
_LEAST_WORK = 2**14


@dataclass(frozen=True, eq=False)
class Held:
    """Compiled rules and what holds them.

    `engine` is what to ask for to get the same again: "diagram" also where a solver had to take over from it. `note`
    says why it is not the engine that was asked for, or what would make it exact.
    """

    compiled: Compiled
    codes: CodeSet
    engine: Engine
    note: str = ""
    # The rules that are checked beside the set, where parts without a diagram are not always that.
    outside: frozenset[int] | None = None


def hold_rules(
    space: Space,
    rules: Sequence[BoundRule],
    node_budget: int | None = None,
    order: Sequence[int] | None = None,
    engine: Engine = "auto",
) -> Held:
    """Compile the rules and return the engine that holds them; the one asked for where that is possible."""
    if space.permutations:
        return _with_orders(space, rules, node_budget, order, engine)
    pieces = compile_pieces(space, rules, node_budget, order)
    return _Choice([slot.levels for slot in space.slots], pieces, node_budget).made(engine)


def _with_orders(
    space: Space, rules: Sequence[BoundRule], node_budget: int | None, order: Sequence[int] | None, engine: Engine
) -> Held:
    """Return what holds orders of items; where a rule would be beside it and items are few, one diagram of all."""
    held = hold_orders(space, rules, lambda part, own: _rest(part, own, node_budget, engine))
    if held.outside and all(kind.length <= _FEW_ITEMS for kind in space.permutations.values()):
        pieces = compile_pieces(space, rules, node_budget, order)
        whole = _Choice([slot.levels for slot in space.slots], pieces, node_budget).made(engine)
        if whole.codes.is_exact:
            return whole
    return Held(held.compiled, held.codes, held.engine, held.note, held.outside)


def _rest(space: Space, rules: Sequence[BoundRule], node_budget: int | None, engine: Engine) -> Rest:
    held = hold_rules(space, rules, node_budget, engine=engine)
    return Rest(held.compiled, held.codes, held.engine, held.note)


class _Choice:
    def __init__(self, domains: Sequence[Sequence[Scalar | None]], pieces: Pieces, node_budget: int | None) -> None:
        self._domains = domains
        self._pieces = pieces
        self._node_budget = node_budget

    def made(self, engine: Engine) -> Held:
        if engine == "diagram":
            return self._diagram_or_solver()
        if engine == "solver":
            return self._solved(self._pieces.intersected(_LEAST_WORK), "solver")
        if engine == "d-DNNF":
            try:
                return self._circuit()
            except NotCompiled as error:
                return self._diagram_or_solver(str(error))
        return self._best()

    def _best(self) -> Held:
        """Return a diagram where that costs little, else a d-DNNF, else what a diagram with all its budget gives.

        What is not held exactly by the one may be by the other, so a d-DNNF that leaves rules over comes last.
        """
        if not clause_compiler.is_installed():
            held = self._diagram_or_solver()
            is_lacking = not held.codes.is_exact and self._node_budget is None and self._structured.is_boolean
            return replace(held, note=NOT_INSTALLED) if is_lacking else held
        are_switches = all(len(domain) <= 2 for domain in self._domains)
        is_clauses = are_switches and not self._structured.no_clauses
        quick = self._pieces.intersected(_QUICK_WORK if is_clauses else _MORE_WORK)
        if quick.is_exact or quick.diagram.is_empty:
            return self._diagram(quick)
        try:
            held = self._circuit()
        except NotCompiled as error:
            return self._diagram_or_solver(str(error))
        if held.codes.is_exact:
            return held
        whole = self._pieces.intersected()
        return self._diagram(whole) if whole.is_exact else held

    def _diagram_or_solver(self, note: str = "") -> Held:
        compiled = self._pieces.intersected()
        if compiled.is_exact or compiled.diagram.is_empty:
            return self._diagram(compiled, note)
        return self._solved(compiled, "diagram", note)

    def _diagram(self, compiled: Compiled, note: str = "") -> Held:
        return Held(compiled, DiagramSet(compiled.diagram, compiled.order), "diagram", note)

    def _solved(self, compiled: Compiled, engine: Engine, note: str = "") -> Held:
        relaxation = DiagramSet(compiled.diagram, compiled.order)
        return Held(compiled, SolvedSet(relaxation, self._rules), engine, note)

    def _circuit(self) -> Held:
        """Return a d-DNNF, or what one is part of."""
        if not clause_compiler.is_installed():
            raise NotCompiled(NOT_INSTALLED)
        shares = self._shares()
        if shares:
            return self._product(shares)
        if self._structured.left:
            hung = hung_together(
                self._pieces, self._domains, self._structured.left, self._rules, self._held_exactly_by_circuit
            )
            if hung is not None:
                return Held(self._unheld, hung, "d-DNNF", outside=frozenset())
        found = self._structured.compiled()
        codes: CodeSet = RelaxedSet(found.codes, self._rules) if found.left else found.codes
        outside = frozenset(self._pieces.parts[place].rule for place in found.left)
        return Held(self._unheld, codes, "d-DNNF", outside=outside)

    def _held_exactly_by_circuit(self, pieces: Pieces, domains: Sequence[Sequence[Scalar | None]]) -> CodeSet | None:
        found = Structured(pieces, domains, self._node_budget)
        if found.left:
            return None
        compiled = found.compiled()
        return None if compiled.left else compiled.codes

    def _shares(self) -> list[Share]:
        """Return the slots of rules that are no clauses, each with all that is tied to them, and then those of others.

        Slots that no rule reads go along with any. Where all rules are clauses, the compiler itself takes them apart.
        """
        if not self._structured.no_clauses:
            return []
        parts = self._pieces.parts
        group = tied_slots(parts, len(self._domains))
        read = [slots_of(parts[place].expression) for place in self._structured.no_clauses]
        groups = list(dict.fromkeys(group[slots[0]] for slots in read if slots))
        members = [[slot for slot, own in enumerate(group) if own == one] for one in groups]
        others = [slot for slot, own in enumerate(group) if own not in groups]
        are_read = {slot for part in parts for slot in slots_of(part.expression)}
        if members and not are_read & set(others):
            members[-1] += others
            others = []
        chosen = [own for own in (*members, others) if own]
        return [share_of(self._pieces, self._domains, own) for own in chosen] if len(chosen) > 1 else []

    def _product(self, shares: Sequence[Share]) -> Held:
        """Return each share held by an engine of its own; where none of them is a d-DNNF, there is none."""
        held = [_Choice(share.domains, share.pieces, self._node_budget).made("auto") for share in shares]
        if not any(one.engine == "d-DNNF" for one in held):
            raise NotCompiled(next((one.note for one in held if one.note), "no rules are Boolean"))
        codes = ProductSet([Factor(share.slots, one.codes) for share, one in zip(shares, held, strict=True)])
        outside: set[int] = set()
        for one in held:
            outside |= one.compiled.residual_rules if one.outside is None else one.outside
        return Held(self._unheld, codes, "d-DNNF", outside=frozenset(outside))

    @property
    def _unheld(self) -> Compiled:
        return self._pieces.held_by(extend(everything(), self._pieces.sizes))

    @cached_property
    def _structured(self) -> Structured:
        return Structured(self._pieces, self._domains, self._node_budget)

    @property
    def _rules(self) -> RuleSet:
        return RuleSet(self._pieces.parts, self._pieces.order, self._domains)
