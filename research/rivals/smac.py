"""SMAC: random forests and expected improvement, with the rules as forbidden clauses of ConfigSpace where they fit.

The defaults are those of SMAC's facade for hyperparameter optimization, on a deterministic objective. An unordered
slot is a categorical parameter and an ordered one an integer, the index of its level. Clauses are exact
(`forbidden.py`); a rule that needs too many is refused by name. Where ConfigSpace draws until enough points are
allowed, which may never end, the same uniform draws come from the feasible set itself (`config_space.py`).

SMAC's state follows from the order of asking and telling. That order is taken to be one ask before each observation,
so a new process rebuilds it by replaying the history; an observation that was not asked for is told without. While
trials are pending, SMAC is asked on beyond them, and its state is then rebuilt for the next suggestion. A failed trial
is told as crashed, at the worst value so far. Points that break a rule are not told where SMAC knows the rules. SMAC
gives up when it meets nothing new in some draws; from then on untried feasible points are drawn uniformly.

SMAC and ConfigSpace are loaded here, at the first need, and nowhere else.
"""

from __future__ import annotations

import logging
import math
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.errors import EffortExceeded
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.threads import one_thread
from hedgerow.search.suggestion import Reason, RowSuggestion
from research.rivals.config_space import codes_of, config_space, configuration
from research.rivals.forbidden import forbidden_boxes
from research.rivals.history_prefix import HistoryPrefix
from research.rivals.packages import package

# Keeps SMAC's random numbers apart from those of other draws.
_STREAM = 2**45
_MAX_ASKS = 1000


@dataclass(frozen=True)
class SMAC:
    """`n_trials` is the budget, a quarter of which SMAC's initial design takes at most."""

    knows_rules: bool = True
    n_trials: int = 500
    max_clauses: int = 1000

    @property
    def may_break_rules(self) -> bool:
        """Whether SMAC is not told the rules."""
        return not self.knows_rules

    def start(self, problem: CodeProblem) -> SmacRun:
        """Return SMAC at work on a problem whose rules fit into clauses."""
        package("smac", "SMAC")
        return SmacRun(self, problem)


class SmacRun:
    """Keeps SMAC as it is after a prefix of the history."""

    def __init__(self, settings: SMAC, problem: CodeProblem) -> None:
        self._settings = settings
        self._problem = problem
        # Rules that do not fit are refused here, before any trial.
        self._boxes = (
            forbidden_boxes(problem.space, problem.rules, settings.max_clauses) if settings.knows_rules else []
        )
        self._kept: tuple[HistoryPrefix, _Dialogue] | None = None

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return what SMAC asks for, or a uniform feasible draw before the first value."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        if not history.is_measured.any():
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        # The forest is ten small trees; handing them to threads takes longer than growing them.
        with one_thread(), quiet_smac():
            dialogue = self._dialogue(history, seed)
            row = dialogue.row_beyond(history.pending)
        if history.pending.shape[0]:
            self._kept = None
        if row is None:
            self._problem.check_left(history)
            row = self._problem.draw_unseen(history, rng)
        return RowSuggestion(row, is_exact=False)

    def _dialogue(self, history: History, seed: int) -> _Dialogue:
        if self._kept is not None and self._kept[0].begins(history, seed):
            told, dialogue = self._kept
            first = told.n
        else:
            dialogue, first = (
                _Dialogue(self._settings, self._problem, config_space(self._problem, self._boxes), seed),
                0,
            )
        for place in range(first, history.n_told):
            dialogue.tell(history.codes[place], history.values[: place + 1])
        self._kept = (HistoryPrefix.all_of(history, seed), dialogue)
        return dialogue


class _Dialogue:
    """SMAC after some asks and tells; `_asked` is the trial that it has asked for and not been told."""

    def __init__(self, settings: SMAC, problem: CodeProblem, space: Any, seed: int) -> None:
        self._settings = settings
        self._problem = problem
        self._space = space
        self._asked: Any = None
        self._is_fresh = True
        self._has_given_up = not problem.active.size
        # SMAC insists on a place for its files; they vanish with the run.
        self._folder = tempfile.TemporaryDirectory(prefix="hedgerow-smac-")
        scenario = package("smac", "SMAC").Scenario(
            space,
            deterministic=True,
            n_trials=settings.n_trials,
            output_directory=self._folder.name,
            seed=int(np.random.default_rng([seed, _STREAM]).integers(2**31)),
        )
        facade = package("smac", "SMAC").HyperparameterOptimizationFacade
        maximizer = facade.get_acquisition_maximizer(scenario)
        maximizer._local_search = _local_search()(space, seed=scenario.seed)
        self._facade = facade(scenario, acquisition_maximizer=maximizer, logging_level=False, overwrite=True)

    def tell(self, row: Codes, values: NDArray[np.float64]) -> None:
        """Tell the last of the values; they are all values up to this observation."""
        if not self._is_fresh and self._asked is None:
            self._ask()
        self._is_fresh = False
        if self._settings.knows_rules and not self._problem.feasible.accepts(row[None, :])[0]:
            return
        trial = self._asked
        if trial is not None and np.array_equal(self._row(trial), row):
            self._asked = None
        else:
            history = package("smac.runhistory", "SMAC")
            trial = history.TrialInfo(configuration(self._space, self._problem, row), seed=0)
        self._facade.tell(trial, _outcome(values), save=False)

    def row_beyond(self, pending: Codes) -> Codes | None:
        """Return the row that SMAC asks for, which is not one of those pending; None once it finds nothing new."""
        waiting = {row.tobytes() for row in pending}
        for _ in range(_MAX_ASKS):
            if self._asked is None:
                self._ask()
            if self._asked is None:
                return None
            row = self._row(self._asked)
            if row.tobytes() not in waiting:
                return row
            self._asked = None
        raise EffortExceeded(f"SMAC asked for pending points {_MAX_ASKS:,} times in a row. Tell some of them first.")

    def _ask(self) -> None:
        """Ask SMAC, unless it has given up: it does so when it meets nothing new in some draws."""
        exhausted = package("smac.main.exceptions", "SMAC").ConfigurationSpaceExhaustedException
        if not self._has_given_up:
            try:
                self._asked = self._facade.ask()
            except (StopIteration, exhausted):
                self._has_given_up = True

    def _row(self, trial: Any) -> Codes:
        return codes_of(trial.config, self._problem)


def _outcome(values: NDArray[np.float64]) -> Any:
    """Return the outcome of the last trial: crashed at the worst value so far where there is none."""
    history = package("smac.runhistory", "SMAC")
    if math.isfinite(values[-1]):
        return history.TrialValue(cost=float(values[-1]))
    finite = values[np.isfinite(values)]
    status = history.StatusType.CRASHED
    return history.TrialValue(cost=float(finite.max()) if finite.size else 0.0, status=status)


@cache
def _local_search() -> Any:
    """Return SMAC's local search with its starts in a fixed order; theirs, of a set, differs between processes."""
    searches = package("smac.acquisition.maximizer.local_search", "SMAC")

    class OrderedLocalSearch(searches.LocalSearch):  # type: ignore[misc, name-defined]
        """Local search that begins at the same points in the same order in every process."""

        def _get_init_points_from_previous_configs(self, *arguments: Any, **named: Any) -> list[Any]:
            starts = super()._get_init_points_from_previous_configs(*arguments, **named)
            return sorted(starts, key=lambda config: tuple(config.get_array()))

    return OrderedLocalSearch


@contextmanager
def quiet_smac() -> Iterator[None]:
    """Keep SMAC from reporting and from starting threads for every prediction, and leave its logging as it was."""
    logger = logging.getLogger("smac")
    level = logger.level
    logger.setLevel(logging.ERROR)
    with warnings.catch_warnings(), package("joblib", "SMAC").parallel_config(backend="sequential"):
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            logger.setLevel(level)
