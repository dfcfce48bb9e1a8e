"""The desk of a service: one thread asks ahead of demand, another stores what workers tell, a group at a time.

Points that are given out are trials by hand: they wait in the storage for their values, whatever becomes of the
service. A worker that is not heard of for the length of a lease has lost its trial, and the point is asked for again.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow import schema
from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError, PointError, SpaceExhausted, StudyError
from hedgerow.runs.ledger import Ledger
from hedgerow.runs.problem import Problem
from hedgerow.runs.serve import as_told
from hedgerow.runs.stored import Asked
from hedgerow.runs.study import Study
from hedgerow.runs.telling import as_told as outcome_told
from hedgerow.runs.telling import check_names, ending_of
from hedgerow.runs.workers.outcome import Outcome
from hedgerow.schema import is_finished, is_lost
from hedgerow.space.encoding import encode

# Points asked for ahead of demand: at least so many, and never more.
LEAST_AHEAD, MOST_AHEAD = 2, 4_096
# Trials made, and trials ended, in one transaction.
_MOST_MADE, _MOST_ENDED = 512, 512
# How often the desk looks around when there is nothing to ask for, in seconds.
_PAUSE = 0.2


class StorageAway(HedgerowError):  # noqa: N818 - what clients know as StorageAway
    """The storage could not be reached in time; what was sent may be sent again."""


@dataclass(frozen=True)
class _Tell:
    """What a worker told, of a trial by its number or of a point, and who waits for the answer."""

    number: int | None
    row: Codes | None
    outcome: Outcome
    answer: asyncio.Future[int]


class Desk:
    """A study with points at hand. Its methods are called from one event loop."""

    def __init__(self, problem: Problem, *, is_shared: bool = False) -> None:
        self.problem = problem
        self.study = Study(problem)
        self.ledger = Ledger(self.study.stored, is_shared=is_shared)
        self._is_shared = is_shared
        self._guard = threading.Lock()
        self._ready: deque[Asked] = deque()
        self._given: dict[int, tuple[Asked, float]] = {}
        self._asked_at: deque[float] = deque(maxlen=MOST_AHEAD)
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._n_waiting = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake, self._is_over = threading.Event(), threading.Event()
        self._told: queue.SimpleQueue[_Tell | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write, daemon=True, name="hedgerow-tell")
        self._thread = threading.Thread(target=self._work, daemon=True, name="hedgerow-ask")
        self.done: str | None = None
        self.trouble: str | None = None

    def start(self) -> None:
        """Begin to ask ahead; what waited for its value before the service started goes on waiting."""
        self._loop = asyncio.get_running_loop()
        now = time.monotonic()
        if not self._is_shared:
            self._given = {asked.number: (asked, now) for asked in self.ledger.by_hand()}
        self._thread.start()
        self._writer.start()

    def stop(self) -> None:
        """End the threads; points that nobody has fetched are free again."""
        self._is_over.set()
        self._wake.set()
        self._told.put(None)
        self._thread.join(timeout=30.0)
        self._writer.join(timeout=30.0)
        self.ledger.lose(list(self._ready), schema.WITHDRAWN)

    # --- for the event loop ---

    async def ask(self, n: int, patience: float) -> list[Asked]:
        """Return up to n trials; none where the study is done, or nothing came in time."""
        ends = time.monotonic() + patience
        with self._guard:
            self._asked_at.extend([time.monotonic()] * n)
        while True:
            taken = self._take(n)
            left = ends - time.monotonic()
            if taken or self.done or left <= 0:
                return taken
            self._wake.set()
            ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(ready)
            self._n_waiting += 1
            try:
                await asyncio.wait_for(ready, left)
            except TimeoutError:
                continue
            finally:
                self._n_waiting -= 1

    def _take(self, n: int) -> list[Asked]:
        now = time.monotonic()
        with self._guard:
            taken = [self._ready.popleft() for _ in range(min(n, len(self._ready)))]
            for asked in taken:
                self._given[asked.number] = (asked, now)
            is_low = len(self._ready) < self._wanted() // 2
        if is_low:
            self._wake.set()
        return taken

    async def tell(self, request: Mapping[str, Any]) -> int:
        """Store what a trial, or a point, gave; return the number of its trial when it is stored."""
        if "value" not in request:
            raise StudyError('A tell needs a "value": a number, or null for a trial that failed.')
        reason = request.get("reason")
        if reason is not None and not isinstance(reason, str):
            raise StudyError(f'"reason" is text, not {reason!r}.')
        told = as_told(request["value"], reason[:1000] if reason else None)
        check_names(told, self.problem.goals)
        outcome = outcome_told(self.problem, told)
        number, row = request.get("trial"), None
        if "point" in request:
            if not isinstance(request["point"], dict):
                raise PointError(f'"point" is an object of names and values, not {request["point"]!r}.')
            self.study.sampler.feasible.check_presence(request["point"])
            number, row = None, encode(self.problem.space, request["point"])
        elif isinstance(number, bool) or not isinstance(number, int):
            raise StudyError(f'"trial" is the number of a trial, not {number!r}; or tell with a "point".')
        answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._told.put(_Tell(number, row, outcome, answer))
        return await answer

    def beat(self, numbers: Iterable[int]) -> list[int]:
        """Note that trials are still being evaluated; return those that this service has given out and waits for."""
        now = time.monotonic()
        with self._guard:
            held = [number for number in numbers if number in self._given]
            for number in held:
                self._given[number] = (self._given[number][0], now)
        return held

    @property
    def counts(self) -> dict[str, int]:
        """How many points are at hand, and how many are out."""
        with self._guard:
            return {"ready": len(self._ready), "given": len(self._given)}

    # --- the thread that stores ---

    def _write(self) -> None:
        while (first := self._told.get()) is not None:
            group: list[_Tell] = [first]
            while len(group) < _MOST_ENDED and not self._told.empty():
                other = self._told.get()
                if other is None:
                    self._told.put(None)
                    break
                group.append(other)
            answers: list[tuple[_Tell, int | HedgerowError]] = []
            try:
                self._store(group, answers)
            except Exception as error:
                away = StorageAway(f"The storage does not take what was told: {_first_line(error)}. Tell it again.")
                answers += [(tell, away) for tell in group]
            assert self._loop is not None
            self._loop.call_soon_threadsafe(_answer, answers)

    def _store(self, group: Sequence[_Tell], answers: list[tuple[_Tell, int | HedgerowError]]) -> None:
        """Store what was told in one transaction, and what came late or unasked besides it; then there are answers."""
        by_trial: list[tuple[_Tell, Asked]] = []
        for tell in group:
            try:
                found = self._trial_of(tell)
            except HedgerowError as error:
                answers.append((tell, error))
                continue
            if isinstance(found, Asked):
                by_trial.append((tell, found))
            elif found is not None:
                answers.append((tell, found))
            else:
                assert tell.row is not None
                answers.append((tell, self.ledger.tell_unasked(tell.row, tell.outcome)))
        late = self.ledger.end([(asked, ending_of(self.problem, tell.outcome)) for tell, asked in by_trial])
        for tell, asked in by_trial:
            if asked in late:
                self.ledger.tell_late(asked, tell.outcome)
        with self._guard:
            for _, asked in by_trial:
                self._given.pop(asked.number, None)
        answers += [(tell, asked.number) for tell, asked in by_trial]

    def _trial_of(self, tell: _Tell) -> Asked | int | None:
        """Return the trial that something was told of, its number where it has ended so, None where none was asked."""
        number = tell.number if tell.row is None else self.ledger.waits_with(tell.row)
        if number is None:
            return None
        with self._guard:
            known = self._given.get(number)
        if known is not None:
            return known[0]
        trial = self.ledger.known(number)
        if trial is not None and is_finished(trial) and not is_lost(trial):
            # A worker that did not get its answer tells again; what has several values is not compared.
            values = trial.values or ()
            if len(values) > 1 or (values[0] if values else None) == tell.outcome.value:
                return number
            raise StudyError(f"Trial {number} has ended with another value. hedgerow forget lets it count for nothing.")
        return self.ledger.known_asked(number) or self.study.waiting(number)

    # --- the thread that asks ---

    def _work(self) -> None:
        while not self._is_over.is_set():
            try:
                self._lose_the_silent()
                made = self._refill()
                self.trouble = None
            except HedgerowError as error:
                made, self.trouble = False, str(error)
            except Exception as error:
                made, self.trouble = False, f"The storage does not answer: {_first_line(error)}."
            if not made:
                self._wake.wait(_PAUSE)
                self._wake.clear()

    def _wanted(self) -> int:
        """How many points should be at hand: as many as were asked for in the last second, and one for all who wait."""
        since = time.monotonic() - 1.0
        while self._asked_at and self._asked_at[0] < since:
            self._asked_at.popleft()
        return min(MOST_AHEAD, max(LEAST_AHEAD, len(self._asked_at), self._n_waiting))

    def _refill(self) -> bool:
        """Make trials until enough are at hand; say whether any were made."""
        with self._guard:
            n_ready, n_given = len(self._ready), len(self._given)
            wanted = self._wanted() - n_ready
        if wanted <= 0 or self._is_over.is_set():
            self._give(self.ledger.look())
            return False
        try:
            made = self.ledger.ask(min(wanted, _MOST_MADE), self.problem.budget - n_ready - n_given)
            # Points that are out may yet be lost, and then they are free again.
            self.done = None if made or n_ready + n_given else "budget"
        except SpaceExhausted:
            made, self.done = [], None if n_ready + n_given else "exhausted"
        self._give(made)
        return bool(made)

    def _give(self, made: Sequence[Asked]) -> None:
        with self._guard:
            self._ready.extend(made)
        if (made or self.done) and self._loop is not None:
            self._loop.call_soon_threadsafe(self._let_in, max(len(made), 1 if made else len(self._waiting)))

    def _let_in(self, n: int) -> None:
        while self._waiting and n:
            ready = self._waiting.popleft()
            if not ready.done():
                ready.set_result(None)
                n -= 1

    def _lose_the_silent(self) -> None:
        late = time.monotonic() - self.problem.lease
        with self._guard:
            silent = [asked for asked, moment in self._given.values() if moment < late]
        self.ledger.lose(silent, schema.VANISHED)
        with self._guard:
            for asked in silent:
                self._given.pop(asked.number, None)


def _answer(answers: Iterable[tuple[_Tell, int | HedgerowError]]) -> None:
    for tell, said in answers:
        if tell.answer.done():
            continue
        if isinstance(said, int):
            tell.answer.set_result(said)
        else:
            tell.answer.set_exception(said)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
