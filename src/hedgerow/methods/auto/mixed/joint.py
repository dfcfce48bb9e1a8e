"""What is believed of several outcomes over reals at once, and what a row is worth under it, with its slopes.

As over levels (`auto.joint`): the expected gain of the dominated volume in the targets of the objectives, times the
chance that the limits hold. Each outcome has the one belief of highest evidence; how the gain depends on means and
deviations is told by small differences, how these depend on coordinates by the processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr  # type: ignore[import-untyped]

from hedgerow.arrays import Codes, Column, Matrix, Scores
from hedgerow.methods.auto.curves import Curve
from hedgerow.methods.auto.joint import thinned
from hedgerow.methods.auto.mixed.belief import MixedFit, RowCoordinates, fit_mixed, informative
from hedgerow.methods.auto.mixed.process import Process
from hedgerow.methods.auto.noise import Pooled
from hedgerow.methods.auto.schedule import scheduled
from hedgerow.methods.auto.several import Judged
from hedgerow.methods.auto.transforms import TRANSFORMS
from hedgerow.outcomes.front import non_dominated
from hedgerow.search.hypervolume import VolumeGain
from hedgerow.search.improvement_loops import log_improvements

_MAX_CONDITIONED = 600
# Volumes and limits are measured in targets: without the magnified transform, as over levels.
_TRANSFORMS = (0, 1)
_LEAST_GAIN = 0.01
_BEYOND = 0.1
# By what part of a deviation means and deviations are moved to see what the gain does.
_STEP = 1e-4


@dataclass(frozen=True, eq=False)
class LearnedOutcome:
    """The belief about one outcome: a process over targets, and the curve from numbers to these."""

    process: Process
    curve: Curve
    unit: float

    def target(self, value: float) -> float:
        """Return the target of a number."""
        return float(self.curve.targets(np.array([value / self.unit]))[0])


class MixedOutcomes:
    """Learns each outcome of one problem; fits are made on a schedule, and depend on the first observations alone."""

    def __init__(self, coordinates: RowCoordinates, is_noisy: bool) -> None:
        self._coordinates = coordinates
        self._is_noisy = is_noisy
        self._fits: dict[int, MixedFit] = {}

    def one(self, codes: Codes, place: int, values: Column) -> LearnedOutcome | None:
        """Return what is believed of a column of numbers; None while it has no two different ones."""
        is_known = np.isfinite(values)
        known = values[is_known]
        if known.size < 2 or np.ptp(known) == 0:
            return None
        rows = self._coordinates.of(codes[is_known])
        n = scheduled(known.size)
        while np.ptp(known[:n]) == 0:
            n += 1
        fit = self._fits.get(place)
        if fit is None or fit.n != n:
            fit = fit_mixed(self._coordinates.has_length, rows[:n], known[:n], _TRANSFORMS, self._is_noisy)
            self._fits[place] = fit
        index, best, _ = max(fit.fits, key=lambda one: one[2])
        kept = informative(known, _MAX_CONDITIONED)
        unit = float(np.abs(known).max()) or 1.0
        scaled = known[kept] / unit
        process = Process.of(best.kernel, best.parameters, rows[kept], TRANSFORMS[index](scaled).values)
        return LearnedOutcome(process, Curve.of(index, scaled), unit)

    def joint(self, judged: Judged, reference: Column | None, doubt: float) -> JointMixedPosterior | None:
        """Return what is believed of all outcomes, or None while no objective has two different values."""
        codes, outcomes, m = judged.history.codes, judged.outcomes, judged.n_objectives
        objectives = [self.one(codes, k, outcomes[:, k]) for k in range(m)]
        excesses = [self.one(codes, k, -outcomes[:, k]) for k in range(m, outcomes.shape[1])]
        known = [k for k in range(m) if objectives[k] is not None]
        if not known:
            return None
        return JointMixedPosterior(
            [one for one in objectives if one is not None],
            [one for one in excesses if one is not None],
            self._coordinates.of(codes[judged.is_able]),
            self._coordinates.of(judged.history.pending),
            None if reference is None else reference[known],
            doubt,
        )


class JointMixedPosterior:
    """Beliefs about all outcomes, conditioned on a history: what rows of coordinates are worth."""

    def __init__(
        self,
        objectives: Sequence[LearnedOutcome],
        excesses: Sequence[LearnedOutcome],
        able: Matrix,
        pending: Matrix,
        reference: Column | None,
        doubt: float = 1.0,
    ) -> None:
        self._objectives, self._excesses = objectives, excesses
        self._doubt = doubt
        rows = np.concatenate([able, pending])
        means = [one.process.predict(rows)[0] if rows.shape[0] else np.zeros(0) for one in objectives]
        believed = np.stack(means, axis=1) - _LEAST_GAIN
        front = thinned(np.unique(believed[non_dominated(believed)], axis=0))
        self._gain = VolumeGain.of(front, self._reference(front, reference))
        self.pending = pending

    def _reference(self, front: Matrix, given: Column | None) -> Column:
        """Return where volumes end: as given, or between the worst told and somewhat beyond the front."""
        if given is not None:
            pairs = zip(self._objectives, given, strict=True)
            return np.array([one.target(float(value)) for one, value in pairs])
        worst = np.array([float(one.process.targets.max()) for one in self._objectives])
        if not front.shape[0]:
            return worst
        near = front.max(axis=0) + _BEYOND * np.maximum(np.ptp(front, axis=0), 1.0)
        return np.asarray(np.maximum(near, (near + worst) / 2))

    @property
    def leading(self) -> Process:
        """The process of the first objective, whose lengths the chance to work is learned with."""
        return self._objectives[0].process

    def log_improvement(self, rows: Matrix) -> Scores:
        """Return the logarithm of what rows are worth."""
        moments = [one.process.predict(rows) for one in (*self._objectives, *self._excesses)]
        return self._worth([mean for mean, _ in moments], [self._doubt * sd for _, sd in moments])

    def rough(self, rows: Matrix) -> Scores:
        """Return the same: each outcome has one belief."""
        return self.log_improvement(rows)

    def with_slopes(self, row: Column) -> tuple[float, Column]:
        """Return the same at one row, and its derivative by every coordinate."""
        found = [one.process.slopes(row) for one in (*self._objectives, *self._excesses)]
        moments = np.array([[mean, self._doubt * sd] for mean, sd, _, _ in found]).reshape(-1)
        steps = np.repeat(_STEP * moments[1::2], 2)
        tried = np.concatenate([moments[None, :], moments + np.diag(steps), moments - np.diag(steps)])
        worth = self._worth(list(tried[:, ::2].T), list(tried[:, 1::2].T))
        by_moment = (worth[1 : 1 + steps.size] - worth[1 + steps.size :]) / (2 * steps)
        by_moment = np.nan_to_num(by_moment, posinf=0.0, neginf=0.0)
        slopes = sum(
            by_moment[2 * k] * by_mean + self._doubt * by_moment[2 * k + 1] * by_sd
            for k, (_, _, by_mean, by_sd) in enumerate(found)
        )
        return float(np.nan_to_num(worth[0], neginf=-1e6)), np.asarray(slopes)

    def _worth(self, means: Sequence[Column], deviations: Sequence[Column]) -> Scores:
        m = len(self._objectives)
        total = self._gain.log_expected(means[:m], deviations[:m])
        for place, one in enumerate(self._excesses):
            total = total + log_ndtr((one.target(0.0) - means[m + place]) / deviations[m + place])
        return np.asarray(total)

    def again(self, codes: Codes, values: Column, coordinates: RowCoordinates) -> tuple[Codes, float, float, float]:
        """Return the told row of which another reading is worth most, what that is worth, the best mean and the noise.

        `codes` are rows that can be the best, one for each reading, and `values` the targets of the readings.
        """
        pooled = Pooled.of(codes, values)
        process = self._objectives[0].process
        nugget = process.variance * process.kernel.noise(process.parameters)
        noise = (nugget + pooled.squares) / (1.0 + pooled.freedom)
        means, deviations = process.predict(coordinates.of(pooled.rows))
        moves = deviations**2 / np.sqrt(deviations**2 + noise)
        best = int(means.argmin())
        worth = log_improvements(means, moves, float(means[best]))
        worth[best] = -np.inf
        if means.size > 1:
            next_best = np.delete(means, best).min(keepdims=True)
            worth[best] = log_improvements(next_best, moves[best : best + 1], float(means[best]))[0]
        place = int(worth.argmax())
        return pooled.rows[place], float(worth[place]), float(means[best]), noise

    def log_worth_of_new(self, row: Matrix, best: float, noise: float) -> float:
        """Return what a first reading of another row of coordinates is worth in the same sense."""
        mean, deviation = self._objectives[0].process.predict(row)
        return float(log_improvements(mean, deviation**2 / np.sqrt(deviation**2 + noise), best)[0])

    def targets(self, values: Column) -> Column:
        """Return the targets of numbers of the first objective."""
        one = self._objectives[0]
        return one.curve.targets(values / one.unit)
