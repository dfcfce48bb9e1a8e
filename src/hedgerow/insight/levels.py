"""The levels of a slot as pictures show them: neighbors are put together where there are too many to tell apart."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from hedgerow.arrays import Codes, Places
from hedgerow.expressions import Scalar
from hedgerow.feasible.reals.scales import Scales
from hedgerow.space.floats import NO_PLACE
from hedgerow.space.space import Space
from hedgerow.wording import readable_number

OTHERS = "others"
INACTIVE = "inactive"


@dataclass(frozen=True, eq=False)
class LevelGroups:
    """Groups of a slot's codes, each with what is written beside it."""

    slot: int
    name: str
    is_ordered: bool
    labels: tuple[str, ...]
    tick_labels: tuple[str, ...]  # shorter, for axes: the first value of each group
    group_of: Places  # by code; empty where a slot takes any float, whose groups are equal parts of its range
    scales: Scales | None = None

    @property
    def n(self) -> int:
        """The number of groups."""
        return len(self.labels)

    def groups(self, rows: Codes) -> Places:
        """Return the group of each row of codes."""
        if self.scales is None:
            return np.asarray(self.group_of[rows[:, self.slot]])
        units = self.scales.units_of(rows, self.slot)
        n_parts = self.n - (self.labels[-1] == INACTIVE)
        parts = np.minimum((units * n_parts).astype(np.int64), n_parts - 1)
        return np.where(rows[:, self.slot] == NO_PLACE, self.n - 1, parts)


def group_levels(space: Space, slot: int, at_most: int) -> LevelGroups:
    """Group the levels of a slot: ranges of ordered ones, the first few of others with the rest as one.

    To have no value is a group of its own, the last; then the groups have no order as a whole.
    """
    info = space.slots[slot]
    if info.is_conditional:
        groups = _grouped(space, slot, at_most - 1)
        more = (*groups.labels, INACTIVE), (*groups.tick_labels, INACTIVE), np.append(groups.group_of, groups.n)
        return LevelGroups(slot, info.name, False, *more, groups.scales)
    return _grouped(space, slot, at_most)


def _grouped(space: Space, slot: int, at_most: int) -> LevelGroups:
    info = space.slots[slot]
    values = info.variable.values
    if info.variable.is_continuous:
        return _parts_of_range(space, slot, at_most)
    codes = np.arange(len(values), dtype=np.int64)
    if len(values) <= at_most:
        labels = tuple(map(shown, values))
        return LevelGroups(slot, info.name, info.variable.is_ordered, labels, labels, codes)
    if info.variable.is_ordered:
        group_of = codes * at_most // len(values)
        ends = [codes[group_of == group][[0, -1]] for group in range(at_most)]
        labels = tuple(_range(values[int(first)], values[int(last)]) for first, last in ends)
        tick_labels = tuple(shown(values[int(first)]) for first, _ in ends)
        return LevelGroups(slot, info.name, True, labels, tick_labels, group_of)
    labels = (*map(shown, values[: at_most - 1]), OTHERS)
    return LevelGroups(slot, info.name, False, labels, labels, np.minimum(codes, at_most - 1))


def _parts_of_range(space: Space, slot: int, n: int) -> LevelGroups:
    """Return equal parts of the range of a slot that takes any float, on its own scale."""
    scales, place = Scales(space), space.reals.index(slot)
    ends = scales.from_unit(np.linspace(0.0, 1.0, n + 1)[:, None], [place])[:, 0]
    ticks = tuple(readable_number(float(f"{end:.3g}")) for end in ends)
    labels = tuple(f"{first} – {last}" for first, last in pairwise(ticks))
    return LevelGroups(slot, space.slots[slot].name, True, labels, ticks[:-1], np.zeros(0, dtype=np.int64), scales)


def shown(value: object) -> str:
    """Return a value as it is written in pictures and tables."""
    if value is None:
        return INACTIVE
    if isinstance(value, dict):
        return ", ".join(f"{name} {shown(share)}" for name, share in value.items())
    if isinstance(value, list | tuple):
        parts = [shown(item) for item in value]
        return "".join(parts) if all(len(part) == 1 for part in parts) and len(parts) > 8 else ", ".join(parts)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return readable_number(value)


def _range(first: Scalar, last: Scalar) -> str:
    return shown(first) if first == last else f"{shown(first)} – {shown(last)}"
