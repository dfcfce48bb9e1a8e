"""The default at work on a space with reals: draw while there is nothing to learn from; else believe, and search."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Mask
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.methods.auto.mixed.belief import Chance, MixedFit, MixedPosterior, RowCoordinates, fit_mixed
from hedgerow.methods.auto.mixed.improvement import Improvement
from hedgerow.methods.auto.mixed.joint import JointMixedPosterior, MixedOutcomes
from hedgerow.methods.auto.noise import first_readings
from hedgerow.methods.auto.schedule import scheduled
from hedgerow.methods.auto.several import Judged
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.mixed import STUCK, best_inside
from hedgerow.search.suggestion import Reason, RowSuggestion


class MixedRun:
    """Suggests rows for one problem; it remembers only the last fit, which depends on the first observations alone."""

    def __init__(self, problem: CodeProblem, patience: int, doubt: float) -> None:
        assert isinstance(problem.feasible, MixedSet)
        self._problem = problem
        self._feasible: MixedSet = problem.feasible
        self._coordinates = RowCoordinates(problem.space)
        self._patience, self._doubt = patience, doubt
        self._fit: MixedFit | None = None
        self._is_noisy = problem.goals.may_repeat
        self._outcomes = MixedOutcomes(self._coordinates, self._is_noisy)

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return the row to try next, a pure function of problem, history, settings and seed."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        if history.outcomes is not None:
            return self._suggest_for_several(history, seed, rng)
        values = history.values[history.is_measured]
        # As many draws as there are coordinates, up to a few: a belief needs something to begin with.
        if values.size < min(5, 2 + self._coordinates.active.size // 2) or np.ptp(values) == 0:
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        is_doubted = history.n_stale >= self._patience and history.n_told % 3 == 1
        posterior = self._posterior(history, self._doubt if is_doubted else 1.0)
        found = self._found(posterior, history, history.is_measured, rng)
        return replace(found, reason=Reason.DOUBT) if is_doubted and found.reason is Reason.BEST_FOUND else found

    def _found(
        self, posterior: MixedPosterior | JointMixedPosterior, history: History, worked: Mask, rng: Generator
    ) -> RowSuggestion:
        """Return the untried row of highest score that a search finds; `history` says where it begins."""
        chance = None
        if not worked.all():
            chance = Chance.of(posterior.leading, self._coordinates.of(history.codes), worked.tolist())
        improvement = Improvement(self._coordinates, posterior, chance)
        is_stuck = history.n_stale >= STUCK
        found = best_inside(self._feasible, improvement, history.is_seen, history.best_first, rng, is_stuck)
        return found or RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_FOUND)

    def _suggest_for_several(self, history: History, seed: int, rng: Generator) -> RowSuggestion:
        """Return the row to try next where trials give several numbers, or readings of one point differ."""
        goals = self._problem.goals
        judged = Judged(history, goals, self._feasible.accepts(history.codes))
        exact = first_readings(history, goals)
        if exact is not None:
            return self._without_noise.suggest(exact, seed)
        if goals.repeats == "auto" and judged.lacks_repeats:
            return RowSuggestion(judged.led.best_first[0], False, Reason.NOISE_UNKNOWN)
        is_doubted = judged.n_stale >= self._patience and history.n_told % 3 == 1
        posterior = self._outcomes.joint(judged, goals.signed_reference, self._doubt if is_doubted else 1.0)
        n_known = int(np.isfinite(judged.objectives).all(axis=1).sum())
        if posterior is None or n_known < min(5, 2 + self._coordinates.active.size // 2):
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        found = self._found(posterior, judged.led, history.has_worked, rng)
        if is_doubted and found.reason is Reason.BEST_FOUND:
            return replace(found, reason=Reason.DOUBT)
        return self._or_again(found, posterior, judged)

    def _or_again(self, found: RowSuggestion, posterior: JointMixedPosterior, judged: Judged) -> RowSuggestion:
        """Return the suggestion, or a told row where repeats are wanted and another reading of it is worth more."""
        is_one = judged.n_objectives == 1 and self._problem.goals.repeats == "auto"
        if not is_one or not judged.is_able.any():
            return found
        values = posterior.targets(judged.objectives[judged.is_able, 0])
        row, worth, best, noise = posterior.again(judged.history.codes[judged.is_able], values, self._coordinates)
        if worth <= posterior.log_worth_of_new(self._coordinates.of(found.codes[None, :]), best, noise):
            return found
        if (judged.history.pending == row).all(axis=1).any():
            # What another reading is worth takes no account of one that is out.
            return found
        return RowSuggestion(row, False, Reason.AGAIN)

    @cached_property
    def _without_noise(self) -> MixedRun:
        """The run on the same problem where no point is measured twice."""
        problem = copy(self._problem)
        problem.goals = replace(self._problem.goals, repeats=False)
        return MixedRun(problem, self._patience, self._doubt)

    def _posterior(self, history: History, doubt: float) -> MixedPosterior:
        rows = self._coordinates.of(history.codes[history.is_measured])
        values = history.values[history.is_measured]
        n = scheduled(values.size)
        while np.ptp(values[:n]) == 0:
            n += 1
        if self._fit is None or self._fit.n != n:
            self._fit = fit_mixed(self._coordinates.has_length, rows[:n], values[:n], is_noisy=self._is_noisy)
        pending = self._coordinates.of(history.pending)
        return MixedPosterior(self._coordinates, self._fit, rows, values, pending, doubt)
