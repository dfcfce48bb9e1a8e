"""Plateaus: where many trials have the best value exactly, what they share and what may be anything.

Values that come in steps leave beliefs without a slope, and a slot that could be set to a few codes without effect
looks like one that never matters, though the one code that does was not tried. So what the trials on the best plateau
share, its elements, is kept as long as losing it is not known to cost nothing, and everything else is free to test.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from hedgerow.arrays import Codes, Mask, Places
from hedgerow.methods.history import History
from hedgerow.space.space import Space

# Trials that were exactly as good as the best before them, which a plateau needs, and their share. On sums in whole
# numbers, where beliefs do better, it is a tenth to a quarter; where most codes have no effect, a third and more.
_LEAST_TIES = 3
_LEAST_SHARE = 0.3
# Codes in slots without an order that have many: of fewer, trials that follow the beliefs come across all.
_MANY = 6
_LEAST_CODES = 100
# Where so many rows were as good that lack several of what is needed, these are suspects again.
_MOST_WITHOUT = 2
# So many rows that lack nothing and are worse say that something is missing.
_MOST_BROKEN = 2
# What has stood instead of an element: nothing yet, or something of which it is known that it is the only one.
NOTHING, CONTESTED = -1, -2
# How unlikely it must be that elements are found elsewhere in a vector by chance.
_NO_CHANCE = 100.0


@dataclass(eq=False)
class Plateau:
    """The elements of the best plateau: codes, by the slots where they stood after each move, the last where they are.

    Every one is needed, or a suspect. Of a pool of suspects at least one is needed.
    """

    last: Codes  # the last row that was found on it
    codes: Codes  # (n_elements,)
    slots: list[Places]
    is_needed: Mask
    # The code that has served as well as an element that is needed, nothing, or that no other did.
    instead: Codes
    # How many rows that lack several of what is needed, this among them, were as good.
    n_without: Codes
    active: Places  # the slots that can change
    pools: list[Mask] = field(default_factory=list)
    n_broken: int = 0

    @classmethod
    def of_row(cls, row: Codes, active: Places, needed: Places) -> Plateau:
        """Return what is known of a row of which some slots can change, and the codes in some of these are needed."""
        nothing = np.full(active.size, NOTHING)
        without = np.zeros(active.size, np.int64)
        return cls(row, row[active], [active], np.isin(active, needed), nothing, without, active)

    @property
    def here(self) -> Places:
        """The slots where the elements are."""
        return self.slots[-1]

    def lacking(self, rows: Codes) -> Mask:
        """Return which row lacks which element, wherever elements stood when it lacks fewest."""
        return self._nearest(rows)[1]

    def _nearest(self, rows: Codes) -> tuple[Places, Mask]:
        """Return for each row after which move it lacks fewest elements, and these."""
        lacking = np.stack([rows[:, slots] != self.codes for slots in self.slots])
        fewest = lacking.sum(axis=2).argmin(axis=0)
        return fewest, np.asarray(lacking[fewest, np.arange(rows.shape[0])])

    def begun_anew(self, row: Codes) -> Plateau:
        """Return the plateau of another row, of which is needed what was needed before and is still there."""
        return Plateau.of_row(row, self.active, self.here[self.is_needed & (row[self.here] == self.codes)])

    def tied(self, row: Codes, space: Space) -> None:
        """Learn from a row that is as good: suspects that it lacks are free, unless all of them are found a step away.

        What is needed may be needed no more, or something else may serve as well: two rows without it tell.
        """
        (place,), (lost,) = self._nearest(row[None, :])
        if not lost.any():
            self._last_was(row, place)
            return
        for elements in self._moved_with(lost), lost:
            moved = _moved(space, self.slots[place], self.codes, elements, row)
            if moved is not None:
                self.slots.append(moved)
                self.last = row
                return
        missed = np.flatnonzero(lost & self.is_needed)
        if missed.size > 1:
            self.n_without[missed] += 1
            self.is_needed &= self.n_without < _MOST_WITHOUT
            return
        for element in missed:
            code = row[self.slots[place][element]]
            if self.instead[element] in (NOTHING, CONTESTED, code):
                self.instead[element] = code if self.instead[element] == NOTHING else self.instead[element]
                return
        self._last_was(row, place)
        self._keep(~lost)

    def _last_was(self, row: Codes, place: int) -> None:
        """Keep a row as the last if all elements that stay are where they are now, and not where they were before."""
        if place == len(self.slots) - 1:
            self.last = row

    def _moved_with(self, elements: Mask) -> Mask:
        """Return these elements and those that have moved with them so far: some may stand there by chance."""
        moves = np.stack(self.slots) - self.slots[0]
        _, part = np.unique(moves, axis=1, return_inverse=True)
        return np.isin(part.ravel(), part.ravel()[elements])

    def failed(self, row: Codes) -> Plateau:
        """Learn from a row that is worse: if it lacks suspects alone, one of them is needed.

        Rows that lack nothing say that something was taken for free that is not.
        """
        lost = self.lacking(row[None, :])[0]
        if not lost.any():
            self.n_broken += 1
            return self.begun_anew(self.last) if self.n_broken >= _MOST_BROKEN else self
        if not (lost & self.is_needed).any():
            self.pools.append(lost)
            self._prove()
        elif lost.sum() == 1:
            self.n_without[lost] = 0
            if self.instead[lost][0] >= 0:
                self.instead[lost] = CONTESTED
        return self

    def _keep(self, kept: Mask) -> None:
        self.codes, self.is_needed, self.instead = self.codes[kept], self.is_needed[kept], self.instead[kept]
        self.n_without = self.n_without[kept]
        self.slots = [slots[kept] for slots in self.slots]
        # A pool of which nothing is left was wrong: something else must have been the reason.
        self.pools = [pool[kept] for pool in self.pools if pool[kept].any()]
        self._prove()

    def _prove(self) -> None:
        """A suspect alone in its pool is needed, and explains all pools that it is in."""
        while any(pool.sum() == 1 for pool in self.pools):
            for pool in self.pools:
                if pool.sum() == 1:
                    self.is_needed |= pool
            self.pools = [pool for pool in self.pools if not (pool & self.is_needed).any()]


def has_many_codes(space: Space) -> bool:
    """Whether there are many codes of which none says anything of another."""
    slots = [slot for slot in space.slots if not slot.variable.is_ordered and slot.n_levels >= _MANY]
    return sum(slot.n_levels - 1 for slot in slots) >= _LEAST_CODES


def plateau_of(space: Space, history: History, active: Places) -> Plateau | None:
    """Return the plateau of the best value, or None where values do not come in steps, or codes are few.

    `active` are the slots that can change; no point is told twice.
    """
    if not has_many_codes(space):
        return None
    values = np.where(history.is_measured, history.values, np.inf)
    lowest = np.minimum.accumulate(values)
    before = np.concatenate([[np.inf], lowest[:-1]])
    n_ties = int(((values == before) & np.isfinite(values)).sum())
    if n_ties < _LEAST_TIES or n_ties < _LEAST_SHARE * values.size:
        return None
    plateau: Plateau | None = None
    for row, value, best in zip(history.codes, values, before, strict=True):
        if not np.isfinite(value):
            continue
        if plateau is None:
            plateau = Plateau.of_row(row, active, np.zeros(0, np.int64))
        elif value < best:
            plateau = plateau.begun_anew(row)
        elif value == best:
            plateau.tied(row, space)
        else:
            plateau = plateau.failed(row)
    return plateau


def first_told(history: History) -> History:
    """Return the history with the first reading of each point alone: more of them are no further trials that tie."""
    _, first = np.unique(history.codes, axis=0, return_index=True)
    if first.size == history.n_told:
        return history
    first = np.sort(first)
    return History(history.codes[first], history.values[first], history.pending)


def can_move(space: Space, slots: Places) -> bool:
    """Whether so many elements would not be found elsewhere in a vector by chance."""
    n_ways = math.prod(int(space.sizes[slot]) for slot in slots)
    return n_ways >= _NO_CHANCE * 2 * len(space.sizes)


def moves_of(space: Space, slots: Places) -> Iterator[Places]:
    """Yield the slots moved along their vector by every step that keeps them in it."""
    infos = [space.slots[slot] for slot in slots]
    if not infos or infos[0].index is None or len({info.owner for info in infos}) != 1:
        return
    components = [place for place, info in enumerate(space.slots) if info.owner == infos[0].owner]
    for step in range(components[0] - int(slots.min()), components[-1] - int(slots.max()) + 1):
        if step:
            yield slots + step


def _moved(space: Space, slots: Places, codes: Codes, lost: Mask, row: Codes) -> Places | None:
    """Return where elements stand if those that a row lost are all found a step away in it."""
    if not lost.any() or not can_move(space, slots[lost]):
        return None
    for there in moves_of(space, slots[lost]):
        if (row[there] == codes[lost]).all():
            moved = slots.copy()
            moved[lost] = there
            if np.unique(moved).size == moved.size:
                return moved
    return None
