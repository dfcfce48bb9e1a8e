"""Motifs: what stands in a few neighboring slots of a vector, wherever it stands.

A window knows what stands at its place. What binds to DNA, or a turn in a chain of amino acids, does the same a place
further on. Here a row is the set of motifs of one width that it has somewhere, and two rows are as far apart as the
root of the number of motifs that one has and the other has not. To the kernel that is an ordered slot whose
differences are these numbers, so that its scale, its length and its roughness are learned as any other's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Column, Matrix, Places, Tables
from hedgerow.methods.auto.kernel.motifs_loops import (
    Flags,
    MotifCenter,
    first_places,
    motif_differences,
    motif_flags,
    multiply_by_motifs,
)


@dataclass(frozen=True, eq=False)
class Motifs:
    """The motifs of one width in one vector: the places of its slots, side by side, and how many codes each has.

    With `partners`, the code that pairs with each, a motif is the same as its partners read backwards.
    """

    slots: tuple[int, ...]
    size: int
    width: int
    partners: tuple[int, ...] = ()

    @property
    def n_windows(self) -> int:
        """In how many places a motif may stand."""
        return len(self.slots) - self.width + 1

    @property
    def n_motifs(self) -> int:
        """How many motifs there are; columns of that number say that motifs stand in several windows."""
        return int(self.size**self.width)

    @property
    def n_differences(self) -> int:
        """How many numbers of motifs there may be that one row has and another has not."""
        return 2 * self.n_windows + 1

    @cached_property
    def distances(self) -> NDArray[np.float64]:
        """How far apart rows are, from 0 to 1, by how many motifs one of them has and the other has not."""
        return np.asarray(np.sqrt(np.arange(self.n_differences) / (self.n_differences - 1)))

    @cached_property
    def names(self) -> NDArray[np.int64]:
        """The number by which each motif goes: its own, or that of its partners backwards where that is less."""
        own = np.arange(self.n_motifs)
        if not self.partners:
            return own
        strides = self.size ** np.arange(self.width)
        codes = own[:, None] // strides % self.size
        return np.asarray(np.minimum(own, np.array(self.partners)[codes][:, ::-1] @ strides))

    def numbers(self, rows: Codes) -> Codes:
        """Return what stands in each window of each row, as a number whose digits are the codes."""
        strides = self.size ** np.arange(self.width)
        columns = rows[:, list(self.slots)]
        ends = range(self.width, len(self.slots) + 1)
        return np.stack([columns[:, end - self.width : end] @ strides for end in ends], axis=1)

    def columns(self, rows: Codes) -> Codes:
        """Return the set of motifs of each row in their order: a column for each window, at the end `n_motifs`."""
        return np.sort(first_places(self.numbers(rows), self.names), axis=1)

    def around(self, row: Codes, columns: Codes, flags: tuple[Flags, Flags], table: Column) -> MotifCenter:
        """Return what changes of a row are judged by, given its columns and which observations have which motifs."""
        places = np.full(row.size, -1)
        places[list(self.slots)] = np.arange(len(self.slots))
        numbers = self.numbers(row[None, :])[0]
        has, n_own = flags
        n_shared = has[columns[0]].sum(axis=0, dtype=np.int16)
        n_here = int((columns < self.n_motifs).sum())
        inverses = 1.0 / table[n_here + n_own.astype(np.int64) - 2 * n_shared]
        n_there = np.bincount(self.names[numbers], minlength=self.n_motifs)
        shape = self.size, self.width, self.names
        return MotifCenter(row, places, *shape, numbers, n_there, table, has, n_own, n_shared, inverses)


def of_some(center: MotifCenter, observations: Places) -> MotifCenter:
    """Return the same beside some of the observations alone."""
    return center._replace(
        has=np.ascontiguousarray(center.has[:, observations]),
        n_own=center.n_own[observations],
        n_shared=center.n_shared[observations],
        inverses=center.inverses[observations],
    )


@dataclass(frozen=True, eq=False)
class SeenMotifs:
    """Motifs of several kinds as a kernel sees them: behind `n_slots` slots of tables, and as many columns of rows."""

    kinds: tuple[Motifs, ...]
    n_slots: int

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return self.n_slots + np.cumsum([0, *(kind.n_windows for kind in self.kinds)])

    def parts(self, rows: Codes) -> list[Codes]:
        """Return the columns of each kind."""
        return [np.ascontiguousarray(rows[:, a:b]) for a, b in zip(self._starts, self._starts[1:], strict=False)]

    def extended(self, rows: Codes, slots: Codes) -> Codes:
        """Return rows with the motifs of their slots behind them."""
        return np.ascontiguousarray(np.concatenate([rows, *(kind.columns(slots) for kind in self.kinds)], axis=1))

    def differences(self, rows: Codes) -> list[Codes]:
        """Return for each kind how many motifs one row of each pair has and the other has not."""
        parts = zip(self.kinds, self.parts(rows), strict=True)
        return [motif_differences(part, part, kind.n_motifs) for kind, part in parts]

    def flags(self, rows: Codes) -> list[tuple[Flags, Flags]]:
        """Return for each kind which row has which motif, and how many it has."""
        return [motif_flags(part, kind.n_motifs) for kind, part in zip(self.kinds, self.parts(rows), strict=True)]

    def around(self, row: Codes, flags: Sequence[tuple[Flags, Flags]], tables: Tables) -> list[MotifCenter]:
        """Return for each kind what changes of a row are judged by, beside observations with these motifs."""
        parts = zip(self.kinds, self.parts(row[None, :]), flags, tables[self.n_slots :], strict=True)
        return [kind.around(row, own, others, table) for kind, own, others, table in parts]

    def multiply(self, products: Matrix, left: Sequence[Codes], right: Sequence[Codes], tables: Tables) -> None:
        """Multiply products of rows, of which the columns of each kind are given, by the tables at their motifs."""
        for kind, a, b, table in zip(self.kinds, left, right, tables[self.n_slots :], strict=True):
            multiply_by_motifs(products, a, b, kind.n_motifs, table)
