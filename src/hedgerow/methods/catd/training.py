"""How CA-TD gets its model after each observation: an ensemble that goes on training (PGRAD), or one table by
semidefinite relaxation (HSDP). What is kept between rounds depends on a prefix of the history alone and is rebuilt by
replaying it."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from hedgerow.arrays import Codes, Column
from hedgerow.methods.catd.ensemble.ensemble import Ensemble
from hedgerow.methods.catd.ensemble.factorized import Factorized
from hedgerow.methods.catd.ensemble.infeasible import (
    InfeasibleRows,
    ListedRows,
    NoRows,
    anywhere_outside,
    infeasible_rows,
)
from hedgerow.methods.catd.ensemble.scaling import Scaling, TamedScaling
from hedgerow.methods.catd.grids import Grids
from hedgerow.methods.catd.hsdp import Grid, Hsdp, TableModel, fit
from hedgerow.methods.catd.tensors.tensor_format import Entries
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem

# Keeps the random numbers of training apart from those of suggestions.
_TRAINING_STREAM = 2**41


class Trained(Protocol):
    """A model of the objective on the normalized scale."""

    @property
    def scaling(self) -> Scaling | TamedScaling:
        """The way from values to that scale."""

    @property
    def report(self) -> object:
        """How training went."""

    def predictions(self, codes: Codes) -> Entries:
        """Return what each model says at each row."""

    def predict(self, codes: Codes) -> tuple[Column, Column]:
        """Return mean and standard deviation at each row."""


class Training(Protocol):
    """Training at work on one problem."""

    def after(self, history: History, seed: int) -> Trained:
        """Return the model that the measured observations give, each told after the other."""

    def at_once(self, history: History, seed: int) -> Trained:
        """Return the model that the measured observations give when all are told together."""


class PgradTraining:
    """Trains the ensemble on one observation more at a time, from the last ensemble or from the start."""

    def __init__(self, surrogate: Factorized, problem: CodeProblem) -> None:
        self._problem = problem
        self._surrogate = surrogate
        self._grids = Grids(problem.space, surrogate.n_nodes)
        self._prior = surrogate.prior_on(self._grids)
        self._infeasible = _to_learn(problem, surrogate.training.penalty, self._grids)
        if surrogate.training.batch_size is None:
            # Now and not in the first training, where it would come after a trial.
            next(iter(self._infeasible.batches(None, 1, np.random.default_rng(0))))
        self._n_infeasible = 0
        if surrogate.training.dilutes_loss:
            self._n_infeasible = math.prod(problem.space.sizes) - problem.feasible.count
        self._trained: tuple[int, int, Ensemble] | None = None

    def after(self, history: History, seed: int) -> Ensemble:
        """Return the ensemble that the measured observations give."""
        codes, values = history.codes[history.is_measured], history.values[history.is_measured]
        first, previous = 0, None
        if self._trained is not None and self._trained[0] == seed and self._trained[1] <= values.size:
            _, first, previous = self._trained
        feasible = self._problem.feasible.accepts(codes)
        for n in range(first + 1, values.size + 1):
            previous = self._surrogate.fit(
                self._prior,
                codes[:n],
                values[:n],
                self._infeasible,
                np.random.default_rng([seed, _TRAINING_STREAM, n]),
                previous=previous,
                is_feasible=feasible[:n],
                n_infeasible=self._n_infeasible,
                grids=self._grids,
            )
        assert previous is not None
        self._trained = (seed, values.size, previous)
        return previous

    def at_once(self, history: History, seed: int) -> Ensemble:
        """Return the ensemble of one training on all observations."""
        codes = history.codes[history.is_measured]
        return self._surrogate.fit(
            self._prior,
            codes,
            history.values[history.is_measured],
            self._infeasible,
            np.random.default_rng([seed, _TRAINING_STREAM]),
            is_feasible=self._problem.feasible.accepts(codes),
            n_infeasible=self._n_infeasible,
            grids=self._grids,
        )


class HsdpTraining:
    """Solves each round anew. A model is kept while nothing is told, for several asks in a row."""

    def __init__(
        self, settings: Hsdp, problem: CodeProblem, *, rank: int, penalty: float, tames_outliers: bool
    ) -> None:
        self._grid = Grid.of(problem.space.sizes)
        settings.check(self._grid.shape)
        self._settings = settings
        self._problem = problem
        self._rank = rank
        self._tames_outliers = tames_outliers
        rows = _to_learn(problem, penalty)
        self._infeasible = (
            rows.rows if isinstance(rows, ListedRows) else np.zeros((0, len(problem.space.sizes)), np.int64)
        )
        self._trained: tuple[int, int, TableModel] | None = None

    def after(self, history: History, seed: int) -> TableModel:
        """Return the table that the measured observations give."""
        codes, values = history.codes[history.is_measured], history.values[history.is_measured]
        if self._trained is not None and self._trained[:2] == (seed, values.size):
            return self._trained[2]
        model = fit(
            self._grid,
            self._rank,
            codes,
            values,
            self._infeasible,
            self._settings,
            np.random.default_rng([seed, _TRAINING_STREAM, values.size]),
            is_feasible=self._problem.feasible.accepts(codes),
            tames_outliers=self._tames_outliers,
        )
        self._trained = (seed, values.size, model)
        return model

    def at_once(self, history: History, seed: int) -> TableModel:
        """Return what `after` does: every round is solved anew."""
        return self.after(history, seed)


def _to_learn(problem: CodeProblem, penalty: float, grids: Grids | None = None) -> InfeasibleRows:
    """Return the rows that break a rule, or none where the rules are not to be learned."""
    if penalty == 0:
        return NoRows()
    if grids is not None and grids.slots:
        return anywhere_outside(problem.feasible, grids.rows)
    return infeasible_rows(problem.feasible, problem.space.sizes)
