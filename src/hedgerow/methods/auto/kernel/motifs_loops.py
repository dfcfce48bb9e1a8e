"""The hot loops of motifs; tests compare each with a plain twin.

A row is its columns: the numbers of its motifs, each once, and `n_motifs` as often as motifs stand in several windows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Matrix, Places
from hedgerow.compiled import compiled, inlined

Flags = NDArray[np.int16]


class MotifCenter(NamedTuple):
    """A row with its motifs, and what it shares with observations.

    `places` says where in the vector a slot stands, or -1; `numbers` is what stands in each window, `names` the motif
    that each number is, `n_there` in how many windows each motif stands. `has` (n_motifs + 1, n_observations) says
    which observation has a motif, `n_own` how many it has, `n_shared` how many of these the row has too; `inverses` is
    one over its factor.
    """

    row: Codes
    places: Places
    size: int
    width: int
    names: Places
    numbers: Places
    n_there: Places
    table: NDArray[np.float64]
    has: Flags
    n_own: Flags
    n_shared: Flags
    inverses: NDArray[np.float64]


@compiled
def first_places(numbers: Codes, names: Places) -> Codes:
    """Return the motif of each window, or how many motifs there are where it stands further left as well."""
    result = np.empty_like(numbers)
    last_row = np.full(names.size, -1)
    for i in range(numbers.shape[0]):
        for k in range(numbers.shape[1]):
            motif = names[numbers[i, k]]
            result[i, k] = motif if last_row[motif] < i else names.size
            last_row[motif] = i
    return result


@compiled
def motif_flags(columns: Codes, n_motifs: int) -> tuple[Flags, Flags]:
    """Return which row has which motif, (n_motifs + 1, n_rows) with nothing in the last line, and how many each has."""
    has = np.zeros((n_motifs + 1, columns.shape[0]), dtype=np.int16)
    n_own = np.zeros(columns.shape[0], dtype=np.int16)
    for i in range(columns.shape[0]):
        for k in range(columns.shape[1]):
            if columns[i, k] < n_motifs:
                has[columns[i, k], i] = 1
                n_own[i] += 1
    return has, n_own


@inlined
def _count_shared(rows: Codes, i: int, has: Flags, n_shared: Flags) -> int:
    """Count into `n_shared` how many motifs of row i each other row has; return how many it has."""
    n_own = 0
    n_shared[:] = 0
    for k in range(rows.shape[1]):
        motif = rows[i, k]
        if motif < has.shape[0] - 1:
            n_own += 1
            # No slices: to make one takes as long as twenty additions.
            for j in range(n_shared.size):
                n_shared[j] += has[motif, j]
    return n_own


@compiled
def motif_differences(left: Codes, right: Codes, n_motifs: int) -> Codes:
    """Return for each pair of rows how many motifs one has and the other has not."""
    has, n_others = motif_flags(right, n_motifs)
    n_shared = np.empty(right.shape[0], dtype=np.int16)
    result = np.empty((left.shape[0], right.shape[0]), dtype=np.int64)
    for i in range(left.shape[0]):
        n_own = _count_shared(left, i, has, n_shared)
        for j in range(n_shared.size):
            result[i, j] = n_own + n_others[j] - 2 * n_shared[j]
    return result


@compiled
def multiply_by_motifs(products: Matrix, left: Codes, right: Codes, n_motifs: int, table: NDArray[np.float64]) -> None:
    """Multiply the product of each pair of rows by the table at how many motifs one has and the other has not."""
    # Of few rows it is cheaper to note the motifs than of a long list, whatever the order of access costs.
    if left.shape[0] < right.shape[0] and left.size < n_motifs:
        has, n_others = motif_flags(left, n_motifs)
        n_shared = np.empty(left.shape[0], dtype=np.int16)
        for j in range(right.shape[0]):
            n_own = _count_shared(right, j, has, n_shared)
            for i in range(n_shared.size):
                products[i, j] *= table[n_own + n_others[i] - 2 * n_shared[i]]
        return
    has, n_others = motif_flags(right, n_motifs)
    n_shared = np.empty(right.shape[0], dtype=np.int16)
    for i in range(left.shape[0]):
        n_own = _count_shared(left, i, has, n_shared)
        for j in range(n_shared.size):
            products[i, j] *= table[n_own + n_others[j] - 2 * n_shared[j]]


@inlined
def _shifted(place: int, step: int, center: MotifCenter, numbers: Places, n_there: Places, touched: Places) -> int:
    """Change what stands at a place by a step of its code; say how many motifs were touched, and which."""
    n_touched = 0
    for k in range(center.width):
        # The window in which the place is the k-th.
        window = place - k
        if 0 <= window < numbers.size:
            touched[n_touched] = center.names[numbers[window]]
            numbers[window] += step * center.size**k
            touched[n_touched + 1] = center.names[numbers[window]]
            n_there[touched[n_touched]] -= 1
            n_there[touched[n_touched + 1]] += 1
            n_touched += 2
    return n_touched


@inlined
def _keep_moved(touched: Places, n_touched: int, n_there: Places, before: Places) -> int:
    """Keep those motifs, each once, that came or went; return how many these are."""
    n_moved = 0
    for t in range(n_touched):
        motif = touched[t]
        has_moved = (n_there[motif] > 0) != (before[motif] > 0)
        for earlier in range(n_moved):
            has_moved = has_moved and touched[earlier] != motif
        if has_moved:
            touched[n_moved] = motif
            n_moved += 1
    return n_moved


@compiled
def multiply_by_moved_motifs(
    products: Matrix, first: Places, second: Places, slots: Places, codes: Codes, center: MotifCenter
) -> None:
    """Multiply products with observations, a row for each change, by what the change does to the motifs of a row.

    A change is to one literal, or to two where `second` is not -1; `slots` and `codes` are those of literals.
    """
    numbers, n_there = center.numbers.copy(), center.n_there.copy()
    n_before = np.count_nonzero(n_there)
    touched = np.empty(4 * center.width, dtype=np.int64)
    changed = np.empty((2, 2), dtype=np.int64)
    for j in range(first.size):
        n_changed = n_touched = 0
        for literal in (first[j], second[j]):
            if literal >= 0 and center.places[slots[literal]] >= 0:
                changed[n_changed, 0] = center.places[slots[literal]]
                changed[n_changed, 1] = codes[literal] - center.row[slots[literal]]
                n_changed += 1
        for place, step in changed[:n_changed]:
            n_touched += _shifted(place, step, center, numbers, n_there, touched[n_touched:])
        n_moved = _keep_moved(touched, n_touched, n_there, center.n_there)
        n_after = n_before
        for t in range(n_moved):
            n_after += 1 if n_there[touched[t]] > 0 else -1
        if n_moved:
            for i in range(products.shape[1]):
                n_shared = center.n_shared[i]
                for t in range(n_moved):
                    if center.has[touched[t], i]:
                        n_shared += 1 if n_there[touched[t]] > 0 else -1
                products[j, i] *= center.table[n_after + center.n_own[i] - 2 * n_shared] * center.inverses[i]
        for place, step in changed[:n_changed]:
            _shifted(place, -step, center, numbers, n_there, touched)
