"""The chance that a trial works, learned from those that failed: a smooth one, and sharp borders beside it.

The smooth chance is a process on zeros and ones with the parameters of the objective. Parameters of its own were tried:
on a convolution kernel of which one point in nine fails, 17, 13 and 15 failed trials of 200 instead of 14, 18 and 13,
the optimum sooner in two of three runs and not at all in the third. Three runs do not decide it, so the simpler stays.
Borders (`borders.py`) are short rules that evidence speaks for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.arrays import Changes, Codes, Mask, Scores
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.methods.auto.kernel.neighborhood import KernelNeighborhood
from hedgerow.methods.auto.kernel.process import KernelFactor, KernelSurrogate
from hedgerow.methods.auto.kernel.tensor_kernel import Parameters
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.borders import Borders, Landmarks, learn_borders

# Outcomes that the chance of success is learned from: the latest.
_MAX_OUTCOMES = 1000
# However often trials fail near a row, it keeps this much of a chance.
LEAST_CHANCE = 0.01
_LEAST_BEYOND = 1e-6
_AFTER_ALL_ELSE = 1e4


@dataclass(frozen=True, eq=False)
class Success:
    """What is believed of the chance that a trial works."""

    problem: KernelProblem
    smooth: KernelSurrogate
    borders: Borders | None

    def log_rows(self, rows: Codes) -> Scores:
        """Return the logarithm of the chance of each row."""
        return self._both(self.smooth.predict(self.problem.active_part(rows))[0], rows)

    def log_listed(self) -> Scores:
        """Return the same for all listed rows."""
        return self._both(self.smooth.predict_mean(self.problem.many_rows), self.problem.codes.all_listed)

    def near(self, row: Codes, literals: Literals) -> SuccessNear:
        """Return what knows the chances after small changes of a row."""
        return SuccessNear(self, row, literals)

    def _both(self, smooth: Scores, rows: Codes) -> Scores:
        if self.borders is None or not self.borders.stages:
            return log_chance(smooth)
        chance = log_chance(smooth) + np.log(np.maximum(self.borders.chance(rows), _LEAST_BEYOND))
        # However small a chance, a belief that expects wonders beyond a border would try it for ever once it expects
        # nothing elsewhere. What is beyond a border as good as a rule comes after everything else.
        return np.where(self.borders.is_hopeless(rows), chance - _AFTER_ALL_ELSE, chance)


@dataclass(frozen=True, eq=False)
class SuccessNear:
    """The chance after changes of one row."""

    success: Success
    row: Codes
    literals: Literals

    def log_chance(self, changes: Changes) -> Scores:
        """Return the logarithm of the chance after each change."""
        smooth = self._smooth.means(*self.literals.of(changes))
        return self.success._both(smooth, changed_rows(self.row, changes))

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

    def learned(self, codes: Codes, has_worked: Mask, parameters: Parameters) -> Success | None:
        """Return what outcomes have taught, None where none failed; the parameters are those of the objective."""
        if has_worked.all():
            return None
        recent = slice(-_MAX_OUTCOMES, None)
        active = self._problem.active_part(codes[recent])
        factor = KernelFactor.of(self._problem.kernel, parameters, active)
        smooth = KernelSurrogate.condition(factor, has_worked.astype(np.float64)[recent])
        borders = None
        if self._landmarks is not None:
            borders = learn_borders(self._landmarks, codes[recent], has_worked[recent])
        return Success(self._problem, smooth, borders)


def log_chance(success: Scores) -> Scores:
    """Return the logarithm of a predicted chance of success, which may lie outside 0 and 1."""
    return np.log(np.clip(success, LEAST_CHANCE, 1.0))
