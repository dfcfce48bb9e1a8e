"""The default method where a trial gives more than one number: several objectives, limits on what is measured.

It is built from the same parts as for one value: fits on a schedule, conditioning in every ask, turns of doubt and of
small changes when nothing has improved for long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hedgerow.arrays import Codes, Column, Mask, Matrix
from hedgerow.methods.auto.belief import BeliefSettings, Fit, fit_beliefs, safe
from hedgerow.methods.auto.joint import JointPosterior
from hedgerow.methods.auto.kernel.tensor_kernel import KernelPrior
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.auto.posterior import Posterior
from hedgerow.methods.auto.schedule import scheduled
from hedgerow.methods.auto.success import SuccessLearner
from hedgerow.methods.history import History
from hedgerow.outcomes.front import non_dominated
from hedgerow.outcomes.goals import Goals

# Keeps the random numbers of these fits apart from those of suggestions, and of fits to a single value.
_FIT_STREAM = 2**41
# Volumes and limits are measured in targets. The magnified transform has no place for what lies below the best value,
# and makes the end of a front look longer than its middle.
_TRANSFORMS = (0, 1)


@dataclass(frozen=True, eq=False)
class Judged:
    """A history with what its outcomes mean: which rows keep rules and limits, and which of them are on the front."""

    history: History
    goals: Goals
    is_feasible: Mask

    @property
    def n_objectives(self) -> int:
        """The number of objectives; the columns after them are slacks."""
        return len(self.goals.objectives.names)

    @property
    def outcomes(self) -> Matrix:
        """The told numbers."""
        assert self.history.outcomes is not None
        return self.history.outcomes

    @cached_property
    def is_able(self) -> Mask:
        """Which rows can be on the front: all objectives known, rules and limits kept."""
        slacks = self.outcomes[:, self.n_objectives :]
        with np.errstate(invalid="ignore"):
            return np.isfinite(self.objectives).all(axis=1) & (slacks >= 0).all(axis=1) & self.is_feasible

    @property
    def objectives(self) -> Matrix:
        """The columns to be minimized."""
        return self.outcomes[:, : self.n_objectives]

    @cached_property
    def is_front(self) -> Mask:
        """Which rows are on the front."""
        front = self.is_able.copy()
        front[self.is_able] = non_dominated(self.objectives[self.is_able])
        return front

    @property
    def n_stale(self) -> int:
        """How many trials have been told since the front last changed."""
        places = np.flatnonzero(self.is_front)
        return self.history.n_told if not places.size else self.history.n_told - 1 - int(places.max())

    @property
    def lacks_repeats(self) -> bool:
        """Whether too few readings are of one point to know how noisy they are: one after 3 trials, two after 9.

        Without any, a belief cannot tell noise from a rough function. Where readings are exact, that is the price.
        """
        if not self.is_able.any():
            return False
        n_repeats = self.history.n_told - np.unique(self.history.codes, axis=0).shape[0]
        n_waiting = sum(self._is_told(row) for row in self.history.pending)
        wanted = (self.history.n_told >= 3) + (self.history.n_told >= 9)
        return bool(n_repeats + n_waiting < wanted)

    def _is_told(self, row: Codes) -> bool:
        return bool((self.history.codes == row).all(axis=1).any())

    @cached_property
    def led(self) -> History:
        """The history with one value per row, by which searches choose where to start: the front comes first."""
        spread = np.array([_spread(column) for column in self.outcomes.T])
        scaled = self.outcomes / spread
        excess = np.maximum(-scaled[:, self.n_objectives :], 0.0).sum(axis=1)
        total = scaled[:, : self.n_objectives].sum(axis=1)
        # Rows beyond a limit come after those within, the nearest to it first.
        value = np.where(excess > 0, 1e6 * (1.0 + excess), total - 1e6 * self.is_front)
        return History(self.history.codes, value, self.history.pending)


def _spread(column: Column) -> float:
    known = column[np.isfinite(column)]
    if not known.size:
        return 1.0
    with np.errstate(over="ignore"):
        spread = float(known.std())
    # Squares of values of any magnitude overflow or vanish.
    return spread if 0.0 < spread < np.inf else float(np.abs(known).max()) * float(safe(known).std()) or 1.0


def noisy(prior: KernelPrior) -> KernelPrior:
    """Return the prior for values that are known to be noisy: a tenth of a deviation, give or take a factor of four."""
    return replace(prior, noise_center=-4.6, noise_spread=3.0)


class SeveralBeliefs:
    """Beliefs about each outcome of one problem. What is remembered depends on the first observations alone."""

    def __init__(self, settings: BeliefSettings, problem: KernelProblem, goals: Goals, success: SuccessLearner) -> None:
        self._settings = settings
        self._problem = problem
        self._goals = goals
        self._success = success
        self._fits: dict[int, tuple[int, Fit]] = {}

    def posterior(self, judged: Judged, seed: int) -> JointPosterior | None:
        """Return what is believed, or None while no objective has two different values."""
        outcomes, m = judged.outcomes, judged.n_objectives
        objectives = [self.one(judged.history, k, outcomes[:, k], seed) for k in range(m)]
        excesses = [self.one(judged.history, k, -outcomes[:, k], seed) for k in range(m, outcomes.shape[1])]
        known = [k for k in range(m) if objectives[k] is not None]
        if not known:
            return None
        reference = self._goals.signed_reference
        history, present = judged.history, _present(objectives)
        otherwise = present[0].beliefs[0].parameters
        return JointPosterior(
            self._problem,
            history,
            present,
            # A limit whose slack never changes tells rows apart no more than none.
            _present(excesses),
            judged.is_able,
            self._success.learned(history.codes, history.has_worked, otherwise),
            None if reference is None else reference[known],
        )

    def one(self, history: History, place: int, values: Column, seed: int) -> Posterior | None:
        """Return what is believed of one outcome, a column of numbers with NaN where not measured.

        None while it has no two different values. `place` tells outcomes apart, for what is remembered.
        """
        is_known = np.isfinite(values)
        values, codes = values[is_known], history.codes[is_known]
        if values.size < 2 or np.ptp(safe(values)) == 0:
            return None
        fit = self._fitted(codes, values, place, seed)
        return Posterior(self._problem, History(codes, values, history.pending), fit)

    def _fitted(self, codes: Codes, values: Column, place: int, seed: int) -> Fit:
        n = scheduled(values.size)
        while np.ptp(safe(values[:n])) == 0:
            n += 1
        kept = self._fits.get(place)
        if kept is None or kept[0] != seed or kept[1].n != n:
            rng = np.random.default_rng([seed, _FIT_STREAM, n, place])
            active = self._problem.active_part(codes[:n])
            kernel = self._problem.kernel
            sees = self._settings.sees_structure
            views = self._problem.views[1:] if sees else ()
            self._fits[place] = (
                seed,
                fit_beliefs(
                    self._settings, kernel, active, values[:n], rng, _TRANSFORMS, views=views, finds_pairs=sees
                ),
            )
        return self._fits[place][1]


def _present(posteriors: Sequence[Posterior | None]) -> list[Posterior]:
    return [posterior for posterior in posteriors if posterior is not None]
