"""Arithmetic that hangs on Boolean structure by a few slots: a diagram and a d-DNNF, combined.

For each way to set the slots that both read, the rest falls apart into a part of the circuit and a part of the diagram,
and these multiply; the ways exclude each other, and add up.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from hedgerow.arrays import Places
from hedgerow.diagram.combine import settled
from hedgerow.diagram.machine import box
from hedgerow.expressions import Scalar
from hedgerow.feasible.code_set import CodeSet
from hedgerow.feasible.compile import Compiled, Pieces
from hedgerow.feasible.engines.apart import share_of
from hedgerow.feasible.engines.diagram import DiagramSet
from hedgerow.feasible.engines.product import Factor, ProductSet
from hedgerow.feasible.engines.solved import RuleSet
from hedgerow.feasible.engines.union import UnionSet
from hedgerow.rules.resolve import slots_of

# Ways to set the slots that both read.
_MAX_WAYS = 64
# Work, in edges, of the diagram.
_MAX_WORK = 2**22

Domains = Sequence[Sequence[Scalar | None]]
# Returns the exact set of some pieces, None where there is none.
HoldExactly = Callable[[Pieces, Domains], CodeSet | None]


@dataclass(frozen=True)
class _Cut:
    """The parts that go to the diagram, the slots that it reads, and those of them that others read, too."""

    inside: frozenset[int]
    slots: frozenset[int]
    shared: tuple[int, ...]


def hung_together(
    pieces: Pieces, domains: Domains, left: Sequence[int], rules: RuleSet, hold: HoldExactly
) -> CodeSet | None:
    """Return the set of all pieces, where those that are `left` fit a diagram that shares few slots with the rest."""
    cut = _cut(pieces, left)
    if len(cut.slots) == len(domains):
        # The diagram would hold it all.
        return None
    if math.prod(len(domains[slot]) for slot in cut.shared) > _MAX_WAYS:
        return None
    own = share_of(_chosen(pieces, cut.inside), domains, cut.slots)
    compiled = own.pieces.intersected(_MAX_WORK)
    if not compiled.is_exact:
        return None
    if compiled.diagram.is_empty:
        return DiagramSet(box(range(len(domains)), [np.zeros(len(own), np.bool_) for own in domains]), pieces.order)
    outside = set(range(len(domains))) - cut.slots | set(cut.shared)
    others = share_of(_chosen(pieces, set(range(len(pieces.parts))) - cut.inside), domains, outside)
    circuit = hold(others.pieces, others.domains)
    if circuit is None:
        return None
    combined = _Combined(own.slots, compiled, Factor(others.slots, circuit), cut.shared)
    parts = combined.parts(domains)
    held = DiagramSet(compiled.diagram, compiled.order).description
    return UnionSet(parts, rules, f"{held} and {circuit.description}")


def _cut(pieces: Pieces, left: Sequence[int]) -> _Cut:
    read = [frozenset(slots_of(part.expression)) for part in pieces.parts]
    slots = frozenset().union(*(read[place] for place in left))
    inside = frozenset(place for place, own in enumerate(read) if own <= slots)
    others = frozenset().union(*(own for place, own in enumerate(read) if place not in inside))
    return _Cut(inside, slots, tuple(sorted(slots & others)))


def _chosen(pieces: Pieces, places: set[int] | frozenset[int]) -> Pieces:
    """Return some of the pieces; those that were compiled at once stay together only where all of them are there."""
    kept = sorted(places)
    number = {old: new for new, old in enumerate(kept)}
    together = [
        replace(group, members=tuple(number[member] for member in group.members))
        for group in pieces.together
        if all(member in number for member in group.members)
    ]
    parts = tuple(pieces.parts[place] for place in kept)
    return replace(pieces, parts=parts, effort=replace(pieces.effort), together=tuple(together))


class _Combined:
    def __init__(self, slots: Places, compiled: Compiled, circuit: Factor, shared: Sequence[int]) -> None:
        self._slots, self._compiled, self._circuit = slots.tolist(), compiled, circuit
        self._shared = shared

    def parts(self, domains: Domains) -> list[CodeSet]:
        """Return the rows for each way to set the shared slots; those of the diagram's own slots multiply."""
        found: list[CodeSet] = []
        for codes in product(*(range(len(domains[slot])) for slot in self._shared)):
            way = dict(zip(self._shared, codes, strict=True))
            place = {slot: number for number, slot in enumerate(self._circuit.slots.tolist())}
            above = self._circuit.codes.with_codes({place[slot]: code for slot, code in way.items()})
            below = self._below(way)
            factors = [Factor(self._circuit.slots, above)]
            if below is not None:
                factors.append(below)
            found.append(ProductSet(factors))
        return found

    def _below(self, way: dict[int, int]) -> Factor | None:
        """Return the diagram's own slots where the shared ones have these codes; None where there are none."""
        order = self._compiled.order
        fixed = {layer: way[self._slots[slot]] for layer, slot in enumerate(order) if self._slots[slot] in way}
        kept = [slot for slot in order if self._slots[slot] not in way]
        if not kept:
            return None
        diagram = settled(self._compiled.diagram, fixed)
        slots = sorted(kept)
        codes = DiagramSet(replace(diagram, layers=tuple(range(len(kept)))), [slots.index(slot) for slot in kept])
        return Factor(np.array([self._slots[slot] for slot in slots], dtype=np.int64), codes)
