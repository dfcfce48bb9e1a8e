"""`minimize` and `maximize`: the loop of ask, evaluate and tell, with progress, callbacks and a time limit.

A run never loses what was measured: an interrupt, a callback that raises or a value that is no number ends it, or is
told as a failed trial, and the observations are in the result.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

from hedgerow import checks
from hedgerow.errors import HedgerowError, PointError, SpaceExhausted, TrialWarning
from hedgerow.methods.method import Method
from hedgerow.observations import Failure, Observation
from hedgerow.optimizer import Optimizer
from hedgerow.outcomes.goals import Goals, Repeats
from hedgerow.outcomes.reading import read_outcome
from hedgerow.result import Result, Stopped
from hedgerow.rules import RuleLike
from hedgerow.space import Point, Space
from hedgerow.space.encoding import decode, encode

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
    timeout: float | None = None,
    initial: Iterable[Initial] = (),
    callbacks: Sequence[Callback] = (),
    progress: bool | None = None,
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
    timeout : float, optional
        Seconds after which no further evaluation is begun.
    initial : iterable, optional
        What is known before: observations of an earlier result, or (point, value) pairs, which do not count as
        evaluations; and points without values, which are evaluated first.
    callbacks : sequence of callables, optional
        Called with the `Optimizer` after each trial; one that returns True ends the run.
    progress : bool, optional
        Whether to show a bar; by default when the output is a terminal. True elsewhere prints a line for each
        improvement.

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
    _check(objective, budget)
    optimizer = Optimizer(
        space,
        rules,
        method=method,
        seed=seed,
        direction="minimize",
        objectives=objectives,
        limits=limits,
        repeats=repeats,
        reference=reference,
        node_budget=node_budget,
    )
    return _Run(optimizer, objective, budget, timeout, callbacks).made(initial, progress)


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
    timeout: float | None = None,
    initial: Iterable[Initial] = (),
    callbacks: Sequence[Callback] = (),
    progress: bool | None = None,
) -> Result:
    """Maximize an objective; everything else is as in `minimize`.

    Parameters
    ----------
    objective : callable
        Takes a point, a dict, and returns a number.
    space, rules, budget, method, seed, node_budget, timeout, initial, callbacks, progress
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
    _check(objective, budget)
    optimizer = Optimizer(
        space,
        rules,
        method=method,
        seed=seed,
        direction="maximize",
        objectives=objectives,
        limits=limits,
        repeats=repeats,
        reference=reference,
        node_budget=node_budget,
    )
    return _Run(optimizer, objective, budget, timeout, callbacks).made(initial, progress)


def _check(objective: Objective, budget: int) -> None:
    checks.function("The objective", objective, "a point")
    checks.whole_number("budget", budget, least=1)


class _Run:
    """One call of `minimize`: trials until something ends it."""

    def __init__(
        self,
        optimizer: Optimizer,
        objective: Objective,
        budget: int,
        timeout: float | None,
        callbacks: Sequence[Callback],
    ) -> None:
        self._optimizer = optimizer
        self._trials = _Trials(objective, optimizer.goals)
        self._budget = int(budget)
        self._timeout = checks.seconds("timeout", timeout)
        self._callbacks = callbacks
        self._n_made = 0
        self._error: Exception | None = None

    def made(self, initial: Iterable[Initial], progress: bool | None) -> Result:
        """Make the trials and return what they gave."""
        start = time.monotonic()
        first = _tell_initial(self._optimizer, initial)
        with _progress(progress, self._budget) as report:
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
                stacklevel=4,
            )
            return Stopped.ERROR

    def _loop(self, first: Sequence[Point], start: float, report: Callback) -> Stopped:
        points = iter(first)
        while self._n_made < self._budget:
            if self._timeout is not None and time.monotonic() - start >= self._timeout:
                return Stopped.TIMEOUT
            point = _next_untried(points, self._optimizer) or self._optimizer.ask()
            self._optimizer.tell(point, self._trials.evaluate(point))
            self._n_made += 1
            report(self._optimizer)
            answers = [callback(self._optimizer) for callback in self._callbacks]
            if any(answer is True for answer in answers):
                return Stopped.CALLBACK
            if self._n_made >= BROKEN_AFTER and all(seen.failed for seen in self._optimizer.observations):
                return Stopped.FAILING if self._n_made < self._budget else Stopped.BUDGET
        return Stopped.BUDGET


def _tell_initial(optimizer: Optimizer, initial: Iterable[Initial]) -> list[Point]:
    """Tell what has a value; return the points to evaluate first, which must keep the rules."""
    first: list[Point] = []
    for given in initial:
        if isinstance(given, Observation):
            optimizer.tell(given.point, given.told)
        elif isinstance(given, Mapping):
            explanation = optimizer.feasible.explain(given)
            if not explanation.is_feasible:
                raise PointError(f"The point to evaluate first, {dict(given)}, {explanation}")
            first.append(decode(optimizer.space, encode(optimizer.space, given)))
        elif isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[0], Mapping):
            optimizer.tell(given[0], given[1])
        else:
            raise PointError(
                f"initial takes observations, (point, value) pairs and points, but {given!r} is none of them. "
                "A point is a dict of values."
            )
    return first


def _next_untried(points: Iterator[Point], optimizer: Optimizer) -> Point | None:
    for point in points:
        if all(seen.point != point for seen in optimizer.observations):
            return point
    return None


class _Trials:
    """Evaluates points; the first trouble of each kind is shown, since it may be a mistake in the objective."""

    def __init__(self, objective: Objective, goals: Goals) -> None:
        self._objective = objective
        self._goals = goals
        self._n_values = 0
        self._has_warned = False

    def evaluate(self, point: Point) -> Any:
        """Return what a trial gave, or a failure where it raised or gave nothing that can be read.

        An interrupt still ends the run.
        """
        try:
            given = self._objective(dict(point))
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
                stacklevel=7,
            )


def _progress(shown: bool | None, budget: int) -> AbstractContextManager[Callback]:
    is_terminal, in_notebook = sys.stderr.isatty(), _is_in_notebook()
    if not (is_terminal or in_notebook if shown is None else shown):
        return nullcontext(lambda _: None)
    from hedgerow.progress import NotebookBar, ProgressBar, ProgressLines  # noqa: PLC0415 - only for people who look

    if in_notebook:
        return NotebookBar(budget)
    return ProgressBar(budget) if is_terminal else ProgressLines(budget)


def _is_in_notebook() -> bool:
    """Whether pages are shown: IPython is loaded already where somebody works in a notebook, and is not loaded here."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"
