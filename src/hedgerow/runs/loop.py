"""`run_study`: keeps evaluations going until a study has used its budget, together with whoever else works on it."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace

from hedgerow import schema
from hedgerow.errors import SpaceExhausted, StudyError
from hedgerow.result import Stopped
from hedgerow.runs.believed_best import BelievedBest
from hedgerow.runs.heartbeat import Heartbeat
from hedgerow.runs.leases import Lease, Watch
from hedgerow.runs.problem import Problem
from hedgerow.runs.status import Status
from hedgerow.runs.stored import Asked
from hedgerow.runs.study import Study
from hedgerow.runs.what_is_left import WhatIsLeft
from hedgerow.runs.workers.executors import Evaluator, evaluator_for
from hedgerow.runs.workers.job import Outcome

# When so many trials of a run have failed and the study has no value at all, the objective is broken, not the points.
_BROKEN_AFTER = 5


@dataclass(frozen=True)
class RunReport:
    """How a run ended, and how the study stands."""

    stopped: Stopped
    status: Status
    n_here: int
    seconds: float
    # Why nothing can be measured, where that is so.
    trouble: str = ""


@dataclass(frozen=True)
class RunState:
    """What a view is shown: the study, and what this run is doing."""

    status: Status
    running: tuple[tuple[Asked, float], ...]  # with the seconds since they began
    ended: tuple[tuple[Asked, Outcome], ...]  # since the view was last shown one
    is_stopping: bool


View = Callable[[RunState], object]
# What is told of each trial of this run as soon as it has ended; a view is shown several at once, now and then.
Each = Callable[[Asked, Outcome], object]


@dataclass(frozen=True)
class Pace:
    """How often a run looks around, in seconds."""

    watch: float = 1.0
    show: float = 0.25
    # How long the study is waited for when all that is left runs elsewhere, before looking again.
    wait: float = 0.5


def run_study(
    problem: Problem,
    *,
    executor: object = None,
    view: View | None = None,
    each: Each | None = None,
    stop: threading.Event | None = None,
    abandon: threading.Event | None = None,
    pace: Pace | None = None,
    accept_change: bool = False,
) -> RunReport:
    """Run a study until its budget is used, every point has been tried, nothing is left to gain, or `stop` is set.

    After `stop` the evaluations that run are waited for; after `abandon` they are given up, to be tried again later.
    A study that was measured by another command is refused, unless `accept_change` says that it may go on.
    """
    if not problem.has_objective:
        raise StudyError("There is nothing to run: the problem has no [objective] with a command or a python function.")
    chosen = executor if executor is not None else problem.executor
    problem = problem if chosen is not None else _for_processes(problem)
    study = Study(problem)
    study.check_objective(accept_change)
    evaluator = evaluator_for(chosen, 1 if problem.exclusive else problem.workers)
    loop = _Loop(study, evaluator, view, each, stop or threading.Event(), abandon or threading.Event(), pace or Pace())
    try:
        return loop.run()
    finally:
        loop.close()


class _Loop:
    def __init__(
        self,
        study: Study,
        evaluator: Evaluator,
        view: View | None,
        each: Each | None,
        stop: threading.Event,
        abandon: threading.Event,
        pace: Pace,
    ) -> None:
        self._study = study
        self._problem = study.problem
        self._evaluator = evaluator
        self._view = view
        self._each = each
        self._stop = stop
        self._abandon = abandon
        self._pace = pace
        self._spool = self._problem.spool
        self._lease = Lease.mine()
        self._heartbeat = Heartbeat(study.storage, self._lease, self._problem.lease)
        self._watch = Watch(self._problem.lease)
        self._running: dict[Future[Outcome], tuple[Asked, float]] = {}
        self._ended: list[tuple[Asked, Outcome]] = []
        self._n_here = 0
        self._is_exhausted = False
        self._left = WhatIsLeft.of(self._problem)
        self._believed = BelievedBest(study)
        self._has_value = self._is_broken = False
        self._trouble = ""
        self._watched = self._shown = -math.inf

    def run(self) -> RunReport:
        start = time.monotonic()
        self._settle()
        if self._left is not None:
            self._left.look(self._study.read().told)
        while True:
            self._watch_others()
            self._fill()
            self._show()
            ending = self._ending()
            if ending is not None:
                status = self._study.believed_status()
                self._show(status)
                return RunReport(ending, status, self._n_here, time.monotonic() - start, self._trouble)
            self._collect()

    def close(self) -> None:
        """Give up what still runs, so that it can be tried again at once; what ends in this moment counts."""
        self._evaluator.close()
        self._heartbeat.stop()
        for asked, _ in self._running.values():
            with suppress(Exception):
                outcome = self._spool.take(asked.number, asked.point)
                if outcome is not None:
                    self._study.finish(asked, outcome)
                else:
                    self._study.lose(asked.trial_id, schema.INTERRUPTED)
                    self._spool.drop_signs(asked.number)
        self._spool.close()

    def _settle(self) -> None:
        """Clear up after a run of this machine that was killed, before asking: its trials are asked for again first."""
        self._watch_others()
        # Others may go on vanishing; only what was there at the start is waited for.
        left_behind = self._watch.in_doubt
        while left_behind & self._watch.in_doubt and not self._stop.wait(0.1):
            self._watched = -math.inf
            self._watch_others()

    def _watch_others(self) -> None:
        now = time.monotonic()
        if now - self._watched < self._pace.watch:
            return
        self._watched = now
        self._study.check_rules()
        held = {asked.number for asked, _ in self._running.values()}
        ended = self._study.reclaim(self._watch.lost(self._study.read().unfinished, self._lease.worker, held))
        if ended:
            self._is_exhausted = False
            self._watch.forget(ended)
        self._study.recover()

    def _fill(self) -> None:
        """Start evaluations until all workers are busy or nothing is left to ask for."""
        while not self._is_ending and len(self._running) < self._problem.workers:
            try:
                asked = self._study.ask(self._lease, self._problem.budget, self._heartbeat.hold)
            except SpaceExhausted:
                self._is_exhausted = True
                return
            if asked is None:
                return
            job = self._problem.job(asked.point, asked.number, self._spool.place(asked.number))
            future = self._evaluator.submit(job)
            self._running[future] = (asked, time.monotonic())

    @property
    def _is_ending(self) -> bool:
        """Whether nothing new is begun."""
        return self._stop.is_set() or self._is_broken or bool(self._trouble) or self._is_nothing_left

    @property
    def _is_nothing_left(self) -> bool:
        return self._left is not None and self._left.is_nothing

    def _collect(self) -> None:
        if not self._running:
            self._stop.wait(self._pace.wait)
            return
        done, _ = wait(self._running, timeout=self._pace.show, return_when=FIRST_COMPLETED)
        for future in done:
            asked, _ = self._running[future]
            outcome = _outcome(future)
            if outcome.is_broken:
                self._give_back(future, outcome)
                continue
            self._study.finish(asked, outcome)
            self._heartbeat.release(asked.trial_id)
            del self._running[future]
            self._ended.append((asked, outcome))
            if self._each is not None:
                self._each(asked, outcome)
            self._n_here += 1
            # A trial that worked and lacks what objectives or limits are about has a reason, too.
            self._has_value = self._has_value or not (outcome.failed or outcome.reason)
            # The study is asked only while nothing here has worked: reading all trials is not for every one of them.
            self._is_broken = not self._has_value and self._n_here >= _BROKEN_AFTER and self._lacks_values()
        if done and self._left is not None:
            self._left.look(self._study.read().told)

    def _lacks_values(self) -> bool:
        """Whether no trial of the study ever gave what trials are judged by."""
        status = self._study.status()
        return not status.n_complete or (status.judged is not None and bool(status.judged.never_given))

    def _give_back(self, future: Future[Outcome], outcome: Outcome) -> None:
        """Free the point of a trial that could not be measured through no fault of its own, and go no further."""
        asked, _ = self._running.pop(future)
        self._study.lose(asked.trial_id, schema.BROKEN)
        self._heartbeat.release(asked.trial_id)
        self._spool.drop(asked.number)
        self._trouble = outcome.reason

    def _ending(self) -> Stopped | None:
        if self._abandon.is_set() or (self._stop.is_set() and not self._running):
            return Stopped.INTERRUPTED
        if self._running:
            return None
        status = self._study.status()
        if status.n_counted_finished >= self._problem.budget:
            return Stopped.BUDGET
        if self._is_broken:
            return Stopped.FAILING
        if self._trouble:
            return Stopped.BROKEN
        if self._is_nothing_left:
            return Stopped.NOTHING_LEFT
        # Points that run elsewhere may yet be lost, and then they are free again.
        return Stopped.EXHAUSTED if self._is_exhausted and not status.n_running else None

    def _show(self, last: Status | None = None) -> None:
        """Show how it stands, now and then; at the end what is known last."""
        now = time.monotonic()
        if self._view is None or (now - self._shown < self._pace.show and last is None):
            return
        self._shown = now
        running = tuple((asked, now - since) for asked, since in self._running.values())
        status = last or self._believed.status()
        self._view(RunState(status, running, tuple(self._ended), self._stop.is_set()))
        self._ended = []


def _for_processes(problem: Problem) -> Problem:
    """Return the problem with its function as a name that other processes can import."""
    if problem.function is None:
        return problem
    module, name = problem.function.__module__, problem.function.__qualname__
    if module == "__main__" or "<" in name:
        raise StudyError(
            f"The function {name} of {module} cannot be imported by other processes. Put it into a module, or evaluate "
            "in this process with executor=ThreadPoolExecutor(...)."
        )
    return replace(problem, function=None, python=f"{module}:{name}")


def _outcome(future: Future[Outcome]) -> Outcome:
    try:
        return future.result()
    except Exception as error:
        return Outcome(None, f"the executor gave no outcome: {type(error).__name__}: {error}")
