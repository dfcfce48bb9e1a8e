"""Running two machines side by side: the product of values, and the conjunction of sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hedgerow.arrays import Places, Transitions
from hedgerow.diagram.effort import Effort
from hedgerow.diagram.machine import Diagram, Machine, box
from hedgerow.diagram.reduce import compress, reduce_diagram


def product(left: Machine, right: Machine, sizes: Sequence[int], effort: Effort) -> tuple[Machine, Places, Places]:
    """Return the machine that runs both, and for each of its final states the final states of either.

    `sizes[layer]` is the number of codes of a layer. Only pairs of states that can occur are made.
    """
    layers = tuple(sorted({*left.layers, *right.layers}))
    lefts = rights = np.zeros(1, dtype=np.int64)
    tables: list[Transitions] = []
    meter = effort.meter()
    left_layers, right_layers = _Layers(left.layers, left.tables), _Layers(right.layers, right.tables)
    for layer in layers:
        meter.layer(lefts.size, sizes[layer])
        next_left = left_layers.step(layer, lefts)
        next_right = right_layers.step(layer, rights)
        width = int(rights.max()) + 1 if next_right.shape[1] == 1 else int(next_right.max()) + 1
        keys = np.ascontiguousarray(np.broadcast_to(next_left * width + next_right, (lefts.size, sizes[layer])))
        distinct, places = compress(keys.ravel(), (int(next_left.max()) + 1) * width)
        tables.append(places.reshape(keys.shape).astype(np.int32, copy=False))
        lefts, rights = np.divmod(distinct, width)
    return Machine(layers, tuple(tables), lefts.size), lefts, rights


def conjunction(left: Diagram, right: Diagram, effort: Effort) -> Diagram:
    """Return the sequences that both accept, reduced."""
    layers = tuple(sorted({*left.layers, *right.layers}))
    sizes = dict(zip(left.layers, left.sizes, strict=True)) | dict(zip(right.layers, right.sizes, strict=True))
    if left.is_empty or right.is_empty:
        return Diagram(layers, tuple(np.zeros((1, sizes[layer]), dtype=np.int32) for layer in layers), 0)
    # Pair 0 is (dead, dead) in every layer.
    lefts = rights = np.array([0, 1], dtype=np.int64)
    tables: list[Transitions] = []
    meter = effort.meter()
    left_layers, right_layers = _Layers(left.layers, left.tables), _Layers(right.layers, right.tables)
    for layer in layers:
        meter.layer(lefts.size, sizes[layer])
        next_left = left_layers.step(layer, lefts)
        next_right = right_layers.step(layer, rights)
        width = int(next_right.max()) + 1
        keys = next_left * width + next_right
        keys[(next_left == 0) | (next_right == 0)] = 0
        distinct, places = compress(keys.ravel(), (int(next_left.max()) + 1) * width, keep_zero=True)
        places = places.reshape(keys.shape).astype(np.int32, copy=False)
        tables.append(np.ascontiguousarray(np.broadcast_to(places, (lefts.size, sizes[layer]))))
        lefts, rights = np.divmod(distinct, width)
    return reduce_diagram(layers, tables, lefts > 0, start=1)


def settled(diagram: Diagram, codes: Mapping[int, int]) -> Diagram:
    """Return the diagram of the other layers where some layers have these codes."""
    allowed = [
        np.arange(size) == codes.get(layer, -1) for layer, size in zip(diagram.layers, diagram.sizes, strict=True)
    ]
    free = [layer not in codes for layer in diagram.layers]
    limits = box(diagram.layers, [mask | is_free for mask, is_free in zip(allowed, free, strict=True)])
    narrowed = conjunction(diagram, limits, Effort.unlimited())
    layers: list[int] = []
    tables: list[Transitions] = []
    start = narrowed.root
    for layer, table in zip(narrowed.layers, narrowed.tables, strict=True):
        if layer not in codes:
            layers.append(layer)
            tables.append(table)
            continue
        step = table[:, codes[layer]]
        if tables:
            tables[-1] = step[tables[-1]]
        else:
            start = int(step[start])
    return reduce_diagram(tuple(layers), tables, np.array([False, True]), start)


def complement(diagram: Diagram) -> Diagram:
    """Return the sequences of its layers, of which there are some, that a diagram rejects, reduced."""
    # What was dead accepts everything now; the first layer keeps the root alone.
    tables = [diagram.tables[0][[diagram.root]], *diagram.tables[1:]]
    return reduce_diagram(diagram.layers, tables, np.array([True, False]), start=0)


class _Layers:
    """The tables of a machine by layer; layers it does not read leave its states where they are."""

    def __init__(self, layers: tuple[int, ...], tables: tuple[Transitions, ...]) -> None:
        self._tables = dict(zip(layers, tables, strict=True))

    def step(self, layer: int, states: Places) -> Places:
        """Return the next states as (n_states, n_codes), or as (n_states, 1) where the code is not read."""
        table = self._tables.get(layer)
        return states[:, None] if table is None else table[states].astype(np.int64)
