"""What is believed, asked directly: estimates of outcomes at any rows, in their own units, and chances.

The beliefs are those of the default method, whatever method chooses the points. They live in transformed numbers; an
estimate is that of the mixture of all beliefs, taken back through the transforms at equally likely places.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np
from scipy.special import ndtr, ndtri  # type: ignore[import-untyped]

from hedgerow.arrays import Codes, Column
from hedgerow.errors import HedgerowError
from hedgerow.methods.auto.belief import Belief, BeliefSettings, safe
from hedgerow.methods.auto.curves import mean_and_deviation
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.auto.left import NOTHING, Left, chance_of_gain, left_to_gain, untried_rows
from hedgerow.methods.auto.method import Auto, AutoRun
from hedgerow.methods.auto.posterior import Posterior
from hedgerow.methods.auto.several import SeveralBeliefs, noisy
from hedgerow.methods.auto.success import SuccessLearner
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.threads import one_thread
from hedgerow.outcomes.observation import Estimate

# Places of a Gaussian that stand for equal shares of it.
_PLACES = ndtri((np.arange(32) + 0.5) / 32)
# Of longer lists of untried rows, so many of highest bounds are looked at to know the chance of a gain.
_MANY_LISTED, _N_BOUNDED = 3000, 1500
# The columns of limits are kept apart from those of outcomes.
_LIMITS_FROM = 10**6


class OutcomeModel:
    """Beliefs about everything that trials of one problem give."""

    def __init__(self, problem: CodeProblem, seed: int) -> None:
        settings = BeliefSettings()
        if problem.goals.may_repeat:
            settings = replace(settings, prior=noisy(settings.prior))
        self._seed = seed
        self._problem = problem
        self._kernel_problem = kernel_problem = KernelProblem(problem, settings.prior)
        # What is left goes by the trials of this problem alone.
        self._alone = copy(problem)
        self._alone.earlier = ()
        self._run = AutoRun(Auto(), self._alone)
        self._success = SuccessLearner(kernel_problem)
        self._beliefs = SeveralBeliefs(settings, kernel_problem, problem.goals, self._success)

    def posterior(self, history: History, place: int, values: Column) -> Posterior | None:
        """Return what is believed of an outcome, a column of numbers; None while it has no two different values."""
        return self._beliefs.one(history, place, values, self._seed)

    def left(self, history: History, slacks: Sequence[Column], best: float | None) -> tuple[Left, Left]:
        """Return what is left to gain on the best value (None: the lowest believed), and the same to the cautious."""
        told = History(history.codes, history.values, history.pending[:0])
        rows, is_exact = untried_rows(self._alone, told)
        if not rows.shape[0]:
            return NOTHING, NOTHING
        values = told.values[told.is_measured]
        if values.size < 2 or np.ptp(safe(values)) == 0:
            raise HedgerowError("Nothing can be said of what is left before trials have given two different values.")
        within = None if not slacks else np.log(np.maximum(self.chances_of_limits(history, slacks, rows), 1e-300))
        with one_thread():
            return left_to_gain(self._run.posterior(told, self._seed), best, rows, is_exact, within)

    def chance_of_gain(self, history: History, slacks: Sequence[Column], best: float | None, least: float) -> float:
        """Return the chance that any untried row gains more than `least` on the best (None: the lowest believed)."""
        told = History(history.codes, history.values, history.pending[:0])
        rows, is_exact = untried_rows(self._alone, told)
        if not rows.shape[0]:
            return 0.0
        with one_thread():
            posterior = self._run.posterior(told, self._seed)
            if is_exact and rows.shape[0] > _MANY_LISTED:
                # Those of highest bounds: the others have no part in it.
                bounds = posterior.bounds()[~self._alone.is_seen(told)]
                rows = rows[np.sort(np.argsort(-bounds, kind="stable")[:_N_BOUNDED])]
            within = None if not slacks else np.log(np.maximum(self.chances_of_limits(history, slacks, rows), 1e-300))
            return chance_of_gain(posterior, best, rows, least, within)

    def estimates(self, history: History, place: int, values: Column, rows: Codes) -> list[Estimate]:
        """Return what is believed of an outcome, given as a column of numbers, at some rows.

        What is believed of a row that was told goes by all its readings.
        """
        posterior = self.posterior(history, place, values)
        if posterior is None:
            mean = float(np.mean(values[np.isfinite(values)])) if np.isfinite(values).any() else math.nan
            return [Estimate(mean, math.nan, (-math.inf, math.inf))] * rows.shape[0]
        parts = []
        for belief in posterior.beliefs:
            means, deviations = _moments(posterior, belief, self._active(rows))
            parts.append(posterior.believed_values(belief.transform, means + deviations * _PLACES[:, None]))
        shares = np.repeat(_shares(posterior) / _PLACES.size, _PLACES.size)
        return [_estimate(column, shares) for column in np.concatenate(parts).T]

    def chances_of_limits(self, history: History, slacks: Sequence[Column], rows: Codes) -> Column:
        """Return the chance that slacks, one column for each threshold, are all positive."""
        chance = np.ones(rows.shape[0])
        for place, slack in enumerate(slacks):
            posterior = self._beliefs.one(history, _LIMITS_FROM + place, -slack, self._seed)
            if posterior is None:
                known = slack[np.isfinite(slack)]
                chance *= float(known[0] >= 0) if known.size else math.nan
            else:
                chance *= _chance_below_zero(posterior, self._active(rows))
        return chance

    def chances_of_success(self, history: History, value: Column, rows: Codes) -> Column:
        """Return the chance that trials work; `value` is the column whose beliefs lend their parameters."""
        posterior = self._beliefs.one(history, 0, value, self._seed)
        if history.has_worked.all():
            return np.ones(rows.shape[0])
        if posterior is None:
            return np.full(rows.shape[0], float(history.has_worked.mean()))
        learned = self._success.learned(history.codes, history.has_worked, posterior.beliefs[0].parameters)
        assert learned is not None
        return np.asarray(np.exp(learned.log_rows(rows)))

    def _active(self, rows: Codes) -> Codes:
        return self._kernel_problem.active_part(rows)


def _shares(posterior: Posterior) -> Column:
    weights = np.exp([belief.log_weight for belief in posterior.beliefs])
    return np.asarray(weights / weights.sum())


def _moments(posterior: Posterior, belief: Belief, active: Codes) -> tuple[Column, Column]:
    """Return the mean and the deviation of rows in the eyes of a belief, of told ones by all readings of each."""
    mean, sd = posterior.predict(belief, active)
    measured = posterior.measured(belief)
    place = {row.tobytes(): k for k, row in enumerate(measured.pooled.rows)}
    # Of very many observations some are left out; those are believed like any other row.
    kept = np.array([place.get(row.tobytes(), -1) for row in belief.rows_of(active)])
    is_told = kept >= 0
    # Without repeated readings, all that a process cannot explain counts as noise, and it is sure of nothing more.
    if not measured.pooled.freedom or not is_told.any():
        return mean, sd
    own_mean, own_sd = measured.moments
    return np.where(is_told, own_mean[kept], mean), np.where(is_told, own_sd[kept], sd)


def _chance_below_zero(posterior: Posterior, active: Codes) -> Column:
    total = np.zeros(active.shape[0])
    for share, belief in zip(_shares(posterior), posterior.beliefs, strict=True):
        mean, sd = posterior.predict(belief, active)
        total += share * ndtr((posterior.target(belief.transform, 0.0) - mean) / sd)
    # Shares add up to one but for rounding.
    return np.minimum(total, 1.0)


def _estimate(numbers: Column, shares: Column) -> Estimate:
    order = np.argsort(numbers, kind="stable")
    up_to = np.cumsum(shares[order])
    low, high = (float(numbers[order][np.searchsorted(up_to, share)]) for share in (0.05, 0.95))
    return Estimate(*mean_and_deviation(numbers, shares), (low, high))
