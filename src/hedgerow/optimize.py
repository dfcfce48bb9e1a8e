"""`minimize` and `maximize`: the loop of ask, evaluate and tell, with progress, callbacks and a time limit."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from hedgerow.errors import HedgerowError, SpaceExhausted, TrialWarning
from hedgerow.methods.method import Method
from hedgerow.optimizer import Direction, Optimizer
from hedgerow.result import Result
from hedgerow.rules import RuleLike
from hedgerow.space import Point, Space

Objective = Callable[[Point], float | None]
Callback = Callable[[Optimizer], object]


def minimize(
    objective: Objective,
    space: Space,
    *,
    rules: Iterable[RuleLike] | Mapping[str, RuleLike] = (),
    budget: int = 100,
    seed: int = 0,
    method: str | Method = "auto",
    timeout: float | None = None,
    initial: Sequence[tuple[Mapping[str, Any], float | None]] = (),
    callbacks: Sequence[Callback] = (),
    progress: bool | None = None,
) -> Result:
    """Minimise an objective over the feasible points, with at most `budget` evaluations.

    An objective that returns None, NaN or infinity, or raises, is a failed trial: it is recorded, not repeated, and
    teaches where trials fail. `initial` holds (point, value) pairs known before; they do not count. A callback that
    returns True ends the run. `progress` shows a bar (default: when the output is a terminal; True elsewhere prints a
    line for each improvement).
    """
    return _run(objective, space, "minimize", rules, budget, seed, method, timeout, initial, callbacks, progress)


def maximize(
    objective: Objective,
    space: Space,
    *,
    rules: Iterable[RuleLike] | Mapping[str, RuleLike] = (),
    budget: int = 100,
    seed: int = 0,
    method: str | Method = "auto",
    timeout: float | None = None,
    initial: Sequence[tuple[Mapping[str, Any], float | None]] = (),
    callbacks: Sequence[Callback] = (),
    progress: bool | None = None,
) -> Result:
    """Maximise an objective; everything else is as in `minimize`."""
    return _run(objective, space, "maximize", rules, budget, seed, method, timeout, initial, callbacks, progress)


def _run(  # noqa: PLR0917 - the one place where all options of a run meet
    objective: Objective,
    space: Space,
    direction: Direction,
    rules: Iterable[RuleLike] | Mapping[str, RuleLike],
    budget: int,
    seed: int,
    method: str | Method,
    timeout: float | None,
    initial: Sequence[tuple[Mapping[str, Any], float | None]],
    callbacks: Sequence[Callback],
    progress: bool | None,
) -> Result:
    if not callable(objective):
        raise HedgerowError(f"The objective must be a function of a point, but {objective!r} was given.")
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise HedgerowError(f"budget is a whole number of at least 1, but {budget!r} was given.")
    optimizer = Optimizer(space, rules, method=method, seed=seed, direction=direction)
    for point, value in initial:
        optimizer.tell(point, value)
    trials = _Trials(objective)
    start = time.monotonic()
    stopped = "budget"
    with _progress(progress, budget) as report:
        for _ in range(budget):
            if timeout is not None and time.monotonic() - start >= timeout:
                stopped = "timeout"
                break
            try:
                point = optimizer.ask()
            except SpaceExhausted:
                stopped = "exhausted"
                break
            optimizer.tell(point, trials.evaluate(point))
            report(optimizer)
            answers = [callback(optimizer) for callback in callbacks]
            if any(answer is True for answer in answers):
                stopped = "callback"
                break
    best = optimizer.best
    return Result(
        None if best is None else best.point,
        None if best is None else best.value,
        optimizer.observations,
        stopped,
        time.monotonic() - start,
        direction == "maximize",
        optimizer.feasible,
    )


class _Trials:
    """Evaluates points; the first exception is shown, since it may be a mistake in the objective."""

    def __init__(self, objective: Objective) -> None:
        self._objective = objective
        self._has_warned = False

    def evaluate(self, point: Point) -> float | None:
        """Return the value, or None for a trial that raised; an interrupt still ends the run."""
        try:
            return self._objective(dict(point))
        except Exception as error:
            if not self._has_warned:
                self._has_warned = True
                warnings.warn(
                    f"The objective raised {type(error).__name__}: {error}, at {point}. Such trials count as failed, "
                    "and the run goes on; further ones are not shown.",
                    TrialWarning,
                    stacklevel=4,
                )
            return None


def _progress(shown: bool | None, budget: int) -> AbstractContextManager[Callback]:
    is_terminal = sys.stderr.isatty()
    if not (is_terminal if shown is None else shown):
        return nullcontext(lambda _: None)
    from hedgerow.progress import ProgressBar, ProgressLines  # noqa: PLC0415 - Rich is only for people who look

    return ProgressBar(budget) if is_terminal else ProgressLines(budget)
