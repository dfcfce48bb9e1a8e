"""What the default believes on a space with reals: two kernels under three transforms, weighted by evidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import log_ndtr, logsumexp  # type: ignore[import-untyped]

from hedgerow.arrays import Codes, Column, Mask, Matrix, Scores
from hedgerow.feasible.reals.scales import Scales
from hedgerow.methods.auto.mixed.kernel import CoordinateKernel
from hedgerow.methods.auto.mixed.process import Process, ProcessFit, fit_process
from hedgerow.methods.auto.transforms import TRANSFORMS
from hedgerow.search.acquisition import log_standard_improvement, log_standard_improvement_at
from hedgerow.space.space import Space

# Beliefs whose evidence is this far behind, as a logarithm, are left out.
_NEGLIGIBLE = -5.0
# Those that lead climbs: how many, and how far behind.
_MAX_MAJOR = 3
_MINOR = -3.0
# Observations that parameters are fitted to, and that beliefs are conditioned on: the best and the latest.
_MAX_FITTED = 150
_MAX_CONDITIONED = 600
# An improvement counts from this part of the deviation of the values on: there is no end to smaller ones.
_LEAST_GAIN = 1e-3
# The least chance that a trial works.
_LEAST_CHANCE = 0.02


class RowCoordinates:
    """Rows of codes as coordinates: reals and ordered slots from 0 to 1, unordered ones by their codes.

    What has no value is no number where values have a distance, since it is near to none of them.
    """

    def __init__(self, space: Space) -> None:
        self.scales = Scales(space)
        self.active = np.array([place for place, slot in enumerate(space.slots) if slot.n_levels > 1], dtype=np.int64)
        own = [space.slots[place].variable for place in self.active]
        self.has_length: Mask = np.array([v.is_continuous or (v.is_ordered and v.n_levels > 2) for v in own])
        self._is_real = np.array([v.is_continuous for v in own])
        last = [max(1, v.n_levels - 1) if not v.is_continuous and v.is_ordered else 1 for v in own]
        self._last = np.array(last, dtype=np.float64)
        self._may_miss = np.array([space.slots[place].is_conditional for place in self.active]) & self.has_length
        # Where the reals are among the active slots.
        self.reals = np.flatnonzero(self._is_real)

    def of(self, codes: Codes) -> Matrix:
        """Return the coordinates of rows of codes."""
        return self.of_numbers(self.scales.numbers(codes))

    def of_numbers(self, numbers: Matrix) -> Matrix:
        """Return the coordinates of rows with floats in place of the codes of reals."""
        rows = numbers[:, self.active]
        result = np.empty_like(rows)
        result[:, ~self._is_real] = rows[:, ~self._is_real] / self._last[~self._is_real]
        result[:, self._is_real] = self.scales.to_unit(rows[:, self._is_real])
        if self._may_miss.any():
            # Infinity in reals, a code after the last level in others.
            has_none = np.where(self._is_real, np.isinf(rows), result > 1.0) & self._may_miss
            result[has_none] = np.nan
        return result


@dataclass(frozen=True, eq=False)
class MixedFit:
    """Fits after the first `n` measured observations, with the transform of each and its log weight."""

    n: int
    fits: list[tuple[int, ProcessFit, float]]


def fit_mixed(
    has_length: Mask,
    rows: Matrix,
    values: Column,
    transforms: Sequence[int] = tuple(range(len(TRANSFORMS))),
    is_noisy: bool = False,
) -> MixedFit:
    """Fit both kernels under transforms, by their places, to measured observations."""
    kept = informative(values, _MAX_FITTED)
    scaled = values[kept] / (float(np.abs(values).max()) or 1.0)
    kernels = [CoordinateKernel(has_length, is_smooth, is_noisy=is_noisy) for is_smooth in (False, True)]
    fitted = np.ascontiguousarray(rows[kept])
    found: list[tuple[int, ProcessFit, float]] = []
    for index in transforms:
        targets = TRANSFORMS[index](scaled)
        for kernel in kernels:
            fit = fit_process(kernel, fitted, targets.values)
            found.append((index, fit, fit.log_evidence + targets.log_jacobian))
    most = max(weight for _, _, weight in found)
    fits = [(index, fit, weight - most) for index, fit, weight in found if weight - most > _NEGLIGIBLE]
    return MixedFit(values.size, fits)


class MixedPosterior:
    """Beliefs conditioned on observations: the expected improvement at rows, and its gradient."""

    def __init__(
        self,
        coordinates: RowCoordinates,
        fit: MixedFit,
        rows: Matrix,
        values: Column,
        pending: Matrix,
        doubt: float = 1.0,
    ) -> None:
        self.coordinates = coordinates
        self._doubt = doubt
        kept = informative(values, _MAX_CONDITIONED)
        self.scale = float(np.abs(values).max()) or 1.0
        scaled = values[kept] / self.scale
        self._models: list[tuple[float, float, Process]] = []
        for index, one, weight in fit.fits:
            targets = TRANSFORMS[index](scaled).values
            model = Process.of(one.kernel, one.parameters, rows[kept], targets)
            goal = float(np.minimum(targets.min(), model.fitted.min())) - _LEAST_GAIN
            if pending.shape[0]:
                # Trials that are out are believed to turn out as predicted, so that they are not crowded around.
                believed = np.concatenate([targets, model.predict(pending)[0]])
                model = Process.of(one.kernel, one.parameters, np.concatenate([rows[kept], pending]), believed)
            self._models.append((weight, goal, model))

    def log_improvement(self, rows: Matrix) -> Scores:
        """Return the logarithm of the averaged expected improvement at rows of coordinates."""
        parts = []
        for weight, goal, model in self._models:
            mean, deviation = model.predict(rows)
            deviation = self._doubt * deviation
            parts.append(weight + np.log(deviation) + log_standard_improvement((goal - mean) / deviation))
        return np.asarray(logsumexp(np.array(parts), axis=0))

    def with_slopes(self, row: Column) -> tuple[float, Column]:
        """Return the same at one row by the major beliefs, and its derivative by every coordinate."""
        parts, slopes = [], []
        for weight, goal, model in self._major:
            mean, deviation, mean_slopes, deviation_slopes = model.slopes(row)
            deviation, deviation_slopes = self._doubt * deviation, self._doubt * deviation_slopes
            z = (goal - mean) / deviation
            log_h = log_standard_improvement_at(z)
            ratio = math.exp(min(50.0, float(log_ndtr(z)) - log_h))
            z_slopes = -(mean_slopes + z * deviation_slopes) / deviation
            parts.append(weight + math.log(deviation) + log_h)
            slopes.append(deviation_slopes / deviation + ratio * z_slopes)
        most = max(parts)
        shares = np.exp(np.array(parts) - most)
        total = float(shares.sum())
        return most + math.log(total), np.asarray(shares @ np.array(slopes)) / total

    def rough(self, rows: Matrix) -> Scores:
        """Return the logarithm of the expected improvement by the belief of highest evidence alone."""
        weight, goal, model = self._major[0]
        mean, deviation = model.predict(rows)
        deviation = self._doubt * deviation
        return np.asarray(weight + np.log(deviation) + log_standard_improvement((goal - mean) / deviation))

    @cached_property
    def _major(self) -> list[tuple[float, float, Process]]:
        """The few beliefs that matter most, which lead climbs."""
        ordered = sorted(self._models, key=lambda one: -one[0])
        return [one for one in ordered[:_MAX_MAJOR] if one[0] > _MINOR]

    @cached_property
    def leading(self) -> Process:
        """The model of highest evidence."""
        return self._major[0][2]


@dataclass(frozen=True, eq=False)
class Chance:
    """The chance that a trial works, from those that did and did not."""

    model: Process

    @classmethod
    def of(cls, leading: Process, rows: Matrix, worked: Sequence[bool]) -> Chance:
        """Learn it with the lengths of what is believed of the values, and noise."""
        targets = np.where(np.asarray(worked), 1.0, -1.0)
        parameters = leading.parameters.copy()
        parameters[-1] = math.log(0.05)
        return cls(Process.of(leading.kernel, parameters, rows, targets))

    def log_rows(self, rows: Matrix) -> Scores:
        """Return its logarithm at rows of coordinates."""
        return np.asarray(np.log(np.clip((self.model.predict(rows)[0] + 1) / 2, _LEAST_CHANCE, 1.0)))


def informative(values: Column, limit: int) -> Codes:
    """Return which observations to use: all, or the best third of the limit and the latest of the others."""
    if values.size <= limit:
        return np.arange(values.size)
    order = np.argsort(values, kind="stable")
    best = order[: limit // 3]
    others = np.sort(order[limit // 3 :])[-(limit - best.size) :]
    return np.sort(np.concatenate([best, others]))
