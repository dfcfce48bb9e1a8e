"""A diagram as compiled loops read it: its tables one after the other in one array."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hedgerow.arrays import Nodes, Places
from hedgerow.compiled import inlined
from hedgerow.diagram.machine import Diagram


class Flat(NamedTuple):
    """The tables of a diagram one after the other; a layer that all codes pass alike is stored once."""

    nodes: Nodes
    starts: Places
    node_steps: Places
    code_steps: Places
    sizes: Places
    root: int
    # Where the nodes of each layer begin in a list of all nodes.
    layer_starts: Places

    @classmethod
    def of(cls, diagram: Diagram) -> Flat:
        """Lay the tables flat."""
        is_free = [table.strides[1] == 0 for table in diagram.tables]
        parts = [
            np.ascontiguousarray(table[:, :1] if free else table).ravel()
            for table, free in zip(diagram.tables, is_free, strict=True)
        ]
        sizes = np.array(diagram.sizes, dtype=np.int64)
        return cls(
            nodes=np.concatenate(parts),
            starts=np.cumsum([0, *(part.size for part in parts)])[:-1],
            node_steps=np.where(is_free, 1, sizes),
            code_steps=np.where(is_free, 0, 1),
            sizes=sizes,
            root=diagram.root,
            layer_starts=np.cumsum([0, *(table.shape[0] for table in diagram.tables)]),
        )


@inlined
def next_node(flat: Flat, layer: int, node: int, code: int) -> int:
    """Return where a code leads from a node."""
    return flat.nodes[flat.starts[layer] + node * flat.node_steps[layer] + code * flat.code_steps[layer]]  # type: ignore[no-any-return]
