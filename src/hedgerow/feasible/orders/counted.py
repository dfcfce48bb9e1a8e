"""All orders of items that keep rules about positions and about what comes before what, counted exactly."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes, Mask
from hedgerow.feasible.orders.patterns import FREE, Patterns
from hedgerow.feasible.orders.poset import Poset, poset_of


class CountedOrders:
    """Orders as rows of positions, from 0; raises `IdealsExceeded` where they cannot be counted with bounded effort."""

    def __init__(self, allowed: Mask, before: Mask) -> None:
        self.n = allowed.shape[0]
        tied = _tied_to_positions(allowed, before)
        placed, others = np.flatnonzero(tied).tolist(), np.flatnonzero(~tied).tolist()
        self._patterns = Patterns(placed, allowed, before) if placed else None
        self._poset: Poset | None = poset_of(others, before) if others else None
        self._is_free = not placed and not before.any()

    @cached_property
    def total(self) -> int:
        """How many orders there are."""
        return (self._patterns.total if self._patterns else 1) * (self._poset.total if self._poset else 1)

    @property
    def n_nodes(self) -> int:
        """The size of what holds them."""
        return (self._patterns.n_nodes if self._patterns else 0) + (self._poset.n_nodes if self._poset else 0)

    def draw(self, n_rows: int, rng: Generator) -> Codes:
        """Return independent rows, each order with the same chance."""
        if self._is_free:
            return np.asarray(rng.permuted(np.tile(np.arange(self.n), (n_rows, 1)), axis=1))
        rows = np.empty((n_rows, self.n), dtype=np.int64)
        for row in rows:
            pattern = self._patterns.draw(rng) if self._patterns else [FREE] * self.n
            self._fill(row, pattern, self._poset.draw(rng) if self._poset else [])
        return rows

    def unrank(self, ranks: Sequence[int]) -> Codes:
        """Return the rows with these ranks."""
        rows = np.empty((len(ranks), self.n), dtype=np.int64)
        for row, rank in zip(rows, ranks, strict=True):
            which, rest = divmod(int(rank), self._poset.total) if self._poset else (int(rank), 0)
            pattern = self._patterns.unrank(which) if self._patterns else [FREE] * self.n
            self._fill(row, pattern, self._poset.unrank(rest) if self._poset else [])
        return rows

    def _fill(self, row: Codes, pattern: Sequence[int], others: Sequence[int]) -> None:
        """Write where each item stands into a row."""
        ahead = iter(others)
        order = [next(ahead) if item == FREE else item for item in pattern]
        row[order] = np.arange(self.n)

    def rank(self, rows: Codes) -> list[int]:
        """Return the ranks of rows that are among the orders."""
        found = []
        for row in rows:
            order = np.argsort(row).tolist()
            placed = set(self._patterns.items) if self._patterns else set()
            rank = self._patterns.rank([item if item in placed else FREE for item in order]) if self._patterns else 0
            if self._poset:
                rank = rank * self._poset.total + self._poset.rank([item for item in order if item not in placed])
            found.append(rank)
        return found

    def usage(self) -> list[list[int]]:
        """Return for each item and position how many orders have it there."""
        found: list[list[int]] = [[] for _ in range(self.n)]
        n_orders = self._poset.total if self._poset else 1
        n_patterns = self._patterns.total if self._patterns else 1
        free = None
        if self._patterns:
            of_placed, free = self._patterns.places()
            for item, counts in of_placed.items():
                found[item] = [n_orders * count for count in counts]
        known: dict[tuple[int, ...], list[int]] = {}
        for item, counts in (self._poset.places() if self._poset else {}).items():
            key = tuple(counts)
            if key not in known:
                known[key] = (
                    [n_patterns * count for count in counts]
                    if free is None
                    else [
                        sum(c * free[j][at] for j, c in enumerate(counts) if c and free[j][at]) for at in range(self.n)
                    ]
                )
            found[item] = known[key]
        return found


def _tied_to_positions(allowed: Mask, before: Mask) -> Mask:
    """Return the items that a rule ties to positions, and those that rules tie to these."""
    tied = ~allowed.all(axis=1)
    related = before | before.T
    while True:
        more = tied | related[tied].any(axis=0)
        if (more == tied).all():
            return np.asarray(tied)
        tied = more
