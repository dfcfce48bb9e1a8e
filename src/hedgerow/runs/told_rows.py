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
    """Rows with what they gave, a row for each reading; arrays that were given out never change."""

    def __init__(self, n_slots: int, goals: Goals) -> None:
        self.goals = goals
        self._name, self._sign = goals.objectives.names[0], goals.objectives.signs[0]
        self._codes = np.zeros((64, n_slots), np.int64)
        self._values = np.zeros(64)
        self._outcomes = None if goals.is_single else np.zeros((64, goals.n_columns))
        # The order of the trial behind each row.
        self._orders: list[tuple[datetime, int]] = []

    def add(self, item: FinishedRow) -> None:
        """Add what a trial gave."""
        place = bisect_right(self._orders, item.order)
        for reading in item.outcome.readings or ({},):
            n = len(self._orders)
            if n == len(self._values) or place < n:
                self._make_room(place, n)
            self._codes[place] = item.row
            self._values[place] = self._sign * reading.get(self._name, np.nan)
            if self._outcomes is not None:
                self._outcomes[place] = self.goals.columns(reading)
            insort(self._orders, item.order)
            place += 1

    def _make_room(self, place: int, n: int) -> None:
        """Leave a place free among n rows, in copies: others look at the arrays as they were."""
        n_more = n if n == len(self._values) else 0

        def moved(array: np.ndarray) -> np.ndarray:
            longer = np.pad(array, [(0, n_more)] + [(0, 0)] * (array.ndim - 1))
            longer[place + 1 : n + 1] = array[place:n]
            return longer

        self._codes, self._values = moved(self._codes), moved(self._values)
        self._outcomes = None if self._outcomes is None else moved(self._outcomes)

    def history(self, pending: Codes, seen: Set[bytes]) -> History:
        """Return the history with some rows pending; `seen` are the bytes of all rows."""
        n = len(self._orders)
        outcomes = None if self._outcomes is None else self._outcomes[:n]
        return History(self._codes[:n], self._values[:n], pending[:0], outcomes).with_pending(pending, seen)
