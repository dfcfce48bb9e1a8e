"""The default at work on a space with orders: draw while there is nothing to learn from; else believe, and search."""

from __future__ import annotations

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.methods.auto.orders.belief import OrderFit, OrderPosterior, fit_orders
from hedgerow.methods.auto.orders.distances import RowDistances
from hedgerow.methods.auto.orders.search import OrderSearch
from hedgerow.methods.auto.schedule import scheduled
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.maximize import best_of
from hedgerow.search.suggestion import Reason, RowSuggestion

# Draws before anything is believed, sets that are listed, and good rows from which a search begins.
_N_FIRST = 4
_MAX_LISTED = 2_000
_N_CENTERS = 8
# After so many trials without a better one every second looks only at small changes of the best: on costs with
# plateaus, such as the end of the last job, the highest score lies far out again and again.
_STALE = 15


class OrderRun:
    """Suggests rows for one problem; it remembers only the last fit, which depends on the first observations alone."""

    def __init__(self, problem: CodeProblem, patience: int, doubt: float) -> None:
        self._problem = problem
        self._distances = RowDistances(problem.space)
        self._patience, self._doubt = patience, doubt
        self._fit: OrderFit | None = None

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return the row to try next, a pure function of problem, history, settings and seed."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        values = history.values[history.is_measured]
        if values.size < _N_FIRST or np.ptp(values) == 0:
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        is_doubted = history.n_stale >= self._patience and history.n_told % 3 == 1
        posterior = self._posterior(history, self._doubt if is_doubted else 1.0)
        listed = self._problem.listed(_MAX_LISTED)
        if listed is not None:
            left = listed[~self._problem.is_seen(history)]
            reason = Reason.DOUBT if is_doubted else Reason.BEST_OF_ALL
            return RowSuggestion(best_of(left, posterior.scores(left), rng), True, reason)
        search = OrderSearch(self._problem.feasible, self._problem.space, posterior.scores, self._distances.others, rng)
        is_near = history.n_stale >= _STALE and history.n_told % 2 == 0
        centers = self._centers(history)
        for row in search.near_first(centers) if is_near and centers.shape[0] else search.best_first(centers):
            if not history.is_seen(row[None, :])[0]:
                return RowSuggestion(row, False, Reason.DOUBT if is_doubted else Reason.BEST_FOUND)
        return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_FOUND)

    def _posterior(self, history: History, doubt: float) -> OrderPosterior:
        rows, values = history.codes[history.is_measured], history.values[history.is_measured]
        n = scheduled(values.size)
        while np.ptp(values[:n]) == 0:
            n += 1
        if self._fit is None or self._fit.n != n:
            self._fit = fit_orders(self._distances, rows[:n], values[:n])
        posterior = OrderPosterior(self._distances, self._fit, rows, values, history.pending, doubt)
        if not history.is_measured.all():
            posterior.learn_failures(history.codes, history.is_measured.tolist())
        return posterior

    def _centers(self, history: History) -> Codes:
        """Return the best told rows that are feasible: points that break rules may be told."""
        best = history.best_first[: 2 * _N_CENTERS]
        return best[self._problem.feasible.accepts(best)][:_N_CENTERS]
