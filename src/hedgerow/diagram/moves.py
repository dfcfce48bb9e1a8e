"""The changes of one or two codes that keep a row inside the diagram, found at the speed of compiled loops.

`walk.py` answers the same questions with arrays alone and is what tests compare this with. A search asks them
hundreds of times per suggestion, so here the tables lie in one flat array, and what was learned about a node for the
row at hand (whether the row's remaining codes are accepted from there) is remembered until the next row.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np

from hedgerow.arrays import Changes, Codes, Mask, Places
from hedgerow.compiled import compiled
from hedgerow.diagram.machine import Diagram
from hedgerow.diagram.moves_back import Backward, two_changes_backward
from hedgerow.diagram.moves_flat import Flat, next_node

# Searches come back to the same good rows: the changes of the latest are kept, so many in all.
_MAX_KEPT = 500_000
# Edges from which on changes of two codes are found backwards, and nodes of a layer at which that is given up.
_LARGE = 2_000_000
_MAX_MET = 4096


class Moves:
    """Finds the changes of a row, and follows rows. Rows and places are in the order of the diagram's layers."""

    def __init__(self, diagram: Diagram, large: int = _LARGE) -> None:
        self._flat = Flat.of(diagram)
        self._back = Backward.of(diagram) if diagram.n_edges > large else None
        # For every node the number of the row it was last asked about, doubled, plus the answer: answers about earlier
        # rows have other numbers, so nothing is ever cleared.
        self._answers = np.full(int(self._flat.layer_starts[-1]) + 2, -1, dtype=np.int64)
        self._n_rows = 0
        self._room = 1024
        self._lately: OrderedDict[tuple[bytes, int], Changes] = OrderedDict()
        self._n_kept = 0
        self._all_allowed = np.ones((len(diagram.sizes), max(diagram.sizes)), dtype=np.bool_)

    def changes(self, codes: Codes, n_places: int, allowed: Mask | None = None) -> Changes:
        """Return all changes in exactly one or two places after which a row (n_layers,) is accepted.

        With `allowed`, a truth value for every code of every layer, only changes to codes that are allowed.
        """
        if allowed is not None:
            return self._found(codes, n_places, allowed)
        key = (codes.tobytes(), n_places)
        if key in self._lately:
            self._lately.move_to_end(key)
            return self._lately[key]
        found = self._lately[key] = self._found(codes, n_places, self._all_allowed)
        found.flags.writeable = False
        self._n_kept += found.shape[0]
        while self._n_kept > _MAX_KEPT:
            self._n_kept -= self._lately.popitem(last=False)[1].shape[0]
        return found

    def accept(self, rows: Codes) -> Mask:
        """Return for each row (n, n_layers) whether it is accepted."""
        return _accepted(self._flat, rows)

    def _found(self, codes: Codes, n_places: int, allowed: Mask) -> Changes:
        find = _one_change if n_places == 1 else _two_changes
        self._n_rows += 1
        while True:
            found = np.empty((self._room, 4), dtype=np.int64)
            # Where only some codes are allowed, walking forward from these is cheap.
            if self._back is not None and n_places == 2 and allowed is self._all_allowed:
                n = two_changes_backward(self._flat, self._back, codes, _MAX_MET, found)
                if 0 <= n <= self._room:
                    # In the order in which walking forward finds them.
                    return np.asarray(found[np.lexsort(found[:n].T[::-1])])
            n = find(self._flat, self._answers, self._n_rows, codes, allowed, found)
            if n <= self._room:
                return found[:n].copy()
            # Where one row has many changes its neighbors have, too.
            self._room = 2 * n


@compiled
def _is_accepted(flat: Flat, answers: Places, number: int, codes: Codes, layer: int, node: int) -> bool:
    """Return whether the codes from a layer on are accepted from a node; nodes on the way remember the answer."""
    at, place = node, layer
    answer = -1
    while answer < 0:
        if at == 0:
            answer = 0
        elif place == codes.size:
            answer = 1
        elif answers[flat.layer_starts[place] + at] >> 1 == number:
            answer = answers[flat.layer_starts[place] + at] & 1
        else:
            at = next_node(flat, place, at, codes[place])
            place += 1
    at = node
    for passed in range(layer, place):
        answers[flat.layer_starts[passed] + at] = 2 * number + answer
        at = next_node(flat, passed, at, codes[passed])
    return answer == 1


@compiled
def _accepted(flat: Flat, rows: Codes) -> Mask:
    accepted = np.empty(rows.shape[0], dtype=np.bool_)
    for i in range(rows.shape[0]):
        node = flat.root
        for layer in range(rows.shape[1]):
            node = next_node(flat, layer, node, rows[i, layer])
        accepted[i] = node == 1
    return accepted


@compiled
def _one_change(flat: Flat, answers: Places, number: int, codes: Codes, allowed: Mask, found: Changes) -> int:
    n = 0
    path = flat.root
    for place in range(codes.size):
        for code in range(flat.sizes[place]):
            if code == codes[place] or not allowed[place, code]:
                continue
            node = next_node(flat, place, path, code)
            if node != 0 and _is_accepted(flat, answers, number, codes, place + 1, node):
                if n < found.shape[0]:
                    found[n, 0], found[n, 1], found[n, 2], found[n, 3] = place, code, -1, 0
                n += 1
        path = next_node(flat, place, path, codes[place])
    return n


@compiled
def _two_changes(flat: Flat, answers: Places, number: int, codes: Codes, allowed: Mask, found: Changes) -> int:
    n = 0
    path = flat.root
    for first in range(codes.size):
        for code in range(flat.sizes[first]):
            if code == codes[first] or not allowed[first, code]:
                continue
            # From the changed code on the row is followed, and left once more wherever that may be.
            node = next_node(flat, first, path, code)
            for second in range(first + 1, codes.size):
                if node == 0:
                    break
                # What does not depend on the other code is looked up once: this loop is most of the work.
                start = flat.starts[second] + node * flat.node_steps[second]
                step, layer_start = flat.code_steps[second], flat.layer_starts[second + 1]
                for other in range(flat.sizes[second]):
                    child = flat.nodes[start + other * step]
                    if child == 0 or other == codes[second] or not allowed[second, other]:
                        continue
                    if second + 1 == codes.size:
                        is_accepted = True
                    elif answers[layer_start + child] >> 1 == number:
                        is_accepted = answers[layer_start + child] & 1 == 1
                    else:
                        is_accepted = _is_accepted(flat, answers, number, codes, second + 1, child)
                    if is_accepted:
                        if n < found.shape[0]:
                            found[n, 0], found[n, 1], found[n, 2], found[n, 3] = first, code, second, other
                        n += 1
                node = flat.nodes[start + codes[second] * step]
        path = next_node(flat, first, path, codes[first])
    return n
