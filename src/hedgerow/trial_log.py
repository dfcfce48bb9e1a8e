"""What an optimizer was told and has asked, in order: rows of codes with readings, and what methods learn from."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from hedgerow.arrays import Codes, Column
from hedgerow.methods.history import History
from hedgerow.observations import Observation
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.observation import pooled
from hedgerow.outcomes.reading import Reading, TrialOutcome


class TrialLog:
    """Trials that were told, a row for each reading, and points that are still out.

    It grows by `tell` and `ask` of an optimizer, which holds its lock meanwhile.
    """

    def __init__(self, n_slots: int, goals: Goals) -> None:
        self._n_slots = n_slots
        self._goals = goals
        self.observations: list[Observation] = []
        self.pending: list[Codes] = []
        self.codes: list[Codes] = []
        self.readings: list[Reading] = []
        self._outcomes: list[Column] = []
        # Which observation each row of codes belongs to: one with several readings has several.
        self._owners: list[int] = []

    def add(self, row: Codes, outcome: TrialOutcome, observation: Observation) -> None:
        """Add a trial with all its readings; its point is no longer pending."""
        for reading in outcome.readings or ({},):
            self._owners.append(len(self.observations))
            self.codes.append(row)
            self.readings.append(reading)
            self._outcomes.append(self._goals.columns(reading))
        self.observations.append(observation)
        self.pending = self._without(row, max(1, len(outcome.readings)))

    def _without(self, row: Codes, n_readings: int) -> list[Codes]:
        """Return what is still pending when a row is told: a point that is out several times waits for as many."""
        places = [place for place, other in enumerate(self.pending) if np.array_equal(other, row)]
        done = set(places[:n_readings] if self._goals.may_repeat else places)
        return [other for place, other in enumerate(self.pending) if place not in done]

    @property
    def names(self) -> tuple[str, ...]:
        """The outcomes that trials have given."""
        return tuple(dict.fromkeys(name for reading in self.readings for name in reading))

    def column(self, name: str) -> Column:
        """Return all readings of an outcome, objectives so that less is better; NaN where not measured."""
        return self.sign(name) * np.array([reading.get(name, math.nan) for reading in self.readings])

    def sign(self, name: str) -> float:
        """Return -1 for an objective to be maximized, else 1."""
        signs = dict(zip(self._goals.objectives.names, self._goals.objectives.signs, strict=True))
        return signs.get(name, 1.0)

    def slacks(self) -> list[Column]:
        """Return how far readings are within each threshold of the limits."""
        return list(np.array(self._outcomes)[:, len(self._goals.objectives.names) :].T)

    def by_point(self) -> list[Observation]:
        """Return what was observed; readings of one point are taken together where points may repeat."""
        if not self._goals.may_repeat:
            return self.observations
        first = dict(zip(self._owners, self.codes, strict=True))
        return pooled(((first[k].tobytes(), seen) for k, seen in enumerate(self.observations)), self._goals)

    def told_history(self) -> History:
        """Return what was told alone: what is out is believed by methods to turn out as predicted, and is not known."""
        history = self.history()
        return replace(history, pending=history.pending[:0])

    def history(self) -> History:
        """Return what methods learn from."""
        outcomes = np.array(self._outcomes, dtype=np.float64).reshape(-1, self._goals.n_columns)
        return History(
            np.array(self.codes, dtype=np.int64).reshape(-1, self._n_slots),
            np.ascontiguousarray(outcomes[:, 0]),
            np.array(self.pending, dtype=np.int64).reshape(-1, self._n_slots),
            None if self._goals.is_single else outcomes,
        )
