"""GP: Bayesian optimization as in textbooks, a Gaussian process (Matérn-5/2) and expected improvement over the grid.

It knows nothing of rules. As `-u` it learns them from the bad values of the points that break them; as `-c` it is also
conditioned on random points that break a rule, at a penalty value. Proposals may break rules and never repeat.

Inputs lie in the unit cube (`features.py`). Grids of up to `max_listed` cells are scored whole; of larger ones
`n_drawn` uniform draws are, and the search goes on along changes of one slot from the best of them and of the
observations. Length scales are fitted anew at each of the first twenty observations, and then when their number has
grown by a twentieth, to the latest `max_fitted` of them; so they depend on a prefix of the history alone. The uniform
draws change with them. Failed trials are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.errors import SpaceExhausted
from hedgerow.feasible import FeasibleSet
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.threads import one_thread
from hedgerow.search.acquisition import log_expected_improvement
from hedgerow.search.maximize import best_of
from hedgerow.search.suggestion import Reason, RowSuggestion
from research.rivals.features import column_slots, unit_cube
from research.rivals.grid_process import GridProcess
from research.rivals.matern import fit
from research.rivals.offline import check_offline, offline_rows

_N_FITTED_EACH = 20
_GROWTH = 1.05
_N_CLIMBS = 4
_MAX_CLIMB = 20
# Keeps the draws of cells apart from those of suggestions.
_CELLS_STREAM = 2**44
# Values that differ less than rounding does count as equal; targets beyond any sense are cut until the next fit.
_LEAST_DEVIATION = 1e-12
_LARGEST_TARGET = 1e6


@dataclass(frozen=True)
class GaussianProcess:
    """`n_offline` infeasible points are told at `infeasible_value` first (the paper's -c: 200)."""

    n_offline: int = 0
    infeasible_value: float | None = None
    max_fitted: int = 600
    max_listed: int = 20_000
    n_drawn: int = 10_000

    def __post_init__(self) -> None:
        check_offline(self.n_offline, self.infeasible_value)

    @property
    def may_break_rules(self) -> bool:
        """Always: the process knows nothing of rules but bad values."""
        return True

    def start(self, problem: CodeProblem) -> GaussianProcessRun:
        """Return the process at work on a problem."""
        return GaussianProcessRun(self, problem)


@dataclass(frozen=True, eq=False)
class Data:
    """Offline points and measured observations, in this order, with values standardised by the first `n_fitted`."""

    codes: Codes
    values: NDArray[np.float64]
    n_fitted: int

    def begins(self, other: Data) -> bool:
        """Return whether other data goes on from this with the same fit."""
        n = self.values.size
        return (
            self.n_fitted == other.n_fitted
            and n <= other.values.size
            and np.array_equal(self.codes, other.codes[:n])
            and np.array_equal(self.values, other.values[:n])
        )

    @property
    def targets(self) -> NDArray[np.float64]:
        """The values less the mean of those fitted, by their deviation: later values do not change earlier targets."""
        known = self.values[: self.n_fitted]
        # First to a size whose squares neither overflow nor vanish.
        largest = float(np.abs(known).max()) or 1.0
        scaled = known / largest
        deviation = float(scaled.std())
        with np.errstate(over="ignore"):
            every = (self.values / largest - scaled.mean()) / (deviation if deviation > _LEAST_DEVIATION else 1.0)
        return np.asarray(np.clip(every, -_LARGEST_TARGET, _LARGEST_TARGET))


class GaussianProcessRun:
    """Keeps the process at a list of cells between fits."""

    def __init__(self, settings: GaussianProcess, problem: CodeProblem) -> None:
        self._settings = settings
        self._problem = problem
        self._slots = column_slots(problem.space)
        self._everything = FeasibleSet(problem.space).codes
        self._all_cells: Codes | None = None
        if problem.space.size <= settings.max_listed:
            cells = np.unravel_index(np.arange(problem.space.size), problem.space.sizes)
            self._all_cells = np.stack(cells, axis=1).astype(np.int64)
        self._kept: tuple[int, Data, Codes, GridProcess] | None = None

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return the untried row of highest expected improvement, or a uniform feasible draw before the first value."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        if not history.is_measured.any():
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        if len(history.seen) >= self._problem.space.size:
            raise SpaceExhausted(f"All {self._problem.space.size:,} points of the grid have been tried.")
        with one_thread():
            data = self._data(history, seed)
            cells, process = self._process(data, seed)
            best = float(data.targets.min())
            scores = _untried(log_expected_improvement(*process.predict(), best), cells, history)
            if self._all_cells is not None:
                return RowSuggestion(best_of(cells, scores, rng), True, Reason.BEST_OF_ALL)
            starts = np.concatenate([cells[np.argsort(-scores, kind="stable")[:_N_CLIMBS]], history.best_first[:1]])
            return RowSuggestion(self._climb(process, starts, best, history, rng), False, Reason.BEST_FOUND)

    def _data(self, history: History, seed: int) -> Data:
        offline = offline_rows(self._problem, self._settings.n_offline, seed)
        penalties = np.full(offline.shape[0], self._settings.infeasible_value or 0.0)
        measured = history.is_measured
        values = np.concatenate([penalties, history.values[measured]])
        codes = np.concatenate([offline, history.codes[measured]])
        return Data(codes, values, _last_fit(offline.shape[0] + 1, values.size))

    def _process(self, data: Data, seed: int) -> tuple[Codes, GridProcess]:
        """Return the cells listed and the process given the data, going on from the last one while the fit holds."""
        if self._kept is not None and self._kept[0] == seed and self._kept[1].begins(data):
            _, before, cells, process = self._kept
            first = before.values.size
        else:
            first = data.n_fitted
            cells = self._listed(first, seed)
            process = self._fitted(data, cells)
        rows = unit_cube(self._problem.space, data.codes[first:])
        for place, target in enumerate(data.targets[first:]):
            process.tell(rows[place : place + 1], float(target))
        self._kept = (seed, data, cells, process)
        return cells, process

    def _listed(self, n_fitted: int, seed: int) -> Codes:
        if self._all_cells is not None:
            return self._all_cells
        rng = np.random.default_rng([seed, _CELLS_STREAM, n_fitted])
        return self._everything.draw(self._settings.n_drawn, rng)

    def _fitted(self, data: Data, cells: Codes) -> GridProcess:
        n, space = data.n_fitted, self._problem.space
        known, targets = unit_cube(space, data.codes[:n]), data.targets[:n]
        latest = slice(max(0, n - self._settings.max_fitted), n)
        kernel = fit(known[latest], self._slots, targets[latest])
        return GridProcess(kernel, known, targets, unit_cube(space, cells), room=_next_fit(n) - n)

    def _climb(self, process: GridProcess, starts: Codes, best: float, history: History, rng: Generator) -> Codes:
        """Return the best untried row that changes of one slot lead to, all starts moving together."""
        rows = starts
        scores = self._scores(process, rows, best, history)
        for _ in range(_MAX_CLIMB):
            around = np.unique(np.concatenate([self._everything.neighbors(row) for row in rows]), axis=0)
            every = np.concatenate([rows, around])
            new = np.concatenate([scores, self._scores(process, around, best, history)])
            kept = np.argsort(-new, kind="stable")[: starts.shape[0]]
            if new[kept].max() <= scores.max():
                break
            rows, scores = every[kept], new[kept]
        if not np.isfinite(scores.max()):
            return CodeProblem(FeasibleSet(self._problem.space)).draw_unseen(history, rng)
        return best_of(rows, scores, rng)

    def _scores(self, process: GridProcess, rows: Codes, best: float, history: History) -> NDArray[np.float64]:
        mean, sd = process.predict_at(unit_cube(self._problem.space, rows))
        return _untried(log_expected_improvement(mean, sd, best), rows, history)


def _untried(scores: NDArray[np.float64], rows: Codes, history: History) -> NDArray[np.float64]:
    """Return the scores, with -inf for rows that have been tried."""
    return np.where(history.is_seen(rows), -np.inf, scores)


def _last_fit(first: int, n: int) -> int:
    """Return the latest number of observations, at most n, at which the kernel is fitted; `first` is the earliest."""
    at = first
    while (following := _next_fit(at)) <= n:
        at = following
    return at


def _next_fit(n: int) -> int:
    return n + 1 if n < _N_FITTED_EACH else max(n + 1, int(n * _GROWTH))
