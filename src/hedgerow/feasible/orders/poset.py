"""The orders that keep some items before others (linear extensions): their number, uniform draws, ranks.

Items that no rule ties together interleave in any way, and where everything of one part comes before everything of
another the two follow each other; so most rule sets fall apart into small pieces. What does not is counted over the
sets of items that can come first (ideals), as far as these are few.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Mask

# Sets of items that can come first, of a piece that does not fall apart.
MAX_IDEALS = 20_000


class IdealsExceeded(Exception):  # noqa: N818 - it is caught, never shown
    """The orders cannot be counted with bounded effort."""


class Poset(ABC):
    """Orders of some items; `items` are their numbers."""

    items: tuple[int, ...]

    @property
    @abstractmethod
    def total(self) -> int:
        """How many orders there are."""

    @property
    @abstractmethod
    def n_nodes(self) -> int:
        """The size of what holds them."""

    @abstractmethod
    def draw(self, rng: Generator) -> list[int]:
        """Return one of the orders, each with the same chance."""

    @abstractmethod
    def unrank(self, rank: int) -> list[int]:
        """Return the order with this rank."""

    @abstractmethod
    def rank(self, order: Sequence[int]) -> int:
        """Return the rank of an order."""

    @abstractmethod
    def places(self) -> dict[int, list[int]]:
        """Return for each item how many orders have it first, second and so on."""


def poset_of(items: Sequence[int], before: Mask) -> Poset:
    """Return the orders of some items; `before[a, b]` says that a comes before b, and is transitive."""
    if len(items) == 1:
        return Single(items[0])
    own = before[np.ix_(items, items)]
    parts = _components(own | own.T)
    if len(parts) > 1:
        return Parallel([poset_of([items[place] for place in part], before) for part in parts])
    apart = ~(own | own.T)
    np.fill_diagonal(apart, False)
    steps = _components(apart)
    if len(steps) > 1:
        # All of one comes before all of another, so that any one item of each tells which comes first.
        steps.sort(key=lambda step: int(own[:, step[0]].sum() - sum(own[other, step[0]] for other in step)))
        return Series([poset_of([items[place] for place in step], before) for step in steps])
    return Ideals(tuple(items), own)


class Single(Poset):
    """One item."""

    def __init__(self, item: int) -> None:
        self.items = (item,)

    @property
    def total(self) -> int:
        """One."""
        return 1

    @property
    def n_nodes(self) -> int:
        """One."""
        return 1

    def draw(self, rng: Generator) -> list[int]:
        """Return the item."""
        _ = rng
        return [self.items[0]]

    def unrank(self, rank: int) -> list[int]:
        """Return the item."""
        _ = rank
        return [self.items[0]]

    def rank(self, order: Sequence[int]) -> int:
        """Return nothing but 0."""
        _ = order
        return 0

    def places(self) -> dict[int, list[int]]:
        """Return that it is first."""
        return {self.items[0]: [1]}


class Series(Poset):
    """Parts that follow each other."""

    def __init__(self, parts: Sequence[Poset]) -> None:
        self.parts = parts
        self.items = tuple(item for part in parts for item in part.items)

    @cached_property
    def total(self) -> int:
        """The product of those of the parts."""
        return math.prod(part.total for part in self.parts)

    @property
    def n_nodes(self) -> int:
        """Those of the parts."""
        return sum(part.n_nodes for part in self.parts)

    def draw(self, rng: Generator) -> list[int]:
        """Draw the parts one after the other."""
        return [item for part in self.parts for item in part.draw(rng)]

    def unrank(self, rank: int) -> list[int]:
        """Take the rank apart into those of the parts."""
        return [
            item for part, own in zip(self.parts, _split(rank, self.parts), strict=True) for item in part.unrank(own)
        ]

    def rank(self, order: Sequence[int]) -> int:
        """Put the ranks of the parts together."""
        total, start = 0, 0
        for part in self.parts:
            total = total * part.total + part.rank(order[start : start + len(part.items)])
            start += len(part.items)
        return total

    def places(self) -> dict[int, list[int]]:
        """Shift those of the parts."""
        found, start, n = {}, 0, len(self.items)
        for part in self.parts:
            others = self.total // part.total
            for item, counts in part.places().items():
                found[item] = [0] * start + [others * count for count in counts] + [0] * (n - start - len(counts))
            start += len(part.items)
        return found


class Parallel(Poset):
    """Parts that interleave in any way."""

    def __init__(self, parts: Sequence[Poset]) -> None:
        self.parts = parts
        self.items = tuple(item for part in parts for item in part.items)
        self._sizes = [len(part.items) for part in parts]

    @cached_property
    def total(self) -> int:
        """The ways to interleave them times the product of those of the parts."""
        return self._n_interleavings * math.prod(part.total for part in self.parts)

    @cached_property
    def _n_interleavings(self) -> int:
        return math.factorial(len(self.items)) // math.prod(map(math.factorial, self._sizes))

    @property
    def n_nodes(self) -> int:
        """Those of the parts."""
        return sum(part.n_nodes for part in self.parts)

    def draw(self, rng: Generator) -> list[int]:
        """Draw the parts, and shuffle whose turn it is."""
        turns = rng.permutation(np.repeat(np.arange(len(self.parts)), self._sizes))
        return _merged(turns.tolist(), [part.draw(rng) for part in self.parts])

    def unrank(self, rank: int) -> list[int]:
        """Take the rank apart into that of the turns and those of the parts."""
        which, rest = divmod(rank, self.total // self._n_interleavings)
        parts = [part.unrank(own) for part, own in zip(self.parts, _split(rest, self.parts), strict=True)]
        left, ways, turns = list(self._sizes), self._n_interleavings, []
        for n_left in range(len(self.items), 0, -1):
            turn, share = 0, ways * left[0] // n_left
            while which >= share:
                which -= share
                turn += 1
                share = ways * left[turn] // n_left
            turns.append(turn)
            left[turn] -= 1
            ways = share
        return _merged(turns, parts)

    def rank(self, order: Sequence[int]) -> int:
        """Put the ranks of the turns and of the parts together."""
        part_of = {item: turn for turn, part in enumerate(self.parts) for item in part.items}
        turns = [part_of[item] for item in order]
        left, ways, which = list(self._sizes), self._n_interleavings, 0
        for n_left, turn in zip(range(len(order), 0, -1), turns, strict=True):
            which += sum(ways * size // n_left for size in left[:turn])
            ways = ways * left[turn] // n_left
            left[turn] -= 1
        for turn, part in enumerate(self.parts):
            which = which * part.total + part.rank(
                [item for item, own in zip(order, turns, strict=True) if own == turn]
            )
        return which

    def places(self) -> dict[int, list[int]]:
        """Spread those of each part over the places that it may get."""
        n = len(self.items)
        found = {}
        for part, size in zip(self.parts, self._sizes, strict=True):
            others = self.total // part.total // math.comb(n, size)
            for item, counts in part.places().items():
                found[item] = [
                    others
                    * sum(
                        count * math.comb(place, own) * math.comb(n - 1 - place, size - 1 - own)
                        for own, count in enumerate(counts)
                        if count and own <= place
                    )
                    for place in range(n)
                ]
        return found


class Ideals(Poset):
    """A piece that does not fall apart, counted over the sets of items that can come first."""

    def __init__(self, items: tuple[int, ...], before: Mask) -> None:
        self.items = items
        n = len(items)
        self._needs = [sum(1 << int(other) for other in np.flatnonzero(before[:, place])) for place in range(n)]
        layers: list[list[int]] = [[0]]
        n_found = 1
        for _ in range(n):
            layers.append(sorted({ideal | 1 << place for ideal in layers[-1] for place in self._next(ideal)}))
            n_found += len(layers[-1])
            if n_found > MAX_IDEALS:
                raise IdealsExceeded
        self._ways = {layers[-1][0]: 1}
        for layer in reversed(layers[:-1]):
            for ideal in layer:
                self._ways[ideal] = sum(self._ways[ideal | 1 << place] for place in self._next(ideal))
        self._layers = layers

    def _next(self, ideal: int) -> list[int]:
        return [place for place, needs in enumerate(self._needs) if not ideal >> place & 1 and needs & ideal == needs]

    @property
    def total(self) -> int:
        """Counted."""
        return self._ways[0]

    @property
    def n_nodes(self) -> int:
        """The sets of items."""
        return len(self._ways)

    def draw(self, rng: Generator) -> list[int]:
        """Draw a rank."""
        return self.unrank(below(self.total, rng))

    def unrank(self, rank: int) -> list[int]:
        """Walk from the empty set."""
        ideal = 0
        order: list[int] = []
        while len(order) < len(self.items):
            steps = iter(self._next(ideal))
            place = next(steps)
            while rank >= self._ways[ideal | 1 << place]:
                rank -= self._ways[ideal | 1 << place]
                place = next(steps)
            order.append(self.items[place])
            ideal |= 1 << place
        return order

    def rank(self, order: Sequence[int]) -> int:
        """Count what the walk passes over."""
        ideal, rank = 0, 0
        for item in order:
            own = self.items.index(item)
            rank += sum(self._ways[ideal | 1 << place] for place in self._next(ideal) if place < own)
            ideal |= 1 << own
        return rank

    def places(self) -> dict[int, list[int]]:
        """Add up the walks through each step."""
        found = {item: [0] * len(self.items) for item in self.items}
        reached = {0: 1}
        for step, layer in enumerate(self._layers[:-1]):
            ahead: dict[int, int] = {}
            for ideal in layer:
                for place in self._next(ideal):
                    larger = ideal | 1 << place
                    ahead[larger] = ahead.get(larger, 0) + reached[ideal]
                    found[self.items[place]][step] += reached[ideal] * self._ways[larger]
            reached = ahead
        return found


def below(limit: int, rng: Generator) -> int:
    """Return a uniform whole number below a limit of any length."""
    n_bits = (limit - 1).bit_length()
    while True:
        drawn = int.from_bytes(rng.bytes((n_bits + 7) // 8), "little") >> (-n_bits % 8) if n_bits else 0
        if drawn < limit:
            return drawn


def _split(rank: int, parts: Sequence[Poset]) -> list[int]:
    """Return the ranks of the parts, of which the last runs fastest."""
    found = []
    for part in reversed(parts):
        rank, own = divmod(rank, part.total)
        found.append(own)
    return found[::-1]


def _merged(turns: Sequence[int], parts: Sequence[list[int]]) -> list[int]:
    ahead = [iter(part) for part in parts]
    return [next(ahead[turn]) for turn in turns]


def _components(tied: Mask) -> list[list[int]]:
    """Return the connected parts of a graph, each in increasing order."""
    n, seen, found = tied.shape[0], set(), []
    for start in range(n):
        if start in seen:
            continue
        part, stack = {start}, [start]
        while stack:
            for other in np.flatnonzero(tied[stack.pop()]).tolist():
                if other not in part:
                    part.add(other)
                    stack.append(other)
        seen |= part
        found.append(sorted(part))
    return found
