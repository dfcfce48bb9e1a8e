"""What the trials of a study tell, kept in memory as they come and end.

Reading all trials anew takes a time that grows with them. Finished trials never change, so what follows from them is
worked out once: the rows that are taken, what was told in its order, how much of a budget is used up.
"""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

import numpy as np

from hedgerow import schema
from hedgerow.methods.history import History
from hedgerow.optuna.trials import (
    ClaimedRow,
    FinishedRow,
    RowKey,
    TrialReader,
    TrialRows,
    has_stepped_back,
    is_constraint,
    numbers_in,
)
from hedgerow.outcomes.goals import Goals
from hedgerow.runs.told_rows import ToldRows
from hedgerow.schema import StoredTrial, is_finished, is_lost

Item = FinishedRow | ClaimedRow


class KnownTrials:
    """The trials of a study by number, and what follows from them; one thread changes it."""

    def __init__(self, reader: TrialReader, n_slots: int) -> None:
        self._reader = reader
        self._n_slots = n_slots
        self.trials: dict[int, StoredTrial] = {}
        self.ids: dict[int, int] = {}
        # The id up to which all trials were read, the largest number, and the numbers of those that have not ended.
        self.newest = self.last = -1
        self.open: set[int] = set()
        # Grows with every change, so that whoever looks at what was known before can tell.
        self.version = 0
        self._told_rows: ToldRows | None = None
        self._work_out()

    def _work_out(self) -> None:
        """Work out everything from the trials."""
        read = self._reader.read(self.trials[number] for number in sorted(self.trials))
        self.forgotten = read.forgotten
        self.n_counted = sum(read.is_counted(trial) for trial in self.trials.values())
        self.told: list[FinishedRow] = []
        self.claims = {claim.number: claim for claim in read.claimed}
        self.lost: dict[RowKey, list[FinishedRow]] = defaultdict(list)
        # The trials that have tried a row, or are about to.
        self.holders: dict[bytes, tuple[Item, ...]] = {}
        self.has_constraints = False
        self._told_rows = None
        self.open = {number for number, trial in self.trials.items() if not is_finished(trial)}
        for item in read.told:
            self._add_told(item)
        for claim in read.claimed:
            self.hold(claim)
        for item in read.lost:
            self.lost[item.key].append(item)

    def take(self, new: Mapping[int, StoredTrial]) -> None:
        """Take up trials, new or changed, by their ids."""
        if not new:
            return
        changes = [self._note(trial_id, trial) for trial_id, trial in new.items()]
        self.version += 1
        if any(changes):
            self._work_out()

    def _note(self, trial_id: int, trial: StoredTrial) -> bool:
        """Take up a trial; return whether it changes what others mean."""
        before = self.trials.get(trial.number)
        if before is not None and is_finished(before):
            return False
        self.ids[trial.number] = trial_id
        self.trials[trial.number] = trial
        self.last = max(self.last, trial.number)
        if any(numbers_in(trial, key) for key in (schema.FORGETS, schema.RETRIES)):
            return True
        self.n_counted += schema.is_counted(trial) - (before is not None and schema.is_counted(before))
        self._release(trial.number)
        if not is_finished(trial):
            self.open.add(trial.number)
            claim = self._reader.claimed(trial)
            if claim is not None:
                self.claims[trial.number] = claim
                self.hold(claim)
            return False
        self.open.discard(trial.number)
        item = self._reader.finished(trial)
        if item is not None and trial.system_attrs.get(schema.LOST) != schema.WITHDRAWN:
            if is_lost(trial):
                insort(self.lost[item.key], item, key=lambda lost: lost.number)
            else:
                self._add_told(item)
        return False

    def _add_told(self, item: FinishedRow) -> None:
        self.hold(item)
        insort(self.told, item, key=lambda told: told.order)
        if self._told_rows is not None:
            self._told_rows.add(item)
        names = (name for reading in item.outcome.readings for name in reading)
        self.has_constraints = self.has_constraints or any(map(is_constraint, names))

    def add_claim(self, trial_id: int, trial: StoredTrial, claim: ClaimedRow) -> None:
        """Take up a trial that was made here, without reading its claim."""
        self.trials[trial.number] = trial
        self.ids[trial.number] = trial_id
        self.last = max(self.last, trial.number)
        self.open.add(trial.number)
        self.claims[trial.number] = claim
        self.hold(claim)
        self.version += 1

    def hold(self, item: Item) -> None:
        """Note that a row is taken."""
        row = item.row.tobytes()
        self.holders[row] = (*self.holders.get(row, ()), item)

    def let_go(self, item: Item) -> None:
        """Take back that a row is taken."""
        row = item.row.tobytes()
        left = tuple(holder for holder in self.holders[row] if holder is not item)
        if left:
            self.holders[row] = left
        else:
            del self.holders[row]

    def _release(self, number: int) -> None:
        claim = self.claims.pop(number, None)
        if claim is not None:
            self.let_go(claim)

    def pending(self, without: int | None = None) -> list[ClaimedRow]:
        """Return the claims by the numbers of their trials, but for one."""
        return [self.claims[number] for number in sorted(self.claims) if number != without]

    def history(self, goals: Goals, without: int | None = None) -> History:
        """Return the history as methods see it; the trial numbered `without` is left out."""
        if self._told_rows is None or self._told_rows.goals != goals:
            self._told_rows = ToldRows(self._n_slots, goals)
            for item in self.told:
                self._told_rows.add(item)
        rows = [claim.row for claim in self.pending(without)]
        pending = np.array(rows, dtype=np.int64).reshape(-1, self._n_slots)
        own = self.claims.get(-1 if without is None else without)
        seen: Set[bytes] = self.holders.keys()
        if own is not None and len(self.holders[own.row.tobytes()]) == 1:
            seen = seen - {own.row.tobytes()}
        return self._told_rows.history(pending, seen)

    def rows(self) -> KnownRows:
        """Return what the trials tell now."""
        return KnownRows(
            list(self.trials.values()),
            list(self.told),
            self.pending(),
            sorted((item for items in self.lost.values() for item in items), key=lambda item: item.number),
            [number for number in sorted(self.open) if has_stepped_back(self.trials[number])],
            self.forgotten,
            self,
            self.version,
        )


@dataclass(frozen=True)
class KnownRows(TrialRows):
    """What trials told at one moment; as long as nothing is newer, it is looked up instead of searched for."""

    known: KnownTrials | None = field(default=None, compare=False, repr=False)
    version: int = 0

    @property
    def _now(self) -> KnownTrials | None:
        return self.known if self.known is not None and self.known.version == self.version else None

    def history(self, n_slots: int, goals: Goals, without: int | None = None) -> History:
        """As `TrialRows` says, like all that follow."""
        now = self._now
        return super().history(n_slots, goals, without) if now is None else now.history(goals, without)

    @property
    def unfinished(self) -> Sequence[StoredTrial]:  # noqa: D102
        now = self._now
        return super().unfinished if now is None else [now.trials[number] for number in sorted(now.open)]

    def with_row(self, row: bytes) -> Sequence[Item]:  # noqa: D102
        now = self._now
        return super().with_row(row) if now is None else now.holders.get(row, ())

    def lost_with(self, key: RowKey) -> list[int]:  # noqa: D102
        now = self._now
        return super().lost_with(key) if now is None else [item.number for item in now.lost.get(key, ())]

    def n_counted(self, without: int | None = None) -> int:  # noqa: D102
        now = self._now
        if now is None:
            return super().n_counted(without)
        trial = None if without is None else now.trials.get(without)
        return now.n_counted - (trial is not None and self.is_counted(trial))

    def n_counted_before(self, number: int) -> int:  # noqa: D102
        now = self._now
        if now is None:
            return super().n_counted_before(number)
        later = (now.trials.get(other) for other in range(number, now.last + 1))
        return now.n_counted - sum(trial is not None and self.is_counted(trial) for trial in later)

    @property
    def constraint_names(self) -> tuple[str, ...]:  # noqa: D102
        now = self._now
        return super().constraint_names if now is None or now.has_constraints else ()
