"""What every method offers: frozen settings that start a run, and a run that suggests rows."""

from __future__ import annotations

from typing import Protocol

from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import RowSuggestion


class MethodRun(Protocol):
    """A method at work on one problem; what it remembers can be rebuilt from the history."""

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return a feasible row that has not been tried."""


class Method(Protocol):
    """Settings of a method."""

    @property
    def may_break_rules(self) -> bool:
        """Whether it may suggest points that break rules; only the published variant of CA-TD does."""

    def start(self, problem: CodeProblem) -> MethodRun:
        """Return the method at work on a problem."""
