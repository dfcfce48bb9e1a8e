"""The one way from a history to a row, for everyone who asks; what a method suggests is checked before it goes out."""

from __future__ import annotations

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError
from hedgerow.feasible.code_set import CodeSet
from hedgerow.methods.history import History
from hedgerow.methods.method import Method, MethodRun
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.repeats import lacking_readings
from hedgerow.methods.threads import one_thread
from hedgerow.search.suggestion import RowSuggestion
from hedgerow.space.encoding import decode


class Suggester:
    """Gives an untried feasible row for any history, a pure function of problem, history, settings and seed.

    A run's memory stands for a prefix of the history. Where trials of other workers end out of turn, a later history
    need not continue an earlier one: then the run begins anew, as it would in another process.
    """

    def __init__(self, problem: CodeProblem, method: Method, seed: int) -> None:
        self.problem = problem
        self._method = method
        self._seed = seed
        # Now and not at the first suggestion, so that a missing package or a set too large is known before any trial.
        self._run = self._started()
        self._last = History.empty(len(problem.space.slots))

    def suggest(self, history: History) -> RowSuggestion:
        """Return the row to try next; SpaceExhausted where every feasible row has been told or is pending."""
        if not self._method.may_break_rules:
            self.check_left(history)
        if not _continues(self._last, history):
            self._run = self._started()
        self._last = history
        with one_thread():
            suggestion = self._run.suggest(history, self._seed)
        check_suggestion(self.problem, self._method, history, suggestion)
        return suggestion

    def within(self, part: CodeSet) -> Suggester:
        """Return a suggester for some of the rows, which need not learn again what this one has learned."""
        if self._method.may_break_rules:
            raise HedgerowError(f"The method {_name(self._method)} may break rules, and so those of a batch.")
        other = Suggester(self.problem.within(part), self._method, self._seed)
        share = getattr(self._run, "share_with", None)
        if callable(share):
            share(other._run)
        return other

    def check_left(self, history: History) -> None:
        """Raise SpaceExhausted where every feasible row has been told or is pending, and none is measured again."""
        if self.problem.goals.repeats != "auto":
            self.problem.check_left(history)

    def lacking(self, history: History) -> Codes | None:
        """Return a row that shall have more readings than it has, where each shall have several."""
        rows = lacking_readings(history, self.problem.goals.repeats)
        return next((row for row in rows if self.problem.feasible.accepts(row[None, :])[0]), None)

    def _started(self) -> MethodRun:
        _check_goals(self._method, self.problem)
        run = self._method.start(self.problem)
        if not callable(getattr(run, "suggest", None)):
            raise HedgerowError(
                f"start(problem) of the method {_name(self._method)} returns an object with suggest(history, seed), "
                f"but {run!r} has none."
            )
        return run


def check_suggestion(problem: CodeProblem, method: Method, history: History, suggestion: RowSuggestion) -> None:
    """Raise where a method suggests what it must not: no row at all, an infeasible row, or one that was tried.

    Methods that know nothing of rules may break them, and try a row again once its outcome has been told.
    """
    name = _name(method)
    row = _row_of(problem, name, suggestion)
    point = decode(problem.space, row)
    if method.may_break_rules:
        if any(np.array_equal(row, other) for other in history.pending):
            raise HedgerowError(
                f"The method {name} suggested {point} again before its outcome was told. It may repeat points: tell "
                "before asking again, or use a method that does not, such as 'auto'."
            )
        return
    is_feasible = bool(problem.feasible.accepts(row[None, :])[0])
    is_repeated = problem.goals.repeats != "auto" and history.is_seen(row[None, :])[0]
    if not is_feasible or is_repeated:
        fault = "was tried before" if is_feasible else "breaks a rule"
        raise HedgerowError(
            f"The method {name} suggested {point}, which {fault}. That is a fault of the method, and the point was not "
            "given out: use another method, such as 'auto', and report this one."
        )


def _row_of(problem: CodeProblem, name: str, suggestion: object) -> Codes:
    """Return the row of a suggestion, or raise where it is none."""
    if not isinstance(suggestion, RowSuggestion):
        raise HedgerowError(f"suggest of the method {name} returns a RowSuggestion, but {suggestion!r} was returned.")
    row, sizes = suggestion.codes, np.array(problem.space.sizes)
    is_row = isinstance(row, np.ndarray) and row.shape == sizes.shape and np.issubdtype(row.dtype, np.integer)
    # The code of a real is the place of a float, whose range the rules check.
    is_code = ~np.isin(np.arange(sizes.size), problem.space.reals)
    if not is_row or ((row < 0) | (row >= sizes))[is_code].any():
        raise HedgerowError(
            f"The codes that the method {name} suggests are an array of {sizes.size} whole numbers, each from 0 to "
            f"below the number of levels of its slot, but {row!r} was suggested."
        )
    return row


def _check_goals(method: Method, problem: CodeProblem) -> None:
    """Raise where a method that learns from one number per trial is given more."""
    if not problem.goals.is_single and not getattr(method, "knows_outcomes", False):
        raise HedgerowError(
            f"The method {_name(method)} learns from one number per trial. Several objectives, limits and "
            "repeats='auto' need a method that knows them, such as 'auto' or 'random'."
        )


def _name(method: Method) -> str:
    return type(method).__name__


def _continues(earlier: History, later: History) -> bool:
    n = earlier.n_told
    if later.codes is earlier.codes and later.values is earlier.values and later.outcomes is earlier.outcomes:
        # The next point of a batch.
        return True
    return (
        later.n_told >= n
        and np.array_equal(later.codes[:n], earlier.codes)
        and np.array_equal(later.values[:n], earlier.values, equal_nan=True)
        and _same_outcomes(earlier, later)
    )


def _same_outcomes(earlier: History, later: History) -> bool:
    if earlier.outcomes is None or later.outcomes is None:
        return earlier.n_told == 0 or earlier.outcomes is later.outcomes
    return np.array_equal(later.outcomes[: earlier.n_told], earlier.outcomes, equal_nan=True)
