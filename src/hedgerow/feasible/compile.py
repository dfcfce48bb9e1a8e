"""From bound rules to one diagram: order the variables, compile every conjunct, intersect what fits the budget.

A conjunct that cannot be compiled within the budget is tried again without the codes that rules about single variables
exclude: of 1,024 tile sizes eleven divide 1,024, and products of these are few. One that still does not fit, or whose
intersection with the others does not, stays outside as a *residual* part: it is enforced by every query, only not by
the shape of the diagram.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hedgerow.arrays import Mask
from hedgerow.diagram.combine import conjunction
from hedgerow.diagram.effort import Effort, NodeBudgetExceeded
from hedgerow.diagram.machine import Diagram, box, everything, extend
from hedgerow.errors import RuleError
from hedgerow.expressions import Contains, Expression, Not, Scalar, Slot
from hedgerow.feasible.clauses import clause_diagram
from hedgerow.feasible.machines import Compiler
from hedgerow.feasible.ordering import choose_order, profile
from hedgerow.feasible.valued import Setting, Valued, to_diagram
from hedgerow.feasible.values import UNKNOWN
from hedgerow.rules.resolve import slots_of
from hedgerow.rules.rule import BoundRule
from hedgerow.rules.simplify import conjuncts
from hedgerow.space.space import Space

# From so many motifs that one sequence may not hold, one automaton reads all of them.
_MANY_MOTIFS = 4
# How many partners a diagram is tried with before it stays outside.
_PARTNERS_TRIED = 2
# Whether there is hope is looked at each time so much more work has been done, and what counts as none.
_FIRST_LOOK = 2**20
_FEW = 12
_LARGE = 2**18
_VERY_LARGE = 2**20
_HOPELESS_BITS = 40
# Once a part stays outside, the diagram is a relaxation, and no more work than this makes it a better one.
_RELAXED_WORK = 2**21


@dataclass(frozen=True)
class Part:
    """One conjunct of a rule, with its own diagram where that fits the budget.

    A narrowed diagram is that of the conjunct and of the parts that read one of its variables alone.
    """

    rule: int
    expression: Expression
    diagram: Diagram | None
    can_fail_to_evaluate: bool = False
    is_narrowed: bool = False


@dataclass(frozen=True)
class DiagramGroup:
    """The intersection of some diagrams, known by their indices."""

    diagram: Diagram
    members: tuple[int, ...]

    @cached_property
    def n_edges(self) -> int:
        """The size of the diagram."""
        return self.diagram.n_edges

    @property
    def span(self) -> tuple[int, int]:
        """The first and the last layer that it reads."""
        layers = self.diagram.layers
        return (layers[0], layers[-1]) if layers else (0, 0)


@dataclass(frozen=True)
class Compiled:
    """The diagram of everything that could be intersected, and what could not.

    Layer k of the diagram reads slot `order[k]`; `layer_of` is the inverse. Parts outside are either in one of the
    `outside` groups, which have diagrams of their own, or have no diagram at all.
    """

    order: tuple[int, ...]
    layer_of: tuple[int, ...]
    sizes: tuple[int, ...]
    parts: tuple[Part, ...]
    diagram: Diagram
    outside: tuple[DiagramGroup, ...]

    @cached_property
    def parts_of(self) -> dict[int, list[Part]]:
        """The parts of each rule."""
        parts: dict[int, list[Part]] = {}
        for part in self.parts:
            parts.setdefault(part.rule, []).append(part)
        return parts

    @property
    def uncompiled(self) -> tuple[Part, ...]:
        """The parts without a diagram."""
        return tuple(part for part in self.parts if part.diagram is None)

    @property
    def is_exact(self) -> bool:
        """Whether the diagram holds all rules."""
        return not self.outside and not self.uncompiled

    @property
    def residual_rules(self) -> set[int]:
        """The rules that are not wholly in the diagram."""
        grouped = {self.parts[member].rule for group in self.outside for member in group.members}
        return grouped | {part.rule for part in self.uncompiled}


@dataclass(frozen=True)
class Pieces:
    """All conjuncts of the rules, each compiled by itself, in an order of the slots that suits them together."""

    order: tuple[int, ...]
    layer_of: tuple[int, ...]
    sizes: tuple[int, ...]
    parts: tuple[Part, ...]
    effort: Effort
    # Parts that were compiled at once, besides each by itself.
    together: tuple[DiagramGroup, ...] = ()

    def intersected(self, max_work: int | None = None) -> Compiled:
        """Return what becomes of them in one diagram, with so much work at most, and the rest of the budget."""
        effort = replace(self.effort)
        if max_work is not None:
            effort.work_left = min(effort.work_left, max_work)
        if any(part.diagram is None for part in self.parts):
            effort.work_left = min(effort.work_left, _RELAXED_WORK)
        diagrams = [part.diagram for part in self.parts]
        joined, outside = conjoin(diagrams, effort, _RELAXED_WORK, self.together)
        return self.held_by(extend(joined, self.sizes), outside)

    def held_by(self, diagram: Diagram, outside: tuple[DiagramGroup, ...] = ()) -> Compiled:
        """Return them with a diagram that somebody has made."""
        return Compiled(self.order, self.layer_of, self.sizes, self.parts, diagram, outside)


def compile_rules(
    space: Space,
    rules: Sequence[BoundRule],
    node_budget: int | None = None,
    order: Sequence[int] | None = None,
) -> Compiled:
    """Compile the rules over the space; `order` overrides the choice of variable order."""
    return compile_pieces(space, rules, node_budget, order).intersected()


def compile_pieces(
    space: Space,
    rules: Sequence[BoundRule],
    node_budget: int | None = None,
    order: Sequence[int] | None = None,
) -> Pieces:
    """Compile every conjunct by itself."""
    domains = [slot.levels for slot in space.slots]
    pieces = [(index, piece) for index, rule in enumerate(rules) for piece in conjuncts(rule.expression)]
    if order is None:
        order = choose_order(space.sizes, [profile(piece, domains) for _, piece in pieces])
    layer_of = [0] * len(order)
    for layer, slot in enumerate(order):
        layer_of[slot] = layer
    sizes = tuple(space.sizes[slot] for slot in order)
    effort = Effort.for_nodes(node_budget, sizes)
    setting = Setting(sizes, effort)
    compiler = Compiler(domains, layer_of, setting)
    parts = [_compile_part(compiler, index, piece, rules[index].name) for index, piece in pieces]
    if any(part.diagram is None for part in parts):
        allowed = _allowed(sizes, parts)
        narrow = [_narrowed(domain, allowed[layer_of[slot]]) for slot, domain in enumerate(domains)]
        compiler = Compiler(narrow, layer_of, setting)
        parts = [
            part if part.diagram is not None else _narrowed_part(compiler, part, rules[part.rule].name, allowed)
            for part in parts
        ]
    together = _motifs_together(compiler, parts)
    return Pieces(tuple(order), tuple(layer_of), sizes, tuple(parts), effort, together)


def _motifs_together(compiler: Compiler, parts: Sequence[Part]) -> tuple[DiagramGroup, ...]:
    """Return one diagram for all motifs that one sequence may not hold, where they are many."""
    by_sequence: dict[tuple[int, ...], list[int]] = {}
    for place, part in enumerate(parts):
        if part.diagram is not None and (motif := _forbidden_motif(part.expression)) is not None:
            by_sequence.setdefault(slots_of(motif), []).append(place)
    groups = []
    for places in by_sequence.values():
        motifs = [motif for place in places if (motif := _forbidden_motif(parts[place].expression)) is not None]
        if len(places) < _MANY_MOTIFS:
            continue
        try:
            holds = compiler.contains_none(motifs[0].items, [motif.motif for motif in motifs])
        except NodeBudgetExceeded:
            continue
        finally:
            compiler.forget()
        if holds is not None:
            groups.append(DiagramGroup(to_diagram(holds), tuple(places)))
    return tuple(groups)


def _forbidden_motif(expression: Expression) -> Contains | None:
    """Return the motif that a conjunct forbids in a sequence of plain slots, in their order."""
    if not isinstance(expression, Not) or not isinstance(expression.operand, Contains):
        return None
    items = expression.operand.items
    positions = [item.position for item in items if isinstance(item, Slot)]
    is_plain = len(positions) == len(items) and positions == sorted(set(positions))
    return expression.operand if is_plain else None


def _compile_part(compiler: Compiler, index: int, piece: Expression, name: str) -> Part:
    try:
        clause = clause_diagram(piece, compiler.layer_of, compiler.verdicts)
        if clause is not None:
            return Part(index, piece, clause)
        holds = compiler.truth(piece)
    except NodeBudgetExceeded:
        return Part(index, piece, None)
    except RuleError as error:
        raise RuleError(f"Rule '{name}': {error}") from error.__cause__
    finally:
        compiler.forget()
    return Part(index, piece, to_diagram(holds), _has_unknown(holds))


def _allowed(sizes: Sequence[int], parts: Sequence[Part]) -> list[Mask]:
    """Return for each layer the codes that the parts about its variable alone accept."""
    allowed = [np.ones(size, dtype=np.bool_) for size in sizes]
    for part in parts:
        if part.diagram is not None and len(part.diagram.layers) == 1:
            allowed[part.diagram.layers[0]] &= part.diagram.tables[0][part.diagram.root] > 0
    return allowed


def _narrowed(domain: Sequence[Scalar | None], allowed: Mask) -> Sequence[Scalar | None]:
    """Return a domain of the same length in which an allowed value stands in place of those that are not."""
    if allowed.all() or not allowed.any():
        return domain
    stand_in = domain[int(allowed.argmax())]
    return [value if ok else stand_in for value, ok in zip(domain, allowed, strict=True)]


def _narrowed_part(compiler: Compiler, part: Part, name: str, allowed: Sequence[Mask]) -> Part:
    """Compile a part with narrowed domains, and exclude the codes that stood for others."""
    layers = sorted(compiler.layers_of(part.expression))
    if all(allowed[layer].all() for layer in layers):
        return part
    again = _compile_part(compiler, part.rule, part.expression, name)
    if again.diagram is None:
        return part
    limits = box(again.diagram.layers, [allowed[layer] for layer in again.diagram.layers])
    return replace(again, diagram=conjunction(again.diagram, limits, Effort.unlimited()), is_narrowed=True)


def _has_unknown(holds: Valued) -> bool:
    return bool((holds.values == UNKNOWN).any())


def conjoin(
    diagrams: Sequence[Diagram | None],
    effort: Effort,
    work_after_loss: int = 2**62,
    together: Sequence[DiagramGroup] = (),
) -> tuple[Diagram, tuple[DiagramGroup, ...]]:
    """Intersect all diagrams, small and overlapping ones first; return also the groups that would not fit in.

    Merging like with like keeps the intermediate results near the size of the final one. Once a group stays outside,
    only so much more work is done. Groups `together` stand for their members.
    """
    grouped = {member for group in together for member in group.members}
    alone = [
        DiagramGroup(diagram, (index,))
        for index, diagram in enumerate(diagrams)
        if diagram is not None and index not in grouped
    ]
    pool = _Pool([*alone, *together])
    outside: list[DiagramGroup] = []
    next_look = effort.work_left - _FIRST_LOOK
    while pool.n > 1:
        if effort.work_left < next_look:
            next_look -= _FIRST_LOOK
            if pool.is_hopeless():
                # What is left would be spent on diagrams that cannot become one.
                next_look = -1
                effort.work_left = min(effort.work_left, work_after_loss)
        group = pool.take_smallest()
        merged = None
        for place in pool.partners(group):
            other = pool.groups[place]
            try:
                merged = conjunction(group.diagram, other.diagram, effort)
            except NodeBudgetExceeded:
                continue
            pool.put(place, DiagramGroup(merged, group.members + other.members))
            break
        if merged is None:
            outside.append(group)
            effort.work_left = min(effort.work_left, work_after_loss)
        elif merged.is_empty:
            return merged, tuple(outside)
    return (pool.last.diagram if pool.n else everything()), tuple(outside)


class _Pool:
    """Groups that are still to be merged, with what decides about partners in arrays: there may be thousands."""

    def __init__(self, groups: list[DiagramGroup]) -> None:
        self.groups = groups
        self.n = len(groups)
        spans = np.array([group.span for group in groups], dtype=np.int64).reshape(-1, 2)
        self._firsts, self._lasts = spans[:, 0].copy(), spans[:, 1].copy()
        self._sizes = np.array([group.n_edges for group in groups], dtype=np.float64)

    def is_hopeless(self) -> bool:
        """Whether what is left cannot be expected to become one diagram.

        Where diagrams cross a layer, the states of all of them multiply unless they say much the same. Of the sets that
        were seen to end as one diagram, the largest product was 2^48, when all together had 2^17 edges.
        """
        left = [self.groups[place] for place in np.flatnonzero(np.isfinite(self._sizes))]
        n_edges = sum(group.n_edges for group in left)
        if n_edges < _LARGE or len(left) < _FEW:
            return False
        bits = np.zeros(1 + max(group.span[1] for group in left))
        for group in left:
            widths = np.log2([max(1, table.shape[0] - 1) for table in group.diagram.tables])
            layers = np.array(group.diagram.layers)
            # Between two layers that it reads, a diagram keeps the states that the later one has.
            bits[layers[0] : layers[-1] + 1] += np.repeat(widths, np.diff(layers, prepend=layers[0] - 1))
        return bool(bits.max() > (_HOPELESS_BITS if n_edges >= _VERY_LARGE else 2 * _HOPELESS_BITS))

    @property
    def last(self) -> DiagramGroup:
        """The only group that is left."""
        return self.groups[int(self._sizes.argmin())]

    def take_smallest(self) -> DiagramGroup:
        """Return the smallest group, the first of equals, and take it out."""
        place = int(self._sizes.argmin())
        self._sizes[place] = np.inf
        self.n -= 1
        return self.groups[place]

    def put(self, place: int, group: DiagramGroup) -> None:
        """Replace a group by a merged one."""
        self.groups[place] = group
        self._firsts[place], self._lasts[place] = group.span
        self._sizes[place] = group.n_edges

    def partners(self, group: DiagramGroup) -> Iterator[int]:
        """Yield a few others: those whose span of layers overlaps most with the group's, the smallest first."""
        first, last = group.span
        overlap = np.minimum(self._lasts, last) - np.maximum(self._firsts, first) + 1
        union = np.maximum(self._lasts, last) - np.minimum(self._firsts, first) + 1
        ratios = np.where(np.isfinite(self._sizes), overlap / union, -np.inf)
        for _ in range(min(_PARTNERS_TRIED, self.n)):
            best = np.flatnonzero(ratios == ratios.max())
            place = int(best[self._sizes[best].argmin()])
            ratios[place] = -np.inf
            yield place
