"""Format and rank chosen by predictive evidence instead of by hand.

After 8, 16, 32, ... observations every candidate is trained on all folds but one and asked about the one left out; the
one with the highest predictive density goes on. What is chosen depends on a prefix of the history alone, so that it is
rebuilt by replaying.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.methods.catd.ensemble.ensemble import Ensemble
from hedgerow.methods.catd.ensemble.factorized import Factorized
from hedgerow.methods.catd.ensemble.infeasible import NoRows
from hedgerow.methods.catd.grids import Grids
from hedgerow.methods.catd.training import PgradTraining
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem

# Keeps the random numbers of choosing apart from those of training and suggesting.
_CHOICE_STREAM = 2**42
_FIRST_CHOICE = 8
_N_FOLDS = 4
_N_MODELS = 4
# Observations that a choice is made on: the latest.
_MAX_OBSERVATIONS = 512
# Members of an ensemble agree where they are wrong together; no prediction is surer than this, on a scale of 0 to 1.
_LEAST_SD = 0.03


class ChosenTraining:
    """Trains whichever candidate predicts best."""

    def __init__(self, candidates: Sequence[Factorized], problem: CodeProblem) -> None:
        self._candidates = list(candidates)
        self._problem = problem
        self._chosen: tuple[int, int, int] | None = None
        self._training = PgradTraining(self._candidates[0], problem)

    @property
    def chosen(self) -> Factorized:
        """The candidate that is trained now."""
        return self._candidates[self._chosen[2] if self._chosen else 0]

    def after(self, history: History, seed: int) -> Ensemble:
        """Return the ensemble of the candidate that the observations up to the last choice speak for."""
        n = scheduled(int(history.is_measured.sum()))
        if self._chosen is None or self._chosen[:2] != (seed, n):
            place = self._choose(history, n, seed) if n else 0
            if self.chosen != self._candidates[place]:
                self._training = PgradTraining(self._candidates[place], self._problem)
            self._chosen = (seed, n, place)
        return self._training.after(history, seed)

    def at_once(self, history: History, seed: int) -> Ensemble:
        """Return the ensemble of the candidate that all observations speak for, of one training."""
        n = int(history.is_measured.sum())
        place = self._choose(history, n, seed) if n >= _FIRST_CHOICE else 0
        return PgradTraining(self._candidates[place], self._problem).at_once(history, seed)

    def _choose(self, history: History, n: int, seed: int) -> int:
        codes = history.codes[history.is_measured][:n][-_MAX_OBSERVATIONS:]
        values = history.values[history.is_measured][:n][-_MAX_OBSERVATIONS:]
        folds = np.random.default_rng([seed, _CHOICE_STREAM, n]).permutation(codes.shape[0]) % _N_FOLDS
        evidence = [predictive_evidence(each, self._problem, codes, values, folds, seed) for each in self._candidates]
        return int(np.argmax(evidence))


def scheduled(n: int) -> int:
    """Return the number of observations of the last choice: a power of two, 0 before the first."""
    return 0 if n < _FIRST_CHOICE else int(2 ** math.floor(math.log2(n)))


def predictive_evidence(
    surrogate: Factorized,
    problem: CodeProblem,
    codes: Codes,
    values: NDArray[np.float64],
    folds: NDArray[np.int64],
    seed: int,
) -> float:
    """Return the mean logarithm of the density that a candidate gives to values it was not told."""
    smaller = replace(surrogate, n_models=_N_MODELS, training=replace(surrogate.training, penalty=0.0))
    grids = Grids(problem.space, surrogate.n_nodes)
    prior = smaller.prior_on(grids)
    total = 0.0
    for fold in range(_N_FOLDS):
        told, left = folds != fold, folds == fold
        rng = np.random.default_rng([seed, _CHOICE_STREAM, codes.shape[0], fold])
        ensemble = smaller.fit(prior, codes[told], values[told], NoRows(), rng, grids=grids)
        mean, sd = ensemble.predict(codes[left])
        sd = np.hypot(sd, _LEAST_SD)
        z = (ensemble.scaling.normalize(values[left]) - mean) / sd
        total += float((-0.5 * z**2 - np.log(sd)).sum())
    return total / int(codes.shape[0])
