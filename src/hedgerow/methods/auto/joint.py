"""What the default method believes of several outcomes at once, and what a row is worth under it.

Each outcome has beliefs of its own, by the same kernel and transforms as a single value. A combination takes one belief
of each. A row is worth the expected gain of the dominated volume in the targets of the objectives (with one objective
the expected improvement on the best row within the limits), times the chance that the limits hold, times the third
power of the chance that the trial works, averaged over combinations. While nothing within the limits is known, the gain
is measured from the worst values: the chance that the limits hold decides, and among equals the objectives.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import log_ndtr  # type: ignore[import-untyped]

from hedgerow.arrays import Changes, Codes, Column, Mask, Matrix, Scores
from hedgerow.feasible.changes import Literals
from hedgerow.methods.auto.belief import Belief
from hedgerow.methods.auto.kernel.neighborhood import KernelNeighborhood
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.auto.noise import Measured
from hedgerow.methods.auto.posterior import Posterior
from hedgerow.methods.auto.success import Success
from hedgerow.methods.history import History
from hedgerow.outcomes.front import non_dominated
from hedgerow.search.hypervolume import VolumeGain
from hedgerow.search.improvement_loops import log_improvements

# A row must gain this much in each objective, in deviations, to count: as in the belief about one value.
_LEAST_GAIN = 0.01
# The reference lies half-way between the worst value told and a point this part of the front's extent (at least of a
# deviation) beyond the worst value on the front. With the latter alone the ends of fronts were found late, with the
# former alone the middle: shares of the volume after 20 trials on three small problems, four seeds, measured from near
# the front: 0.93 half-way, 0.90 with the nearer point, 0.91 with the worst value.
_BEYOND = 0.1
# Boxes grow with the number of rows on the front, the faster the more objectives: rows kept of it.
_MOST_ON_FRONT = {1: 1, 2: 150, 3: 60}
_MOST_OTHERWISE = 25
_BOUNDING_WORK = 7e7

Moments = tuple[Column, Column]
# What a belief about one outcome says of some rows.
Asked = Callable[[Posterior, Belief], Moments]


@dataclass(frozen=True, eq=False)
class Combination:
    """One belief of each outcome, and the product of their shares of the evidence."""

    beliefs: tuple[Belief, ...]
    log_weight: float


@dataclass(frozen=True, eq=False)
class Again:
    """A row, active slots alone, to be measured again, and the logarithm of what that is worth."""

    row: Codes
    log_worth: float
    best: float
    measured: Measured
    # How the belief that measured rows sees another one.
    seen: Callable[[Codes], Codes]

    def log_worth_of_new(self, row: Codes) -> float:
        """Return what a first reading of another row is worth in the same sense."""
        mean, deviation = self.measured.model.predict(self.seen(row[None, :]))
        whole = np.sqrt(deviation**2 + self.measured.roughness)
        return float(log_improvements(mean, self.measured.moves(whole), self.best)[0])


class JointPosterior:
    """The beliefs about all outcomes, conditioned on a history: what rows are worth, and a landscape for searches.

    `objectives` are to be minimized. `excesses` are minus the slacks of limits, which hold where they are not positive.
    """

    def __init__(
        self,
        problem: KernelProblem,
        history: History,
        objectives: Sequence[Posterior],
        excesses: Sequence[Posterior],
        is_able: Mask,
        success: Success | None = None,
        reference: Column | None = None,
    ) -> None:
        """Take which told rows can be on the front, and the reference in the unit of the objectives."""
        self._problem = problem
        self.outputs = [*objectives, *excesses]
        self._n_objectives = len(objectives)
        self._able = problem.active_part(history.codes[is_able])
        self._pending = problem.active_part(history.pending)
        self._reference = reference
        self._doubt = 1.0
        self._gains: dict[int, VolumeGain] = {}
        self.success = success

    def doubted(self, doubt: float) -> JointPosterior:
        """Return the same with all standard deviations multiplied."""
        other = copy(self)
        other._doubt = doubt
        return other

    def wary(self) -> JointPosterior:
        """Return the same for trials of which little is expected: what may well fail comes after everything else."""
        other = copy(self)
        other.success = None if self.success is None else self.success.wary()
        return other

    @cached_property
    def _major(self) -> list[Combination]:
        """The most likely beliefs, and those in which one outcome has its next likely transform."""
        best = [output.major[0] for output in self.outputs]
        combinations = [Combination(tuple(best), 0.0)]
        for place, output in enumerate(self.outputs):
            combinations += [
                Combination((*best[:place], other, *best[place + 1 :]), other.log_weight - best[place].log_weight)
                for other in output.major[1:]
            ]
        return combinations

    @cached_property
    def _all(self) -> list[Combination]:
        """These, and combinations of draws of the parameters."""
        draws = [
            [
                belief
                for belief in output.beliefs
                if not belief.is_mode
                and (belief.transform, belief.view) == (output.major[0].transform, output.major[0].view)
            ]
            for output in self.outputs
        ]
        n_draws = min(len(drawn) for drawn in draws)
        return self._major + [Combination(tuple(drawn[k] for drawn in draws), 0.0) for k in range(n_draws)]

    @property
    def negligible(self) -> float:
        """A hundredth of the gain: scores are logarithms."""
        return 0.01

    @property
    def work(self) -> int:
        """The cost of scoring one row, in multiplications."""
        return sum(len(output.beliefs) * output.n_conditioned**2 for output in self.outputs)

    def log_improvement(self, rows: Codes) -> Scores:
        """Return the logarithm of what rows are worth, averaged over combinations."""
        return self._of_rows(rows, self._all)

    def heights(self, rows: Codes) -> Scores:
        """Return the same under the major combinations alone: what a search climbs on."""
        return self._of_rows(rows, self._major)

    def log_within(self, rows: Codes) -> Scores:
        """Return the logarithm of the chance that all limits hold, under the most likely beliefs."""
        active = self._problem.active_part(rows)
        return self._log_limits(self._major[0], lambda output, belief: output.predict(belief, active), rows.shape[0])

    def again(self) -> Again | None:
        """Return the told row of which another reading is worth most, where there is one objective and noise.

        After another reading the belief of a row moves by a known deviation. For rows other than the one believed best,
        that may make them the best; for the best itself, it may tell that the next one is better.
        """
        if self._n_objectives != 1 or not self._able.shape[0]:
            return None
        belief = self._major[0].beliefs[0]
        measured = self.outputs[0].measured(belief)
        # What a view adds stands behind the slots.
        pooled = np.ascontiguousarray(measured.pooled.rows[:, : self._able.shape[1]])
        able = {row.tobytes() for row in self._able}
        is_able = np.array([row.tobytes() in able for row in pooled])
        rows = pooled[is_able]
        means, deviations = (numbers[is_able] for numbers in measured.moments)
        moves = measured.moves(deviations)
        best = int(means.argmin())
        worth = log_improvements(means, moves, float(means[best]))
        worth[best] = -np.inf
        if rows.shape[0] > 1:
            next_best = np.delete(means, best).min(keepdims=True)
            worth[best] = log_improvements(next_best, moves[best : best + 1], float(means[best]))[0]
        place = int(worth.argmax())
        return Again(rows[place], float(worth[place]), float(means[best]), measured, belief.rows_of)

    def bounds(self) -> Scores:
        """Return rough scores of all listed rows, in which deviations are bounded and not exact."""
        n_rows = self._problem.codes.all_listed.shape[0]
        n_used = int(math.sqrt(_BOUNDING_WORK / n_rows / len(self.outputs)))
        total = self._mixture(self._major, lambda output, belief: output.bound(belief, n_used), n_rows)
        return total if self.success is None else total + self.success.log_weights_listed()

    def effects(self) -> list[Scores]:
        """Return how good each code of each slot is on its own: for the objectives and for the limits together."""
        by_output = [output.effects() for output in self.outputs]
        return [np.sum(effects, axis=0) for effects in zip(*by_output, strict=True)]

    def neighborhood(self, row: Codes, literals: Literals) -> JointNeighborhood:
        """Return what scores the changes of a row, under the major combinations."""
        return JointNeighborhood(self, self._problem, row, literals)

    def mixture_of_major(self, asked: Asked, n: int) -> Scores:
        """Return scores from what each of the major beliefs says of `n` rows."""
        return self._mixture(self._major, asked, n)

    def _of_rows(self, rows: Codes, combinations: list[Combination]) -> Scores:
        active = self._problem.active_part(rows)
        total = self._mixture(combinations, lambda output, belief: output.predict(belief, active), rows.shape[0])
        return total if self.success is None else total + self.success.log_weights(rows)

    def _mixture(self, combinations: list[Combination], asked: Asked, n: int) -> Scores:
        """Return the average over combinations, each belief asked once."""
        known: dict[int, Moments] = {}

        def remembered(output: Posterior, belief: Belief) -> Moments:
            if id(belief) not in known:
                known[id(belief)] = asked(output, belief)
            return known[id(belief)]

        total = np.full(n, -np.inf)
        for combination in combinations:
            means, deviations = zip(
                *(remembered(self.outputs[k], combination.beliefs[k]) for k in range(self._n_objectives)), strict=True
            )
            gain = self._gain(combination).log_expected(means, [self._doubt * sd for sd in deviations])
            gain = gain + self._log_limits(combination, remembered, n)
            total = np.logaddexp(total, combination.log_weight + gain)
        return total

    def _log_limits(self, combination: Combination, asked: Asked, n: int) -> Scores:
        total = np.zeros(n)
        for place in range(self._n_objectives, len(self.outputs)):
            belief = combination.beliefs[place]
            output = self.outputs[place]
            mean, sd = asked(output, belief)
            total += log_ndtr((output.target(belief.transform, 0.0) - mean) / (self._doubt * sd))
        return total

    def _gain(self, combination: Combination) -> VolumeGain:
        """Return what volume is measured beyond, in the eyes of a combination: the front as it is believed."""
        if id(combination) not in self._gains:
            rows = np.concatenate([self._able, self._likely_pending(combination)])
            pairs = zip(self.outputs, combination.beliefs[: self._n_objectives], strict=False)
            believed = np.stack([output.means(belief, rows) for output, belief in pairs], axis=1) - _LEAST_GAIN
            front = thinned(np.unique(believed[non_dominated(believed)], axis=0))
            self._gains[id(combination)] = VolumeGain.of(front, self._reference_for(combination, front))
        return self._gains[id(combination)]

    def _likely_pending(self, combination: Combination) -> Codes:
        """Return the rows that are out and rather keep the limits: they are believed to turn out as predicted."""
        if len(self.outputs) == self._n_objectives or not self._pending.shape[0]:
            return self._pending
        chances = self._log_limits(
            combination, lambda output, belief: output.predict(belief, self._pending), self._pending.shape[0]
        )
        return np.asarray(self._pending[chances > math.log(0.5)])

    def _reference_for(self, combination: Combination, front: Matrix) -> Column:
        pairs = list(zip(self.outputs, combination.beliefs, range(self._n_objectives), strict=False))
        if self._reference is not None:
            given = zip(pairs, self._reference, strict=True)
            return np.array([output.target(belief.transform, float(value)) for (output, belief, _), value in given])
        worst = np.array([float(output.targets(belief.transform).max()) for output, belief, _ in pairs])
        if not front.shape[0]:
            return worst
        near = front.max(axis=0) + _BEYOND * np.maximum(np.ptp(front, axis=0), 1.0)
        return np.asarray(np.maximum(near, (near + worst) / 2))


class JointNeighborhood:
    """Scores of changes of one row under several outcomes."""

    def __init__(self, posterior: JointPosterior, problem: KernelProblem, row: Codes, literals: Literals) -> None:
        self._posterior = posterior
        self._row = problem.active_part(row[None, :])[0]
        self._literals = literals
        self._places = problem.places_of(literals)
        self._success = None if posterior.success is None else posterior.success.near(row, literals)
        self._known: dict[int, KernelNeighborhood] = {}

    def _near(self, output: Posterior, belief: Belief) -> KernelNeighborhood:
        if id(belief) not in self._known:
            self._known[id(belief)] = output.near(belief, self._row, *self._places)
        return self._known[id(belief)]

    def scores(self, changes: Changes) -> Scores:
        """Return the logarithm of what the changed rows are worth: exact for the most promising, others below them."""
        rough = self.rough_scores(changes)
        closer = np.arange(rough.size)
        if rough.size > _N_EXACT:
            closer = np.argpartition(-rough, _N_EXACT)[:_N_EXACT]
        first, second = self._literals.of(changes[closer])

        def asked(output: Posterior, belief: Belief) -> Moments:
            near = self._near(output, belief)
            return near.means(first, second), near.deviations(first, second)

        exact = self._posterior.mixture_of_major(asked, first.size) + self._log_success(changes[closer])
        scores: Scores = np.minimum(rough, exact.min())
        scores[closer] = exact
        return scores

    def rough_scores(self, changes: Changes) -> Scores:
        """Return scores with bounded deviations."""
        first, second = self._literals.of(changes)

        def asked(output: Posterior, belief: Belief) -> Moments:
            near = self._near(output, belief)
            return near.means(first, second), near.bounds(first, second)

        rough = self._posterior.mixture_of_major(asked, first.size)
        return np.asarray(rough + self._log_success(changes))

    def guesses(self, changes: Changes) -> Scores:
        """Return how good two changes are if they do not interact."""
        singles = self._singles
        first, second = self._literals.of(changes)
        return np.asarray(singles[first] + singles[second])

    @cached_property
    def _singles(self) -> Scores:
        rough = self.rough_scores(self._literals.changes)
        is_known = np.isfinite(rough)
        return np.where(is_known, rough, rough[is_known].min(initial=0.0) - 1.0)

    def _log_success(self, changes: Changes) -> Scores:
        return np.zeros(changes.shape[0]) if self._success is None else self._success.log_weights(changes)


_N_EXACT = 48


def thinned(front: Matrix) -> Matrix:
    """Return so few rows that boxes stay few: the ends of each objective, then always the row farthest from them."""
    most = _MOST_ON_FRONT.get(front.shape[1], _MOST_OTHERWISE)
    if front.shape[0] <= most:
        return front
    scaled = (front - front.min(axis=0)) / np.maximum(np.ptp(front, axis=0), 1e-300)
    kept = list(dict.fromkeys(int(place) for place in scaled.argmin(axis=0)))[:most]
    distances = np.min([np.abs(scaled - scaled[place]).sum(axis=1) for place in kept], axis=0)
    while len(kept) < most:
        kept.append(int(distances.argmax()))
        distances = np.minimum(distances, np.abs(scaled - scaled[kept[-1]]).sum(axis=1))
    return np.asarray(front[np.sort(kept)])
