"""From bound rules to one diagram: order the variables, compile every conjunct, intersect what fits the budget.

A conjunct that cannot be compiled within the budget, or whose intersection with the others cannot, stays outside as
a *residual* part: it is enforced by every query, only not by the shape of the diagram.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.diagram.combine import conjunction
from hedgerow.diagram.effort import Effort, NodeBudgetExceeded
from hedgerow.diagram.machine import Diagram, everything, extend
from hedgerow.errors import RuleError
from hedgerow.expressions import Expression
from hedgerow.feasible.machines import Compiler
from hedgerow.feasible.ordering import choose_order, profile
from hedgerow.feasible.valued import Setting, Valued, to_diagram
from hedgerow.feasible.values import UNKNOWN
from hedgerow.rules.rule import BoundRule
from hedgerow.rules.simplify import conjuncts
from hedgerow.space.space import Space


@dataclass(frozen=True)
class Part:
    """One conjunct of a rule, with its own diagram where that fits the budget."""

    rule: int
    expression: Expression
    diagram: Diagram | None
    can_fail_to_evaluate: bool = False


@dataclass(frozen=True)
class Compiled:
    """The diagram of everything that could be intersected, and the parts that could not.

    Level k of the diagram reads slot `order[k]`; `level_of` is the inverse.
    """

    order: tuple[int, ...]
    level_of: tuple[int, ...]
    sizes: tuple[int, ...]
    parts: tuple[Part, ...]
    diagram: Diagram
    residual: tuple[int, ...]

    @property
    def residual_parts(self) -> tuple[Part, ...]:
        """The parts outside the diagram."""
        return tuple(self.parts[i] for i in self.residual)


def compile_rules(
    space: Space,
    rules: Sequence[BoundRule],
    node_budget: int | None = None,
    order: Sequence[int] | None = None,
) -> Compiled:
    """Compile the rules over the space; `order` overrides the choice of variable order."""
    domains = [slot.variable.values for slot in space.slots]
    pieces = [(index, piece) for index, rule in enumerate(rules) for piece in conjuncts(rule.expression)]
    if order is None:
        order = choose_order(space.sizes, [profile(piece, domains) for _, piece in pieces])
    level_of = [0] * len(order)
    for level, slot in enumerate(order):
        level_of[slot] = level
    sizes = tuple(space.sizes[slot] for slot in order)
    effort = Effort.for_nodes(node_budget, sizes)
    compiler = Compiler(domains, level_of, Setting(sizes, effort))
    parts = tuple(_compile_part(compiler, index, piece, rules[index].name) for index, piece in pieces)
    joined, outside = conjoin([part.diagram for part in parts], effort)
    return Compiled(tuple(order), tuple(level_of), sizes, parts, extend(joined, sizes), outside)


def _compile_part(compiler: Compiler, index: int, piece: Expression, name: str) -> Part:
    try:
        holds = compiler.truth(piece)
    except NodeBudgetExceeded:
        return Part(index, piece, None)
    except RuleError as error:
        raise RuleError(f"Rule '{name}': {error}") from error.__cause__
    return Part(index, piece, to_diagram(holds), _has_unknown(holds))


def _has_unknown(holds: Valued) -> bool:
    return bool((holds.values == UNKNOWN).any())


def conjoin(diagrams: Sequence[Diagram | None], effort: Effort) -> tuple[Diagram, tuple[int, ...]]:
    """Intersect all diagrams, small and overlapping ones first; return the indices of those that would not fit.

    Merging like with like keeps the intermediate results near the size of the final one.
    """
    outside = [index for index, diagram in enumerate(diagrams) if diagram is None]
    pool = [_Group(diagram, (index,)) for index, diagram in enumerate(diagrams) if diagram is not None]
    while len(pool) > 1:
        smallest = min(range(len(pool)), key=lambda i: pool[i].diagram.n_edges)
        group = pool.pop(smallest)
        merged = None
        for candidate in _partners(group, pool)[:3]:
            try:
                merged = conjunction(group.diagram, pool[candidate].diagram, effort)
            except NodeBudgetExceeded:
                continue
            pool[candidate] = _Group(merged, group.members + pool[candidate].members)
            break
        if merged is None:
            outside.extend(group.members)
        elif merged.is_empty:
            return merged, tuple(sorted(outside))
    return (pool[0].diagram if pool else everything()), tuple(sorted(outside))


@dataclass(frozen=True)
class _Group:
    diagram: Diagram
    members: tuple[int, ...]

    @property
    def first(self) -> int:
        return self.diagram.levels[0] if self.diagram.levels else 0

    @property
    def last(self) -> int:
        return self.diagram.levels[-1] if self.diagram.levels else 0


def _partners(group: _Group, pool: list[_Group]) -> list[int]:
    """Order the others by how much their span of levels overlaps with the group's, then by size."""
    firsts = np.array([other.first for other in pool])
    lasts = np.array([other.last for other in pool])
    overlap = np.minimum(lasts, group.last) - np.maximum(firsts, group.first) + 1
    union = np.maximum(lasts, group.last) - np.minimum(firsts, group.first) + 1
    sizes = np.array([other.diagram.n_edges for other in pool])
    return [int(i) for i in np.lexsort((sizes, -overlap / union))]
