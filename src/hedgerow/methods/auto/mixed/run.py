"""The default at work on a space with reals: draw while there is nothing to learn from; else believe, and search."""

from __future__ import annotations

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.methods.auto.mixed.belief import Chance, MixedFit, MixedPosterior, RowCoordinates, fit_mixed
from hedgerow.methods.auto.mixed.search import MixedSearch
from hedgerow.methods.auto.schedule import scheduled
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import Reason, RowSuggestion


class MixedRun:
    """Suggests rows for one problem; it remembers only the last fit, which depends on the first observations alone."""

    def __init__(self, problem: CodeProblem, patience: int, doubt: float) -> None:
        if not problem.goals.is_single:
            raise HedgerowError(
                "Several objectives, limits and repeats='auto' are not learned yet where variables take any real "
                "number. Give them levels, as in Real(low, high, levels=50), or use method='random'."
            )
        assert isinstance(problem.feasible, MixedSet)
        self._problem = problem
        self._feasible: MixedSet = problem.feasible
        self._coordinates = RowCoordinates(problem.space)
        self._patience, self._doubt = patience, doubt
        self._fit: MixedFit | None = None

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return the row to try next, a pure function of problem, history, settings and seed."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        values = history.values[history.is_measured]
        # As many draws as there are coordinates, up to a few: a belief needs something to begin with.
        if values.size < min(5, 2 + self._coordinates.active.size // 2) or np.ptp(values) == 0:
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        is_doubted = history.n_stale >= self._patience and history.n_told % 3 == 1
        posterior = self._posterior(history, self._doubt if is_doubted else 1.0)
        penalty = None
        if not history.is_measured.all():
            rows = self._coordinates.of(history.codes)
            penalty = Chance.of(posterior.leading, rows, history.is_measured.tolist()).log_rows
        search = MixedSearch(self._feasible, self._coordinates, posterior, penalty, rng)
        for found in search.best_first(self._centers(history)):
            row = self._feasible.rules.scales.codes(found.row[None, :])
            if not history.is_seen(row)[0] and self._feasible.accepts(row)[0]:
                return RowSuggestion(row[0], False, Reason.DOUBT if is_doubted else Reason.BEST_FOUND)
        return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_FOUND)

    def _posterior(self, history: History, doubt: float) -> MixedPosterior:
        rows = self._coordinates.of(history.codes[history.is_measured])
        values = history.values[history.is_measured]
        n = scheduled(values.size)
        while np.ptp(values[:n]) == 0:
            n += 1
        if self._fit is None or self._fit.n != n:
            self._fit = fit_mixed(self._coordinates.has_length, rows[:n], values[:n])
        pending = self._coordinates.of(history.pending)
        return MixedPosterior(self._coordinates, self._fit, rows, values, pending, doubt)

    def _centers(self, history: History) -> Codes:
        """Return the best told rows that are feasible: points that break rules may be told."""
        best = history.best_first[:12]
        return best[self._feasible.accepts(best)]
