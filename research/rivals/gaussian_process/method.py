"""GP: Bayesian optimization as in textbooks, scikit-learn's Gaussian process (Matérn-5/2) and expected improvement.

It knows nothing of rules. As `-u` it learns them from the bad values of the points that break them; as `-c` it is also
conditioned on random points that break a rule, at a penalty value. Suggestions may break rules and never repeat.

Inputs lie in the unit cube (`features.py`), with a length scale per column. Grids of up to `max_listed` cells are
scored whole; of larger ones `n_drawn` uniform draws are, and what lies one change away from the best of them and of the
observations. The kernel is fitted anew at each of the first twenty observations, and then when their number has grown
by a twentieth, to the latest `max_fitted` of them; so it depends on a prefix of the history alone. Between two fits the
process grows by an observation at a time (`grown.py`). Failed trials are left out.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

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
from research.rivals.features import unit_cube
from research.rivals.gaussian_process.grown import GrownProcess
from research.rivals.offline import check_offline, offline_rows
from research.rivals.packages import package

_N_FITTED_EACH = 20
_GROWTH = 1.05
_N_CLIMBED = 5
# Keeps the draws of cells apart from those of suggestions.
_CELLS_STREAM = 2**44
# The objectives here have no noise; this much keeps the Cholesky factor sound.
_NOISE = 1e-6
_LENGTHS = (1e-2, 1e2)
_SIGNALS = (1e-2, 1e2)
# Values that differ less than rounding does count as equal; targets beyond any sense are cut until the next fit.
_LEAST_DEVIATION = 1e-12
_LARGEST_TARGET = 1e6


@dataclass(frozen=True)
class GaussianProcess:
    """`n_offline` infeasible points are told at `infeasible_value` first (the paper's -c: 200)."""

    n_offline: int = 0
    infeasible_value: float | None = None
    max_fitted: int = 200
    max_listed: int = 20_000
    n_drawn: int = 1_000

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
    """Offline points and measured observations, in this order; the kernel is fitted to the first `n_fitted`."""

    codes: Codes
    values: NDArray[np.float64]
    n_fitted: int

    @property
    def targets(self) -> NDArray[np.float64]:
        """The values less the mean of those fitted, by their deviation."""
        known = self.values[: self.n_fitted]
        # First to a size whose squares neither overflow nor vanish.
        largest = float(np.abs(known).max()) or 1.0
        scaled = known / largest
        deviation = float(scaled.std())
        with np.errstate(over="ignore"):
            every = (self.values / largest - scaled.mean()) / (deviation if deviation > _LEAST_DEVIATION else 1.0)
        return np.asarray(np.clip(every, -_LARGEST_TARGET, _LARGEST_TARGET))


class GaussianProcessRun:
    """Keeps the fitted kernel between fits."""

    def __init__(self, settings: GaussianProcess, problem: CodeProblem) -> None:
        self._settings = settings
        self._problem = problem
        self._library = package("sklearn.gaussian_process", "GaussianProcess")
        self._everything = FeasibleSet(problem.space).codes
        self._all_cells: Codes | None = None
        if problem.space.size <= settings.max_listed:
            cells = np.unravel_index(np.arange(problem.space.size), problem.space.sizes)
            self._all_cells = np.stack(cells, axis=1).astype(np.int64)
        self._kept: _Kept | None = None

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return the untried row of highest expected improvement, or a uniform feasible draw before the first value."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        if not history.is_measured.any():
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        if len(history.seen) >= self._problem.space.size:
            raise SpaceExhausted(f"All {self._problem.space.size:,} points of the grid have been tried.")
        with one_thread():
            data = self._data(history, seed)
            kept = self._process(data, seed)
            best = float(data.targets.min())
            scores = _scores(kept.process.scored, kept.cells, best, history)
            if self._all_cells is not None:
                return RowSuggestion(best_of(kept.cells, scores, rng), True, Reason.BEST_OF_ALL)
            row = self._climbed(kept.process, _best_rows(kept.cells, scores), best, history, rng)
            return RowSuggestion(row, False, Reason.BEST_FOUND)

    def _data(self, history: History, seed: int) -> Data:
        offline = offline_rows(self._problem, self._settings.n_offline, seed)
        penalties = np.full(offline.shape[0], self._settings.infeasible_value or 0.0)
        measured = history.is_measured
        values = np.concatenate([penalties, history.values[measured]])
        codes = np.concatenate([offline, history.codes[measured]])
        return Data(codes, values, _last_fit(offline.shape[0] + 1, values.size))

    def _process(self, data: Data, seed: int) -> _Kept:
        """Return the process given all data, under the kernel fitted to a part of it."""
        rows, targets = unit_cube(self._problem.space, data.codes), data.targets
        if self._kept is None or not self._kept.leads_to(data, seed):
            self._kept = self._fitted(data, rows, targets, seed)
        kept = self._kept
        for n in range(kept.process.n_observed, targets.size):
            kept.process.observe(rows[n], float(targets[n]))
        kept.data = data
        return kept

    def _fitted(self, data: Data, rows: NDArray[np.float64], targets: NDArray[np.float64], seed: int) -> _Kept:
        """Fit the kernel, and condition the process on what it was fitted to and what came before."""
        n = data.n_fitted
        latest = slice(max(0, n - self._settings.max_fitted), n)
        process = self._library.GaussianProcessRegressor(self._kernel(rows.shape[1]), alpha=_NOISE)
        with warnings.catch_warnings():
            # Length scales at their bounds are what irrelevant columns should have.
            warnings.simplefilter("ignore")
            kernel = process.fit(rows[latest], targets[latest]).kernel_
        cells = self._drawn(n, seed) if self._all_cells is None else self._all_cells
        scored = unit_cube(self._problem.space, cells)
        grown = GrownProcess(kernel, _NOISE, rows[:n], targets[:n], scored, _next_fit(n) - 1 - n)
        return _Kept(seed, data, cells, grown)

    def _kernel(self, n_columns: int) -> Any:
        kernels = self._library.kernels
        signal = kernels.ConstantKernel(1.0, constant_value_bounds=_SIGNALS)
        # Half the cube: from very long scales the search may never leave.
        length = np.full(n_columns, 0.5 * np.sqrt(n_columns))
        return signal * kernels.Matern(length, length_scale_bounds=_LENGTHS, nu=2.5)

    def _drawn(self, n_fitted: int, seed: int) -> Codes:
        rng = np.random.default_rng([seed, _CELLS_STREAM, n_fitted])
        return self._everything.draw(self._settings.n_drawn, rng)

    def _climbed(self, process: GrownProcess, rows: Codes, best: float, history: History, rng: Generator) -> Codes:
        """Return the best of what lies one change from these rows and the best known, as long as that is better."""
        rows = np.concatenate([rows, history.best_first[:1]])
        highest = -np.inf
        while True:
            around = np.concatenate([rows, *(self._everything.neighbors(row) for row in rows)])
            scores = _scores(process.predict(unit_cube(self._problem.space, around)), around, best, history)
            if not scores.max() > highest:
                break
            rows, highest = _best_rows(around, scores), float(scores.max())
        if not np.isfinite(highest):
            return CodeProblem(FeasibleSet(self._problem.space)).draw_unseen(history, rng)
        best_row: Codes = rows[0]
        return best_row


@dataclass(eq=False)
class _Kept:
    """A process with the data that it was given and the cells that it scores."""

    seed: int
    data: Data
    cells: Codes
    process: GrownProcess

    def leads_to(self, data: Data, seed: int) -> bool:
        """Return whether these data only add observations, under the same fit."""
        n = self.data.values.size
        return (
            (self.seed, self.data.n_fitted) == (seed, data.n_fitted)
            and np.array_equal(self.data.codes, data.codes[:n])
            and np.array_equal(self.data.values, data.values[:n])
        )


def _scores(
    said: tuple[NDArray[np.float64], NDArray[np.float64]], rows: Codes, best: float, history: History
) -> NDArray[np.float64]:
    """Return log expected improvement, with -inf for rows that have been tried."""
    mean, sd = said
    scores = log_expected_improvement(mean, np.maximum(sd, np.sqrt(_NOISE)), best)
    return np.where(history.is_seen(rows), -np.inf, scores)


def _best_rows(rows: Codes, scores: NDArray[np.float64]) -> Codes:
    return rows[np.argsort(-scores, kind="stable")[:_N_CLIMBED]]


def _last_fit(first: int, n: int) -> int:
    """Return the latest number of observations, at most n, at which the kernel is fitted; `first` is the earliest."""
    at = first
    while (following := _next_fit(at)) <= n:
        at = following
    return at


def _next_fit(n: int) -> int:
    return n + 1 if n < _N_FITTED_EACH else max(n + 1, int(n * _GROWTH))
