"""Rules that fall apart: those that read none of the slots that others read, as pieces of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from hedgerow.arrays import Places
from hedgerow.diagram.machine import Diagram
from hedgerow.expressions import Expression, Scalar, Slot
from hedgerow.feasible.compile import DiagramGroup, Part, Pieces
from hedgerow.rules.resolve import slots_of


@dataclass(frozen=True, eq=False)
class Share:
    """Some slots, in increasing order, and the pieces that read them, in numbers of their own."""

    slots: Places
    pieces: Pieces
    domains: list[Sequence[Scalar | None]]


def tied_slots(parts: Sequence[Part], n_slots: int) -> list[int]:
    """Return for each slot a number that it shares with those that parts tie it to."""
    group = list(range(n_slots))

    def root(slot: int) -> int:
        while group[slot] != slot:
            group[slot] = group[group[slot]]
            slot = group[slot]
        return slot

    for part in parts:
        read = slots_of(part.expression)
        for slot in read[1:]:
            group[root(slot)] = root(read[0])
    return [root(slot) for slot in range(n_slots)]


def share_of(pieces: Pieces, domains: Sequence[Sequence[Scalar | None]], slots: Iterable[int]) -> Share:
    """Return the pieces that read some slots; no piece may read these and others."""
    own = sorted(slots)
    number = {slot: place for place, slot in enumerate(own)}
    order = [number[slot] for slot in pieces.order if slot in number]
    kept = [layer for layer, slot in enumerate(pieces.order) if slot in number]
    layer = {old: new for new, old in enumerate(kept)}
    chosen = [place for place, part in enumerate(pieces.parts) if _reads(part, number)]
    parts = []
    for place in chosen:
        part = pieces.parts[place]
        diagram = None if part.diagram is None else _moved(part.diagram, layer)
        parts.append(replace(part, expression=renumbered(part.expression, number, {}), diagram=diagram))
    place_of = {old: new for new, old in enumerate(chosen)}
    together = [
        DiagramGroup(_moved(group.diagram, layer), tuple(place_of[member] for member in group.members))
        for group in pieces.together
        if group.members[0] in place_of
    ]
    layer_of = np.argsort(order).tolist()
    sizes = tuple(pieces.sizes[old] for old in kept)
    held = Pieces(tuple(order), tuple(layer_of), sizes, tuple(parts), replace(pieces.effort), tuple(together))
    return Share(np.array(own, dtype=np.int64), held, [domains[slot] for slot in own])


def _reads(part: Part, number: dict[int, int]) -> bool:
    read = slots_of(part.expression)
    # What reads nothing is true or false by itself, and may stand anywhere.
    return not read or read[0] in number


def _moved(diagram: Diagram, layer: dict[int, int]) -> Diagram:
    return replace(diagram, layers=tuple(layer[old] for old in diagram.layers))


def renumbered(node: Expression, number: dict[int, int], known: dict[Expression, Expression]) -> Expression:
    """Return an expression that reads other slots instead of its own."""
    if isinstance(node, Slot):
        return Slot(number[node.position], node.name)
    if not node.children:
        return node
    if node not in known:
        changed: dict[str, Any] = {}
        for each in fields(node):  # type: ignore[arg-type]
            value = getattr(node, each.name)
            if isinstance(value, Expression):
                changed[each.name] = renumbered(value, number, known)
            elif isinstance(value, tuple) and any(isinstance(item, Expression) for item in value):
                changed[each.name] = tuple(renumbered(item, number, known) for item in value)
        known[node] = replace(node, **changed)  # type: ignore[type-var]
    return known[node]
