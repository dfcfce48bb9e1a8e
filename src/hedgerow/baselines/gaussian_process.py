"""GP: Bayesian optimization as in textbooks, a Gaussian process (Matérn-5/2) and expected improvement over the grid.

It knows nothing of rules. As `-u` it learns them from the bad values of the points that break them; as `-c` it is also
conditioned on random points that break a rule, at a penalty value. Proposals may break rules and never repeat.

Inputs lie in the unit cube (`features.py`). Grids of up to `max_listed` cells are scored whole; larger ones are
searched: uniform draws, and climbs along changes of one slot from the best of them and of the observations. Length
scales are fitted anew when the number of observations has grown by a twentieth, at each of the first twenty, to
the latest `max_fitted` of them; so they depend on a prefix of the history alone. Failed trials are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.acquisition.functions import log_expected_improvement
from hedgerow.acquisition.maximize import Found, best_of
from hedgerow.baselines.features import column_slots, unit_cube
from hedgerow.baselines.grid_process import GridProcess, predict
from hedgerow.baselines.matern import Matern, fit
from hedgerow.baselines.offline import check_offline, offline_rows
from hedgerow.errors import SpaceExhausted
from hedgerow.feasible import FeasibleSet
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.propose import Proposing, propose
from hedgerow.methods.threads import one_thread
from hedgerow.space import Codes

_N_FITTED_EACH = 20
_GROWTH = 1.05
# Values that differ less than rounding does count as equal; targets beyond any sense are cut until the next fit.
_LEAST_DEVIATION = 1e-12
_LARGEST_TARGET = 1e6


@dataclass(frozen=True)
class GaussianProcess:
    """`n_offline` infeasible points are told at `infeasible_value` first (the paper's -c: 200)."""

    n_offline: int = 0
    infeasible_value: float | None = None
    max_fitted: int = 600
    proposing: Proposing = field(default_factory=lambda: Proposing(max_listed=20_000))

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
    """Keeps the process at every cell of the grid between fits."""

    def __init__(self, settings: GaussianProcess, problem: CodeProblem) -> None:
        self._settings = settings
        self._problem = problem
        self._slots = column_slots(problem.space)
        self._everything = CodeProblem(FeasibleSet(problem.space))
        self._kept: tuple[Data, Matern, GridProcess | None] | None = None
        self._is_listed = problem.space.size <= settings.proposing.max_listed
        if self._is_listed:
            cells = np.unravel_index(np.arange(problem.space.size), problem.space.sizes)
            self._cells: Codes = np.stack(cells, axis=1).astype(np.int64)
            self._grid = unit_cube(problem.space, self._cells)

    def suggest(self, history: History, seed: int) -> Found:
        """Return the untried row of highest expected improvement, or a uniform feasible draw before the first value."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        if not history.is_measured.any():
            return Found(self._problem.draw_unseen(history, rng), is_exact=False)
        with one_thread():
            data = self._data(history, seed)
            return self._best_cell(data, history, rng) if self._is_listed else self._search(data, history, rng)

    def _data(self, history: History, seed: int) -> Data:
        offline = offline_rows(self._problem, self._settings.n_offline, seed)
        penalties = np.full(offline.shape[0], self._settings.infeasible_value or 0.0)
        measured = history.is_measured
        values = np.concatenate([penalties, history.values[measured]])
        codes = np.concatenate([offline, history.codes[measured]])
        return Data(codes, values, _last_fit(offline.shape[0] + 1, values.size))

    def _best_cell(self, data: Data, history: History, rng: Generator) -> Found:
        mean, sd = self._process(data).predict()
        untried = np.ones(self._cells.shape[0], dtype=np.bool_)
        untried[self._places(np.concatenate([history.codes, history.pending]))] = False
        if not untried.any():
            raise SpaceExhausted(f"All {self._problem.space.size:,} points of the grid have been tried.")
        score = log_expected_improvement(mean[untried], sd[untried], float(data.targets.min()))
        return Found(best_of(self._cells[untried], score, rng), is_exact=True)

    def _process(self, data: Data) -> GridProcess:
        """Return the process given the data, from the last one where the fit is the same."""
        first = data.n_fitted
        kernel, process = None, None
        if self._kept is not None and self._kept[0].begins(data):
            first = self._kept[0].values.size
            _, kernel, process = self._kept
        targets = data.targets
        if kernel is None or process is None:
            kernel = self._fitted(data)
            known = unit_cube(self._problem.space, data.codes[:first])
            room = _next_fit(first) - first
            process = GridProcess(kernel, known, targets[:first], self._grid, room)
        for cell, target in zip(self._places(data.codes[first:]), targets[first:], strict=True):
            process.tell(int(cell), float(target))
        self._kept = (data, kernel, process)
        return process

    def _search(self, data: Data, history: History, rng: Generator) -> Found:
        kernel = self._kept[1] if self._kept is not None and self._kept[0].begins(data) else self._fitted(data)
        self._kept = (data, kernel, None)
        known, targets = unit_cube(self._problem.space, data.codes), data.targets

        def score(rows: Codes) -> NDArray[np.float64]:
            mean, sd = predict(kernel, known, targets, unit_cube(self._problem.space, rows))
            return log_expected_improvement(mean, sd, float(targets.min()))

        return propose(self._everything, history, score, rng, self._settings.proposing)

    def _fitted(self, data: Data) -> Matern:
        rows = slice(max(0, data.n_fitted - self._settings.max_fitted), data.n_fitted)
        return fit(unit_cube(self._problem.space, data.codes[rows]), self._slots, data.targets[rows])

    def _places(self, codes: Codes) -> NDArray[np.int64]:
        return np.asarray(np.ravel_multi_index(tuple(codes.T), self._problem.space.sizes))


def _last_fit(first: int, n: int) -> int:
    """Return the latest number of observations, at most n, at which the kernel is fitted; `first` is the earliest."""
    at = first
    while (following := _next_fit(at)) <= n:
        at = following
    return at


def _next_fit(n: int) -> int:
    return n + 1 if n < _N_FITTED_EACH else max(n + 1, int(n * _GROWTH))
