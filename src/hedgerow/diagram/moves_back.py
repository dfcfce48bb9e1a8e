"""Changes of two codes, found from the end of a row: for diagrams that are large because their rules are tight.

Walking forward from every first change meets many nodes from which the row's remaining codes lead nowhere. Under
tight rules few nodes accept those codes at all, and walking backwards meets only them: the nodes that accept the rest
of the row as it is, and those that accept it with one change. A first change that reaches one of the latter is a pair.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow.arrays import Changes, Codes, Nodes, Places, Transitions
from hedgerow.compiled import compiled
from hedgerow.diagram.machine import Diagram
from hedgerow.diagram.moves_flat import Flat, next_node


class Backward(NamedTuple):
    """The edges of each layer sorted by the node they lead to, as node times the number of codes, plus code."""

    edges: Nodes
    # Where the edges to each node of the next layer begin, layer after layer, and where each layer's part begins.
    firsts: Places
    layer_starts: Places

    @classmethod
    def of(cls, diagram: Diagram) -> Backward:
        """Sort all edges that do not lead to the dead node."""
        edges: list[Nodes] = []
        firsts: list[Places] = []
        n_before = 0
        n_nodes = [*(table.shape[0] for table in diagram.tables[1:]), 2]
        for table, n_next in zip(diagram.tables, n_nodes, strict=True):
            order, starts = _by_child(table, n_next)
            edges.append(order)
            firsts.append(starts + n_before)
            n_before += order.size
        layers = np.cumsum([0, *(starts.size for starts in firsts)])[:-1]
        return cls(np.concatenate(edges), np.concatenate(firsts), layers)


def _by_child(table: Transitions, n_next: int) -> tuple[Nodes, Places]:
    children = np.ascontiguousarray(table).ravel()
    counts = np.bincount(children, minlength=n_next)
    order = np.argsort(children, kind="stable")[counts[0] :].astype(np.int32)
    counts[0] = 0
    return order, np.concatenate([[0], np.cumsum(counts)])


@compiled
def two_changes_backward(flat: Flat, back: Backward, codes: Codes, max_met: int, found: Changes) -> int:
    """Write all changes of two codes and return their number, or -1 where a layer has more than `max_met` nodes."""
    path = np.empty(codes.size, dtype=np.int64)
    node = flat.root
    for layer in range(codes.size):
        path[layer] = node
        node = next_node(flat, layer, node, codes[layer])
    # Nodes that accept the rest as it is, and entries (node, place, code) that accept it with one change.
    as_is, next_as_is = np.ones(max_met, dtype=np.int64), np.empty(max_met, dtype=np.int64)
    changed, next_changed = np.empty((max_met, 3), dtype=np.int64), np.empty((max_met, 3), dtype=np.int64)
    n_as_is, n_changed, n = 1, 0, 0
    for layer in range(codes.size - 1, -1, -1):
        n = _add_pairs(flat, layer, path[layer], codes[layer], changed[:n_changed], found, n)
        n_next = _parents_of_changed(flat, back, layer, codes[layer], changed[:n_changed], next_changed)
        n_next, n_next_as_is = _parents_as_is(
            flat, back, layer, codes[layer], as_is[:n_as_is], next_as_is, next_changed, n_next
        )
        if n_next < 0:
            return -1
        as_is, next_as_is, n_as_is = next_as_is, as_is, n_next_as_is
        changed, next_changed, n_changed = next_changed, changed, n_next
    return n


@compiled
def _add_pairs(flat: Flat, layer: int, node: int, own: int, changed: Places, found: Changes, n: int) -> int:
    """Add the pairs whose first change is at this layer."""
    for code in range(flat.sizes[layer]):
        child = next_node(flat, layer, node, code)
        if code == own or child == 0:
            continue
        for entry in range(changed.shape[0]):
            if changed[entry, 0] == child:
                if n < found.shape[0]:
                    found[n, 0], found[n, 1] = layer, code
                    found[n, 2], found[n, 3] = changed[entry, 1], changed[entry, 2]
                n += 1
    return n


@compiled
def _parents_of_changed(flat: Flat, back: Backward, layer: int, own: int, changed: Places, parents: Places) -> int:
    """Write the entries one layer before these; -1 where they are too many."""
    n = 0
    for entry in range(changed.shape[0]):
        place = back.layer_starts[layer] + changed[entry, 0]
        for edge in range(back.firsts[place], back.firsts[place + 1]):
            if back.edges[edge] % flat.sizes[layer] == own:
                if n == parents.shape[0]:
                    return -1
                parents[n, 0] = back.edges[edge] // flat.sizes[layer]
                parents[n, 1], parents[n, 2] = changed[entry, 1], changed[entry, 2]
                n += 1
    return n


@compiled
def _parents_as_is(
    flat: Flat, back: Backward, layer: int, own: int, as_is: Places, parents: Places, changed: Places, n: int
) -> tuple[int, int]:
    """Write the nodes one layer before these, and add to `changed` those that reach them by another code."""
    n_parents = 0
    for entry in range(as_is.shape[0]):
        place = back.layer_starts[layer] + as_is[entry]
        for edge in range(back.firsts[place], back.firsts[place + 1]):
            if n < 0 or n == changed.shape[0] or n_parents == parents.shape[0]:
                return -1, 0
            node, code = back.edges[edge] // flat.sizes[layer], back.edges[edge] % flat.sizes[layer]
            if code == own:
                parents[n_parents] = node
                n_parents += 1
            else:
                changed[n, 0], changed[n, 1], changed[n, 2] = node, layer, code
                n += 1
    return n, n_parents
