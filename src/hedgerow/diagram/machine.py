"""Machines and diagrams: the two frozen shapes that everything in this room works on.

A *machine* reads some layers in increasing order, one state to the next, and ends in one of `n_outputs` states. It
is what an expression compiles to: its final states stand for the values of the expression.

A *diagram* is a reduced machine with the two outputs false (0) and true (1). In every layer node 0 is the dead
node, from which nothing true can be reached; every other node is alive and different from its neighbors. A layer
is a place in the order in which codes are read: row `node` of `tables[k]` is a node before layer `layers[k]` is read,
and `tables[k][node, code]` the next node. `root` is 1, or 0 for the empty set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Mask, Places, Transitions


@dataclass(frozen=True)
class Machine:
    """States over some layers; starts in state 0."""

    layers: tuple[int, ...]
    tables: tuple[Transitions, ...]
    n_outputs: int

    @property
    def n_edges(self) -> int:
        """The size of all tables together."""
        return sum(table.size for table in self.tables)


def constant_machine() -> Machine:
    """Return the machine that reads nothing and has one output."""
    return Machine((), (), 1)


def single_layer(layer: int, outputs: Sequence[int] | Places) -> Machine:
    """Return the machine that reads one layer; `outputs` gives the final state for each code."""
    table = np.asarray(outputs, dtype=np.int32).reshape(1, -1)
    return Machine((layer,), (table,), int(table.max()) + 1)


@dataclass(frozen=True)
class Diagram:
    """A reduced set of code sequences over some layers."""

    layers: tuple[int, ...]
    tables: tuple[Transitions, ...]
    root: int

    @property
    def is_empty(self) -> bool:
        """Whether no sequence is accepted."""
        return self.root == 0

    @property
    def n_nodes(self) -> int:
        """The number of live nodes, terminals aside."""
        return 0 if self.is_empty else sum(table.shape[0] - 1 for table in self.tables)

    @property
    def n_edges(self) -> int:
        """The size of all tables together."""
        return sum(table.size for table in self.tables)

    @property
    def n_bytes(self) -> int:
        """The memory that the tables really occupy; repeated columns are stored once."""
        return sum(table.shape[0] * (1 if table.strides[1] == 0 else table.shape[1]) * 4 for table in self.tables)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of codes of each layer."""
        return tuple(table.shape[1] for table in self.tables)


def everything(layers: Sequence[int] = (), sizes: Sequence[int] = ()) -> Diagram:
    """Return the diagram that accepts all sequences."""
    return Diagram(tuple(layers), tuple(_free_layer(2, size) for size in sizes), 1)


def box(layers: Sequence[int], allowed: Sequence[Mask]) -> Diagram:
    """Return the diagram that accepts, layer by layer, the codes marked in `allowed`."""
    if not all(mask.any() for mask in allowed):
        return Diagram(tuple(layers), tuple(np.zeros((1, mask.size), dtype=np.int32) for mask in allowed), 0)
    tables = tuple(np.vstack([np.zeros(mask.size), mask]).astype(np.int32) for mask in allowed)
    return Diagram(tuple(layers), tables, 1)


def extend(diagram: Diagram, sizes: Sequence[int]) -> Diagram:
    """Return the diagram over all layers 0, 1, ...; layers it did not read become free, at no cost in memory."""
    place = {layer: k for k, layer in enumerate(diagram.layers)}
    tables: list[Transitions] = []
    n_nodes = 2
    for layer in reversed(range(len(sizes))):
        k = place.get(layer)
        if k is None:
            tables.append(_free_layer(n_nodes, sizes[layer]))
        else:
            tables.append(diagram.tables[k])
            n_nodes = diagram.tables[k].shape[0]
    return Diagram(tuple(range(len(sizes))), tuple(reversed(tables)), diagram.root)


def _free_layer(n_nodes: int, size: int) -> Transitions:
    """Every node passes on to itself whatever the code; the columns share their memory."""
    return np.broadcast_to(np.arange(n_nodes, dtype=np.int32)[:, None], (n_nodes, size))
