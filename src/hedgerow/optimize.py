"""`minimize` and `maximize`: the loop of ask, evaluate and tell, with progress, callbacks and a time limit.

A run never loses what was measured: an interrupt, a callback that raises or a value that is no number ends it, or is
told as a failed trial, and the observations are in the result.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from hedgerow import checks
from hedgerow.checks import Engine
from hedgerow.compiled import is_in_notebook
from hedgerow.errors import ArgumentError, HedgerowError, PointError, SpaceExhausted, TrialWarning
from hedgerow.methods.method import Method
from hedgerow.observations import Failure, Observation
from hedgerow.optimizer import Direction, Optimizer
from hedgerow.outcomes.goals import Goals, Repeats
from hedgerow.outcomes.reading import read_outcome
from hedgerow.result import Result, Stopped
from hedgerow.rules import RuleLike
from hedgerow.space import Point, Space
from hedgerow.space.encoding import decode, encode
from hedgerow.stopping import Stopping

# When so many trials have failed and none ever gave a value, the objective is broken, not the points.
BROKEN_AFTER = 5

# What an objective returns: a number, numbers by name, readings, None or a Failure.
WhatIsTold = float | Mapping[str, Any] | list[Any] | tuple[Any, ...] | Failure | None
Objective = Callable[[Point], WhatIsTold]
Callback = Callable[[Optimizer], object]
# A point with its value, or a point to evaluate first.
Initial = Observation | tuple[Mapping[str, Any], Any] | Mapping[str, Any]


def minimize(  # noqa: PLR0913 - each is a choice of the user's, by keyword
    objective: Objective,
    space: Space,
    rules: Iterable[RuleLike] | Mapping[str, RuleLike] = (),
    *,
    budget: int = 100,
    method: str | Method = "auto",
    seed: int = 0,
    objectives: Mapping[str, str] | None = None,
    limits: Mapping[str, str] | None = None,
    repeats: Repeats = False,
    reference: Mapping[str, float] | None = None,
    node_budget: int | None = None,
    engine: Engine = "auto",
    prior: Any = None,
    timeout: float | None = None,
    stop: str | None = None,
    least_gain: float | None = None,
    initial: Iterable[Initial] = (),
    callbacks: Sequence[Callback] = (),
    progress: bool | None = None,
    workers: int = 1,
    storage: str | PathLike[str] | None = None,
    study: str | None = None,
    executor: Any = None,
) -> Result:
    """Minimize an objective over the feasible points, with at most `budget` evaluations.

    Ctrl-C ends the run and returns what was measured; `initial=result.observations` goes on from there, with the same
    points as if nothing had happened.

    Parameters
    ----------
    objective : callable
        Takes a point, a dict, and returns a number. One that returns None, NaN or infinity, or raises, is a failed
        trial: it is recorded, not repeated, and teaches where trials fail. With `objectives` or `limits` it returns a
        dict of numbers by name.
    space : Space
        What may vary.
    rules : iterable or mapping of rules, optional
        What must hold: text, expressions, functions or `Rule` objects; a mapping names them.
    budget : int, optional
        How many evaluations to make at most.
    method : str or Method, optional
        `"auto"`, another short name, or settings from `hedgerow.methods`.
    seed : int, optional
        Where random numbers begin.
    objectives, limits, repeats, reference : optional
        For objectives that return several numbers, as in `Optimizer`; `objectives` gives each its own direction.
    node_budget : int, optional
        How many nodes the diagram of the rules may have; None is a default that fits in memory.
    engine : {"auto", "diagram", "d-DNNF", "solver"}, optional
        What holds the rules, as in `FeasibleSet`.
    prior : list, optional
        Trials of related problems, which beliefs begin from, as in `Optimizer`.
    timeout : float, optional
        Seconds after which no further evaluation is begun.
    stop : {"when nothing is left"}, optional
        End the run before the budget is used where the untried points are not expected to be better by `least_gain`.
    least_gain : float, optional
        What an improvement must be worth, in the unit of the objective, for the run to go on; where it is not given,
        a hundredth of the way from the best value to the median.
    initial : iterable, optional
        What is known before: observations of an earlier result, or (point, value) pairs, which do not count as
        evaluations: the budget comes on top of them; and points without values, which are evaluated first, and count.
    callbacks : sequence of callables, optional
        Called with the `Optimizer` after each trial; one that returns True ends the run.
    progress : bool, optional
        Whether to show a bar; by default when the output is a terminal. True elsewhere prints a line for each
        improvement.
    workers : int, optional
        How many evaluations run at the same time, in threads of this process unless `executor` says otherwise.
        Threads serve objectives that wait for something else, such as a program, a device or a server.
    storage : str or path, optional
        Where the trials are kept: a file such as `study.db`, or the URL of a database. Called again with the same
        storage, a run goes on where the last one ended; several processes with one storage work together. `budget`
        is then of evaluations in all, those of earlier calls included; what was told by hand or in `initial` comes on
        top.
    study : str, optional
        The study's name in the storage; by default the name of its file.
    executor : optional
        Where evaluations run: a `concurrent.futures.Executor`, such as a `ProcessPoolExecutor` for objectives that
        compute in Python themselves; with a storage also a Dask client or the `ray` module.

    Returns
    -------
    Result
        The best point, all observations, and how the run ended.

    Raises
    ------
    HedgerowError
        Where an argument is not what it must be. After the first trial nothing is raised: an exception from a callback
        or from the method is in the result's `error`, with everything measured before.
    InfeasibleError
        Where no point satisfies the rules.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
    >>> result = hr.minimize(lambda p: (p["x"] - 3) ** 2 + p["y"], space, ["x + y >= 4"], budget=30)
    >>> result.best_point
    {'x': 3, 'y': 1}
    """
    return _optimized(
        objective,
        _Given(
            space, rules, method, seed, "minimize", objectives, limits, repeats, reference, node_budget, engine, prior
        ),
        _Ways(budget, timeout, initial, callbacks, progress, workers, storage, study, executor),
        (stop, least_gain),
    )


def maximize(  # noqa: PLR0913 - each is a choice of the user's, by keyword
    objective: Objective,
    space: Space,
    rules: Iterable[RuleLike] | Mapping[str, RuleLike] = (),
    *,
    budget: int = 100,
    method: str | Method = "auto",
    seed: int = 0,
    objectives: Mapping[str, str] | None = None,
    limits: Mapping[str, str] | None = None,
    repeats: Repeats = False,
    reference: Mapping[str, float] | None = None,
    node_budget: int | None = None,
    engine: Engine = "auto",
    prior: Any = None,
    timeout: float | None = None,
    stop: str | None = None,
    least_gain: float | None = None,
    initial: Iterable[Initial] = (),
    callbacks: Sequence[Callback] = (),
    progress: bool | None = None,
    workers: int = 1,
    storage: str | PathLike[str] | None = None,
    study: str | None = None,
    executor: Any = None,
) -> Result:
    """Maximize an objective; everything else is as in `minimize`.

    Parameters
    ----------
    objective : callable
        Takes a point, a dict, and returns a number.
    space, rules, budget, method, seed, node_budget, engine, prior, timeout, stop, least_gain, initial, callbacks, \
progress, workers, storage, study, executor
        As in `minimize`.
    objectives, limits, repeats, reference
        As in `minimize`; with `objectives`, their own directions count.

    Returns
    -------
    Result
        The best point, all observations, and how the run ended.

    Raises
    ------
    HedgerowError
        As in `minimize`.

    Examples
    --------
    >>> import hedgerow as hr
    >>> hr.maximize(lambda p: p["x"] * p["y"], hr.Space({"x": [1, 2, 3], "y": [1, 2, 3]}), ["x + y == 4"]).best_point
    {'x': 2, 'y': 2}
    """
    return _optimized(
        objective,
        _Given(
            space, rules, method, seed, "maximize", objectives, limits, repeats, reference, node_budget, engine, prior
        ),
        _Ways(budget, timeout, initial, callbacks, progress, workers, storage, study, executor),
        (stop, least_gain),
    )


@dataclass(frozen=True)
class _Given:
    """What an `Optimizer` takes."""

    space: Space
    rules: Iterable[RuleLike] | Mapping[str, RuleLike]
    method: str | Method
    seed: int
    direction: Direction
    objectives: Mapping[str, str] | None
    limits: Mapping[str, str] | None
    repeats: Repeats
    reference: Mapping[str, float] | None
    node_budget: int | None
    engine: Engine
    prior: Any


@dataclass(frozen=True)
class _Ways:
    """How a run is made."""

    budget: int
    timeout: float | None
    initial: Iterable[Initial]
    callbacks: Sequence[Callback]
    progress: bool | None
    workers: int
    storage: str | PathLike[str] | None
    study: str | None
    executor: Any


def _optimized(objective: Objective, given: _Given, ways: _Ways, stop: tuple[str | None, float | None]) -> Result:
    checks.function("The objective", objective, "a point")
    checks.whole_number("budget", ways.budget, least=1)
    checks.whole_number("workers", ways.workers, least=1)
    checks.seconds("timeout", ways.timeout)
    if ways.storage is not None:
        from hedgerow.runs.stored_function import run_function  # noqa: PLC0415 - brings Optuna with it

        return run_function(objective, **vars(given), **vars(ways), stop=stop[0], least_gain=stop[1])
    if ways.study is not None:
        raise ArgumentError(f"The study {ways.study!r} needs a storage to be kept in; storage='study.db' is a file.")
    if ways.executor is not None and not isinstance(ways.executor, Executor):
        raise ArgumentError(
            f"executor is a concurrent.futures.Executor, but {checks.shown(ways.executor)} was given. Clusters work "
            "with a storage."
        )
    optimizer = Optimizer(**vars(given))
    return _Run(optimizer, objective, ways, Stopping.of(*stop, optimizer.goals, optimizer.space)).made()


class _Run:
    """One call of `minimize`: trials until something ends it."""

    def __init__(self, optimizer: Optimizer, objective: Objective, ways: _Ways, until: Stopping | None) -> None:
        self._optimizer = optimizer
        self._trials = _Trials(objective, optimizer.goals)
        self._ways = ways
        self._until = until
        self._budget = int(ways.budget)
        self._n_made = 0
        self._error: Exception | None = None

    def made(self) -> Result:
        """Make the trials and return what they gave."""
        start = time.monotonic()
        first = _tell_initial(self._optimizer, self._ways.initial)
        self._optimizer.expect_end(self._budget)
        with _progress(self._ways.progress, self._budget) as report:
            stopped = self._until_stopped(first, start, report)
        seconds = time.monotonic() - start
        return replace(self._optimizer.result(), stopped=stopped, seconds=seconds, error=self._error)

    def _until_stopped(self, first: Sequence[Point], start: float, report: Callback) -> Stopped:
        try:
            return self._loop(first, start, report)
        except SpaceExhausted:
            return Stopped.EXHAUSTED
        except KeyboardInterrupt:
            return Stopped.INTERRUPTED
        except Exception as error:
            # Before anything was measured there is nothing to lose, and a mistake is best seen at once.
            if self._n_made == 0:
                raise
            self._error = error
            warnings.warn(
                f"The run ended after {self._n_made} trials in {type(error).__name__}: {error}. They are in the "
                "result, the exception in its `error`.",
                TrialWarning,
                stacklevel=5,
            )
            return Stopped.ERROR

    def _loop(self, first: Sequence[Point], start: float, report: Callback) -> Stopped:
        points = iter(first)
        if self._ways.workers > 1 or self._ways.executor is not None:
            return self._loop_of_several(points, start, report)
        while self._n_made < self._budget:
            if self._is_late(start):
                return Stopped.TIMEOUT
            point = self._next(points)
            stopped = self._told(point, self._trials.evaluate(point), report)
            if stopped is not None:
                return stopped
        return Stopped.BUDGET

    def _loop_of_several(self, points: Iterator[Point], start: float, report: Callback) -> Stopped:
        """Keep several evaluations going; once something ends the run, those that run are waited for and told."""
        own = ThreadPoolExecutor(self._ways.workers) if self._ways.executor is None else None
        pool: Executor = own or self._ways.executor
        running: dict[Future[WhatIsTold], Point] = {}
        stopped: Stopped | None = None
        try:
            while True:
                while stopped is None and len(running) < self._ways.workers:
                    stopped = self._is_used_up(len(running), start) or self._begun(pool, points, running)
                if not running:
                    assert stopped is not None
                    return stopped
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                # In the order in which they were begun, as far as nothing else decides.
                for future in [one for one in running if one in done]:
                    point = running.pop(future)
                    stopped = self._told(point, self._trials.outcome(point, future.result), report) or stopped
        except BaseException:
            # What has ended by now was measured, too.
            for future, point in running.items():
                if future.done():
                    self._optimizer.tell(point, self._trials.outcome(point, future.result))
            raise
        finally:
            for future in running:
                future.cancel()
            if own is not None:
                own.shutdown(wait=False, cancel_futures=True)

    def _begun(
        self, pool: Executor, points: Iterator[Point], running: dict[Future[WhatIsTold], Point]
    ) -> Stopped | None:
        try:
            point = self._next(points)
        except SpaceExhausted:
            return Stopped.EXHAUSTED
        running[pool.submit(self._trials.objective, dict(point))] = point
        return None

    def _is_used_up(self, n_running: int, start: float) -> Stopped | None:
        if self._n_made + n_running >= self._budget:
            return Stopped.BUDGET
        return Stopped.TIMEOUT if self._is_late(start) else None

    def _is_late(self, start: float) -> bool:
        return self._ways.timeout is not None and time.monotonic() - start >= self._ways.timeout

    def _next(self, points: Iterator[Point]) -> Point:
        """Return the next point to evaluate: the first ones of the user's, as far as they are untried, then asked."""
        for point in points:
            tried = [*(seen.point for seen in self._optimizer.observations), *self._optimizer.pending]
            if point not in tried:
                self._optimizer.expect(point)
                return point
        return self._optimizer.ask()

    def _told(self, point: Point, told: Any, report: Callback) -> Stopped | None:
        """Tell what a trial gave, let others know, and say whether that ends the run."""
        self._optimizer.tell(point, told)
        self._n_made += 1
        report(self._optimizer)
        answers = [callback(self._optimizer) for callback in self._ways.callbacks]
        if any(checks.is_true(answer) for answer in answers):
            return Stopped.CALLBACK
        if self._n_made >= BROKEN_AFTER and all(seen.failed for seen in self._optimizer.observations):
            return Stopped.FAILING if self._n_made < self._budget else Stopped.BUDGET
        if self._until is not None and self._until.nothing_is_left(self._optimizer):
            return Stopped.NOTHING_LEFT
        return None


def _tell_initial(optimizer: Optimizer, initial: Iterable[Initial]) -> list[Point]:
    """Tell what has a value; return the points to evaluate first, which must keep the rules."""
    first: list[Point] = []
    for given in initial:
        if isinstance(given, Observation):
            optimizer.tell(given.point, given.told)
        elif isinstance(given, Mapping):
            explanation = optimizer.feasible.explain(given)
            if not explanation.is_feasible:
                raise PointError(f"The point to evaluate first, {dict(given)}, is not feasible. {explanation}")
            first.append(decode(optimizer.space, encode(optimizer.space, given)))
        elif isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[0], Mapping):
            optimizer.tell(given[0], given[1])
        else:
            raise PointError(
                f"initial takes observations, (point, value) pairs and points, but {given!r} is none of them. "
                "A point is a dict of values."
            )
    return first


class _Trials:
    """Evaluates points; the first trouble of each kind is shown, since it may be a mistake in the objective."""

    def __init__(self, objective: Objective, goals: Goals) -> None:
        self.objective = objective
        self._goals = goals
        self._n_values = 0
        self._has_warned = False

    def evaluate(self, point: Point) -> Any:
        """Return what a trial gave, evaluated here."""
        return self.outcome(point, lambda: self.objective(dict(point)))

    def outcome(self, point: Point, result: Callable[[], WhatIsTold]) -> Any:
        """Return what a trial gave, or a failure where it raised or gave nothing that can be read.

        An interrupt still ends the run.
        """
        try:
            given = result()
        except Exception as error:
            self._warn(f"The objective raised {type(error).__name__}: {error}, at {point}.")
            return Failure(f"{type(error).__name__}: {error}")
        try:
            outcome = read_outcome(given, self._goals)
        except HedgerowError as error:
            if self._n_values == 0:
                raise
            self._warn(f"{error} The objective returned it at {point}.")
            return Failure(str(error))
        self._n_values += bool(outcome.readings)
        return given

    def _warn(self, trouble: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"{trouble} Such trials count as failed, and the run goes on; further ones are not shown.",
                TrialWarning,
                stacklevel=9,
            )


def _progress(shown: bool | None, budget: int) -> AbstractContextManager[Callback]:
    is_terminal, in_notebook = sys.stderr.isatty(), is_in_notebook()
    if not (is_terminal or in_notebook if shown is None else shown):
        return nullcontext(lambda _: None)
    from hedgerow.progress import NotebookBar, ProgressBar, ProgressLines  # noqa: PLC0415 - only for people who look

    if in_notebook:
        return NotebookBar(budget)
    return ProgressBar(budget) if is_terminal else ProgressLines(budget)
