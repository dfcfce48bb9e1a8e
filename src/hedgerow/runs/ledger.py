"""The trials of a study in memory, kept up to date, for whoever makes and ends hundreds of them in a second.

Reading a study anew takes a time that grows with its trials; here only what is new is read: trials that others made,
and what became of those that were not finished. The storage decides all the same: a trial that is made here gets its
point by the same rule as everywhere (`keeps_row`), and ends once.

One thread asks and looks (`ask`, `look`); another may end trials (`end`, `lose`, `tell_late`, `tell_unasked`). What
ends is put down where the first finds it, so that nothing changes under its hands.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from hedgerow import __version__, schema
from hedgerow.arrays import Codes
from hedgerow.errors import SpaceExhausted
from hedgerow.methods.history import History
from hedgerow.optuna.trials import CONSTRAINT, ClaimedRow, FinishedRow, RowKey, TrialRows, numbers_in
from hedgerow.runs.bulk import NewTrial
from hedgerow.runs.bulk_sql import bulk_of
from hedgerow.runs.changes import asked_with
from hedgerow.runs.sqlite_reader import PlainTrial
from hedgerow.runs.status import Status, status_of
from hedgerow.runs.stored import Asked, StoredStudy
from hedgerow.runs.telling import Ending, ending_of
from hedgerow.runs.told_rows import ToldRows
from hedgerow.runs.workers.outcome import Outcome
from hedgerow.schema import StoredState, is_finished, is_lost
from hedgerow.space.encoding import decode, encode

# A group of points goes out after so many seconds, though there are more to come.
_LONGEST = 0.2
# How often it is asked whether others have ended the trials that were made here, in seconds.
_CHECK = 1.0


class Ledger:
    """The trials of a study, by number, and what follows from them for the next points."""

    def __init__(self, stored: StoredStudy, *, is_shared: bool = False) -> None:
        self._stored = stored
        self._is_shared = is_shared
        self._bulk = bulk_of(stored)
        self._me = os.urandom(6).hex()
        self._n_marks = 0
        self._reader = stored.sampler.reader(stored.in_optuna)
        self._status_reader = stored.sampler.reader(stored.in_optuna)
        self.trials: dict[int, PlainTrial] = {}
        # Trials that have ended and are not in the rest yet, by id.
        self._inbox: dict[int, PlainTrial] = {}
        self._newest = -1
        self._made: set[int] = set()
        self._checked = time.monotonic()
        self._read_again(self._bulk.read(-1))

    # --- what is known ---

    def _read_again(self, new: Mapping[int, PlainTrial]) -> None:
        """Work out everything from the trials, after one that changes what earlier ones mean."""
        self._newest = max([self._newest, *new])
        self._ids = {**getattr(self, "_ids", {}), **{trial.number: trial_id for trial_id, trial in new.items()}}
        self.trials |= {trial.number: trial for trial in new.values()}
        read = self._reader.read(self.trials.values())
        self._forgotten = read.forgotten
        self._n_counted = sum(read.is_counted(trial) for trial in self.trials.values())
        self._claims = {claim.number: claim for claim in read.claimed}
        # The trials that have a row, each with which reading of it.
        self._holders: dict[bytes, tuple[tuple[int, int], ...]] = {}
        self._lost: dict[RowKey, list[int]] = defaultdict(list)
        goals = self._stored.sampler.goals
        self._told = ToldRows(len(self._stored.problem.space.slots), goals)
        self._is_single = goals.is_single
        self._late = {late for trial in self.trials.values() if (late := _late_for(trial)) is not None}
        self._open = {number for number, trial in self.trials.items() if not is_finished(trial)}
        for item in read.told:
            self._add_told(item)
        for claim in read.claimed:
            self._hold(claim)
        for item in read.lost:
            self._lost[item.key].append(item.number)

    def _add_told(self, item: FinishedRow) -> None:
        self._hold(item)
        self._told.add(item)
        if any(name.startswith(CONSTRAINT) for reading in item.outcome.readings for name in reading):
            # Optuna's constraints, by which trials of this study are judged from now on.
            self._is_single = False

    def _hold(self, item: FinishedRow | ClaimedRow) -> None:
        row = item.row.tobytes()
        self._holders[row] = (*self._holders.get(row, ()), (item.number, item.reading))

    def _release(self, number: int) -> None:
        claim = self._claims.pop(number, None)
        if claim is None:
            return
        row = claim.row.tobytes()
        left = tuple(holder for holder in self._holders[row] if holder[0] != number)
        if left:
            self._holders[row] = left
        else:
            del self._holders[row]

    def _note(self, trial_id: int, trial: PlainTrial) -> bool:
        """Take up a trial, new or changed; return whether it changes what others mean."""
        before = self.trials.get(trial.number)
        if before is not None and is_finished(before):
            return False
        self._ids[trial.number] = trial_id
        self.trials[trial.number] = trial
        if any(numbers_in(trial, key) for key in (schema.FORGETS, schema.RETRIES)):
            return True
        self._n_counted += schema.is_counted(trial) - (before is not None and schema.is_counted(before))
        self._late |= set() if (late := _late_for(trial)) is None else {late}
        self._release(trial.number)
        if not is_finished(trial):
            self._open.add(trial.number)
            claim = self._reader.claimed(trial)
            if claim is not None:
                self._claims[trial.number] = claim
                self._hold(claim)
            return False
        self._open.discard(trial.number)
        self._made.discard(trial_id)
        item = self._reader.finished(trial)
        if item is not None and trial.system_attrs.get(schema.LOST) != schema.WITHDRAWN:
            if is_lost(trial):
                self._lost[item.key].append(item.number)
            else:
                self._add_told(item)
        return False

    def look(self) -> list[Asked]:
        """Take up what others did, and what ended here; return trials of this ledger that it did not know it had."""
        self._take_in()
        others = {self._ids[number] for number in self._open} - self._made
        if time.monotonic() - self._checked > _CHECK:
            self._checked = time.monotonic()
            mine = {self._ids[number] for number in self._open} & self._made
            others |= self._bulk.finished(mine) if mine else set()
        # Trials are made one after the other: what is older than one that was made here is there to be read.
        newest = max(self._made, default=-1)
        new = self._bulk.read(self._newest, others, without=self._made - others)
        self._newest = max(self._newest, newest, *new, -1)
        new = {trial_id: trial for trial_id, trial in new.items() if trial_id not in self._inbox}
        unknown = [trial for trial in new.values() if trial.number not in self.trials]
        changes = [self._note(trial_id, trial) for trial_id, trial in new.items()]
        if any(changes):
            self._read_again({})
        mine_after_all = [t for t in unknown if str(t.system_attrs.get(schema.BY_HAND)).startswith(self._me)]
        self._made |= {self._ids[trial.number] for trial in mine_after_all}
        return [self._asked(trial.number) for trial in mine_after_all if trial.number in self._claims]

    def _take_in(self) -> None:
        """Take up what ended here."""
        for trial_id, trial in list(self._inbox.items()):
            self._note(trial_id, trial)
            # Only now: whoever looks for the trial finds it in one of both.
            self._inbox.pop(trial_id)

    def _asked(self, number: int) -> Asked:
        return Asked(self._ids[number], number, decode(self._stored.problem.space, self._claims[number].row))

    def by_hand(self) -> list[Asked]:
        """Return the trials that somebody evaluates by hand."""
        return [self._asked(number) for number in self._claims if schema.BY_HAND in self.trials[number].system_attrs]

    def status(self) -> Status:
        """Return the counts and the best of the study; from any thread, which sees what others did a little later."""
        trials = {**self.trials, **{trial.number: trial for trial in list(self._inbox.values())}}
        read = self._status_reader.read(trials.values())
        return status_of(read, self._stored.problem, self._stored.sampler.feasible.codes.accepts)

    # --- asking ---

    def ask(self, n: int, budget: int) -> list[Asked]:
        """Return new trials to evaluate by hand, up to n, fewer where they take long or the budget or the points end.

        SpaceExhausted where there is no point at all.
        """
        # Others who ask suggest the same after the same trials, so it is worth knowing of theirs before.
        found = self.look() if self._is_shared else []
        self._take_in()
        n = min(n, budget - self._n_counted)
        if n <= 0:
            return found or self.look()
        suggested = self._suggest(n)
        about = {schema.ASKED_WITH: asked_with(self._stored.problem, __version__)}
        claims = [self._stored.sampler.claim(row) for row, _ in suggested]
        wanted = [
            NewTrial(claim, {**about, schema.CLAIM: claim, **self._reading(row, reading)})
            for claim, (row, reading) in zip(claims, suggested, strict=True)
        ]
        self._n_marks += 1
        made = self._bulk.create(wanted, f"{self._me}-{self._n_marks}")
        for (trial_id, number), trial, (row, reading) in zip(made, wanted, suggested, strict=True):
            self._take_up(trial_id, number, trial, ClaimedRow(number, row, True, reading))
        # Whoever claimed one of these points before has written it by now.
        found += self.look()
        new = [self._asked(number) for _, number in made]
        kept = [asked for asked in new if self._keeps(asked.number)]
        self.lose([asked for asked in new if asked not in kept], schema.WITHDRAWN)
        return [*found, *kept]

    def _take_up(self, trial_id: int, number: int, trial: NewTrial, claim: ClaimedRow) -> None:
        attrs = {**trial.attrs, schema.BY_HAND: self._me}
        self.trials[number] = PlainTrial(number, StoredState.RUNNING, None, {}, {}, attrs, None, None)
        self._ids[number] = trial_id
        self._made.add(trial_id)
        self._open.add(number)
        self._claims[number] = claim
        self._hold(claim)

    def _suggest(self, n: int) -> list[tuple[Codes, int]]:
        """Return rows for new trials, each with which reading of it is taken, as if they were asked one by one."""
        ends = time.monotonic() + _LONGEST
        # With a budget the end is known, and the last trials confirm what is best.
        self._stored.sampler.n_trials = self._stored.problem.budget
        history = self._history()
        chosen: list[tuple[Codes, int]] = []
        # Rows of this group, which are nobody's until they have their trials.
        added: list[bytes] = []
        try:
            while len(chosen) < n and (not chosen or time.monotonic() < ends):
                row = self._stored.sampler.suggest_after(history)
                key = row.tobytes()
                taken = {reading for _, reading in self._holders.get(key, ())}
                reading = next(place for place in range(len(taken) + 1) if place not in taken)
                chosen.append((row, reading))
                added.append(key)
                self._holders[key] = (*self._holders.get(key, ()), (-1, reading))
                pending = np.concatenate([history.pending, row[None, :]])
                history = history.with_pending(pending, self._holders.keys())
        except SpaceExhausted:
            if not chosen:
                raise
        finally:
            for key in added:
                left = tuple(holder for holder in self._holders[key] if holder[0] >= 0)
                self._holders[key] = left
                if not left:
                    del self._holders[key]
        return chosen

    def _history(self) -> History:
        rows = [claim.row for claim in self._claims.values()]
        if self._is_single:
            n_slots = len(self._stored.problem.space.slots)
            return self._told.history(np.array(rows, dtype=np.int64).reshape(-1, n_slots), self._holders.keys())
        return self._stored.sampler.history(self._stored.in_optuna, self._rows())

    def _rows(self) -> TrialRows:
        return self._reader.read(self.trials.values())

    def _reading(self, row: Codes, reading: int) -> dict[str, Any]:
        """Return the attributes that say which reading of its point a trial takes, and that it is tried again."""
        before = self._lost.get((row.tobytes(), reading))
        return {**self._stored.reading(reading), **({schema.AGAIN: list(before)} if before else {})}

    def _keeps(self, number: int) -> bool:
        """Whether a trial that was created with its point may keep it: the rule of `keeps_row`."""
        mine = self._claims[number]
        for other, reading in self._holders[mine.row.tobytes()]:
            if reading == mine.reading and other != number and (other < number or other not in self._claims):
                return False
        return True

    # --- ending ---

    def lose(self, trials: Sequence[Asked], why: str) -> None:
        """End trials that nobody works on any more; their points are free again."""
        if trials:
            ending = Ending(StoredState.FAIL, system_attrs={schema.LOST: why})
            self.end([(asked, ending) for asked in trials])

    def end(self, endings: Sequence[tuple[Asked, Ending]]) -> list[Asked]:
        """End trials, and return those that others had ended in another way; of two endings of one the first counts."""
        by_id: dict[int, tuple[Asked, Ending]] = {}
        for asked, ending in endings:
            by_id.setdefault(asked.trial_id, (asked, ending))
        ended = self._bulk.end({trial_id: ending for trial_id, (_, ending) in by_id.items()})
        for trial_id, moment in ended.items():
            asked, ending = by_id[trial_id]
            before = self.trials.get(asked.number)
            if moment is not None and before is not None:
                self._put_down(trial_id, asked.number, before.system_attrs, ending, moment)
        return [asked for trial_id, (asked, _) in by_id.items() if trial_id not in ended]

    def _put_down(self, trial_id: int, number: int, attrs: Mapping[str, Any], ending: Ending, moment: datetime) -> None:
        attrs = {**attrs, **ending.system_attrs}
        ended = PlainTrial(number, ending.state, ending.values or None, {}, ending.user_attrs, attrs, None, moment)
        self._inbox[trial_id] = ended

    def known(self, number: int) -> PlainTrial | None:
        """Return a trial as far as it is known here."""
        newest = (trial for trial in list(self._inbox.values()) if trial.number == number)
        return next(newest, self.trials.get(number))

    def known_asked(self, number: int) -> Asked | None:
        """Return a trial with its point, whether it waits for its value or was given up; None where it is not known."""
        trial = self.trials.get(number)
        row = None if trial is None else self._reader.row(trial)
        return None if row is None else Asked(self._ids[number], number, decode(self._stored.problem.space, row))

    def waits_with(self, row: Codes) -> int | None:
        """Return the number of the trial that somebody evaluates by hand at a row."""
        numbers = (number for number, _ in self._holders.get(row.tobytes(), ()) if number in self._claims)
        return next((number for number in numbers if schema.BY_HAND in self.trials[number].system_attrs), None)

    def tell_late(self, asked: Asked, outcome: Outcome) -> None:
        """Store a value that came after its trial had been given up as a trial of its own, if nobody else has."""
        trial = self.known(asked.number)
        is_told = trial is not None and (trial.state == StoredState.COMPLETE or schema.has_readings(trial))
        if outcome.failed or is_told or asked.number in self._late:
            return
        if any(_late_for(trial) == asked.number for trial in self._bulk.read(self._newest).values()):
            return
        self.tell_unasked(encode(self._stored.problem.space, asked.point), outcome, {schema.LATE: asked.number})
        self._late.add(asked.number)

    def tell_unasked(self, row: Codes, outcome: Outcome, attrs: Mapping[str, Any] | None = None) -> int:
        """Store an outcome that no trial waits for, and return the number of its trial."""
        claim = self._stored.sampler.claim(row)
        taken = {reading for _, reading in self._holders.get(row.tobytes(), ())}
        free = next(place for place in range(len(taken) + 1) if place not in taken)
        reading = self._stored.reading(free if self._stored.problem.goals.may_repeat else 0)
        trial = NewTrial(claim, {schema.CLAIM: claim, schema.UNASKED: True, **(attrs or {}), **reading})
        [(trial_id, number)] = self._bulk.create([trial], f"told-{os.urandom(6).hex()}")
        ending = ending_of(self._stored.problem, outcome)
        moment = self._bulk.end({trial_id: ending}).get(trial_id)
        if moment is not None:
            self._put_down(trial_id, number, trial.attrs, ending, moment)
        return number


def _late_for(trial: PlainTrial) -> int | None:
    late = trial.system_attrs.get(schema.LATE)
    return late if isinstance(late, int) and is_finished(trial) else None
