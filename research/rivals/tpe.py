"""TPE: the tree-structured Parzen estimator of Optuna, with the defaults of the version that is installed.

An unordered slot is a categorical parameter and an ordered one an integer, the index of its level, both under the
slot's name. TPE cannot be told rules. As `-u` it learns them from the bad values of the points that break them; as `-c`
it is first told random points that break a rule, with a penalty value. Suggestions may break rules and may repeat.

Observations go into one in-memory study, which goes on while histories extend each other. The sampler is made anew for
every suggestion, seeded by the run's seed and the number of observations, so that a new process suggests the same.
Failed trials are told as failed, which Optuna leaves out, and pending ones as running, which it keeps away from.

Optuna is loaded here, at the first need, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import Reason, RowSuggestion
from research.rivals.history_prefix import HistoryPrefix
from research.rivals.offline import check_offline, offline_rows
from research.rivals.packages import package


@dataclass(frozen=True)
class TPE:
    """Optuna's sampler; `n_offline` infeasible points are told at `infeasible_value` first (the paper's -c: 200)."""

    n_offline: int = 0
    infeasible_value: float | None = None

    def __post_init__(self) -> None:
        check_offline(self.n_offline, self.infeasible_value)

    @property
    def may_break_rules(self) -> bool:
        """Always: the sampler knows nothing of rules."""
        return True

    def start(self, problem: CodeProblem) -> TpeRun:
        """Return TPE at work on a problem."""
        return TpeRun(self, problem)


class TpeRun:
    """Keeps a study that has been told a prefix of the history."""

    def __init__(self, settings: TPE, problem: CodeProblem) -> None:
        self._settings = settings
        self._problem = problem
        self._distributions = {
            problem.space.slots[int(slot)].name: _distribution(problem, int(slot)) for slot in problem.active
        }
        self._kept: tuple[HistoryPrefix, Any] | None = None

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return what Optuna asks for, or a uniform feasible draw before the first value."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        if not history.is_measured.any():
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        with _quiet():
            study = self.study(history, seed)
            study.sampler = package("optuna.samplers", "TPE").TPESampler(seed=int(rng.integers(2**32)))
            return RowSuggestion(self._ask(study, history.pending), is_exact=False)

    def study(self, history: History, seed: int) -> Any:
        """Return the study that has been told the offline points and the history."""
        if self._kept is not None and self._kept[0].begins(history, seed):
            told, study = self._kept
            first = told.n
        else:
            study, first = self._pretrained(seed), 0
        for row, value in zip(history.codes[first:], history.values[first:], strict=True):
            study.add_trial(self._trial(row, float(value)))
        self._kept = (HistoryPrefix.all_of(history, seed), study)
        return study

    def _pretrained(self, seed: int) -> Any:
        study = package("optuna", "TPE").create_study()
        for row in offline_rows(self._problem, self._settings.n_offline, seed):
            study.add_trial(self._trial(row, self._settings.infeasible_value))
        return study

    def _ask(self, study: Any, pending: Codes) -> Codes:
        """Ask without leaving a trace: what is not told stays no part of the study."""
        running = [len(study.get_trials(deepcopy=False)) + place for place in range(pending.shape[0])]
        for row in pending:
            study.add_trial(self._trial(row, None))
        asked = study.ask(self._distributions)
        failed = package("optuna.trial", "TPE").TrialState.FAIL
        for number in [*running, asked.number]:
            study.tell(number, state=failed)
        codes = np.zeros(len(self._problem.space.slots), dtype=np.int64)
        codes[self._problem.active] = [asked.params[name] for name in self._distributions]
        return codes

    def _trial(self, row: Codes, value: float | None) -> Any:
        """Return a trial with its value, failed where that is not finite, running where there is none."""
        trials = package("optuna.trial", "TPE")
        parameters = dict(zip(self._distributions, row[self._problem.active].tolist(), strict=True))
        if value is None:
            state, told = trials.TrialState.RUNNING, None
        elif np.isfinite(value):
            state, told = trials.TrialState.COMPLETE, value
        else:
            state, told = trials.TrialState.FAIL, None
        return trials.create_trial(state=state, value=told, params=parameters, distributions=self._distributions)


def _distribution(problem: CodeProblem, slot: int) -> Any:
    distributions = package("optuna.distributions", "TPE")
    n_levels = problem.space.sizes[slot]
    if problem.space.slots[slot].variable.is_ordered:
        return distributions.IntDistribution(0, n_levels - 1)
    return distributions.CategoricalDistribution(tuple(range(n_levels)))


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Optuna from reporting every study, and leave its verbosity as it was."""
    logging = package("optuna.logging", "TPE")
    verbosity = logging.get_verbosity()
    logging.set_verbosity(logging.WARNING)
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
