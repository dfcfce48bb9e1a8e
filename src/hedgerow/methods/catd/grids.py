"""Real variables as tensors know them: cores that are functions, linear between the nodes of a grid.

The nodes of a real lie at equal distances between its ends, on its own scale, straight or logarithmic. A row of codes
becomes a row of places: `tensors.rows` says what the code of a place is. A real with a condition has one node more, its
last, for no value, which no place lies next to.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.feasible.reals.scales import Scales
from hedgerow.methods.catd.tensors.rows import PLACE_BITS
from hedgerow.space.floats import NO_PLACE
from hedgerow.space.space import Space


@dataclass(frozen=True, eq=False)
class Grids:
    """A space as tensors know it: its reals on grids of so many nodes, its other slots as they are."""

    space: Space
    n_nodes: int

    @property
    def slots(self) -> tuple[int, ...]:
        """The slots on a grid."""
        return self.space.reals

    @property
    def level_counts(self) -> tuple[int, ...]:
        """The levels of each slot, or its nodes."""
        return tuple(
            self.n_nodes + slot.is_conditional if slot.variable.is_continuous else slot.n_levels
            for slot in self.space.slots
        )

    @property
    def is_ordered(self) -> list[bool]:
        """Which slots have levels or nodes in an order."""
        return [slot.has_order or slot.variable.is_continuous for slot in self.space.slots]

    @property
    def has_none(self) -> list[bool]:
        """Which slots on a grid have a node for no value."""
        return [slot.variable.is_continuous and slot.is_conditional for slot in self.space.slots]

    def rows(self, codes: Codes) -> Codes:
        """Return rows of places, and of codes where slots are on no grid."""
        if not self.slots:
            return codes
        reals = self._scales.reals
        places = codes.copy()
        units = self._scales.to_unit(self._scales.numbers(codes)[:, reals])
        on_grid = np.rint(units * ((self.n_nodes - 1) * 2.0**PLACE_BITS)).astype(np.int64)
        places[:, reals] = np.where(codes[:, reals] == NO_PLACE, self.n_nodes << PLACE_BITS, on_grid)
        return places

    @cached_property
    def _scales(self) -> Scales:
        return Scales(self.space)
