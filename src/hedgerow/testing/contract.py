"""The checks: rules are kept, nothing is repeated, the same history gives the same point, failures are no end.

Each check takes a method and raises AssertionError with what went wrong. They go through `Optimizer`, as users do, so
that a broken rule or a repeat is refused there with the method's name, too.
"""

from __future__ import annotations

import math
import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hedgerow.errors import HedgerowError, SpaceExhausted
from hedgerow.methods.method import Method
from hedgerow.methods.registry import check_method as check_protocol
from hedgerow.optimizer import Optimizer
from hedgerow.space import Point, Space
from hedgerow.testing.cases import CASES, MIXED, REAL_CASES, Case

Objective = Callable[[Point], float | None]


@dataclass(frozen=True)
class Check:
    """One check of a method; call it with the method."""

    name: str
    run: Callable[[Method], None]

    def __call__(self, method: Method) -> None:
        """Raise AssertionError, or what the method itself raised, where it breaks its promise."""
        self.run(method)

    def __str__(self) -> str:
        return self.name


def check_method(method: Method) -> None:
    """Run every check on a method.

    Parameters
    ----------
    method
        An object that fits `hedgerow.methods.Method` and keeps the rules.

    Raises
    ------
    HedgerowError
        Where it does not fit, or says that it may break rules: then it promises nothing that could be checked.
    AssertionError
        Where it breaks a promise; the message begins with the name of the check.

    Examples
    --------
    >>> import hedgerow as hr
    >>> from hedgerow.testing import check_method
    >>> check_method(hr.methods.Random())
    """
    check_protocol(method)
    if method.may_break_rules:
        raise HedgerowError(f"{type(method).__name__} may break rules, so there is nothing that it must keep.")
    for check in checks():
        try:
            check(method)
        except Exception as error:
            raise AssertionError(f"{check}: {error}") from error


def checks() -> list[Check]:
    """Return all checks, each with a name that says what it looks at."""
    by_case = _on(CASES)
    by_objective = [
        Check(f"values of any size [{name}]", partial(_any_size, objective=objective))
        for name, objective in _OBJECTIVES.items()
    ]
    return [*by_case, *by_objective, *(Check(name, function) for name, function in _ONCE.items())]


def checks_on_reals() -> list[Check]:
    """Return the checks for methods that also know variables without levels, beside all others."""
    return _on(REAL_CASES)


def _on(cases: Sequence[Case]) -> list[Check]:
    return [
        Check(f"{name} [{case}]", partial(function, case=case)) for name, function in _BY_CASE.items() for case in cases
    ]


def smooth(point: Point) -> float:
    """A value for any point, the same in every process: squares of numbers, and a number for any name."""
    total = 0.0
    for place, value in enumerate(_flat(point)):
        number = float(value) if not isinstance(value, str) else zlib.crc32(value.encode()) % 7
        total += (number - place % 3) ** 2
    return total


def _flat(point: Point) -> list[Any]:
    values: list[Any] = []
    for value in point.values():
        parts = list(value.values()) if isinstance(value, dict) else value
        values += list(parts) if isinstance(parts, list | tuple) else [parts]
    return values


def _key(point: Point) -> str:
    return repr(sorted(point.items()))


def _run(method: Method, case: Case, n: int, objective: Objective = smooth, seed: int = 0) -> Optimizer:
    optimizer = Optimizer(case.space, case.rules, method=method, seed=seed)
    for _ in range(n):
        point = optimizer.ask()
        optimizer.tell(point, objective(point))
    return optimizer


def _keeps_rules(method: Method, case: Case) -> None:
    optimizer = _run(method, case, case.n_trials)
    points = [observation.point for observation in optimizer.observations]
    _all_different(points)
    broken = [point for point in points if point not in optimizer.feasible]
    assert not broken, f"{broken[0]} breaks a rule"


def _is_pure(method: Method, case: Case) -> None:
    """The next points after a history are the same in a run that went there and in one that was told of it."""
    n = min(12, case.n_trials - 1)
    went = _run(method, case, n, seed=3)
    told = Optimizer(case.space, case.rules, method=method, seed=3)
    for observation in went.observations:
        told.tell(observation.point, observation.value)
    n_left = min(4, case.n_trials - n)
    for _ in range(n_left):
        here, there = went.ask(), told.ask()
        assert here == there, f"after {n} trials {here} was suggested, and {there} in a fresh run"


def _asks_in_batches(method: Method) -> None:
    optimizer = _run(method, MIXED, 2)
    batch = optimizer.ask(6)
    _all_different([*batch, *(observation.point for observation in optimizer.observations)])
    assert len(optimizer.pending) == 6, f"6 points are out, not {len(optimizer.pending)}"


def _survives_failures(method: Method) -> None:
    outcomes: Sequence[float | None] = [None, math.nan, math.inf, 1.0, None, 2.0, -math.inf, 0.5, None, 1.5]
    optimizer = _run(method, MIXED, 20, lambda point: outcomes[zlib.crc32(_key(point).encode()) % len(outcomes)])
    _all_different([observation.point for observation in optimizer.observations])


def _survives_nothing_but_failures(method: Method) -> None:
    _all_different([observation.point for observation in _run(method, MIXED, 8, lambda _: None).observations])


_THREE = Case("two variables", "a fixed sum", Space({"x": [1, 2, 3], "y": [1, 2, 3]}), ("x + y == 4",), 3)


def _exhausts(method: Method) -> None:
    optimizer = _run(method, _THREE, 3, lambda point: float(point["x"]))
    assert optimizer.best is not None
    assert optimizer.best.point == {"x": 1, "y": 3}, f"of all three points {optimizer.best.point} is not the best"
    _is_exhausted(optimizer, "All 3 feasible points")


def _exhausts_by_pending(method: Method) -> None:
    optimizer = Optimizer(Space({"x": [1, 2, 3]}), method=method)
    _all_different(optimizer.ask(3))
    _is_exhausted(optimizer, "3 of them still pending")


def _is_exhausted(optimizer: Optimizer, message: str) -> None:
    try:
        point = optimizer.ask()
    except SpaceExhausted as error:
        assert message in str(error), f"the message was: {error}"
    else:
        raise AssertionError(f"{point} was suggested although all points have been tried")


def _takes_what_it_did_not_ask(method: Method) -> None:
    """Repeated points count, and a told point that breaks a rule is never best."""
    optimizer = Optimizer(MIXED.space, MIXED.rules, method=method)
    point = optimizer.ask()
    for value in (1.0, 1.2, 0.9):
        optimizer.tell(point, value)
    optimizer.tell({"x": [3, 3, 3], "kind": "a", "flag": False}, -100.0)
    assert optimizer.best is not None
    assert optimizer.best.value == 0.9, f"the best value is {optimizer.best.value}, not 0.9"
    assert optimizer.ask() in optimizer.feasible


def _any_size(method: Method, objective: Objective) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        _all_different([observation.point for observation in _run(method, MIXED, 15, objective).observations])


def _all_different(points: Sequence[Point]) -> None:
    keys = [_key(point) for point in points]
    repeated = [key for place, key in enumerate(keys) if key in keys[:place]]
    assert not repeated, f"{repeated[0]} was suggested twice"


_BY_CASE = {
    "rules are kept and nothing is repeated": _keeps_rules,
    "the same history gives the same points": _is_pure,
}
_OBJECTIVES: dict[str, Objective] = {
    "constant": lambda _: 5.0,
    "tiny": lambda point: smooth(point) * 1e-300,
    "huge": lambda point: (smooth(point) + 1.0) * 1e300,
    "an outlier": lambda point: 1e12 if point["kind"] == "b" else smooth(point),
}
_ONCE: dict[str, Callable[[Method], None]] = {
    "points asked together are different": _asks_in_batches,
    "failures are no end and are not repeated": _survives_failures,
    "all trials failing is no end": _survives_nothing_but_failures,
    "every point is found, then the set is exhausted": _exhausts,
    "pending points exhaust the set": _exhausts_by_pending,
    "points that were not asked are taken": _takes_what_it_did_not_ask,
}
