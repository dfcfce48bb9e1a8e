"""The trials of a study as rows: finished ones are told, running and waiting ones are pending.

A trial that failed, or was pruned before it reported a value, is told as failed; a pruned trial with a value is told
with the last one it reported, as Optuna itself stores it. A trial that was lost with its worker and is tried again
elsewhere counts for nothing: the new trial stands for it. Told trials are in the order in which they ended. Optuna is
not loaded here, so that a status can be read without it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow import schema
from hedgerow.arrays import Codes
from hedgerow.errors import PointError
from hedgerow.methods.history import History
from hedgerow.rules.rule import BoundRule, rules_of_space
from hedgerow.schema import StoredState, StoredTrial, is_finished, is_lost
from hedgerow.space import Space
from hedgerow.space.encoding import encode_value, slot_values
from hedgerow.space.space import SlotInfo


@dataclass(frozen=True)
class FinishedRow:
    """The row of a finished trial, with its value."""

    number: int
    ended: datetime
    row: Codes
    value: float  # as the study says it, NaN where the trial failed

    @property
    def order(self) -> tuple[datetime, int]:
        """Where it stands among the told ones."""
        return self.ended, self.number


@dataclass(frozen=True)
class ClaimedRow:
    """The row of an unfinished trial; a settled one will not take another."""

    number: int
    row: Codes
    is_settled: bool


@dataclass(frozen=True)
class TrialRows:
    """All that the trials of a study tell at one moment."""

    trials: Sequence[StoredTrial]
    told: Sequence[FinishedRow]
    claimed: Sequence[ClaimedRow]
    lost: Sequence[FinishedRow] = ()
    stepped_back: Sequence[int] = ()  # numbers of trials that have stepped back from a point and have no other yet

    def history(self, n_slots: int, sign: float, without: int | None = None) -> History:
        """Return the history as methods see it; the trial numbered `without` is left out."""
        pending = [claim.row for claim in self.claimed if claim.number != without]
        return History(
            np.array([told.row for told in self.told], dtype=np.int64).reshape(-1, n_slots),
            sign * np.array([told.value for told in self.told], dtype=np.float64),
            np.array(pending, dtype=np.int64).reshape(-1, n_slots),
        )


class TrialReader:
    """Reads trials of one study; finished ones never change and are read once."""

    def __init__(self, space: Space) -> None:
        self._space = space
        self._places = {slot.name: place for place, slot in enumerate(space.slots)}
        self._finished: dict[int, FinishedRow | None] = {}
        # What slots were worth in trials of before they were in the space.
        self.before: Mapping[str, Any] = {}

    def read(self, trials: Iterable[StoredTrial]) -> TrialRows:
        """Return what the trials tell."""
        listed = list(trials)
        replaced = {number for trial in listed for number in trial.system_attrs.get(schema.RETRIES, ())}
        told: list[FinishedRow] = []
        lost: list[FinishedRow] = []
        claimed: list[ClaimedRow] = []
        for trial in listed:
            if not is_finished(trial):
                claim = self._claimed(trial)
                claimed += [] if claim is None else [claim]
                continue
            item = self._told(trial)
            if item is not None and trial.system_attrs.get(schema.LOST) != schema.WITHDRAWN:
                (lost if trial.number in replaced or is_lost(trial) else told).append(item)
        return TrialRows(
            listed,
            sorted(told, key=lambda item: item.order),
            claimed,
            lost,
            [trial.number for trial in listed if _has_stepped_back(trial)],
        )

    def row(self, trial: StoredTrial) -> Codes | None:
        """Return the codes of a trial, or None where it has no whole point of this space."""
        values = {**self.before, **_claim(trial), **trial.system_attrs.get(schema.FIXED, {}), **trial.params}
        try:
            codes = [self._code(slot, values) for slot in self._space.slots]
        except (KeyError, PointError):
            return None
        row = np.array(codes, dtype=np.int64)
        return row if self._agrees(row) else None

    def _code(self, slot: SlotInfo, values: Mapping[str, Any]) -> int:
        if slot.is_conditional and values.get(slot.name) is None:
            return slot.n_levels - 1
        return encode_value(slot.name, slot.variable, values[slot.name])

    def _agrees(self, row: Codes) -> bool:
        """Whether what is missing is inactive: a trial that got some of its parameters has no whole point yet."""
        if not self._space.conditional:
            return True
        values = slot_values(self._space, row)
        return all(rule.holds(values) for rule in self._conditions)

    @cached_property
    def _conditions(self) -> list[BoundRule]:
        return [rule for rule in rules_of_space(self._space) if rule.condition_of is not None]

    def fixed(self, values: Mapping[str, Any]) -> dict[int, int]:
        """Return the codes of the given values by slot; names outside the space are ignored."""
        return {
            self._places[name]: self._code(self._space.slots[self._places[name]], values)
            for name in values
            if name in self._places
        }

    def claim(self, row: Codes) -> dict[str, Any]:
        """Return the form in which a trial keeps its point."""
        return dict(zip(self._places, slot_values(self._space, row), strict=True))

    def _told(self, trial: StoredTrial) -> FinishedRow | None:
        if trial.number not in self._finished:
            self._finished[trial.number] = self._read_told(trial)
        return self._finished[trial.number]

    def _read_told(self, trial: StoredTrial) -> FinishedRow | None:
        row = self.row(trial)
        if row is None:
            return None
        # Only trials that ended with a value have one; those of several objectives are refused earlier.
        value = math.nan if trial.state == StoredState.FAIL or not trial.values else trial.values[0]
        ended = trial.datetime_complete or datetime.min
        return FinishedRow(trial.number, ended, row, value if math.isfinite(value) else math.nan)

    def _claimed(self, trial: StoredTrial) -> ClaimedRow | None:
        row = self.row(trial)
        if row is None:
            return None
        return ClaimedRow(trial.number, row, trial.state == StoredState.WAITING or bool(trial.params))


def _has_stepped_back(trial: StoredTrial) -> bool:
    attrs = trial.system_attrs
    is_without = schema.CLAIM in attrs and attrs[schema.CLAIM] is None
    return trial.state == StoredState.RUNNING and not trial.params and is_without


def _claim(trial: StoredTrial) -> Mapping[str, Any]:
    claim = trial.system_attrs.get(schema.CLAIM)
    return claim if isinstance(claim, Mapping) else {}
