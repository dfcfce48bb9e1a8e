"""The beliefs conditioned on a history: what untried rows are worth, and a landscape of it for searches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from functools import cached_property

import numpy as np

from hedgerow.arrays import Codes, Column, Places, Scores
from hedgerow.feasible.changes import Literals
from hedgerow.methods.auto.batch_bounds import BatchBounds
from hedgerow.methods.auto.belief import MINOR, NEGLIGIBLE, Belief, Fit, safe
from hedgerow.methods.auto.curves import Curve, in_unit
from hedgerow.methods.auto.kernel.neighborhood import KernelNeighborhood
from hedgerow.methods.auto.kernel.process import KernelSurrogate
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.auto.leads import Lead
from hedgerow.methods.auto.neighborhood import BelievedGain, BelievedNeighborhood, Led
from hedgerow.methods.auto.noise import Measured
from hedgerow.methods.auto.success import LEAST_LOG_WEIGHT, Success
from hedgerow.methods.auto.transforms import TRANSFORMS, step_between
from hedgerow.methods.history import History
from hedgerow.search.improvement_loops import log_improvements

# Multiplications to spend on bounding the deviations of a long list under one belief.
_BOUNDING_WORK = 7e7
# The best value is taken for noise where a belief explains less than this share of its distance from the mean.
_EXPLAINED = 0.5
# A step of a search that gains less than this, in logarithms of the expected improvement, is the last one.
_SMALL_GAIN = 0.01


class Posterior:
    """The beliefs conditioned on a history: what rows are worth, and a landscape of it for searches."""

    def __init__(
        self,
        problem: KernelProblem,
        history: History,
        fit: Fit,
        success: Success | None = None,
        leads: Sequence[Lead] = (),
        kept: BatchBounds | None = None,
    ) -> None:
        self._problem = problem
        self._leads = leads
        self._doubt = 1.0
        self._beliefs = fit.beliefs
        self._counted = [belief for belief in fit.beliefs if belief.log_weight >= NEGLIGIBLE]
        measured = history.is_measured
        self._newer = self._problem.active_part(history.codes[measured][fit.n :])
        self._pending = self._problem.active_part(history.pending)
        values = history.values[measured]
        told = np.concatenate([values[: fit.n][fit.kept], values[fit.n :]])
        self._scale = float(np.abs(told).max(initial=0.0)) or 1.0
        values = safe(told)
        _, first = np.unique(np.concatenate([fit.beliefs[0].codes, self._newer]), axis=0, return_index=True)
        step = step_between(values[first])
        self._values = values
        self._kept = (kept or BatchBounds()).of(fit, self._newer, values)
        self._curves: dict[int, Curve] = {}
        targets = [transform(values) for transform in TRANSFORMS]
        self._targets = [target.values for target in targets]
        self._steps = [float(target.values.min()) - target.goal(step) for target in targets]
        self._goals: dict[int, float] = {}
        self._models: dict[int, KernelSurrogate] = {}
        # The same without what is out.
        self._told_models: dict[int, KernelSurrogate] = {}
        self._success = success
        codes = history.codes[measured]
        rows = np.concatenate([codes[: fit.n][fit.kept], codes[fit.n :], history.pending])
        self._guessed = [lead.at(rows) for lead in leads]

    def doubted(self, doubt: float) -> Posterior:
        """Return the same with all standard deviations multiplied: less sure than the beliefs are of themselves."""
        other = copy(self)
        other._doubt = doubt
        return other

    def wary(self) -> Posterior:
        """Return the same for trials of which little is expected: what may well fail comes after everything else."""
        other = copy(self)
        other._success = None if self._success is None else self._success.wary()
        return other

    def is_likely_to_work(self, row: Codes) -> bool:
        """Whether the trial of a row hardly fails."""
        return self._success is None or self._success.is_likely(row)

    @property
    def takes_best_for_noise(self) -> bool:
        """Whether the most likely belief explains less than half of how far the best value is below the mean."""
        belief = max(self._beliefs, key=lambda belief: belief.log_weight)
        model = self._model(belief)
        offsets = self._offsets(belief, self._guessed)
        targets, fitted = model.targets + offsets, model.fitted + offsets
        best, mean = int(targets.argmin()), model.mean if belief.lead is None else 0.0
        return bool(fitted[best] - mean > (1.0 - _EXPLAINED) * (targets[best] - mean))

    @cached_property
    def _major(self) -> list[Belief]:
        """The most likely parameters under the transforms that matter."""
        return [belief for belief in self._beliefs if belief.is_mode and belief.log_weight > MINOR]

    @property
    def beliefs(self) -> list[Belief]:
        """All beliefs, transform by transform, each with its most likely parameters first."""
        return self._beliefs

    @cached_property
    def major(self) -> list[Belief]:
        """The most likely parameters under the transforms that matter, the likeliest first."""
        return sorted(self._major, key=lambda belief: -belief.log_weight)

    @property
    def n_conditioned(self) -> int:
        """The number of observations that beliefs are conditioned on."""
        return int(self._values.size)

    def model(self, belief: Belief) -> KernelSurrogate:
        """Return the conditioned process of a belief."""
        return self._model(belief)

    def measured(self, belief: Belief) -> Measured:
        """Return what a belief thinks of the rows that were told, by all their readings."""
        return Measured.by(self._model(belief), self.n_conditioned)

    def targets(self, transform: int) -> Scores:
        """Return the told values under a transform."""
        return self._targets[transform]

    def target(self, transform: int, value: float) -> float:
        """Return where a value, in the unit of those told, lies under a transform."""
        return float(self.curve(transform).targets(np.array([value / self._scale]))[0])

    def values_of(self, transform: int, targets: Scores) -> Scores:
        """Return the values, in the unit of those told, of targets under a transform."""
        return in_unit(self._scale, self.curve(transform).values(targets))

    def believed_values(self, transform: int, targets: Scores) -> Scores:
        """Return the same of targets that are believed: beyond the highest value straight on."""
        return in_unit(self._scale, self.curve(transform).believed(targets))

    def seen_by(self, belief: Belief, rows: Codes) -> Codes:
        """Return rows as the process of a belief sees them."""
        return belief.rows_of(self._problem.active_part(rows))

    def predict(self, belief: Belief, active: Codes) -> tuple[Column, Column]:
        """Return the mean and the deviation of rows of the kernel's slots, in the eyes of a belief."""
        return self._model(belief).predict(belief.rows_of(active))

    def means(self, belief: Belief, active: Codes) -> Column:
        """Return the mean alone."""
        return self._model(belief).means(belief.rows_of(active))

    def bound(self, belief: Belief, n_used: int) -> tuple[Column, Column]:
        """Return the same of all listed rows, where deviations are bounded by so many observations."""
        rows, model = self._problem.listed(belief.view or self._problem.plain), self._model(belief)
        if not self._pending.shape[0]:
            return model.bound(rows, n_used)
        place = self._beliefs.index(belief)
        out = belief.rows_of(self._pending)
        return self._kept.bound(place, self._told_models[place], rows, n_used, out, model.variance)

    def near(self, belief: Belief, active: Codes, slots: Places, codes: Codes) -> KernelNeighborhood:
        """Return the predictions of a belief around a row of the kernel's slots, at changes to these literals."""
        return (belief.view or self._problem.plain).near(self._model(belief), active, slots, codes)

    def log_success(self, rows: Codes) -> Scores:
        """Return the logarithm of the chance that trials work."""
        return np.zeros(rows.shape[0]) if self._success is None else self._success.log_rows(rows)

    def log_unlikely(self, rows: Codes) -> Scores:
        """Return 0 for rows that are worth a try, and far less for those that come after everything else."""
        weights = np.zeros(rows.shape[0]) if self._success is None else self._success.log_weights(rows)
        return np.minimum(0.0, weights - LEAST_LOG_WEIGHT)

    def curve(self, transform: int) -> Curve:
        """Return a transform as a curve."""
        if transform not in self._curves:
            self._curves[transform] = Curve.of(transform, self._values)
        return self._curves[transform]

    @property
    def negligible(self) -> float:
        """A hundredth of the expected improvement: scores are logarithms."""
        return _SMALL_GAIN

    @property
    def work(self) -> int:
        """The cost of scoring one row, in multiplications."""
        return len(self._counted) * self._targets[0].size ** 2

    def log_improvement(self, rows: Codes) -> Scores:
        """Return the logarithm of the averaged expected improvement, weighed by the chance of success."""
        return self._mixture(rows, self._counted)

    def heights(self, rows: Codes) -> Scores:
        """Return the same under the major beliefs alone: what a search climbs on."""
        return self._mixture(rows, self._major)

    def neighborhood(self, row: Codes, literals: Literals) -> BelievedNeighborhood:
        """Return what scores the changes of a row, under the major beliefs."""
        active = self._problem.active_part(row[None, :])[0]
        places = self._problem.places_of(literals)
        near = [lead.near(row, literals) for lead in self._leads]
        gains = [
            BelievedGain(
                self.near(belief, active, *places),
                None
                if belief.lead is None
                else Led(near[belief.lead], self.curve(belief.transform), self._scale, belief.share),
                belief.log_weight,
                self._goal(belief),
                self._doubt,
            )
            for belief in self._major
        ]
        success = None if self._success is None else self._success.near(row, literals)
        return BelievedNeighborhood(gains, success, literals)

    def effects(self) -> list[Scores]:
        """Return how good each code of each slot is on its own, under the most likely belief."""
        effects = [np.zeros(size) for size in self._problem.codes.space.sizes]
        found = self._model(self._beliefs[0]).main_effects()
        for place, (slot, effect) in enumerate(zip(self._problem.active, found, strict=True)):
            effects[slot] = -self._problem.kernel.by_space_code(place, effect)
        return effects

    def bounds(self) -> Scores:
        """Return upper bounds of the rough score of all listed rows."""
        n_rows = self._problem.codes.all_listed.shape[0]
        total = np.full(n_rows, -np.inf)
        n_used = int(math.sqrt(_BOUNDING_WORK / n_rows))
        guessed = [lead.listed() for lead in self._leads]
        for belief in self._major:
            mean, sd = self.bound(belief, n_used)
            gain = log_improvements(mean + self._offsets(belief, guessed), self._doubt * sd, self._goal(belief))
            total = np.logaddexp(total, belief.log_weight + gain)
        if self._success is not None:
            total += self._success.log_weights_listed()
        return total

    def _mixture(self, rows: Codes, beliefs: list[Belief]) -> Scores:
        active = self._problem.active_part(rows)
        total = np.full(rows.shape[0], -np.inf)
        guessed = [lead.at(rows) for lead in self._leads]
        for belief in beliefs:
            mean, sd = self.predict(belief, active)
            gain = log_improvements(mean + self._offsets(belief, guessed), self._doubt * sd, self._goal(belief))
            total = np.logaddexp(total, belief.log_weight + gain)
        if self._success is not None:
            total += self._success.log_weights(rows)
        return total

    def _offsets(self, belief: Belief, guessed: Sequence[Column]) -> Column | float:
        """Return the targets that a belief takes from its lead; its process is about the rest."""
        if belief.lead is None:
            return 0.0
        return belief.share * self.curve(belief.transform).targets(guessed[belief.lead] / self._scale)

    def _goal(self, belief: Belief) -> float:
        """Return what a trial must be below to count as an improvement, in the eyes of a belief.

        To a belief that takes the best value for noise, its lowest prediction is the best, and no step is larger than
        what it predicts at all: measured from the value itself nothing would ever seem worth trying.
        """
        place = self._beliefs.index(belief)
        if place not in self._goals:
            fitted = self._model(belief).fitted + self._offsets(belief, self._guessed)
            self._goals[place] = float(fitted.min()) - min(self._steps[belief.transform], float(np.ptp(fitted)))
        return self._goals[place]

    def _model(self, belief: Belief) -> KernelSurrogate:
        place = self._beliefs.index(belief)
        if place not in self._models:
            factor = belief.factor.extended(belief.rows_of(self._newer))
            targets = self._targets[belief.transform]
            targets = targets - self._offsets(belief, [guess[: targets.size] for guess in self._guessed])
            self._told_models[place] = model = KernelSurrogate.condition(factor, targets)
            if self._pending.shape[0]:
                # Trials that are out are believed to turn out as predicted, so that they are not crowded around.
                pending = belief.rows_of(self._pending)
                believed = np.concatenate([targets, model.predict(pending)[0]])
                model = KernelSurrogate.condition(factor.extended(pending), believed)
            self._models[place] = model
        return self._models[place]
