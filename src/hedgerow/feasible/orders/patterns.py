"""Where items stand that rules tie to positions: the patterns of these items and of free places between them.

A pattern is built from the first position on. What has been placed so far is all that matters for the rest, so patterns
are counted over sets of placed items, as far as these are few; all other items share the free places.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Mask
from hedgerow.feasible.orders.poset import IdealsExceeded, below

# Pairs of a position and a set of placed items.
MAX_STATES = 60_000
# What stands in a pattern at a free place.
FREE = -1


class Patterns:
    """All ways to place some items; `allowed[item, position]` and `before` are over all items."""

    def __init__(self, items: Sequence[int], allowed: Mask, before: Mask) -> None:
        self.items = tuple(items)
        self.n = allowed.shape[0]
        self._needs = [
            sum(1 << place for place, other in enumerate(items) if before[other, item]) for item in self.items
        ]
        self._may = [[place for place, item in enumerate(items) if allowed[item, at]] for at in range(self.n)]
        # After its last position an item that is not placed yet never will be.
        last = [int(np.flatnonzero(allowed[item]).max(initial=-1)) for item in self.items]
        self._due = [sum(1 << place for place, end in enumerate(last) if end < at) for at in range(self.n + 1)]
        self._n_free = self.n - len(self.items)
        self._ways: list[dict[int, int]] = []
        self._count()

    def _count(self) -> None:
        layers: list[dict[int, int]] = [{0: 0}]
        n_states = 1
        for at in range(self.n):
            layers.append({ahead: 0 for placed in layers[-1] for _, ahead in self._steps(at, placed)})
            n_states += len(layers[-1])
            if n_states > MAX_STATES:
                raise IdealsExceeded
        everything = (1 << len(self.items)) - 1
        layers[-1] = {placed: int(placed == everything) for placed in layers[-1]}
        for at in range(self.n - 1, -1, -1):
            for placed in layers[at]:
                layers[at][placed] = sum(layers[at + 1][ahead] for _, ahead in self._steps(at, placed))
        self._ways = layers

    def _steps(self, at: int, placed: int) -> list[tuple[int, int]]:
        """Return what may stand at a position, -1 for a free place, and what is placed then."""
        found = []
        if at - placed.bit_count() < self._n_free and not self._due[at + 1] & ~placed:
            found.append((FREE, placed))
        for place in self._may[at]:
            needs = self._needs[place]
            ahead = placed | 1 << place
            if not placed >> place & 1 and needs & placed == needs and not self._due[at + 1] & ~ahead:
                found.append((place, ahead))
        return found

    @property
    def total(self) -> int:
        """How many patterns there are."""
        return self._ways[0][0]

    @property
    def n_nodes(self) -> int:
        """The states that they are counted over."""
        return sum(len(layer) for layer in self._ways)

    def draw(self, rng: Generator) -> list[int]:
        """Return one of the patterns, each with the same chance: the item at each position, or -1."""
        return self.unrank(below(self.total, rng))

    def unrank(self, rank: int) -> list[int]:
        """Return the pattern with this rank."""
        placed, pattern = 0, []
        for at in range(self.n):
            steps = iter(self._steps(at, placed))
            place, ahead = next(steps)
            while rank >= self._ways[at + 1][ahead]:
                rank -= self._ways[at + 1][ahead]
                place, ahead = next(steps)
            pattern.append(FREE if place == FREE else self.items[place])
            placed = ahead
        return pattern

    def rank(self, pattern: Sequence[int]) -> int:
        """Return the rank of a pattern."""
        placed, rank = 0, 0
        for at, item in enumerate(pattern):
            steps = iter(self._steps(at, placed))
            place, ahead = next(steps)
            while (FREE if place == FREE else self.items[place]) != item:
                rank += self._ways[at + 1][ahead]
                place, ahead = next(steps)
            placed = ahead
        return rank

    def places(self) -> tuple[dict[int, list[int]], list[list[int]]]:
        """Return in how many patterns each item stands where, and in how many each free place, counted in order, is."""
        found = {item: [0] * self.n for item in self.items}
        free = [[0] * self.n for _ in range(self._n_free)]
        reached = {0: 1}
        for at in range(self.n):
            ahead: dict[int, int] = {}
            for placed, n_ways in reached.items():
                for place, larger in self._steps(at, placed):
                    ahead[larger] = ahead.get(larger, 0) + n_ways
                    through = n_ways * self._ways[at + 1][larger]
                    if place == FREE:
                        free[at - placed.bit_count()][at] += through
                    else:
                        found[self.items[place]][at] += through
            reached = ahead
        return found, free
