"""Many small diagrams side by side, as compiled loops read them: which rows all of them accept, and which changes of a
row. A change is looked at by the diagrams that read the slots it touches, and by no others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hedgerow.arrays import Changes, Codes, Mask, Nodes, Places
from hedgerow.compiled import compiled
from hedgerow.diagram.machine import Diagram


class FlatDiagrams(NamedTuple):
    """The tables of all diagrams one after the other, and for each slot the diagrams that read it."""

    nodes: Nodes
    # For each layer of each diagram: where its table begins, its slot, and the number of codes.
    starts: Places
    slots: Places
    sizes: Places
    # Where the layers of each diagram begin.
    firsts: Places
    # Where the diagrams of each slot begin in the list of all of them.
    reader_starts: Places
    readers: Places

    @classmethod
    def of(cls, diagrams: Sequence[Diagram], slots_of: Sequence[Sequence[int]], n_slots: int) -> FlatDiagrams:
        """Lay diagrams that are not empty flat; `slots_of` gives the slots that the layers of each read."""
        tables = [table for diagram in diagrams for table in diagram.tables]
        flat = [np.ascontiguousarray(table).ravel() for table in tables]
        slots = np.array([slot for scope in slots_of for slot in scope], dtype=np.int64)
        lengths = np.array([len(scope) for scope in slots_of], dtype=np.int64)
        diagram_of = np.repeat(np.arange(len(diagrams)), lengths)
        return cls(
            nodes=np.concatenate([np.zeros(0, dtype=np.int32), *flat]).astype(np.int32),
            starts=np.cumsum([0, *(table.size for table in tables)])[:-1].astype(np.int64),
            slots=slots,
            sizes=np.array([table.shape[1] for table in tables], dtype=np.int64),
            firsts=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            reader_starts=np.concatenate([[0], np.cumsum(np.bincount(slots, minlength=n_slots))]).astype(np.int64),
            readers=diagram_of[np.argsort(slots, kind="stable")].astype(np.int64),
        )


@compiled
def _holds(flat: FlatDiagrams, diagram: int, row: Codes) -> bool:
    node = 1
    for layer in range(flat.firsts[diagram], flat.firsts[diagram + 1]):
        node = flat.nodes[flat.starts[layer] + node * flat.sizes[layer] + row[flat.slots[layer]]]
        if node == 0:
            return False
    return True


@compiled
def accepted_rows(flat: FlatDiagrams, rows: Codes) -> Mask:
    """Return for each row whether all diagrams accept it."""
    accepted = np.ones(rows.shape[0], dtype=np.bool_)
    for i in range(rows.shape[0]):
        for diagram in range(flat.firsts.size - 1):
            if not _holds(flat, diagram, rows[i]):
                accepted[i] = False
                break
    return accepted


@compiled
def _n_failing(flat: FlatDiagrams, slot: int, row: Codes, failing: Places) -> int:
    """Write down which readers of a slot reject the row."""
    n = 0
    for place in range(flat.reader_starts[slot], flat.reader_starts[slot + 1]):
        if not _holds(flat, flat.readers[place], row):
            failing[n] = flat.readers[place]
            n += 1
    return n


@compiled
def _reads_all(flat: FlatDiagrams, failing: Places, n_failing: int, slot: int) -> bool:
    """Return whether all of some diagrams read a slot."""
    for k in range(n_failing):
        reads = False
        for layer in range(flat.firsts[failing[k]], flat.firsts[failing[k] + 1]):
            reads = reads or flat.slots[layer] == slot
        if not reads:
            return False
    return True


@compiled
def _broken_after(flat: FlatDiagrams, broken: Places, n_broken: int, slot: int, row: Codes, failing: Places) -> int:
    """Write down which diagrams reject the row after a change of one slot, of which `broken` did before."""
    n = _n_failing(flat, slot, row, failing)
    for k in range(n_broken):
        if not _reads_all(flat, broken[k : k + 1], 1, slot):
            failing[n] = broken[k]
            n += 1
    return n


@compiled
def broken_diagrams(flat: FlatDiagrams, row: Codes) -> Places:
    """Return which diagrams reject a row."""
    broken = np.empty(flat.firsts.size, dtype=np.int64)
    n = 0
    for diagram in range(flat.firsts.size - 1):
        if not _holds(flat, diagram, row):
            broken[n] = diagram
            n += 1
    return broken[:n]


@compiled
def find_one_change(flat: FlatDiagrams, given: Codes, allowed: Mask, found: Changes) -> int:
    """Write down the changes of one slot after which all diagrams accept; return how many there are."""
    row = given.copy()
    broken = broken_diagrams(flat, row)
    failing = np.empty(flat.firsts.size + 1, dtype=np.int64)
    n = 0
    for slot in range(row.size):
        for code in range(allowed.shape[1]):
            if code == given[slot] or not allowed[slot, code]:
                continue
            row[slot] = code
            if _broken_after(flat, broken, broken.size, slot, row, failing) == 0:
                if n < found.shape[0]:
                    found[n, 0], found[n, 1], found[n, 2], found[n, 3] = slot, code, -1, 0
                n += 1
        row[slot] = given[slot]
    return n


@compiled
def find_two_changes(flat: FlatDiagrams, given: Codes, allowed: Mask, found: Changes) -> int:
    """Write down the changes of exactly two slots after which all diagrams accept; return how many there are."""
    row = given.copy()
    broken = broken_diagrams(flat, row)
    failing = np.empty(flat.firsts.size + 1, dtype=np.int64)
    others = np.empty(flat.firsts.size + 1, dtype=np.int64)
    n = 0
    for first in range(row.size):
        for code in range(allowed.shape[1]):
            if code == given[first] or not allowed[first, code]:
                continue
            row[first] = code
            n_failing = _broken_after(flat, broken, broken.size, first, row, failing)
            for second in range(first + 1, row.size):
                # What fails after the first change can only be mended where it reads the second slot.
                if not _reads_all(flat, failing, n_failing, second):
                    continue
                for other in range(allowed.shape[1]):
                    if other == given[second] or not allowed[second, other]:
                        continue
                    row[second] = other
                    if _n_failing(flat, second, row, others) == 0:
                        if n < found.shape[0]:
                            found[n, 0], found[n, 1], found[n, 2], found[n, 3] = first, code, second, other
                        n += 1
                row[second] = given[second]
        row[first] = given[first]
    return n
