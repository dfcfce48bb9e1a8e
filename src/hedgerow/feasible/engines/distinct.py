"""Whether slots stay all different when one or two of them change: looked up in how often each value is there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hedgerow.arrays import Changes, Codes, Mask, Places
from hedgerow.expressions import AllDifferent, Expression, Scalar, Slot


class DistinctSlots:
    """Slots that must be all different, a value that may repeat aside; values that are equal have one number."""

    def __init__(self, slots: Sequence[int], numbers: dict[int, Places], ignored: int) -> None:
        self._slots = list(slots)
        self._numbers = numbers
        self._ignored = ignored
        self._n_values = 1 + max(int(own.max()) for own in numbers.values())
        n_codes = max(own.size for own in numbers.values())
        # The number of each slot's codes; -1 for slots that do not count, and for what may repeat.
        self._table = np.full((1 + max(slots), n_codes), -1, dtype=np.int64)
        for slot, own in numbers.items():
            self._table[slot, : own.size] = np.where(own == ignored, -1, own)

    @property
    def slots(self) -> list[int]:
        """The slots."""
        return self._slots

    def swaps(self, row: Codes) -> Changes | None:
        """Return the swaps of two slots where only these can keep a row all different; None elsewhere.

        That is where all slots have the same values, as many as there are slots, and the row is all different.
        """
        first = self._numbers[self._slots[0]]
        are_same = all(np.array_equal(own, first) for own in self._numbers.values())
        is_tight = self._ignored < 0 and first.size == len(self._slots) == np.unique(first).size
        if not are_same or not is_tight or np.unique(row[self._slots]).size < len(self._slots):
            return None
        slots = np.sort(self._slots)
        left, right = (slots[places] for places in np.triu_indices(slots.size, 1))
        return np.stack([left, row[right], right, row[left]], axis=1)

    def keep(self, row: Codes, changes: Changes) -> Mask:
        """Return for each change of a row whether the slots are all different after it."""
        there = self._value(np.array(self._slots), row[self._slots])
        counts = np.bincount(there[there >= 0], minlength=self._n_values)
        excess = np.full(changes.shape[0], int(np.maximum(counts - 1, 0).sum()))
        left: list[Places] = []
        come: list[Places] = []
        for slot, code in ((changes[:, 0], changes[:, 1]), (changes[:, 2], changes[:, 3])):
            is_there = slot >= 0
            left.append(np.where(is_there, self._value(slot, row[slot]), -1))
            come.append(np.where(is_there, self._value(slot, code), -1))
        for place, value in enumerate(left):
            n = counts[value] - sum(value == other for other in left[:place])
            excess -= (value >= 0) & (n > 1)
        for place, value in enumerate(come):
            n = counts[value] - sum(value == other for other in left) + sum(value == other for other in come[:place])
            excess += (value >= 0) & (n >= 1)
        return np.asarray(excess == 0)

    def _value(self, slots: Places, codes: Codes) -> Places:
        is_ours = (slots >= 0) & (slots < self._table.shape[0])
        held = np.minimum(codes, self._table.shape[1] - 1)
        return np.where(is_ours, self._table[np.where(is_ours, slots, 0), np.where(is_ours, held, 0)], -1)


def distinct_slots(expression: Expression, domains: Sequence[Sequence[Scalar | None]]) -> DistinctSlots | None:
    """Return a rule that is all different over plain slots, None for anything else."""
    if not isinstance(expression, AllDifferent) or not all(isinstance(item, Slot) for item in expression.items):
        return None
    slots = [item.position for item in expression.items if isinstance(item, Slot)]
    values = [value for slot in slots for value in domains[slot]]
    if len(set(slots)) < len(slots) or any(value is None or value != value for value in values):  # noqa: PLR0124 - NaN
        return None
    number: dict[Scalar | None, int] = {}
    numbers = {
        slot: np.array([number.setdefault(value, len(number)) for value in domains[slot]], dtype=np.int64)
        for slot in slots
    }
    ignored = -1 if expression.ignore is None else number.get(expression.ignore, -1)
    return DistinctSlots(slots, numbers, ignored)
