"""The changes of one or two codes that keep a row inside the diagram, found at the speed of compiled loops.

`walk.py` answers the same questions with arrays alone and is what tests compare this with. A search asks them
hundreds of times per suggestion, so here the tables lie in one flat array, and what was learned about a node for the
row at hand (whether the row's remaining codes are accepted from there) is remembered until the next row.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.compiled import compiled, inlined
from hedgerow.diagram.machine import Diagram, Indices

# Rows of place, new code, second place, its new code; where only one code changes, the second place is -1.
Changes = NDArray[np.int64]

# Searches come back to the same good rows: the changes of the latest are kept, so many in all.
_MAX_KEPT = 500_000


class _Flat(NamedTuple):
    """The tables of a diagram one after the other; a layer that all codes pass alike is stored once."""

    nodes: NDArray[np.int32]
    starts: Indices
    node_steps: Indices
    code_steps: Indices
    sizes: Indices
    root: int
    # Where the nodes of each layer begin in a list of all nodes.
    layers: Indices

    @classmethod
    def of(cls, diagram: Diagram) -> _Flat:
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
            layers=np.cumsum([0, *(table.shape[0] for table in diagram.tables)]),
        )


class Moves:
    """Finds the changes of a row. Rows and places are in the order of the diagram's levels."""

    def __init__(self, diagram: Diagram) -> None:
        self._flat = _Flat.of(diagram)
        # For every node the number of the row it was last asked about, doubled, plus the answer: answers about earlier
        # rows have other numbers, so nothing is ever cleared.
        self._answers = np.full(int(self._flat.layers[-1]) + 2, -1, dtype=np.int64)
        self._n_rows = 0
        self._room = 1024
        self._lately: OrderedDict[tuple[bytes, int], Changes] = OrderedDict()
        self._n_kept = 0

    def changes(self, codes: Indices, n_places: int) -> Changes:
        """Return all changes in exactly one or two places after which a row (n_levels,) is accepted."""
        key = (codes.tobytes(), n_places)
        if key in self._lately:
            self._lately.move_to_end(key)
            return self._lately[key]
        found = self._lately[key] = self._found(codes, n_places)
        found.flags.writeable = False
        self._n_kept += found.shape[0]
        while self._n_kept > _MAX_KEPT:
            self._n_kept -= self._lately.popitem(last=False)[1].shape[0]
        return found

    def _found(self, codes: Indices, n_places: int) -> Changes:
        find = _one_change if n_places == 1 else _two_changes
        self._n_rows += 1
        while True:
            found = np.empty((self._room, 4), dtype=np.int64)
            n = find(self._flat, self._answers, self._n_rows, codes, found)
            if n <= self._room:
                return found[:n].copy()
            # Where one row has many changes its neighbours have, too.
            self._room = 2 * n


@inlined
def _next(flat: _Flat, level: int, node: int, code: int) -> int:
    return flat.nodes[flat.starts[level] + node * flat.node_steps[level] + code * flat.code_steps[level]]  # type: ignore[no-any-return]


@compiled
def _is_accepted(flat: _Flat, answers: Indices, number: int, codes: Indices, level: int, node: int) -> bool:
    """Return whether the codes from a level on are accepted from a node; nodes on the way remember the answer."""
    at, place = node, level
    answer = -1
    while answer < 0:
        if at == 0:
            answer = 0
        elif place == codes.size:
            answer = 1
        elif answers[flat.layers[place] + at] >> 1 == number:
            answer = answers[flat.layers[place] + at] & 1
        else:
            at = _next(flat, place, at, codes[place])
            place += 1
    at = node
    for passed in range(level, place):
        answers[flat.layers[passed] + at] = 2 * number + answer
        at = _next(flat, passed, at, codes[passed])
    return answer == 1


@compiled
def _one_change(flat: _Flat, answers: Indices, number: int, codes: Indices, found: Changes) -> int:
    n = 0
    path = flat.root
    for place in range(codes.size):
        for code in range(flat.sizes[place]):
            if code == codes[place]:
                continue
            node = _next(flat, place, path, code)
            if node != 0 and _is_accepted(flat, answers, number, codes, place + 1, node):
                if n < found.shape[0]:
                    found[n, 0], found[n, 1], found[n, 2], found[n, 3] = place, code, -1, 0
                n += 1
        path = _next(flat, place, path, codes[place])
    return n


@compiled
def _two_changes(flat: _Flat, answers: Indices, number: int, codes: Indices, found: Changes) -> int:
    n = 0
    path = flat.root
    for first in range(codes.size):
        for code in range(flat.sizes[first]):
            if code == codes[first]:
                continue
            # From the changed code on the row is followed, and left once more wherever that may be.
            node = _next(flat, first, path, code)
            for second in range(first + 1, codes.size):
                if node == 0:
                    break
                for other in range(flat.sizes[second]):
                    if other == codes[second]:
                        continue
                    child = _next(flat, second, node, other)
                    if child != 0 and _is_accepted(flat, answers, number, codes, second + 1, child):
                        if n < found.shape[0]:
                            found[n, 0], found[n, 1], found[n, 2], found[n, 3] = first, code, second, other
                        n += 1
                node = _next(flat, second, node, codes[second])
        path = _next(flat, first, path, codes[first])
    return n
