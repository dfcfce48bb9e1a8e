"""Changes of one row, in one slot or two: what a search looks at instead of whole rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.arrays import Changes, Codes, Mask, Places


@dataclass(frozen=True, eq=False)
class Literals:
    """Pairs of a slot and a code that changes may lead to, slot by slot: all codes, or some of large slots.

    Slots with a single code have none.
    """

    sizes: Places
    # For every code of every slot whether its literal is among these.
    is_chosen: Mask

    @classmethod
    def all_of(cls, sizes: Sequence[int]) -> Literals:
        """Return a literal for every code of every slot that has several."""
        as_array = np.array(sizes)
        return cls(as_array, np.repeat(as_array > 1, as_array))

    def only(self, numbers: Places) -> Literals:
        """Return those of these literals with the given numbers."""
        is_chosen = np.zeros_like(self.is_chosen)
        is_chosen[np.flatnonzero(self.is_chosen)[numbers]] = True
        return Literals(self.sizes, is_chosen)

    @property
    def table(self) -> Mask:
        """For every slot a row of its codes and whether they are among these, as long as the largest slot needs."""
        table = np.zeros((self.sizes.size, int(self.sizes.max())), dtype=np.bool_)
        table[self.slots, self.codes] = True
        return table

    @property
    def n(self) -> int:
        """The number of literals."""
        return int(self.slots.size)

    @cached_property
    def are_all(self) -> bool:
        """Whether every code of every slot with several is among these."""
        return self.n == int(self.sizes[self.sizes > 1].sum())

    @cached_property
    def slots(self) -> Places:
        """The slot of each literal."""
        return np.repeat(np.arange(self.sizes.size), self.sizes)[self.is_chosen]

    @cached_property
    def codes(self) -> Codes:
        """The code of each literal."""
        return np.asarray(np.flatnonzero(self.is_chosen) - self._starts[self.slots])

    @cached_property
    def changes(self) -> Changes:
        """The changes to each literal alone, those that change nothing included."""
        none = np.full(self.n, -1)
        return np.stack([self.slots, self.codes, none, np.zeros_like(none)], axis=1)

    def of(self, changes: Changes) -> tuple[Places, Places]:
        """Return the first and the second literal of each change, -1 where only one slot changes."""
        first = self._numbers[self._starts[changes[:, 0]] + changes[:, 1]]
        second = self._numbers[self._starts[changes[:, 2]] + changes[:, 3]]
        return first, np.where(changes[:, 2] >= 0, second, -1)

    @cached_property
    def _starts(self) -> Places:
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def _numbers(self) -> Places:
        return np.cumsum(self.is_chosen) - 1


def changed_rows(row: Codes, changes: Changes) -> Codes:
    """Return the row after each change."""
    rows = np.repeat(row[None, :], changes.shape[0], axis=0)
    places = np.arange(changes.shape[0])
    rows[places, changes[:, 0]] = changes[:, 1]
    is_double = changes[:, 2] >= 0
    rows[places[is_double], changes[is_double, 2]] = changes[is_double, 3]
    return rows


def allowed_changes(row: Codes, changes: Changes, allowed: Sequence[Mask]) -> Changes:
    """Return the changes after which the code in every slot is marked in `allowed`."""
    rows = changed_rows(row, changes)
    kept = np.ones(rows.shape[0], dtype=np.bool_)
    for slot, mask in enumerate(allowed):
        kept &= mask[rows[:, slot]]
    return changes[kept]
