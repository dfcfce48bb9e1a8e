"""How far two orders of items are apart, in four ways, each from 0 to 1; and other slots beside them.

What matters in an order differs from problem to problem: which of two items comes first (schedules under tardiness),
where an item stands (assembly lines), which items are next to each other (round trips), what follows what
(changeovers). The kernel has all four, and the evidence weighs them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Places
from hedgerow.compiled import compiled
from hedgerow.space.space import Space

Cube = NDArray[np.float64]  # (n_distances, n, m)

# Pairs of items that are compared; of more, so many are drawn once and for all.
_MAX_PAIRS = 2_500
N_KINDS = 4


class RowDistances:
    """Distances between rows of one space."""

    def __init__(self, space: Space) -> None:
        self._orders = [
            _OrderPart(space.first_slot[name], variable.length) for name, variable in space.permutations.items()
        ]
        owned = {slot for order in self._orders for slot in range(order.start, order.stop)}
        others = [slot for slot, size in enumerate(space.sizes) if slot not in owned and size > 1]
        self.others = np.array(others, dtype=np.int64)
        self._has_length = np.array([space.slots[slot].has_order for slot in others], dtype=np.bool_)
        self._last = np.array([space.sizes[slot] - 1 for slot in others], dtype=np.float64)
        self._last_left: Codes | None = None
        self._seen: list[_Seen] = []

    @property
    def n(self) -> int:
        """How many distances there are."""
        return N_KINDS * len(self._orders) + int(self.others.size)

    @property
    def n_of_orders(self) -> int:
        """How many of them, the first ones, are between orders."""
        return N_KINDS * len(self._orders)

    def between(self, left: Codes, right: Codes) -> Cube:
        """Return every distance of each pair of rows."""
        cube = np.empty((self.n, left.shape[0], right.shape[0]))
        if self._last_left is not left:
            # A search asks about the same observations again and again.
            self._last_left = left
            self._seen = [order.seen(left[:, order.start : order.stop]) for order in self._orders]
        for place, order in enumerate(self._orders):
            own = slice(order.start, order.stop)
            found = order.between(self._seen[place], right[:, own])
            cube[N_KINDS * place : N_KINDS * (place + 1)] = found
        for place, slot in enumerate(self.others, start=self.n_of_orders):
            apart = np.abs(left[:, slot, None] - right[None, :, slot])
            scale = self._last[place - self.n_of_orders]
            is_long = self._has_length[place - self.n_of_orders]
            cube[place] = apart / scale if is_long else apart > 0
        return cube


@dataclass(frozen=True, eq=False)
class _Seen:
    """Rows with which pairs come in their order (1) or not (-1), and what follows what."""

    rows: Codes
    signs: NDArray[np.float32]
    followers: Codes


class _OrderPart:
    def __init__(self, start: int, length: int) -> None:
        self.start, self.stop, self._n = start, start + length, length
        first, second = np.triu_indices(length, 1)
        if first.size > _MAX_PAIRS:
            kept = np.sort(np.random.default_rng(0).choice(first.size, _MAX_PAIRS, replace=False))
            first, second = first[kept], second[kept]
        self._first, self._second = first, second

    def between(self, known: _Seen, right: Codes) -> Cube:
        n_pairs = self._first.size
        agreed = known.signs @ self._signs(right).T
        cube = np.empty((N_KINDS, known.rows.shape[0], right.shape[0]))
        cube[0] = 0.5 * (1.0 - agreed / n_pairs)
        _compare(known.rows, np.ascontiguousarray(right), known.followers, followers(right), cube)
        cube[1] /= self._n * self._n / 2
        cube[2:] /= self._n - 1
        return cube

    def seen(self, rows: Codes) -> _Seen:
        """Return what is known of rows before they are compared."""
        return _Seen(np.ascontiguousarray(rows), self._signs(rows), followers(rows))

    def _signs(self, rows: Codes) -> NDArray[np.float32]:
        signs = np.empty((rows.shape[0], self._first.size), dtype=np.float32)
        _write_signs(np.ascontiguousarray(rows), self._first, self._second, signs)
        return signs


def followers(rows: Codes) -> Codes:
    """Return for each item of each row the item that follows it, -1 after the last."""
    orders = np.argsort(rows, axis=1)
    found = np.full_like(rows, -1)
    np.put_along_axis(found, orders[:, :-1], orders[:, 1:], axis=1)
    return found


@compiled
def _write_signs(rows: Codes, first: Places, second: Places, signs: NDArray[np.float32]) -> None:
    for row in range(rows.shape[0]):
        for pair in range(first.size):
            signs[row, pair] = 1.0 if rows[row, first[pair]] < rows[row, second[pair]] else -1.0


@compiled
def _compare(left: Codes, right: Codes, after_left: Codes, after_right: Codes, cube: Cube) -> None:
    """Write how far items are from where they were, and how many neighbors and successors are others."""
    n = left.shape[1]
    for a in range(left.shape[0]):
        for b in range(right.shape[0]):
            far, apart, others = 0, 0, 0
            for item in range(n):
                far += abs(left[a, item] - right[b, item])
                follower = after_right[b, item]
                if follower >= 0 and after_left[a, item] != follower:
                    others += 1
                    if after_left[a, follower] != item:
                        apart += 1
            cube[1, a, b] = far
            cube[2, a, b] = apart
            cube[3, a, b] = others
