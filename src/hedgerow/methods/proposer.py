"""A method at work for someone who brings the whole history each time, perhaps reordered since the last time."""

from __future__ import annotations

import numpy as np

from hedgerow.methods.history import History
from hedgerow.methods.method import Method, MethodRun
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.threads import one_thread
from hedgerow.space.encoding import Codes, decode


class Proposer:
    """Gives an untried feasible row for any history, a pure function of problem, history, settings and seed.

    A run's memory stands for a prefix of the history. Where trials of other workers end out of turn, a later history
    need not continue an earlier one: then the run begins anew, as it would in another process.
    """

    def __init__(self, problem: CodeProblem, settings: Method, seed: int) -> None:
        self.problem = problem
        self._settings = settings
        self._seed = seed
        self._run: MethodRun | None = None
        self._last = History.empty(len(problem.space.slots))

    def propose(self, history: History) -> Codes:
        """Return the row to try next; SpaceExhausted where every feasible row has been told or is pending."""
        if not self._settings.may_break_rules:
            self.problem.check_left(history)
        if self._run is None or not _continues(self._last, history):
            self._run = self._settings.start(self.problem)
        self._last = history
        with one_thread():
            row = self._run.suggest(history, self._seed).codes
        keeps_rules = self._settings.may_break_rules or self.problem.feasible.accepts(row[None, :])[0]
        if not keeps_rules or history.is_seen(row[None, :])[0]:
            point = decode(self.problem.space, row)
            raise AssertionError(f"The method proposed {point}, which breaks a rule or was tried before.")
        return row


def _continues(earlier: History, later: History) -> bool:
    n = earlier.n_told
    return (
        later.n_told >= n
        and np.array_equal(later.codes[:n], earlier.codes)
        and np.array_equal(later.values[:n], earlier.values, equal_nan=True)
    )
