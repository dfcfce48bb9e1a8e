"""What every method offers, and the short names under which methods are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from hedgerow.acquisition.maximize import Found
from hedgerow.errors import HedgerowError
from hedgerow.methods.auto import Auto
from hedgerow.methods.catd import CATD
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.random import Random
from hedgerow.wording import ending


class MethodRun(Protocol):
    """A method at work on one problem; what it remembers can be rebuilt from the history."""

    def suggest(self, history: History, seed: int) -> Found:
        """Return a feasible row that has not been tried."""


class Method(Protocol):
    """Settings of a method."""

    @property
    def may_break_rules(self) -> bool:
        """Whether it may propose points that break rules; only the published variant of CA-TD does."""

    def start(self, problem: CodeProblem) -> MethodRun:
        """Return the method at work on a problem."""


METHODS: dict[str, Callable[[], Method]] = {"auto": Auto, "catd": CATD, "random": Random}


def method_named(method: str | Method) -> Method:
    """Return the settings that a short name stands for; settings are returned as they are."""
    if not isinstance(method, str):
        return method
    if method not in METHODS:
        raise HedgerowError(f"There is no method '{method}'{ending(method, METHODS)}")
    return METHODS[method]()
