"""What is left to gain: how much better than the best the best untried feasible row is expected to be.

Every untried row has an expected improvement. Of all of them together, neither the largest (one trial) nor the sum
(rows that are alike counted again and again) is what is left: that is the expected improvement of the lowest, taken
from joint draws of the rows that matter. Below the best value all transforms are straight lines, so what is expected in
targets is exact in the unit of the values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.linalg import cholesky  # type: ignore[import-untyped]
from scipy.special import ndtr  # type: ignore[import-untyped]

from hedgerow.arrays import Codes, Column, Matrix, Places, Scores
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.methods.auto.belief import Belief
from hedgerow.methods.auto.kernel.process import KernelSurrogate
from hedgerow.methods.auto.posterior import Posterior
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.improvement_loops import log_improvements

# Rows of which joint draws are made: those of largest expected improvement; and how many draws.
_N_TOGETHER = 128
_N_DRAWS = 256
# The same where only the chance of a gain is asked for: rows that are rough count even if each is unlikely.
_N_TOGETHER_ROUGH = 256
_N_DRAWS_ROUGH = 128
# Beliefs with a smaller share of the evidence are left out.
_LEAST_SHARE = 0.02
_MAX_LISTED = 30_000
# Where rows cannot be listed: uniform draws, and the neighbors of so many of the best rows.
_N_DRAWN = 4000
_N_CENTERS = 5
_AT_ONCE = 2000
# Whoever is cautious takes deviations to be so many times as large.
CAUTIOUS = 2.0
# Whoever asks whether to stop takes them to be so many times as large: see `hedgerow.stopping`.
DOUBTING = 1.5


@dataclass(frozen=True)
class Left:
    """In the unit of the values: what is expected of all untried rows, of the best single trial, and the chance."""

    expected: float
    of_one: float
    chance: float
    n_rows: int
    is_exact: bool


NOTHING = Left(0.0, 0.0, 0.0, 0, True)


def untried_rows(problem: CodeProblem, history: History) -> tuple[Codes, bool]:
    """Return all untried feasible rows, or where they cannot be listed draws and neighbors of the best rows."""
    listed = problem.listed(_MAX_LISTED)
    if listed is not None:
        return listed[~problem.is_seen(history)], True
    rng = np.random.default_rng(0)
    parts = [problem.feasible.draw(_N_DRAWN, rng)]
    everything = Literals.all_of(problem.space.sizes)
    centers = history.best_first[:_N_CENTERS]
    parts += [
        changed_rows(center, problem.feasible.changes(center, 1, everything))
        for center in centers[problem.feasible.accepts(centers)]
    ]
    rows = np.unique(np.concatenate(parts), axis=0)
    return rows[~history.is_seen(rows)], False


def left_to_gain(
    posterior: Posterior,
    best: float | None,
    rows: Codes,
    is_exact: bool,
    log_within: Scores | None = None,
) -> tuple[Left, Left]:
    """Return what rows are expected to gain on the best value, in its unit, and the same to the cautious.

    Without a best value it is the lowest believed one. `log_within` are logarithms of the chances to keep the limits.
    """
    gains = _Gains(posterior, best, rows, log_within)
    return gains.left(1.0, is_exact), gains.left(CAUTIOUS, is_exact)


def chance_of_gain(
    posterior: Posterior, best: float | None, rows: Codes, least: float, log_within: Scores | None
) -> float:
    """Return the chance that any of the rows gains more than `least` on the best, to those who doubt a little."""
    return _Gains(posterior, best, rows, log_within).chance(DOUBTING, least, is_rough=best is not None)


class _Gains:
    """What rows are expected to gain, alone and together, under the beliefs that count."""

    def __init__(
        self,
        posterior: Posterior,
        best: float | None,
        rows: Codes,
        log_within: Scores | None,
    ) -> None:
        weights = np.exp([belief.log_weight for belief in posterior.beliefs])
        shares = weights / weights.sum()
        counted = [place for place, share in enumerate(shares) if share >= _LEAST_SHARE]
        self._beliefs = [posterior.beliefs[place] for place in counted]
        self._shares = shares[counted] / shares[counted].sum()
        self._posterior = posterior
        self._goals = [_goal(posterior, belief, best) for belief in self._beliefs]
        self._slopes = [_slope(posterior, belief) for belief in self._beliefs]
        self._rows = rows
        success = np.concatenate([posterior.log_success(part) for part in _parts(rows)])
        self._log_able = success if log_within is None else success + log_within
        self._moments = [_moments(posterior.model(each), posterior.seen_by(each, rows)) for each in self._beliefs]

    def left(self, doubt: float, is_exact: bool) -> Left:
        """Return what is left where all deviations are multiplied."""
        alone = self._alone(doubt, [0.0] * len(self._beliefs))
        top = _highest(alone, _N_TOGETHER)
        expected = chance = 0.0
        for place, draws in enumerate(self._draws(top, doubt, _N_DRAWS)):
            # A row that fails gains nothing.
            able = np.where(_uniform(*draws.shape) < np.exp(self._log_able[top]), draws, math.inf)
            gained = self._slopes[place] * np.maximum(0.0, self._goals[place] - able.min(axis=1))
            expected += float(self._shares[place] * gained.mean())
            chance += float(self._shares[place] * (gained > 0.0).mean())
        # Draws are few: what is left is no less than what one trial is expected to give.
        of_one = float(alone.max())
        return Left(max(expected, of_one), of_one, chance, self._rows.shape[0], is_exact)

    def chance(self, doubt: float, least: float, is_rough: bool) -> float:
        """Return the chance that any row gains more than the least, where all deviations are multiplied.

        What rows are on their own is independent, so of that part the chance needs no draws.
        """
        rough = [_roughness(self._posterior.model(belief)) if is_rough else 0.0 for belief in self._beliefs]
        top = _highest(self._alone(doubt, rough), _N_TOGETHER_ROUGH)
        able = np.exp(self._log_able[top])
        total = 0.0
        for place, draws in enumerate(self._draws(top, doubt, _N_DRAWS_ROUGH)):
            to_gain = self._goals[place] - least / self._slopes[place] - draws
            chances = ndtr(to_gain / math.sqrt(rough[place])) if rough[place] > 0 else to_gain > 0
            total += float(self._shares[place] * (1.0 - np.prod(1.0 - able * chances, axis=1)).mean())
        return total

    def _alone(self, doubt: float, rough: Sequence[float]) -> Scores:
        """Return what each row is expected to gain on its own."""
        alone = np.zeros(self._rows.shape[0])
        weights = self._shares * self._slopes
        for (mean, sd), goal, weight, own in zip(self._moments, self._goals, weights, rough, strict=True):
            wide = np.sqrt((doubt * sd) ** 2 + own)
            alone += weight * np.exp(log_improvements(mean, wide, goal) + self._log_able)
        return alone

    def _draws(self, places: Places, doubt: float, n: int) -> Iterator[Matrix]:
        """Yield joint draws of some rows, (n, n_rows), under each belief."""
        for belief in self._beliefs:
            active = self._posterior.seen_by(belief, self._rows[places])
            mean, factor = joint_factor(self._posterior.model(belief), active)
            yield mean + doubt * (_normal(n, mean.size) @ factor.T)


def _highest(scores: Scores, n: int) -> Places:
    return np.sort(np.argsort(-scores, kind="stable")[:n])


@cache
def _normal(n: int, n_rows: int) -> Matrix:
    return np.random.default_rng(0).normal(size=(n, n_rows))


@cache
def _uniform(n: int, n_rows: int) -> Matrix:
    return np.random.default_rng(1).random((n, n_rows))


def _roughness(model: KernelSurrogate) -> float:
    """Return the variance of rows on their own: where readings are exact, what beliefs take for noise is the rows'."""
    return model.variance * model.factor.kernel.noise(model.factor.parameters)


def _moments(model: KernelSurrogate, active: Codes) -> tuple[Column, Column]:
    mean, sd = zip(*(model.predict(part) for part in _parts(active)), strict=True)
    return np.concatenate(mean), np.concatenate(sd)


def joint_factor(model: KernelSurrogate, active: Codes) -> tuple[Column, Matrix]:
    """Return the mean of rows, and a matrix whose product with standard normal columns gives joint draws around it."""
    kernel = model.factor.kernel
    explained = model.factor.solve(kernel.products(model.factor.codes, active, model.tables))
    covariance = kernel.own_products(active, model.tables) - explained.T @ explained
    covariance.flat[:: active.shape[0] + 1] += 1e-6
    lower = cholesky(covariance, lower=True, check_finite=False)
    return model.mean + model.whitened @ explained, math.sqrt(model.variance) * lower


def _parts(rows: Codes) -> list[Codes]:
    return [rows[start : start + _AT_ONCE] for start in range(0, rows.shape[0], _AT_ONCE)]


def _goal(posterior: Posterior, belief: Belief, best: float | None) -> float:
    return float(posterior.model(belief).fitted.min()) if best is None else posterior.target(belief.transform, best)


def _slope(posterior: Posterior, belief: Belief) -> float:
    """Return how much of the value a unit of the target is, at and below the best."""
    ends = np.array([0.0, -1.0]) + float(posterior.targets(belief.transform).min())
    high, low = posterior.values_of(belief.transform, ends)
    return float(high - low)
