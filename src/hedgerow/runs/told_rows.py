"""The told rows of a growing history, in the order in which they ended, without building them anew for each point."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Set
from datetime import datetime

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.methods.history import History
from hedgerow.optuna.trials import FinishedRow
from hedgerow.outcomes.goals import Goals


class ToldRows:
    """Rows with the values of one objective, a row for each reading; arrays that were given out never change."""

    def __init__(self, n_slots: int, goals: Goals) -> None:
        self._name, self._sign = goals.objectives.names[0], goals.objectives.signs[0]
        self._codes = np.zeros((64, n_slots), np.int64)
        self._values = np.zeros(64)
        # The order of the trial behind each row.
        self._orders: list[tuple[datetime, int]] = []

    def add(self, item: FinishedRow) -> None:
        """Add what a trial gave."""
        place = bisect_right(self._orders, item.order)
        for reading in item.outcome.readings or ({},):
            n = len(self._orders)
            if n == len(self._values) or place < n:
                # Others look at these arrays: what is to be moved is moved in a copy.
                room = (0, n) if n == len(self._values) else (0, 0)
                self._codes = np.pad(self._codes, (room, (0, 0)))
                self._values = np.pad(self._values, room)
                self._codes[place + 1 : n + 1] = self._codes[place:n].copy()
                self._values[place + 1 : n + 1] = self._values[place:n].copy()
            self._codes[place] = item.row
            self._values[place] = self._sign * reading.get(self._name, np.nan)
            insort(self._orders, item.order)
            place += 1

    def history(self, pending: Codes, seen: Set[bytes]) -> History:
        """Return the history with some rows pending; `seen` are the bytes of all rows."""
        n = len(self._orders)
        return History(self._codes[:n], self._values[:n], pending[:0]).with_pending(pending, seen)
