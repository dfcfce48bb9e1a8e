"""The chance that a trial works, learned from those that failed: a smooth one, a slope, and sharp borders beside them.

The smooth chance is a process on zeros and ones with the parameters of the objective; slopes (`slopes.py`) let every
slot add to the log-odds. Each counts by how well it predicts outcomes that it is not told. Borders (`borders.py`) are
short rules that evidence speaks for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.special import expit  # type: ignore[import-untyped]

from hedgerow.arrays import Changes, Codes, Column, Mask, Scores
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.methods.auto.kernel.neighborhood import KernelNeighborhood
from hedgerow.methods.auto.kernel.process import KernelFactor, KernelSurrogate
from hedgerow.methods.auto.kernel.tensor_kernel import Parameters
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.auto.slopes import SlopeColumns, Slopes, fit_slopes
from hedgerow.methods.borders import Borders, Landmarks, learn_borders

# Outcomes that the chance of success is learned from: the latest.
_MAX_OUTCOMES = 1000
# However often trials fail near a row, it keeps this much of a chance.
LEAST_CHANCE = 0.01
_LEAST_BEYOND = 1e-6
# A failed trial is worse than one that gains nothing: in what a row is worth its chance counts so many times. On two
# convolution kernels, six seeds each, 14.5 and 2.7 of 200 trials failed where it counted once (and 0.8 was likely
# enough, see below), 8.8 and 2.0 where it counts three times, and all runs end at the optimum where three did not.
TIMES = 3.0
# Logarithms below this are of what comes after everything else.
LEAST_LOG_WEIGHT = TIMES * (math.log(LEAST_CHANCE) + math.log(_LEAST_BEYOND))
_AFTER_ALL_ELSE = 1e4
# What has less of a chance than this may well fail.
_LIKELY = math.log(0.9)


@dataclass(frozen=True, eq=False)
class Success:
    """What is believed of the chance that a trial works."""

    problem: KernelProblem
    smooth: KernelSurrogate
    borders: Borders | None
    slopes: Slopes
    # How much of the chance the slopes make up; the smooth one is the rest.
    share_of_slopes: float
    # Whether what may well fail comes after everything else.
    is_wary: bool = False

    def wary(self) -> Success:
        """Return the same for trials of which little is expected: what may well fail comes after everything else.

        Expected improvements that are next to nothing differ by factors that no chance of failing weighs up.
        """
        return replace(self, is_wary=True)

    def log_rows(self, rows: Codes) -> Scores:
        """Return the logarithm of the chance of each row."""
        return self.log_chances(self.smooth.predict(self.problem.active_part(rows))[0], rows)

    def is_likely(self, row: Codes) -> bool:
        """Whether the trial of a row works but for one of ten."""
        return bool(self.log_rows(row[None, :])[0] >= _LIKELY)

    def log_weights(self, rows: Codes) -> Scores:
        """Return the logarithm of what the worth of each row is multiplied by."""
        return self.weighed(self.log_rows(rows), rows)

    def log_weights_listed(self) -> Scores:
        """Return the same for all listed rows."""
        rows = self.problem.codes.all_listed
        return self.weighed(self.log_chances(self.smooth.predict_mean(self.problem.many_rows), rows), rows)

    def near(self, row: Codes, literals: Literals) -> SuccessNear:
        """Return what knows the weights after small changes of a row."""
        return SuccessNear(self, row, literals)

    def log_chances(self, smooth: Scores, rows: Codes) -> Scores:
        """Return the logarithms of chances from what the process says of the rows."""
        sloped = self.slopes.chance(rows)
        log_mixed = log_chance((1.0 - self.share_of_slopes) * np.clip(smooth, 0.0, 1.0) + self.share_of_slopes * sloped)
        if self.borders is None or not self.borders.stages:
            return log_mixed
        return np.asarray(log_mixed + np.log(np.maximum(self.borders.chance(rows), _LEAST_BEYOND)))

    def weighed(self, log_chances: Scores, rows: Codes) -> Scores:
        """Return the logarithms of weights from those of chances."""
        weights = TIMES * log_chances
        if self.is_wary:
            weights = np.where(log_chances < _LIKELY, weights - _AFTER_ALL_ELSE, weights)
        if self.borders is None or not self.borders.stages:
            return weights
        # However small a chance, a belief that expects wonders beyond a border would try it for ever once it expects
        # nothing elsewhere. What is beyond a border as good as a rule comes after everything else.
        return np.where(self.borders.is_hopeless(rows), weights - _AFTER_ALL_ELSE, weights)


@dataclass(frozen=True, eq=False)
class SuccessNear:
    """What the worth of a row is multiplied by after changes of it."""

    success: Success
    row: Codes
    literals: Literals

    def log_weights(self, changes: Changes) -> Scores:
        """Return the logarithm of the weight after each change."""
        smooth = self._smooth.means(*self.literals.of(changes))
        rows = changed_rows(self.row, changes)
        return self.success.weighed(self.success.log_chances(smooth, rows), rows)

    @cached_property
    def _smooth(self) -> KernelNeighborhood:
        problem = self.success.problem
        row = problem.active_part(self.row[None, :])[0]
        return KernelNeighborhood.of(self.success.smooth, row, *problem.places_of(self.literals))


class SuccessLearner:
    """Learns the chance for one problem."""

    def __init__(self, problem: KernelProblem, has_borders: bool = True) -> None:
        self._problem = problem
        self._landmarks = Landmarks(problem.codes.space) if has_borders else None
        self._columns = SlopeColumns(problem.codes.space)

    def learned(self, codes: Codes, has_worked: Mask, parameters: Parameters) -> Success | None:
        """Return what outcomes have taught, None where none failed; the parameters are those of the objective."""
        if has_worked.all():
            return None
        recent = slice(-_MAX_OUTCOMES, None)
        active = self._problem.active_part(codes[recent])
        factor = KernelFactor.of(self._problem.kernel, parameters, active)
        worked = has_worked.astype(np.float64)[recent]
        smooth = KernelSurrogate.condition(factor, worked)
        slopes = fit_slopes(self._columns, codes[recent], has_worked[recent])
        share = float(expit(slopes.log_left_out - _log_left_out(smooth, worked)))
        borders = None
        if self._landmarks is not None:
            borders = learn_borders(self._landmarks, codes[recent], has_worked[recent])
        return Success(self._problem, smooth, borders, slopes, share)


def _log_left_out(smooth: KernelSurrogate, worked: Column) -> float:
    """Return the logarithm of the chance of each outcome without itself, by what a process says of the others."""
    inverse = smooth.factor.solve(np.eye(worked.size))
    leverage = np.einsum("ij,ij->j", inverse, inverse)
    without = worked - inverse.T @ (inverse @ (worked - smooth.mean)) / leverage
    chance = np.clip(without, LEAST_CHANCE, 1.0 - LEAST_CHANCE)
    return float(np.log(np.where(worked > 0.5, chance, 1.0 - chance)).sum())


def log_chance(success: Scores) -> Scores:
    """Return the logarithm of a predicted chance of success, which may lie outside 0 and 1."""
    return np.log(np.clip(success, LEAST_CHANCE, 1.0))
