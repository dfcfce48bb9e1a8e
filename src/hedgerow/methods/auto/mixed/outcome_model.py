"""What is believed on a space with reals, asked directly: estimates of outcomes at any rows, and chances."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, ndtri  # type: ignore[import-untyped]

from hedgerow.arrays import Codes, Column, Matrix
from hedgerow.errors import HedgerowError
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.methods.auto.curves import Curve, in_unit, mean_and_deviation
from hedgerow.methods.auto.left import NOTHING, Left
from hedgerow.methods.auto.mixed.belief import (
    Chance,
    MixedFit,
    MixedPosterior,
    RowCoordinates,
    fit_mixed,
    informative,
)
from hedgerow.methods.auto.mixed.improvement import Improvement
from hedgerow.methods.auto.mixed.left import SharedBelief, drawn_functions, left_among, rows_that_count
from hedgerow.methods.auto.mixed.process import Process
from hedgerow.methods.auto.transforms import TRANSFORMS
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.methods.threads import one_thread
from hedgerow.outcomes.observation import Estimate

# Places of a Gaussian that stand for equal shares of it.
_PLACES = ndtri((np.arange(32) + 0.5) / 32)
_MAX_CONDITIONED = 600


class MixedOutcomeModel:
    """Beliefs about everything that trials of one problem give; of each outcome the last fit is kept."""

    def __init__(self, problem: CodeProblem) -> None:
        assert isinstance(problem.feasible, MixedSet)
        self._feasible: MixedSet = problem.feasible
        self._coordinates = RowCoordinates(problem.space)
        self._known: dict[bytes, list[tuple[float, Process, Curve]]] = {}

    def functions(self, history: History, values: Column, rows: Codes, n: int) -> Matrix | None:
        """Return functions drawn from what is believed of an outcome, at rows; None where all values are the same."""
        beliefs = self._beliefs(history, values)
        return drawn_functions(beliefs, self._coordinates.of(rows), n) if beliefs else None

    def influence(self, history: History, values: Column) -> Column:
        """Return how strongly each slot with more than one value matters, on a scale of its own."""
        models, _ = self._models(history, values)
        return np.asarray(np.max([model.parameters[: model.kernel.n_slots] for _, model, _ in models], axis=0))

    def left(self, history: History, slacks: Sequence[Column], best: float | None) -> tuple[Left, Left]:
        """Return what is left to gain on the best value (None: the lowest believed), and the same to the cautious."""
        told = History(history.codes, history.values, history.pending[:0])
        beliefs = self._beliefs(told, told.values)
        if not beliefs:
            raise HedgerowError("Nothing can be said of what is left before trials have given two different values.")
        with one_thread():
            codes = rows_that_count(self._feasible, self._improvement(told), told, np.random.default_rng(0))
            if not codes.shape[0]:
                return NOTHING, NOTHING
            able = self.chances_of_success(history, told.values, codes)
            if slacks:
                able = able * self.chances_of_limits(history, slacks, codes)
            return left_among(beliefs, self._coordinates.of(codes), best, np.log(np.maximum(able, 1e-300)))

    def _improvement(self, told: History) -> Improvement:
        """Return what a search for promising rows climbs."""
        values = told.values[told.is_measured]
        rows = self._coordinates.of(told.codes[told.is_measured])
        fit = fit_mixed(self._coordinates.has_length, rows, values)
        posterior = MixedPosterior(self._coordinates, fit, rows, values, rows[:0])
        return Improvement(self._coordinates, posterior, None)

    def _beliefs(self, history: History, values: Column) -> list[SharedBelief]:
        models, unit = self._models(history, values)
        return [SharedBelief(share, process, curve, unit) for share, process, curve in models]

    def estimates(self, history: History, place: int, values: Column, rows: Codes) -> list[Estimate]:
        """Return what is believed of an outcome, given as a column of numbers, at some rows."""
        _ = place
        models, unit = self._models(history, values)
        if not models:
            mean = float(np.mean(values[np.isfinite(values)])) if np.isfinite(values).any() else math.nan
            return [Estimate(mean, math.nan, (-math.inf, math.inf))] * rows.shape[0]
        at = self._coordinates.of(rows)
        parts, shares = [], []
        for share, model, curve in models:
            mean_at, deviation = model.predict(at)
            parts.append(in_unit(unit, curve.believed(mean_at + deviation * _PLACES[:, None])))
            shares.append(np.full(_PLACES.size, share / _PLACES.size))
        numbers, weights = np.concatenate(parts), np.concatenate(shares)
        return [_estimate(column, weights) for column in numbers.T]

    def chances_of_limits(self, history: History, slacks: Sequence[Column], rows: Codes) -> Column:
        """Return the chance that slacks, one column for each threshold, are all positive."""
        chance, at = np.ones(rows.shape[0]), self._coordinates.of(rows)
        for slack in slacks:
            models, unit = self._models(history, -slack)
            if not models:
                known = slack[np.isfinite(slack)]
                chance *= float(known[0] >= 0) if known.size else math.nan
                continue
            own = np.zeros(rows.shape[0])
            for share, model, curve in models:
                mean, deviation = model.predict(at)
                own += share * ndtr((float(curve.targets(np.array([0.0 / unit]))[0]) - mean) / deviation)
            # Shares add up to one but for rounding.
            chance *= np.minimum(own, 1.0)
        return chance

    def chances_of_success(self, history: History, value: Column, rows: Codes) -> Column:
        """Return the chance that trials work; `value` is the column whose beliefs lend their parameters."""
        if history.has_worked.all():
            return np.ones(rows.shape[0])
        models, _ = self._models(history, value)
        if not models:
            return np.full(rows.shape[0], float(history.has_worked.mean()))
        learned = Chance.of(models[0][1], self._coordinates.of(history.codes), history.has_worked.tolist())
        return np.asarray(np.exp(learned.log_rows(self._coordinates.of(rows))))

    def _models(self, history: History, values: Column) -> tuple[list[tuple[float, Process, Curve]], float]:
        """Return the share, the process and the transform of each belief, and the unit of the values."""
        is_known = np.isfinite(values)
        known = values[is_known]
        unit = float(np.abs(known).max(initial=0.0)) or 1.0
        if known.size < 2 or np.ptp(known) == 0:
            return [], unit
        rows = self._coordinates.of(history.codes[is_known])
        key = rows.tobytes() + known.tobytes()
        if key not in self._known:
            fit = fit_mixed(self._coordinates.has_length, rows, known)
            self._known = {key: _conditioned(fit, rows, known / unit)}
        return self._known[key], unit


def _conditioned(fit: MixedFit, rows: Matrix, scaled: Column) -> list[tuple[float, Process, Curve]]:
    kept = informative(scaled, _MAX_CONDITIONED)
    weights = np.exp([weight for _, _, weight in fit.fits])
    found = []
    for share, (index, one, _) in zip(weights / weights.sum(), fit.fits, strict=True):
        targets = TRANSFORMS[index](scaled[kept]).values
        model = Process.of(one.kernel, one.parameters, rows[kept], targets)
        found.append((float(share), model, Curve.of(index, scaled[kept])))
    return sorted(found, key=lambda one: -one[0])


def _estimate(numbers: Column, shares: Column) -> Estimate:
    order = np.argsort(numbers, kind="stable")
    up_to = np.cumsum(shares[order])
    low, high = (
        float(numbers[order][min(numbers.size - 1, int(np.searchsorted(up_to, share)))]) for share in (0.05, 0.95)
    )
    return Estimate(*mean_and_deviation(numbers, shares), (low, high))
