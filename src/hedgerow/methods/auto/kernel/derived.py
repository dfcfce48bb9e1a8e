"""Coordinates that are computed from a row, for kernels that see structure: windows, counts, terms of rules.

Each is a sum of what the codes of some slots count for, looked up in a list: the number of a window of neighbors, how
many components have a value, the rank of a term of a rule. So a change of a row moves the sums of the coordinates that
look at its slot, and of no others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Places
from hedgerow.methods.auto.kernel.derived_loops import Looks, coordinate_sums


@dataclass(frozen=True, eq=False)
class Coordinate:
    """One coordinate: which slots it looks at, what each of their codes counts for, and the codes of the sums."""

    slots: tuple[int, ...]
    counts_for: tuple[NDArray[np.int64], ...]
    codes: NDArray[np.int64]
    is_ordered: bool

    @property
    def size(self) -> int:
        """The number of its own codes."""
        return int(self.codes.max()) + 1


@dataclass(frozen=True, eq=False)
class Derived:
    """Several coordinates in arrays, in groups that share a scale: `groups` numbers them from 1."""

    coordinates: tuple[Coordinate, ...]
    groups: tuple[int, ...]
    n_slots: int
    looks: Looks
    # Where the sums of each coordinate begin among the codes of all sums.
    first_sums: Places

    @classmethod
    def of(cls, groups: Sequence[Sequence[Coordinate]], n_slots: int) -> Derived:
        """Collect groups of coordinates over so many slots."""
        coordinates = tuple(each for group in groups for each in group)
        numbers = tuple(k for k, group in enumerate(groups, start=1) for _ in group)
        by_slot: list[list[tuple[int, NDArray[np.int64]]]] = [[] for _ in range(n_slots)]
        for place, each in enumerate(coordinates):
            for slot, counts_for in zip(each.slots, each.counts_for, strict=True):
                by_slot[slot].append((place, counts_for))
        flat = [look for of_slot in by_slot for look in of_slot]
        table = np.zeros((len(flat), max(counts_for.size for _, counts_for in flat)), dtype=np.int64)
        for line, (_, counts_for) in zip(table, flat, strict=True):
            line[: counts_for.size] = counts_for
        sizes = [each.codes.size for each in coordinates]
        return cls(
            coordinates,
            numbers,
            n_slots,
            Looks(
                np.concatenate([[0], np.cumsum([len(of_slot) for of_slot in by_slot])]),
                np.array([place for place, _ in flat], dtype=np.int64),
                table,
                np.concatenate([each.codes for each in coordinates]),
            ),
            np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64),
        )

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of codes of each coordinate."""
        return tuple(each.size for each in self.coordinates)

    def sums(self, rows: Codes) -> Codes:
        """Return the sum of each coordinate at each row, as places among the codes of all sums."""
        return coordinate_sums(rows[:, : self.n_slots], self.looks, self.first_sums)

    def of_rows(self, rows: Codes) -> Codes:
        """Return rows with their coordinates behind the slots."""
        return np.ascontiguousarray(np.concatenate([rows, self.looks.codes[self.sums(rows)]], axis=1))

    @cached_property
    def order(self) -> Places:
        """Slots and coordinates in an order in which each coordinate follows the last slot that it looks at."""
        last = [*range(self.n_slots), *(max(each.slots) for each in self.coordinates)]
        return np.argsort(last, kind="stable")


def window(slots: Sequence[int], size: int) -> Coordinate:
    """Return the number of what stands in some slots with so many codes each."""
    strides = [size**k for k in range(len(slots))]
    counts_for = tuple(stride * np.arange(size) for stride in strides)
    return Coordinate(tuple(slots), counts_for, np.arange(size ** len(slots)), is_ordered=False)


def count_of(slots: Sequence[int], size: int, code: int) -> Coordinate:
    """Return how many of some slots have a code."""
    counts_for = (np.arange(size) == code).astype(np.int64)
    return Coordinate(tuple(slots), (counts_for,) * len(slots), np.arange(len(slots) + 1), is_ordered=True)


def looked_up(slots: Sequence[int], sizes: Sequence[int], codes: NDArray[np.int64]) -> Coordinate:
    """Return what a list says of each combination of codes, the last slot varying fastest."""
    strides = np.concatenate([np.cumprod(np.array(sizes[:0:-1], dtype=np.int64))[::-1], [1]])
    counts_for = tuple(stride * np.arange(size) for stride, size in zip(strides, sizes, strict=True))
    return Coordinate(tuple(slots), counts_for, codes, is_ordered=True)
