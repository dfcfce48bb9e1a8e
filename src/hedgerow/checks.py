"""One way to check an argument: what is expected, what was given, before any costly work.

Each function returns the argument as the plain value that the rest of the code works with, or raises an ArgumentError.
Points, spaces and rules check themselves, with errors of their own.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable
from numbers import Integral, Real
from typing import Literal, TypeVar

from hedgerow.errors import ArgumentError
from hedgerow.wording import suggestion

# What may hold a set of rules; `feasible/engines/choice.py` says when which does.
Engine = Literal["auto", "diagram", "d-DNNF", "solver"]
ENGINES: tuple[Engine, ...] = ("auto", "diagram", "d-DNNF", "solver")

_Function = TypeVar("_Function", bound=Callable[..., object])

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80


def whole_number(name: str, value: object, least: int = 0) -> int:
    """Return a whole number of at least `least`; NumPy's integers serve, booleans, text and fractions do not."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ArgumentError(f"{name} is a whole number of at least {least}, but {shown(value)} was given.")
    return int(value)


def is_true(answer: object) -> bool:
    """Return whether an answer is True, Python's or NumPy's; other things that count as true are not meant so."""
    return answer is True or (type(answer).__name__ in ("bool", "bool_") and bool(answer))


def seed(value: object) -> int:
    """Return the seed of a run, from which all its random numbers come."""
    return whole_number("seed", value)


def node_budget(value: object) -> int | None:
    """Return how many nodes a diagram may have, None for the default."""
    return None if value is None else whole_number("node_budget", value, least=1)


def engine(value: object) -> Engine:
    """Return the name of what is to hold the rules."""
    name = one_of("engine", value, ENGINES)
    return next(known for known in ENGINES if known == name)


def seconds(name: str, value: object) -> float | None:
    """Return a length of time, None for no limit."""
    if value is None:
        return None
    # NaN is not at least zero either.
    if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= 0:
        raise ArgumentError(f"{name} is a number of seconds of at least 0, or None, but {shown(value)} was given.")
    return float(value)


def function(name: str, value: _Function, of: str) -> _Function:
    """Return something that can be called; `of` says with what."""
    if not callable(value):
        raise ArgumentError(f"{name} is a function of {of}, but {shown(value)} was given.")
    return value


def one_of(name: str, value: object, allowed: Iterable[str]) -> str:
    """Return one of a few words."""
    words = list(allowed)
    if not isinstance(value, str) or value not in words:
        listed = " or ".join(f"'{word}'" for word in words)
        near = suggestion(value, words) if isinstance(value, str) and len(words) > 2 else ""
        raise ArgumentError(f"{name} is {listed}, but {shown(value)} was given{near or '.'}")
    return value


def shown(value: object) -> str:
    """Return a value as messages show it: shortened where it is long."""
    return _SHORT.repr(value)
