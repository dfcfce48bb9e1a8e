"""The default method: no format, no rank, no scale to choose.

The belief is a Gaussian process with the tensor kernel under two output transforms, each with its most likely
parameters and a few draws around them, weighted by evidence. A row is worth its expected improvement, averaged over
these beliefs, times the chance that the trial does not fail. When trials stop improving, some of them stay next to
the best rows: on rugged landscapes a smooth belief cannot see the last step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.acquisition.functions import log_expected_improvement
from hedgerow.acquisition.maximize import Found, best_of
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.propose import Proposing, propose
from hedgerow.space.encoding import Codes
from hedgerow.surrogates.kernel import KernelSurrogate, draw_parameters, fit_mode
from hedgerow.surrogates.tensor_kernel import Parameters
from hedgerow.surrogates.transforms import TRANSFORMS

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Auto:
    """Settings of the default method; nobody should need to change them."""

    # Of many rows, the most promising under the modes are scored under all draws as well.
    shortlist: int = 400
    n_draws: int = 4
    # Observations used to fit parameters, and to condition on.
    max_fitted: int = 250
    max_conditioned: int = 1500
    # After this many trials without improvement, one suggestion in `local_every` stays next to the best rows.
    patience: int = 40
    local_every: int = 2
    n_local_centres: int = 3
    proposing: Proposing = field(default_factory=Proposing)

    @property
    def may_break_rules(self) -> bool:
        """Never."""
        return False

    def start(self, problem: CodeProblem) -> AutoRun:
        """Return what suggests points for one problem."""
        return AutoRun(self, problem)


@dataclass(frozen=True, eq=False)
class _Belief:
    """One set of parameters under one transform, with its share of the evidence."""

    transform: int
    parameters: Parameters
    log_weight: float
    is_mode: bool


class AutoRun:
    """Suggests rows for one problem. It remembers only fits, which depend on nothing but the first observations."""

    def __init__(self, settings: Auto, problem: CodeProblem) -> None:
        self._settings = settings
        self._problem = problem
        self._fits: dict[int, list[_Belief]] = {}

    def suggest(self, history: History, seed: int) -> Found:
        """Return the row to try next, a pure function of problem, history, settings and seed."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        values = history.values[history.is_measured]
        if values.size < 2 or np.ptp(_safe(values)) == 0:
            return Found(self._problem.draw_unseen(history, rng), is_exact=False)
        belief = _Posterior(self._settings, self._problem, history, self._beliefs(history, seed))
        return self._maximise(history, belief, rng)

    def _maximise(self, history: History, belief: _Posterior, rng: Generator) -> Found:
        near = self._near_best(history)
        if near.shape[0]:
            return Found(best_of(near, belief.score(near), rng), is_exact=False)
        shortlist = (belief.rough_score, self._settings.shortlist)
        return propose(self._problem, history, belief.score, rng, self._settings.proposing, shortlist)

    def _near_best(self, history: History) -> Codes:
        """Return unseen feasible rows one change away from the best, when it is the turn for that; else none."""
        settings = self._settings
        none = history.codes[:0]
        if history.n_stale < settings.patience or history.n_told % settings.local_every:
            return none
        for centre in history.best_first[: settings.n_local_centres]:
            rows = self._problem.feasible.neighbours(centre)
            rows = rows[~history.is_seen(rows)]
            if rows.shape[0]:
                return rows
        return none

    def _beliefs(self, history: History, seed: int) -> list[_Belief]:
        """Fit on the largest scheduled number of observations, so that a fit can be rebuilt from the history alone."""
        codes, values = history.codes[history.is_measured], history.values[history.is_measured]
        n = _scheduled(values.size)
        while np.ptp(_safe(values[:n])) == 0:
            n += 1
        if n not in self._fits:
            rng = np.random.default_rng([seed, _FIT_STREAM, n])
            self._fits = {n: self._fit(codes[:n], _safe(values[:n]), rng)}
        return self._fits[n]

    def _fit(self, codes: Codes, values: Scores, rng: Generator) -> list[_Belief]:
        kernel = self._problem.kernel
        keep = _informative(values, self._settings.max_fitted)
        columns = self._problem.active
        rows = np.ascontiguousarray(codes[keep][:, columns])
        beliefs: list[_Belief] = []
        for index, transform in enumerate(TRANSFORMS):
            targets = transform(values[keep])
            mode = fit_mode(kernel, rows, targets.values)
            draws = draw_parameters(kernel, rows, targets.values, mode, self._settings.n_draws, rng)
            evidence = mode.log_evidence + targets.log_jacobian
            beliefs.append(_Belief(index, mode.parameters, evidence, is_mode=True))
            beliefs += [_Belief(index, draw, evidence, is_mode=False) for draw in draws]
        top = max(belief.log_weight for belief in beliefs)
        return [
            _Belief(b.transform, b.parameters, b.log_weight - top, b.is_mode) for b in beliefs if b.log_weight > top - 7
        ]


class _Posterior:
    """The beliefs conditioned on a history: scores for any rows."""

    def __init__(self, settings: Auto, problem: CodeProblem, history: History, beliefs: list[_Belief]) -> None:
        self._problem = problem
        self._beliefs = beliefs
        codes, values = history.codes[history.is_measured], _safe(history.values[history.is_measured])
        keep = _informative(values, settings.max_conditioned)
        columns = problem.active
        self._codes = np.ascontiguousarray(codes[keep][:, columns])
        self._pending = np.ascontiguousarray(history.pending[:, columns])
        self._targets = [transform(values[keep]).values for transform in TRANSFORMS]
        self._models: dict[int, KernelSurrogate] = {}
        self._success = self._success_model(history) if not history.is_measured.all() else None

    def score(self, rows: Codes) -> Scores:
        """Return the logarithm of the averaged expected improvement, and of the chance of success."""
        return self._mixture(rows, self._beliefs)

    def rough_score(self, rows: Codes) -> Scores:
        """Return the same under the most likely parameters alone."""
        return self._mixture(rows, [belief for belief in self._beliefs if belief.is_mode])

    def _mixture(self, rows: Codes, beliefs: list[_Belief]) -> Scores:
        active = np.ascontiguousarray(rows[:, self._problem.active])
        total = np.full(rows.shape[0], -np.inf)
        for belief in beliefs:
            mean, sd = self._model(belief).predict(active)
            best = float(self._targets[belief.transform].min())
            total = np.logaddexp(total, belief.log_weight + log_expected_improvement(mean, sd, best))
        if self._success is not None:
            total = total + np.log(np.clip(self._success.predict(active)[0], _LEAST_CHANCE, 1.0))
        return total

    def _model(self, belief: _Belief) -> KernelSurrogate:
        place = self._beliefs.index(belief)
        if place not in self._models:
            targets = self._targets[belief.transform]
            model = KernelSurrogate.condition(self._problem.kernel, belief.parameters, self._codes, targets)
            if self._pending.shape[0]:
                # Trials that are out are believed to turn out as predicted, so that they are not crowded around.
                believed = np.concatenate([targets, model.predict(self._pending)[0]])
                codes = np.concatenate([self._codes, self._pending])
                model = KernelSurrogate.condition(self._problem.kernel, belief.parameters, codes, believed)
            self._models[place] = model
        return self._models[place]

    def _success_model(self, history: History) -> KernelSurrogate:
        codes = np.ascontiguousarray(history.codes[:, self._problem.active])
        outcome = history.is_measured.astype(np.float64)
        return KernelSurrogate.condition(self._problem.kernel, self._beliefs[0].parameters, codes, outcome)


# However often trials fail near a row, it keeps this much of a chance.
_LEAST_CHANCE = 0.01
# Keeps the random numbers of fits apart from those of suggestions.
_FIT_STREAM = 2**40


def _scheduled(n: int) -> int:
    """Fit after every observation at first, then after every twentieth part of them."""
    step = int(2 ** max(0, math.floor(math.log2(max(n, 1) / 20))))
    return n - n % step


def _informative(values: Scores, limit: int) -> NDArray[np.int64]:
    """Return which observations to use: all, or the best third of the limit and the latest of the others."""
    if values.size <= limit:
        return np.arange(values.size)
    order = np.argsort(values, kind="stable")
    best = order[: limit // 3]
    others = np.sort(order[limit // 3 :])[-(limit - best.size) :]
    return np.sort(np.concatenate([best, others]))


def _safe(values: Scores) -> Scores:
    """Bring values of any magnitude into a range where squares neither overflow nor vanish."""
    largest = float(np.abs(values).max(initial=0.0))
    return values / largest if largest > 0 else values
