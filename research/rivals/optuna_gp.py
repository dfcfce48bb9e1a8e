"""Optuna's Gaussian process, with the defaults of the version that is installed: as blind to rules as TPE."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import Reason, RowSuggestion
from research.rivals.packages import package
from research.rivals.tpe import TPE, TpeRun, _quiet


@dataclass(frozen=True)
class OptunaGP(TPE):
    """Optuna's `GPSampler` instead of its `TPESampler`."""

    def start(self, problem: CodeProblem) -> OptunaGpRun:
        """Return the sampler at work on a problem."""
        return OptunaGpRun(self, problem)


class OptunaGpRun(TpeRun):
    """The same study, asked by another sampler."""

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return what Optuna asks for, or a uniform feasible draw before the first value."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        if not history.is_measured.any():
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        with _quiet():
            study = self.study(history, seed)
            study.sampler = package("optuna.samplers", "OptunaGP").GPSampler(seed=int(rng.integers(2**32)))
            return RowSuggestion(self._ask(study, history.pending), is_exact=False)
