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
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from hedgerow import __version__, schema
from hedgerow.arrays import Codes
from hedgerow.errors import SpaceExhausted
from hedgerow.optuna.claims import keeps_row
from hedgerow.optuna.trials import ClaimedRow
from hedgerow.runs.bulk import Ending, NewTrial
from hedgerow.runs.changes import asked_with
from hedgerow.runs.known import KnownTrials
from hedgerow.runs.sqlite_reader import PlainTrial
from hedgerow.runs.status import Status, status_of
from hedgerow.runs.stored import Asked, StoredStudy
from hedgerow.runs.telling import ending_of
from hedgerow.runs.workers.outcome import Outcome
from hedgerow.schema import StoredState, StoredTrial, is_finished
from hedgerow.space.encoding import encode

# A group of points goes out after so many seconds, though there are more to come.
_LONGEST = 0.2
# How often it is asked whether others have ended the trials that were made here, in seconds.
_CHECK = 1.0


class Ledger:
    """The trials of a study, by number, and what follows from them for the next points."""

    def __init__(self, stored: StoredStudy, *, is_shared: bool = False) -> None:
        self._stored = stored
        self._is_shared = is_shared
        self._bulk = stored.bulk
        self._me = os.urandom(6).hex()
        self._n_marks = 0
        self._known = KnownTrials(stored.sampler.reader(stored.in_optuna), len(stored.problem.space.slots))
        self._reader = stored.sampler.reader(stored.in_optuna)
        # Trials that have ended and are not in the rest yet, by id.
        self._inbox: dict[int, PlainTrial] = {}
        # The ids of trials that were made here and have not ended, and the numbers of those whose values came late.
        self._made: set[int] = set()
        self._late: set[int] = set()
        self._checked = time.monotonic()
        self._take(first := self._bulk.read(-1))
        self._known.newest = max(first, default=-1)

    # --- what is known ---

    def _take(self, new: Mapping[int, PlainTrial]) -> None:
        """Take up trials, new or changed."""
        self._known.take(new)
        ended = {trial_id: trial for trial_id, trial in new.items() if is_finished(trial)}
        self._made -= ended.keys()
        self._late |= {late for trial in ended.values() if (late := _late_for(trial)) is not None}

    def look(self) -> list[Asked]:
        """Take up what others did, and what ended here; return trials of this ledger that it did not know it had."""
        self._take_in()
        known = self._known
        open_ids = {known.ids[number] for number in known.open}
        others = open_ids - self._made
        if time.monotonic() - self._checked > _CHECK:
            self._checked = time.monotonic()
            mine = open_ids & self._made
            others |= self._bulk.finished(mine) if mine else set()
        # Trials are made one after the other: what is older than one that was made here is there to be read.
        newest = max(self._made, default=-1)
        read = self._bulk.read(known.newest, others, without=self._made - others)
        new = {trial_id: trial for trial_id, trial in read.items() if trial_id not in self._inbox}
        unknown = [(trial_id, trial) for trial_id, trial in new.items() if trial.number not in known.trials]
        self._take(new)
        known.newest = max(known.newest, newest, *read, -1)
        mine_after_all = [
            pair for pair in unknown if str(pair[1].system_attrs.get(schema.BY_HAND)).startswith(self._me)
        ]
        self._made |= {trial_id for trial_id, _ in mine_after_all}
        return [self._asked(trial.number) for _, trial in mine_after_all if trial.number in known.claims]

    def _is_mine(self, trial: PlainTrial) -> bool:
        return str(trial.system_attrs.get(schema.BY_HAND)).startswith(self._me)

    def _take_in(self) -> None:
        """Take up what ended here."""
        for trial_id, trial in list(self._inbox.items()):
            self._take({trial_id: trial})
            # Only now: whoever looks for the trial finds it in one of both.
            self._inbox.pop(trial_id)

    def _asked(self, number: int) -> Asked:
        return self._stored.asked_as(self._known.ids[number], number, self._known.claims[number].row)

    def by_hand(self) -> list[Asked]:
        """Return the trials that somebody evaluates by hand."""
        claims, trials = self._known.claims, self._known.trials
        return [self._asked(number) for number in sorted(claims) if schema.BY_HAND in trials[number].system_attrs]

    def status(self) -> Status:
        """Return the counts and the best of the study; from any thread, which sees what others did a little later."""
        trials = {**self._known.trials, **{trial.number: trial for trial in list(self._inbox.values())}}
        read = self._reader.read(trials.values())
        return status_of(read, self._stored.problem, self._stored.sampler.feasible.codes.accepts)

    # --- asking ---

    def ask(self, n: int, budget: int) -> list[Asked]:
        """Return new trials to evaluate by hand, up to n, fewer where they take long or the budget or the points end.

        SpaceExhausted where there is no point at all.
        """
        # Others who ask suggest the same after the same trials, so it is worth knowing of theirs before.
        found = self.look() if self._is_shared else []
        self._take_in()
        n = min(n, budget - self._known.n_counted)
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
        running = PlainTrial(number, StoredState.RUNNING, None, {}, {}, attrs, None, None)
        self._known.add_claim(trial_id, running, claim)
        self._made.add(trial_id)

    def _suggest(self, n: int) -> list[tuple[Codes, int]]:
        """Return rows for new trials, each with which reading of it is taken, as if they were asked one by one."""
        ends = time.monotonic() + _LONGEST
        known = self._known
        # With a budget the end is known, and the last trials confirm what is best.
        self._stored.sampler.n_trials = self._stored.problem.budget
        history = self._stored.sampler.history(self._stored.in_optuna, known.rows())
        # Claims of this group, which are nobody's until they have their trials.
        chosen: list[ClaimedRow] = []
        try:
            while len(chosen) < n and (not chosen or time.monotonic() < ends):
                row = self._stored.sampler.suggest_after(history)
                chosen.append(ClaimedRow(-1, row, True, self._next_reading(row)))
                known.hold(chosen[-1])
                pending = np.concatenate([history.pending, row[None, :]])
                history = history.with_pending(pending, known.holders.keys())
        except SpaceExhausted:
            if not chosen:
                raise
        finally:
            for claim in chosen:
                known.let_go(claim)
        return [(claim.row, claim.reading) for claim in chosen]

    def _next_reading(self, row: Codes) -> int:
        taken = {holder.reading for holder in self._known.holders.get(row.tobytes(), ())}
        return next(place for place in range(len(taken) + 1) if place not in taken)

    def _reading(self, row: Codes, reading: int) -> dict[str, Any]:
        """Return the attributes that say which reading of its point a trial takes, and that it is tried again."""
        before = [item.number for item in self._known.lost.get((row.tobytes(), reading), ())]
        return {**self._stored.reading(reading), **({schema.AGAIN: before} if before else {})}

    def _keeps(self, number: int) -> bool:
        """Whether a trial that was created with its point may keep it."""
        mine = self._known.claims[number]
        return keeps_row(number, mine.key, self._known.holders[mine.row.tobytes()])

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
            before = self._known.trials.get(asked.number)
            if moment is not None and before is not None:
                self._put_down(trial_id, asked.number, before.system_attrs, ending, moment)
        return [asked for trial_id, (asked, _) in by_id.items() if trial_id not in ended]

    def _put_down(self, trial_id: int, number: int, attrs: Mapping[str, Any], ending: Ending, moment: datetime) -> None:
        attrs = {**attrs, **ending.system_attrs}
        ended = PlainTrial(number, ending.state, ending.values or None, {}, ending.user_attrs, attrs, None, moment)
        self._inbox[trial_id] = ended

    def known(self, number: int) -> StoredTrial | None:
        """Return a trial as far as it is known here."""
        newest: Iterator[StoredTrial] = (trial for trial in list(self._inbox.values()) if trial.number == number)
        return next(newest, self._known.trials.get(number))

    def known_asked(self, number: int) -> Asked | None:
        """Return a trial with its point, whether it waits for its value or was given up; None where it is not known."""
        trial = self._known.trials.get(number)
        row = None if trial is None else self._reader.row(trial)
        return None if row is None else self._stored.asked_as(self._known.ids[number], number, row)

    def waits_with(self, row: Codes) -> int | None:
        """Return the number of the trial that somebody evaluates by hand at a row."""
        known = self._known
        numbers = (item.number for item in known.holders.get(row.tobytes(), ()) if item.number in known.claims)
        return next((number for number in numbers if schema.BY_HAND in known.trials[number].system_attrs), None)

    def tell_late(self, asked: Asked, outcome: Outcome) -> None:
        """Store a value that came after its trial had been given up as a trial of its own, if nobody else has."""
        trial = self.known(asked.number)
        is_told = trial is not None and (trial.state == StoredState.COMPLETE or schema.has_readings(trial))
        if outcome.failed or is_told or asked.number in self._late:
            return
        if any(_late_for(trial) == asked.number for trial in self._bulk.read(self._known.newest).values()):
            return
        self.tell_unasked(encode(self._stored.problem.space, asked.point), outcome, {schema.LATE: asked.number})
        self._late.add(asked.number)

    def tell_unasked(self, row: Codes, outcome: Outcome, attrs: Mapping[str, Any] | None = None) -> int:
        """Store an outcome that no trial waits for, and return the number of its trial."""
        claim = self._stored.sampler.claim(row)
        reading = self._stored.reading(self._next_reading(row) if self._stored.problem.goals.may_repeat else 0)
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
