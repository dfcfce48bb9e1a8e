"""The one way from a history to a row, for everyone who asks; what a method suggests is checked before it goes out."""

from __future__ import annotations

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError
from hedgerow.methods.history import History
from hedgerow.methods.method import Method, MethodRun
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.threads import one_thread
from hedgerow.search.suggestion import RowSuggestion
from hedgerow.space.encoding import decode


class Suggester:
    """Gives an untried feasible row for any history, a pure function of problem, history, settings and seed.

    A run's memory stands for a prefix of the history. Where trials of other workers end out of turn, a later history
    need not continue an earlier one: then the run begins anew, as it would in another process.
    """

    def __init__(self, problem: CodeProblem, settings: Method, seed: int) -> None:
        self.problem = problem
        self._settings = settings
        self._seed = seed
        # Now and not at the first suggestion, so that a missing package or a set too large is known before any trial.
        self._run: MethodRun = settings.start(problem)
        self._last = History.empty(len(problem.space.slots))

    def suggest(self, history: History) -> RowSuggestion:
        """Return the row to try next; SpaceExhausted where every feasible row has been told or is pending."""
        if not self._settings.may_break_rules:
            self.problem.check_left(history)
        if not _continues(self._last, history):
            self._run = self._settings.start(self.problem)
        self._last = history
        with one_thread():
            suggestion = self._run.suggest(history, self._seed)
        check_suggestion(self.problem, self._settings, history, suggestion.codes)
        return suggestion


def check_suggestion(problem: CodeProblem, settings: Method, history: History, row: Codes) -> None:
    """Raise where a method proposes what it must not: an infeasible row, or one that was tried.

    Methods that know nothing of rules may break them, and try a row again once its outcome has been told.
    """
    point = decode(problem.space, row)
    name = type(settings).__name__
    if settings.may_break_rules:
        if any(np.array_equal(row, other) for other in history.pending):
            raise HedgerowError(
                f"The method {name} proposed {point} again before its outcome was told. It may repeat points: tell "
                "before asking again, or use a method that does not, such as 'auto'."
            )
        return
    is_feasible = bool(problem.feasible.accepts(row[None, :])[0])
    if not is_feasible or history.is_seen(row[None, :])[0]:
        fault = "was tried before" if is_feasible else "breaks a rule"
        raise HedgerowError(
            f"The method {name} proposed {point}, which {fault}. That is a fault of the method, and the point was not "
            "given out: use another method, such as 'auto', and report this one."
        )


def _continues(earlier: History, later: History) -> bool:
    n = earlier.n_told
    return (
        later.n_told >= n
        and np.array_equal(later.codes[:n], earlier.codes)
        and np.array_equal(later.values[:n], earlier.values, equal_nan=True)
    )
