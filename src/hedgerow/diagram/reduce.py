"""Merging what cannot be told apart: equal keys, equal rows, and whole machines from the last layer up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Mask, Nodes, Places, Transitions
from hedgerow.diagram.machine import Diagram, Machine

# Up to this range a lookup table is faster than sorting.
_DENSE_RANGE = 2**26
# Up to this many rows a dict of bytes is faster than NumPy's calls.
_FEW_ROWS = 48
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def compress(keys: Places, upper: int, keep_zero: bool = False) -> tuple[Places, Places]:
    """Return the distinct keys in increasing order, and for each key its place among them.

    Keys lie in [0, upper); with `keep_zero` the key 0 is listed first even when it does not occur.
    """
    if upper <= max(8 * keys.size, 2**12) and upper <= _DENSE_RANGE:
        seen = np.zeros(upper, dtype=np.bool_)
        seen[keys] = True
        if keep_zero:
            seen[0] = True
        distinct = np.flatnonzero(seen)
        place = np.empty(upper, dtype=np.int32)
        place[distinct] = np.arange(distinct.size, dtype=np.int32)
        return distinct, place[keys].astype(np.int64, copy=False)
    distinct, inverse = np.unique(keys, return_inverse=True)
    inverse = inverse.reshape(keys.shape)
    if keep_zero and (distinct.size == 0 or distinct[0] != 0):
        return np.concatenate([[0], distinct]), inverse + 1
    return distinct, inverse


def unique_rows(rows: Transitions) -> tuple[Places, Places]:
    """Return the indices of one row of each kind, and for each row its kind; exact."""
    if rows.shape[0] <= 1:
        return np.arange(rows.shape[0]), np.zeros(rows.shape[0], dtype=np.int64)
    if rows.shape[0] <= _FEW_ROWS:
        return _unique_few(rows)
    hashes = _row_hashes(rows)
    order = np.argsort(hashes, kind="stable")
    sorted_hashes = hashes[order]
    is_new = np.empty(order.size, dtype=np.bool_)
    is_new[0] = True
    np.not_equal(sorted_hashes[1:], sorted_hashes[:-1], out=is_new[1:])
    repeats = np.flatnonzero(~is_new)
    # A hash only hints that two rows are equal; rows with the same hash are compared in full.
    if repeats.size and not np.array_equal(rows[order[repeats]], rows[order[repeats - 1]]):
        _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        return first, inverse.reshape(-1)
    kinds = np.empty(order.size, dtype=np.int64)
    kinds[order] = np.cumsum(is_new) - 1
    return order[is_new], kinds


def reduce_machine(machine: Machine, labels: Places) -> Machine:
    """Return the smallest machine in which final state i ends as `labels[i]`; labels are 0, 1, ... without gaps."""
    relabel: Nodes = labels.astype(np.int32)
    n_outputs = int(labels.max()) + 1
    tables: list[Transitions] = []
    for table in reversed(machine.tables):
        rows = relabel[table]
        first, kinds = unique_rows(rows)
        tables.append(rows[first])
        relabel = kinds.astype(np.int32)
    # Renumbering cannot move the start: layer 0 has one state.
    return Machine(machine.layers, tuple(reversed(tables)), n_outputs)


def reduce_diagram(layers: tuple[int, ...], tables: list[Transitions], is_true: Mask, start: int) -> Diagram:
    """Return the reduced diagram of a machine whose final states are true or not."""
    relabel: Nodes = is_true.astype(np.int32)
    reduced: list[Transitions] = []
    for table in reversed(tables):
        rows = relabel[table]
        alive = np.flatnonzero(rows.any(axis=1))
        first, kinds = unique_rows(rows[alive])
        layer = np.zeros((first.size + 1, rows.shape[1]), dtype=np.int32)
        layer[1:] = rows[alive[first]]
        reduced.append(layer)
        relabel = np.zeros(rows.shape[0], dtype=np.int32)
        relabel[alive] = kinds + 1
    return Diagram(layers, tuple(reversed(reduced)), int(relabel[start]))


def _unique_few(rows: Transitions) -> tuple[Places, Places]:
    index: dict[bytes, int] = {}
    kinds = [index.setdefault(row.tobytes(), len(index)) for row in rows]
    first: list[int] = []
    for position, kind in enumerate(kinds):
        if kind == len(first):
            first.append(position)
    return np.array(first, dtype=np.int64), np.array(kinds, dtype=np.int64)


def _row_hashes(rows: Transitions) -> NDArray[np.uint64]:
    if rows.shape[1] > rows.shape[0]:
        factors = np.cumprod(np.full(rows.shape[1], _MULTIPLIER, dtype=np.uint64))
        return np.asarray((rows.astype(np.uint64) * factors).sum(axis=1), dtype=np.uint64)
    hashes = np.zeros(rows.shape[0], dtype=np.uint64)
    for column in range(rows.shape[1]):
        hashes += rows[:, column].astype(np.uint64)
        hashes *= _MULTIPLIER
        hashes ^= hashes >> np.uint64(29)
    return hashes
