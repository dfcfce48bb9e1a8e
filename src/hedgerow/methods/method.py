"""What every method offers: frozen settings that start a run, and a run that suggests rows.

A method of your own is any object that fits `Method`; nothing has to be inherited. `hedgerow.methods` exports all that
its interface is made of, and `hedgerow.testing` says whether it keeps the promises written here.
"""

from __future__ import annotations

from typing import Protocol

from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import RowSuggestion


class MethodRun(Protocol):
    """A method at work on one problem; what it remembers can be rebuilt from the history."""

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return a feasible row that has neither been told nor is pending.

        The answer depends on the problem, the settings, the history and the seed alone. The histories of one run
        continue each other: told rows are only added at the end. There is at least one such row whenever this is
        called, if the rules could be compiled whole.
        """


class Method(Protocol):
    """Settings of a method, a frozen value.

    A method may have a truth value `knows_outcomes`. With it, it is also given problems whose `goals` have several
    objectives, limits or repeats="auto", and histories with `outcomes`; others are given one number per trial.
    """

    @property
    def may_break_rules(self) -> bool:
        """Whether it may suggest rows that break rules, or that have been told; of those here the paper's variants do.

        Its suggestions are not checked.
        """

    def start(self, problem: CodeProblem) -> MethodRun:
        """Return the method at work on a problem, or raise HedgerowError where it cannot work on it."""
