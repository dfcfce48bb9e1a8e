"""`minimize` with a storage: a function evaluated in this process, its trials in a study that lasts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from os import PathLike
from typing import Any

from hedgerow import checks
from hedgerow.errors import PointError
from hedgerow.methods.registry import method_named
from hedgerow.observations import Failure, Observation
from hedgerow.optimizer import Direction, Optimizer
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.reading import TrialOutcome, read_outcome
from hedgerow.result import Result, Stopped
from hedgerow.rules import RuleLike, bind_rules
from hedgerow.runs.interrupts import Interrupts
from hedgerow.runs.judged import told_optimizer
from hedgerow.runs.loop import run_study
from hedgerow.runs.prior_files import earlier_of
from hedgerow.runs.problem import Problem
from hedgerow.runs.run import observations_of, result_of, view_of, warn_of_news
from hedgerow.runs.snapshot import read_or_empty, read_snapshot
from hedgerow.runs.stored import Asked
from hedgerow.runs.study import Study
from hedgerow.runs.urls import as_url, file_of
from hedgerow.runs.workers.job import Outcome
from hedgerow.space import Point, Space
from hedgerow.space.encoding import encode

Callback = Callable[[Optimizer], object]


def run_function(  # noqa: PLR0913 - what `minimize` takes
    objective: Callable[[Point], Any],
    *,
    space: Space,
    rules: Iterable[RuleLike] | Mapping[str, RuleLike],
    storage: str | PathLike[str],
    study: str | None,
    direction: Direction,
    budget: int,
    workers: int,
    initial: Iterable[Any],
    callbacks: Sequence[Callback],
    timeout: float | None,
    progress: bool | None,
    executor: Any,
    **others: Any,
) -> Result:
    """Run a function until the study has its budget, together with whoever else works on it."""
    seed, node_budget = checks.seed(others["seed"]), checks.node_budget(others["node_budget"])
    method_named(others["method"])
    url = as_url(storage)
    problem = Problem(
        space,
        {rule.name: rule.written for rule in bind_rules(space, rules) if not rule.is_of_space},
        url,
        study or _name_of(url),
        direction=direction,
        **{name: others[name] for name in ("objectives", "limits", "repeats", "reference", "stop", "least_gain")},
        function=objective,
        budget=int(budget),
        workers=int(workers),
        seed=seed,
        method=others["method"],
        node_budget=node_budget,
        engine=checks.engine(others["engine"]),
        prior=others["prior"],
    )
    # Read before anything is stored.
    _ = problem.goals, problem.stopping
    earlier_of(problem, problem.goals)
    warn_of_news(problem)
    _tell_initial(problem, initial)
    with ExitStack() as held:
        interrupts = held.enter_context(Interrupts())
        shown = held.enter_context(view_of(problem, progress))
        watched = _Callbacks(problem, callbacks, interrupts.stop)
        clock = _Clock(timeout, interrupts.stop)
        held.callback(clock.cancel)
        own = ThreadPoolExecutor(problem.workers) if executor is None else None
        if own is not None:
            held.callback(own.shutdown, wait=False, cancel_futures=True)
        report = run_study(
            problem,
            executor=own or executor,
            view=shown,
            each=watched if callbacks else None,
            stop=interrupts.stop,
            abandon=interrupts.abandon,
        )
    result = result_of(read_snapshot(problem), report)
    if watched.error is not None:
        return replace(result, stopped=Stopped.ERROR, error=watched.error)
    if result.stopped is not Stopped.INTERRUPTED:
        return result
    why = Stopped.CALLBACK if watched.have_ended_it else Stopped.TIMEOUT if clock.has_rung else Stopped.INTERRUPTED
    return replace(result, stopped=why)


def _name_of(url: str) -> str:
    file = file_of(url)
    return "hedgerow" if file is None else file.stem


def _tell_initial(problem: Problem, initial: Iterable[Any]) -> None:
    """Tell the study what it does not know yet, and queue the points to evaluate first."""
    listed = list(initial)
    if not listed:
        return
    study = Study(problem)
    read = study.read()
    known = {item.row.tobytes() for item in read.told} | {item.row.tobytes() for item in read.claimed}
    for given in listed:
        point, told = _read_initial(given, problem.goals)
        row = encode(problem.space, point)
        if row.tobytes() in known:
            continue
        known.add(row.tobytes())
        if told is not None:
            study.take(point, told[0])
            continue
        explanation = study.sampler.feasible.explain(point)
        if not explanation.is_feasible:
            raise PointError(f"The point to evaluate first, {dict(point)}, is not feasible. {explanation}")
        study.enqueue(point)


def _read_initial(given: Any, goals: Goals) -> tuple[Mapping[str, Any], tuple[Any] | None]:
    """Return a point, with what is told of it where it has been measured."""
    if isinstance(given, Observation):
        return given.point, (given.told,)
    if isinstance(given, Mapping):
        return given, None
    if isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[0], Mapping):
        read_outcome(given[1], goals)
        return given[0], (given[1],)
    raise PointError(
        f"initial takes observations, (point, value) pairs and points, but {given!r} is none of them. "
        "A point is a dict of values."
    )


def _as_told(outcome: Outcome, goals: Goals) -> Any:
    """Return what an evaluation gave as an optimizer is told."""
    if outcome.failed:
        return Failure(outcome.reason)
    if not outcome.readings:
        return outcome.value
    return Observation.of({}, True, TrialOutcome(tuple(outcome.readings)), goals).told


class _Clock:
    """Lets a run end when its time is up."""

    def __init__(self, seconds: float | None, stop: threading.Event) -> None:
        self.has_rung = False
        self._stop = stop
        self._timer = None if seconds is None else threading.Timer(seconds, self._ring)
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()

    def _ring(self) -> None:
        self.has_rung = not self._stop.is_set()
        self._stop.set()

    def cancel(self) -> None:
        """Let it ring no more."""
        if self._timer is not None:
            self._timer.cancel()


class _Callbacks:
    """Calls the user's functions after each trial of this run, with an optimizer that was told all of the study."""

    def __init__(self, problem: Problem, callbacks: Sequence[Callback], stop: threading.Event) -> None:
        self._goals = problem.goals
        self._callbacks = callbacks
        self._stop = stop
        self.error: Exception | None = None
        self.have_ended_it = False
        if callbacks and not problem.goals.is_plain:
            self._optimizer = told_optimizer(problem, read_or_empty(problem).read.told)
        elif callbacks:
            self._optimizer = Optimizer(
                problem.space, problem.rules, direction=problem.direction, node_budget=problem.node_budget
            )
            for seen in observations_of(read_or_empty(problem)):
                self._optimizer.tell(seen.point, seen.told)

    def __call__(self, asked: Asked, outcome: Outcome) -> None:
        """Take note of a trial that has ended."""
        self._optimizer.tell(asked.point, _as_told(outcome, self._goals))
        try:
            answers = [callback(self._optimizer) for callback in self._callbacks]
        except Exception as error:
            self.error = self.error or error
            self._stop.set()
            return
        if any(checks.is_true(answer) for answer in answers):
            self.have_ended_it = True
            self._stop.set()
