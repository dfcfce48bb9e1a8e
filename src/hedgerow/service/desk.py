"""The desk of a service: one thread asks ahead of demand, others store what workers tell.

Points that are given out are trials by hand: they wait in the storage for their values, whatever becomes of the
service. A worker that is not heard of for the length of a lease has lost its trial, and the point is asked for again.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from hedgerow import schema
from hedgerow.errors import HedgerowError, PointError, SpaceExhausted, StudyError
from hedgerow.runs.asking import ask_many
from hedgerow.runs.problem import Problem
from hedgerow.runs.serve import as_told
from hedgerow.runs.stored import Asked
from hedgerow.runs.study import Study
from hedgerow.runs.telling import as_told as outcome_told

# Points asked for ahead of demand: at least so many, and never more.
LEAST_AHEAD, MOST_AHEAD = 2, 256
# Trials made at a time: reading the study is shared among them.
_BATCH = 32
# Threads that store what is told.
_WRITERS = 4
# How often the desk looks around when there is nothing to ask for, in seconds.
_PAUSE = 0.2


class Desk:
    """A study with points at hand. Its methods are called from one event loop."""

    def __init__(self, problem: Problem, *, is_shared: bool = False) -> None:
        self.problem = problem
        self.study = Study(problem)
        self._is_shared = is_shared
        self._guard = threading.Lock()
        self._ready: deque[Asked] = deque()
        self._given: dict[int, tuple[Asked, float]] = {}
        self._asked_at: deque[float] = deque(maxlen=MOST_AHEAD)
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake, self._is_over = threading.Event(), threading.Event()
        self._writers = ThreadPoolExecutor(_WRITERS, thread_name_prefix="hedgerow-tell")
        self._thread = threading.Thread(target=self._work, daemon=True, name="hedgerow-ask")
        self.done: str | None = None
        self.trouble: str | None = None

    def start(self) -> None:
        """Begin to ask ahead; what waited for its value before the service started goes on waiting."""
        self._loop = asyncio.get_running_loop()
        now = time.monotonic()
        if not self._is_shared:
            self._given = {asked.number: (asked, now) for asked in self.study.pending_by_hand()}
        self._thread.start()

    def stop(self) -> None:
        """End the threads; points that nobody has fetched are free again."""
        self._is_over.set()
        self._wake.set()
        self._thread.join(timeout=30.0)
        self._writers.shutdown()
        for asked in self._ready:
            self.study.lose(asked.trial_id, schema.WITHDRAWN)

    async def ask(self, n: int, patience: float) -> list[Asked]:
        """Return up to n trials; none where the study is done, or nothing came in time."""
        ends = time.monotonic() + patience
        self._asked_at.extend([time.monotonic()] * n)
        while True:
            taken = self._take(n)
            self._wake.set()
            left = ends - time.monotonic()
            if taken or self.done or left <= 0:
                return taken
            ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(ready)
            try:
                await asyncio.wait_for(ready, left)
            except TimeoutError:
                continue

    def _take(self, n: int) -> list[Asked]:
        now = time.monotonic()
        with self._guard:
            taken = [self._ready.popleft() for _ in range(min(n, len(self._ready)))]
            self._given |= {asked.number: (asked, now) for asked in taken}
        return taken

    async def tell(self, request: Mapping[str, Any]) -> int:
        """Store what a trial, or a point, gave; return the number of its trial when it is stored."""
        if "value" not in request:
            raise StudyError('A tell needs a "value": a number, or null for a trial that failed.')
        reason = request.get("reason")
        if reason is not None and not isinstance(reason, str):
            raise StudyError(f'"reason" is text, not {reason!r}.')
        told = as_told(request["value"], reason[:1000] if reason else None)
        return await asyncio.get_running_loop().run_in_executor(self._writers, self._store, request, told)

    def _store(self, request: Mapping[str, Any], told: Any) -> int:
        if "point" in request:
            if not isinstance(request["point"], dict):
                raise PointError(f'"point" is an object of names and values, not {request["point"]!r}.')
            return self.study.tell(request["point"], told)
        number = request.get("trial")
        if isinstance(number, bool) or not isinstance(number, int):
            raise StudyError(f'"trial" is the number of a trial, not {number!r}; or tell with a "point".')
        outcome = outcome_told(self.problem, told)
        with self._guard:
            known = self._given.get(number)
        if known is None and self.study.has_ended(number, outcome.value):
            # A worker that did not get its answer asks again.
            return number
        asked = self.study.waiting(number) if known is None else known[0]
        self.study.finish(asked, outcome)
        with self._guard:
            self._given.pop(number, None)
        return number

    def beat(self, numbers: Iterable[int]) -> list[int]:
        """Note that trials are still being evaluated; return those that this service has given out and waits for."""
        now = time.monotonic()
        with self._guard:
            held = [number for number in numbers if number in self._given]
            self._given |= {number: (self._given[number][0], now) for number in held}
        return held

    @property
    def counts(self) -> dict[str, int]:
        """How many points are at hand, and how many are out."""
        with self._guard:
            return {"ready": len(self._ready), "given": len(self._given)}

    def _work(self) -> None:
        while not self._is_over.is_set():
            try:
                self._lose_the_silent()
                made = self._refill()
                self.trouble = None
            except HedgerowError as error:
                made, self.trouble = False, str(error)
            if not made:
                self._wake.wait(_PAUSE)
                self._wake.clear()

    def _refill(self) -> bool:
        """Make trials until as many are at hand as were asked for in the last second; say whether any were made."""
        with self._guard:
            n_ready, n_given = len(self._ready), len(self._given)
        recent = sum(moment > time.monotonic() - 1.0 for moment in self._asked_at)
        wanted = min(MOST_AHEAD, max(LEAST_AHEAD, recent)) - n_ready
        if wanted <= 0 or self._is_over.is_set():
            return False
        try:
            made = ask_many(self.study.stored, min(wanted, _BATCH), self.problem.budget - n_ready - n_given)
            # Points that are out may yet be lost, and then they are free again.
            self.done = None if made or n_ready + n_given else "budget"
        except SpaceExhausted:
            made, self.done = [], None if n_ready + n_given else "exhausted"
        with self._guard:
            self._ready.extend(made)
        if (made or self.done) and self._loop is not None:
            self._loop.call_soon_threadsafe(self._let_in, max(len(made), 1 if made else len(self._waiting)))
        return bool(made)

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
        for asked in silent:
            self.study.lose(asked.trial_id, schema.VANISHED)
            with self._guard:
                self._given.pop(asked.number, None)
