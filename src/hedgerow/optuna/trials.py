"""The trials of a study as rows: finished ones are told, running and waiting ones are pending.

A trial that failed, or was pruned before it reported a value, is told as failed; a pruned trial with a value is told
with the last one it reported, as Optuna itself stores it. A trial that was lost with its worker and is tried again
elsewhere, or that somebody wants forgotten, counts for nothing. Told trials are in the order in which they ended.
Optuna is not loaded here, so that a status can be read without it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from hedgerow import schema
from hedgerow.arrays import Codes
from hedgerow.errors import PointError
from hedgerow.methods.history import History
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.reading import Reading, TrialOutcome
from hedgerow.rules.conditions import inactive_in
from hedgerow.rules.rule import BoundRule, rules_of_space
from hedgerow.schema import StoredState, StoredTrial, is_finished, is_lost
from hedgerow.space import Space
from hedgerow.space.encoding import encode_value, slot_values
from hedgerow.space.space import SlotInfo

# What Optuna's constraints are called among the outcomes of a trial, with their own names behind.
CONSTRAINT = "constraint"
# A row, and which reading of it: what no two trials may have.
RowKey = tuple[bytes, int]


@dataclass(frozen=True)
class FinishedRow:
    """The row of a finished trial, with what it gave."""

    number: int
    ended: datetime
    row: Codes
    value: float  # of the first objective as the study says it, NaN where the trial did not give it
    outcome: TrialOutcome = field(default_factory=TrialOutcome)
    reading: int = 0

    @property
    def order(self) -> tuple[datetime, int]:
        """Where it stands among the told ones."""
        return self.ended, self.number

    @property
    def key(self) -> RowKey:
        """What no other trial may have."""
        return self.row.tobytes(), self.reading


@dataclass(frozen=True)
class ClaimedRow:
    """The row of an unfinished trial; a settled one will not take another."""

    number: int
    row: Codes
    is_settled: bool
    reading: int = 0

    @property
    def key(self) -> RowKey:
        """What no other trial may have."""
        return self.row.tobytes(), self.reading


@dataclass(frozen=True)
class TrialRows:
    """All that the trials of a study tell at one moment."""

    trials: Sequence[StoredTrial]
    told: Sequence[FinishedRow]
    claimed: Sequence[ClaimedRow]
    lost: Sequence[FinishedRow] = ()
    stepped_back: Sequence[int] = ()  # numbers of trials that have stepped back from a point and have no other yet
    forgotten: frozenset[int] = frozenset()  # numbers of finished trials that count for nothing any more

    def history(self, n_slots: int, goals: Goals, without: int | None = None) -> History:
        """Return the history as methods see it, a row for each reading; the trial numbered `without` is left out."""
        pending = [claim.row for claim in self.claimed if claim.number != without]
        pairs = [(told.row, reading) for told in self.told for reading in told.outcome.readings or ({},)]
        first, sign = goals.objectives.names[0], goals.objectives.signs[0]
        outcomes = None if goals.is_single else np.array([goals.columns(reading) for _, reading in pairs])
        return History(
            np.array([row for row, _ in pairs], dtype=np.int64).reshape(-1, n_slots),
            sign * np.array([reading.get(first, math.nan) for _, reading in pairs], dtype=np.float64),
            np.array(pending, dtype=np.int64).reshape(-1, n_slots),
            None if outcomes is None else outcomes.reshape(-1, goals.n_columns),
        )

    @property
    def unfinished(self) -> Sequence[StoredTrial]:
        """The trials that wait or run."""
        return [trial for trial in self.trials if not is_finished(trial)]

    def with_row(self, row: bytes) -> Sequence[FinishedRow | ClaimedRow]:
        """Return the trials that have tried a row, or are about to."""
        everyone: list[FinishedRow | ClaimedRow] = [*self.told, *self.claimed]
        return [item for item in everyone if item.row.tobytes() == row]

    def lost_with(self, key: RowKey) -> list[int]:
        """Return the numbers of the trials that took a reading of a row and were lost."""
        return [item.number for item in self.lost if item.key == key]

    def next_reading(self, row: Codes, without: int | None = None) -> int:
        """Return which reading of a row comes next: the first that no trial has; 0 for a row that nobody has tried."""
        taken = {item.reading for item in self.with_row(row.tobytes()) if item.number != without}
        return next(place for place in range(len(taken) + 1) if place not in taken)

    def is_counted(self, trial: StoredTrial) -> bool:
        """Whether a trial uses up budget."""
        return trial.number not in self.forgotten and schema.is_counted(trial)

    def n_counted(self, without: int | None = None) -> int:
        """Return how much of a budget is used up, points that are about to become trials (below 0) included."""
        made = sum(self.is_counted(trial) for trial in self.trials if trial.number != without)
        return made + sum(claim.number < 0 for claim in self.claimed)

    def n_counted_before(self, number: int) -> int:
        """Return how much of a budget is used up by trials with smaller numbers."""
        return sum(self.is_counted(trial) for trial in self.trials if trial.number < number)

    @property
    def constraint_names(self) -> tuple[str, ...]:
        """The constraints of Optuna that finished trials tell of."""
        names = (name for told in self.told for reading in told.outcome.readings for name in reading)
        return tuple(dict.fromkeys(name for name in names if is_constraint(name)))


class TrialReader:
    """Reads trials of one study; finished ones never change and are read once.

    `names` are what the study's values are called; `besides` are outcomes that trials keep as user attributes.
    """

    def __init__(self, space: Space, names: Sequence[str] = ("value",), besides: Iterable[str] = ()) -> None:
        self._space = space
        self._names = tuple(names)
        self._besides = tuple(besides)
        self._places = {slot.name: place for place, slot in enumerate(space.slots)}
        self._finished: dict[int, FinishedRow | None] = {}
        # What slots were worth in trials of before they were in the space.
        self.before: Mapping[str, Any] = {}
        # What slots that are in the space no more are worth: trials with another value have no point of it.
        self.removed: Mapping[str, Any] = {}

    def read(self, trials: Iterable[StoredTrial]) -> TrialRows:
        """Return what the trials tell."""
        listed = list(trials)
        forgotten = frozenset(number for trial in listed for number in numbers_in(trial, schema.FORGETS))
        replaced = forgotten | {number for trial in listed for number in numbers_in(trial, schema.RETRIES)}
        told: list[FinishedRow] = []
        lost: list[FinishedRow] = []
        claimed: list[ClaimedRow] = []
        for trial in listed:
            if not is_finished(trial):
                claim = self.claimed(trial)
                claimed += [] if claim is None else [claim]
                continue
            item = self.finished(trial)
            if item is not None and trial.system_attrs.get(schema.LOST) != schema.WITHDRAWN:
                (lost if trial.number in replaced or is_lost(trial) else told).append(item)
        return TrialRows(
            listed,
            sorted(told, key=lambda item: item.order),
            claimed,
            lost,
            [trial.number for trial in listed if has_stepped_back(trial)],
            forgotten,
        )

    def row(self, trial: StoredTrial) -> Codes | None:
        """Return the codes of a trial, or None where it has no whole point of this space."""
        values = {**self.before, **_claim(trial), **trial.system_attrs.get(schema.FIXED, {}), **trial.params}
        if any(values.get(name, value) not in (None, value) for name, value in self.removed.items()):
            return None
        try:
            codes = [self._code(slot, values) for slot in self._space.slots]
        except (KeyError, PointError):
            return None
        row = np.array(codes, dtype=np.int64)
        if self.before and self._space.conditional:
            row = self._without_inactive(row, trial)
        return row if self._agrees(row) else None

    def _without_inactive(self, row: Codes, trial: StoredTrial) -> Codes:
        """Take away what only the trials of before are said to have had, where it would be inactive."""
        own = {**_claim(trial), **trial.params}
        inactive = inactive_in(self._space, slot_values(self._space, row))
        for place, slot in enumerate(self._space.slots):
            if slot.owner in inactive and own.get(slot.name) is None:
                row[place] = slot.none_code
        return row

    def _code(self, slot: SlotInfo, values: Mapping[str, Any]) -> int:
        if slot.is_conditional and values.get(slot.name) is None:
            return slot.none_code
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

    def finished(self, trial: StoredTrial) -> FinishedRow | None:
        """Return the row of a finished trial with what it gave, or None where it has no whole point of this space."""
        if trial.number not in self._finished:
            self._finished[trial.number] = self._read_told(trial)
        return self._finished[trial.number]

    def _read_told(self, trial: StoredTrial) -> FinishedRow | None:
        row = self.row(trial)
        if row is None:
            return None
        outcome = self._outcome(trial)
        ended = trial.datetime_complete or datetime.min
        value = outcome.numbers.get(self._names[0], math.nan)
        return FinishedRow(trial.number, ended, row, value, outcome, _reading(trial))

    def _outcome(self, trial: StoredTrial) -> TrialOutcome:
        """Return what a finished trial gave, by name; numbers that are not finite were not measured."""
        details = trial.user_attrs.get(schema.DETAILS)
        reason = str(details.get("reason", "")) if isinstance(details, Mapping) else ""
        if schema.has_readings(trial):
            stored = [_finite(reading) for reading in trial.user_attrs[schema.READINGS] if isinstance(reading, Mapping)]
            return TrialOutcome(tuple(reading for reading in stored if reading), reason or None)
        if trial.state == StoredState.FAIL or not trial.values:
            return TrialOutcome(reason=reason or None)
        numbers = _finite(dict(zip(self._names, trial.values, strict=False)))
        if not numbers:
            return TrialOutcome(reason=reason or None)
        besides = {name: trial.user_attrs[name] for name in self._besides if name in trial.user_attrs}
        return TrialOutcome(({**numbers, **_finite(besides), **_constraints(trial)},))

    def claimed(self, trial: StoredTrial) -> ClaimedRow | None:
        """Return the row of an unfinished trial, or None where it has none yet."""
        row = self.row(trial)
        if row is None:
            return None
        is_settled = trial.state == StoredState.WAITING or bool(trial.params)
        return ClaimedRow(trial.number, row, is_settled, _reading(trial))


def is_constraint(name: str) -> bool:
    """Whether an outcome is a constraint of Optuna."""
    return name.startswith(f"{CONSTRAINT} ")


def _constraints(trial: StoredTrial) -> Reading:
    """Return the constraints of Optuna that a trial has, by a name for each; at most 0 within."""
    listed = trial.system_attrs.get(schema.CONSTRAINTS)
    numbered: dict[Any, Any] = (
        dict(enumerate(listed)) if isinstance(listed, Sequence) and not isinstance(listed, str) else {}
    )
    head = f"{schema.CONSTRAINTS}:"
    named = {key.removeprefix(head): value for key, value in trial.system_attrs.items() if key.startswith(head)}
    return _finite({f"{CONSTRAINT} {name}": value for name, value in {**numbered, **named}.items()})


def _finite(numbers: Mapping[str, Any]) -> Reading:
    return {
        name: float(number)
        for name, number in numbers.items()
        if isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)
    }


def numbers_in(trial: StoredTrial, key: str) -> Sequence[int]:
    """Return the numbers of other trials that an attribute names."""
    found = trial.system_attrs.get(key, ())
    return found if isinstance(found, Sequence) else ()


def _reading(trial: StoredTrial) -> int:
    found = trial.system_attrs.get(schema.READING, 0)
    return found if isinstance(found, int) else 0


def has_stepped_back(trial: StoredTrial) -> bool:
    """Whether a trial has stepped back from a point and has no other yet."""
    attrs = trial.system_attrs
    is_without = schema.CLAIM in attrs and attrs[schema.CLAIM] is None
    return trial.state == StoredState.RUNNING and not trial.params and is_without


def _claim(trial: StoredTrial) -> Mapping[str, Any]:
    claim = trial.system_attrs.get(schema.CLAIM)
    return claim if isinstance(claim, Mapping) else {}
