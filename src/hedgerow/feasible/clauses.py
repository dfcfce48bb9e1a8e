"""Clauses: rules that hold as soon as one of several conditions about single slots does, as in feature models.

Their diagrams have two nodes in a layer, "nothing has held yet" and "something has", and are written down at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hedgerow.arrays import Mask
from hedgerow.diagram.machine import Diagram
from hedgerow.expressions import Expression, Fold, Not
from hedgerow.rules.resolve import slots_of

# Returns for each code of the one slot that a condition reads whether it holds; None where that cannot be said of one.
Verdicts = Callable[[Expression, int], Mask | None]


def clause_diagram(node: Expression, layer_of: Sequence[int], verdicts: Verdicts) -> Diagram | None:
    """Return the diagram of a clause, None for anything else, and for clauses that always hold or could be shorter."""
    masks: dict[int, Mask] = {}
    for condition in _conditions(node):
        slots = slots_of(condition)
        if len(slots) != 1:
            return None
        holds = verdicts(condition, slots[0])
        if holds is None:
            return None
        layer = layer_of[slots[0]]
        masks[layer] = masks[layer] | holds if layer in masks else holds
    if len(masks) < 2 or any(mask.all() or not mask.any() for mask in masks.values()):
        return None
    layers = sorted(masks)
    tables = []
    for place, layer in enumerate(layers):
        mask = masks[layer]
        is_last = place == len(layers) - 1
        # Node 0 is dead, node 1 waits, node 2 holds; at the end 0 is false and 1 true.
        waits = mask.astype(np.int32) if is_last else np.where(mask, 2, 1).astype(np.int32)
        holds_on = np.full(mask.size, 1 if is_last else 2, dtype=np.int32)
        rows = [np.zeros(mask.size, dtype=np.int32), waits, *([holds_on] if place else [])]
        tables.append(np.stack(rows))
    return Diagram(tuple(layers), tuple(tables), 1)


def _conditions(node: Expression) -> list[Expression]:
    """Return conditions of which one must hold; those that deny a conjunction are taken apart."""
    found: list[Expression] = []
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, Fold) and item.operator == "or":
            stack += reversed(item.items)
        elif isinstance(item, Not) and isinstance(item.operand, Fold) and item.operand.operator == "and":
            stack += [Not(part) for part in reversed(item.operand.items)]
        else:
            found.append(item)
    return found
