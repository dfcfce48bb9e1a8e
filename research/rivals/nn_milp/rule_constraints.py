"""The rules of a problem as rows of a linear program, every conjunct in the first form that fits.

1. Linear and logical conjuncts over whole numbers, exactly (`translate`).
2. Conjuncts of two slots by their table: a level needs one of the other slot's levels that go with it.
3. Anything else by its own diagram: one unit flows through the layers, and the codes it passes are the levels.
4. Sums of other numbers whose diagram would be too large, loosened by more than their rounding.

What is left over after that, and what was loosened, is for the caller to check in solutions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hedgerow.diagram.machine import Diagram
from hedgerow.expressions import Expression, Scalar
from hedgerow.feasible.compile import compile_rules
from hedgerow.rules import BoundRule
from hedgerow.rules.evaluate import holds
from hedgerow.rules.resolve import slots_of
from hedgerow.rules.simplify import conjuncts
from hedgerow.space import Space
from research.rivals.nn_milp.affine import UntranslatableError
from research.rivals.nn_milp.network import first_columns
from research.rivals.nn_milp.program import Indices, Program
from research.rivals.nn_milp.translate import Translator, ValuesAt

# More pairs than this are not tried one by one, and more edges would slow every solution down.
_MAX_PAIRS = 10_000
_MAX_EDGES = 10_000
# A diagram that outgrows this has too many edges anyhow.
_NODE_BUDGET = 20_000


@dataclass(frozen=True)
class RuleRows:
    """A program that holds the one-hot rows and the rules, and the conjuncts that it holds loosely or not at all."""

    program: Program
    columns: tuple[Indices, ...]
    unsure: tuple[Expression, ...]


def rule_rows(space: Space, rules: Sequence[BoundRule]) -> RuleRows:
    """Return the program of all points that keep the rules."""
    program = Program()
    sizes = space.sizes
    firsts = first_columns(sizes)
    program.variables(sum(sizes), 0.0, 1.0, is_whole=True)
    columns = tuple(np.arange(first, first + size) for first, size in zip(firsts, sizes, strict=True))
    for own in columns:
        program.rows(own[None, :], 1.0, lower=1.0, upper=1.0)
    writer = _Writer(space, columns)
    unsure: list[Expression] = []
    for rule in rules:
        for piece in conjuncts(rule.expression):
            exact = writer.exact(program, rule, piece)
            if exact is None:
                unsure.append(piece)
            program = exact or writer.translated(program, piece, exactly=False) or program
    return RuleRows(program, columns, tuple(unsure))


class _Writer:
    """Adds conjuncts to programs; None stands for what cannot be added in a given way."""

    def __init__(self, space: Space, columns: Sequence[Indices]) -> None:
        self._space = space
        self._columns = columns
        self._domains: list[Sequence[Scalar]] = [slot.variable.values for slot in space.slots]

    def exact(self, program: Program, rule: BoundRule, piece: Expression) -> Program | None:
        """Return the program with a conjunct of the rule, in the first exact form that fits."""
        return (
            self.translated(program, piece, exactly=True)
            or self.by_table(program, piece)
            or self.by_diagram(program, rule, piece)
        )

    def translated(self, program: Program, piece: Expression, *, exactly: bool) -> Program | None:
        """Return the program with linear rows for the conjunct."""
        grown = program.copy()
        try:
            Translator(grown, self._columns, self._domains, exactly=exactly).require(piece)
        except (UntranslatableError, ArithmeticError):
            return None
        return grown

    def by_table(self, program: Program, piece: Expression) -> Program | None:
        """Return the program with the table of a conjunct of one or two slots."""
        slots = slots_of(piece)
        if not 1 <= len(slots) <= 2 or math.prod(len(self._domains[slot]) for slot in slots) > _MAX_PAIRS:
            return None
        first, second = slots[0], slots[-1]
        table = np.array(
            [
                [holds(piece, ValuesAt({first: a, second: b})) for b in self._domains[second]]
                for a in self._domains[first]
            ]
        )
        grown = program.copy()
        if first == second:
            _need(grown, None, self._columns[first][np.diag(table)])
            return grown
        for level, partners in enumerate(table):
            _need(grown, int(self._columns[first][level]), self._columns[second][partners])
        for level, partners in enumerate(table.T):
            _need(grown, int(self._columns[second][level]), self._columns[first][partners])
        return grown

    def by_diagram(self, program: Program, rule: BoundRule, piece: Expression) -> Program | None:
        """Return the program with a flow through the conjunct's diagram."""
        compiled = compile_rules(self._space, [replace(rule, expression=piece)], _NODE_BUDGET)
        grown = program.copy()
        for part in compiled.parts:
            if part.diagram is None or part.diagram.n_edges > _MAX_EDGES:
                return None
            _add_flow(grown, part.diagram, [self._columns[compiled.order[layer]] for layer in part.diagram.layers])
        return grown


def _need(program: Program, level: int | None, partners: Indices) -> None:
    """Where the level is taken (None: always), one of its partners is."""
    terms = {int(partner): 1.0 for partner in partners}
    if level is not None:
        terms[level] = -1.0
    # A row without variables would be no row: the first variable, weighted by 0, stands for none.
    program.row(terms or {0: 0.0}, lower=0.0 if level is not None else 1.0)


def _add_flow(program: Program, diagram: Diagram, columns: Sequence[Indices]) -> None:
    """One unit flows from the root to truth; what passes over a code's edges is that code's variable."""
    arriving: dict[int, dict[int, float]] = {diagram.root: {}}
    source = diagram.root
    for depth, (table, own) in enumerate(zip(diagram.tables, columns, strict=True)):
        nodes, codes = np.nonzero(table)
        edges = program.variables(nodes.size, 0.0, 1.0, is_whole=False)
        following: dict[int, dict[int, float]] = {}
        leaving = {int(node): dict.fromkeys(map(int, edges[nodes == node]), 1.0) for node in np.unique(nodes)}
        for node in leaving.keys() | arriving.keys():
            supply = 1.0 if depth == 0 and node == source else 0.0
            balance = {**leaving.get(node, {}), **dict.fromkeys(arriving.get(node, {}), -1.0)}
            program.row(balance or {0: 0.0}, lower=supply, upper=supply)
        for edge, target in zip(edges, table[nodes, codes], strict=True):
            following.setdefault(int(target), {})[int(edge)] = 1.0
        for code, column in enumerate(own):
            used = dict.fromkeys(map(int, edges[codes == code]), 1.0)
            program.row({**used, int(column): -1.0}, lower=0.0, upper=0.0)
        arriving = following
