"""The default method: no format, no rank, no scale to choose.

The belief is a Gaussian process with the tensor kernel under three output transforms, each with its most likely
parameters and a few draws around them, weighted by evidence. A row is worth its expected improvement, averaged over
these beliefs, times the third power of the chance that the trial does not fail. When trials stop improving, some of
them doubt the beliefs, and some stay next to the best rows: on rugged landscapes a smooth belief cannot see the last
step. Where values come in steps, most trials test many codes at once on the plateau of the best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Scores
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.methods.auto.batch_bounds import BatchBounds
from hedgerow.methods.auto.belief import BeliefSettings, Fit, fit_beliefs, safe
from hedgerow.methods.auto.joint import JointPosterior
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.auto.leads import Lead
from hedgerow.methods.auto.noise import first_readings
from hedgerow.methods.auto.plateau_trials import on_plateau
from hedgerow.methods.auto.posterior import Posterior
from hedgerow.methods.auto.schedule import scheduled
from hedgerow.methods.auto.several import Judged, SeveralBeliefs, noisy
from hedgerow.methods.auto.success import SuccessLearner
from hedgerow.methods.auto.transfer import Transfer
from hedgerow.methods.candidates import CandidateSettings, Criterion, best_candidate
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.literals import literals_near
from hedgerow.search.maximize import best_of
from hedgerow.search.suggestion import Reason, RowSuggestion

if TYPE_CHECKING:
    from hedgerow.methods.auto.mixed.run import MixedRun
    from hedgerow.methods.auto.orders.run import OrderRun


@dataclass(frozen=True)
class Auto:
    """Settings of the default method; nobody should need to change them.

    Parameters
    ----------
    belief : BeliefSettings, optional
        How many parameters are drawn, and how many observations they are fitted to.
    candidates : CandidateSettings, optional
        Which rows are looked at.
    one_pass_work : int, optional
        How many multiplications scoring all listed rows may cost; where it costs more, a shortlist is scored.
    shortlists : tuple of two ints, optional
        How many rows of highest bound are scored at once with the most likely parameters, and how many of the best of
        these with all parameters.
    max_rounds : int, optional
        How many times at most such a number of rows is scored.
    patience : int, optional
        After how many trials without improvement suggestions take turns between beliefs, doubt and the rows next to
        the best.
    doubt : float, optional
        How many times as uncertain the beliefs are taken to be when they are doubted.
    n_local_centers : int, optional
        Of how many of the best rows the neighborhoods are looked at.
    max_local : int, optional
        How many rows of a neighborhood are looked at.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
    >>> method = hr.methods.Auto(patience=10)
    >>> hr.minimize(lambda p: (p["x"] - 3) ** 2 + p["y"], space, ["x + y >= 4"], budget=20, method=method).best_point
    {'x': 3, 'y': 1}
    """

    belief: BeliefSettings = field(default_factory=BeliefSettings)
    candidates: CandidateSettings = field(default_factory=CandidateSettings)
    # A listed set is scored in one pass where that costs at most so many multiplications; otherwise those of highest
    # bound are scored with the most likely parameters, and the best of these with all parameters.
    one_pass_work: int = 10**8
    shortlists: tuple[int, int] = (400, 80)
    max_rounds: int = 4
    # After this many trials without improvement, or when the beliefs take the best value for noise, suggestions take
    # turns: the beliefs as they are, the beliefs in doubt (they expect no improvement any more, so they may be wrong),
    # and rows next to the best.
    patience: int = 30
    doubt: float = 3.0
    n_local_centers: int = 3
    max_local: int = 500

    @property
    def may_break_rules(self) -> bool:
        """Never."""
        return False

    @property
    def knows_outcomes(self) -> bool:
        """Several objectives and limits are learned."""
        return True

    def start(self, problem: CodeProblem) -> AutoRun | MixedRun | OrderRun:
        """Return what suggests points for one problem."""
        if problem.space.reals:
            from hedgerow.methods.auto.mixed.run import MixedRun  # noqa: PLC0415 - where there are reals alone

            return MixedRun(problem, self.patience, self.doubt)
        if problem.space.permutations and problem.goals.is_single and not problem.earlier:
            from hedgerow.methods.auto.orders.run import OrderRun  # noqa: PLC0415 - where there are orders alone

            return OrderRun(problem, self.patience, self.doubt)
        return AutoRun(self, problem)


@dataclass(frozen=True, eq=False)
class AveragedImprovement(Criterion):
    """Expected improvement averaged over the beliefs; the major beliefs alone lead searches and choose shortlists."""

    posterior: Posterior | JointPosterior
    settings: Auto

    def score(self, rows: Codes) -> Scores:
        """Return the logarithm of the averaged expected improvement."""
        return self.posterior.log_improvement(rows)

    def landscape(self) -> Posterior | JointPosterior:
        """Return the major beliefs."""
        return self.posterior

    def effects(self) -> list[Scores]:
        """Return the main effects under the most likely belief."""
        return self.posterior.effects()

    def shortlist(self, rows: Codes, places: NDArray[np.int64]) -> tuple[Codes, bool]:
        """Return all rows where that is cheap enough, else those of highest rough score."""
        if rows.shape[0] * self.posterior.work <= self.settings.one_pass_work:
            return rows, True
        return self._shortlisted(rows, self.posterior.bounds()[places]), False

    def _shortlisted(self, rows: Codes, bounds: Scores) -> Codes:
        """Return the rows of highest rough score, looking at those of highest bound until no other can be better."""
        n_at_once, n_kept = self.settings.shortlists
        order = _highest(bounds, n_at_once * self.settings.max_rounds)
        looked_at, scores = rows[:0], np.zeros(0)
        for start in range(0, order.size, n_at_once):
            if scores.size and scores.max() >= bounds[order[start]]:
                break
            more = rows[order[start : start + n_at_once]]
            looked_at = np.concatenate([looked_at, more])
            scores = np.concatenate([scores, self.posterior.heights(more)])
        return looked_at[_highest(scores, n_kept)]


class AutoRun:
    """Suggests rows for one problem. It remembers only the last fit, which depends on the first observations alone."""

    def __init__(self, settings: Auto, problem: CodeProblem) -> None:
        self._settings = settings
        self._problem = problem
        prior = noisy(settings.belief.prior) if problem.goals.may_repeat else settings.belief.prior
        self._kernel_problem = KernelProblem(problem, prior)
        self._transfer = Transfer(self._kernel_problem, settings.belief) if problem.earlier else None
        self._fit: tuple[int, Fit, Sequence[Lead]] | None = None
        self._bounds = BatchBounds()
        self._success = SuccessLearner(self._kernel_problem, settings.belief.sharp_borders)
        self._several = SeveralBeliefs(settings.belief, self._kernel_problem, problem.goals, self._success)

    def share_with(self, other: AutoRun) -> None:
        """Let another run for the same space use the last fit."""
        other._fit = self._fit

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return the row to try next, a pure function of problem, history, settings and seed."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        if history.outcomes is not None:
            return self._suggest_for_several(history, seed, rng)
        values = history.values[history.is_measured]
        if values.size < 2 or np.ptp(safe(values)) == 0:
            return self._before_learning(history, rng)
        believed = cache(lambda: self.posterior(history, seed))
        if (history.n_told + history.pending.shape[0]) % _ON_PLATEAU:
            is_likely = None if history.is_measured.all() else lambda row: believed().is_likely_to_work(row)
            row = on_plateau(self._problem, history, rng, is_likely)
            if row is not None:
                return RowSuggestion(row, False, Reason.PLATEAU)
        posterior = believed()
        is_blind = posterior.takes_best_for_noise
        takes_turns = is_blind or history.n_stale >= self._settings.patience
        turn = history.n_told % 3 if takes_turns else 0
        if takes_turns:
            posterior = posterior.wary()
        if turn == 1:
            posterior = posterior.doubted(self._settings.doubt)
        near = self._near_best(history, rng) if turn == 2 else history.codes[:0]
        if near.shape[0]:
            # To beliefs that take the best value for noise, what lies next to it is nothing special.
            scores = posterior.log_unlikely(near) if is_blind else posterior.log_improvement(near)
            return RowSuggestion(best_of(near, scores, rng), False, Reason.NEAR_BEST)
        criterion = AveragedImprovement(posterior, self._settings)
        suggestion = best_candidate(self._problem, history, criterion, rng, self._settings.candidates)
        return replace(suggestion, reason=Reason.DOUBT) if turn == 1 else suggestion

    def _suggest_for_several(self, history: History, seed: int, rng: Generator) -> RowSuggestion:
        """Return the row to try next where trials give several numbers."""
        judged = self.judged(history)
        exact = first_readings(history, self._problem.goals)
        if exact is not None:
            self._problem.check_left(exact)
            return self._without_noise.suggest(exact, seed)
        if self._problem.goals.repeats == "auto" and judged.lacks_repeats:
            return RowSuggestion(judged.led.best_first[0], False, Reason.NOISE_UNKNOWN)
        posterior = self._several.posterior(judged, seed)
        if self._problem.is_exhausted(history):
            return self._only_again(posterior, history)
        if posterior is None:
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        confirmed = self._confirmed(posterior, history)
        if confirmed is not None:
            return confirmed
        takes_turns = judged.n_stale >= self._settings.patience
        turn = history.n_told % 3 if takes_turns else 0
        if takes_turns:
            posterior = posterior.wary()
        if turn == 1:
            posterior = posterior.doubted(self._settings.doubt)
        near = self._near_best(judged.led, rng) if turn == 2 else history.codes[:0]
        if near.shape[0]:
            return RowSuggestion(best_of(near, posterior.log_improvement(near), rng), False, Reason.NEAR_BEST)
        criterion = AveragedImprovement(posterior, self._settings)
        found = best_candidate(self._problem, judged.led, criterion, rng, self._settings.candidates)
        return replace(found, reason=Reason.DOUBT) if turn == 1 else self._or_again(found, posterior, judged)

    @cached_property
    def _without_noise(self) -> AutoRun:
        """The run on the same problem where no point is measured twice."""
        problem = copy(self._problem)
        problem.goals = replace(self._problem.goals, repeats=False)
        return AutoRun(self._settings, problem)

    @property
    def _measures_again(self) -> bool:
        """Whether points are measured again where that is worth most: not with several objectives, known or not yet."""
        goals = self._problem.goals
        return goals.repeats == "auto" and not goals.objectives.are_several

    def _only_again(self, posterior: JointPosterior | None, history: History) -> RowSuggestion:
        """Return a told row where repeats are wanted and something is still to be learned, or raise SpaceExhausted."""
        again = posterior.again() if posterior is not None and self._measures_again else None
        if again is None or again.log_worth < _LEAST_WORTH:
            self._problem.check_left(history)
        assert again is not None
        return RowSuggestion(self._whole(again.row, history), True, Reason.AGAIN)

    def _confirmed(self, posterior: JointPosterior, history: History) -> RowSuggestion | None:
        """Return the told row of which another reading is worth most where the run ends, so that the best is right.

        Of 100 trials the last ten, on seven noisy tasks, four seeds each: what was named is nearer the optimum on three
        of them by a quarter to seven eighths, and as near on four.
        """
        if not self._measures_again or not self._problem.is_ending(history):
            return None
        again = posterior.again()
        if again is None:
            return None
        row = self._whole(again.row, history)
        return None if _is_out(row, history) else RowSuggestion(row, True, Reason.AGAIN)

    def _or_again(self, found: RowSuggestion, posterior: JointPosterior, judged: Judged) -> RowSuggestion:
        """Return the suggestion, or a told row where repeats are wanted and another reading of it is worth more."""
        again = posterior.again() if self._measures_again else None
        if again is None or again.log_worth <= again.log_worth_of_new(self._active_part(found.codes)):
            return found
        row = self._whole(again.row, judged.history)
        # What another reading is worth takes no account of one that is out.
        return found if _is_out(row, judged.history) else RowSuggestion(row, True, Reason.AGAIN)

    def _active_part(self, row: Codes) -> Codes:
        return np.asarray(self._kernel_problem.active_part(row[None, :])[0])

    def _whole(self, active: Codes, history: History) -> Codes:
        """Return the told row with these codes in the slots that vary."""
        told = self._kernel_problem.active_part(history.codes)
        return np.asarray(history.codes[int((told == active).all(axis=1).argmax())])

    def judged(self, history: History) -> Judged:
        """Return a history of several outcomes with what they mean."""
        return Judged(history, self._problem.goals, self._problem.feasible.accepts(history.codes))

    def posterior(self, history: History, seed: int) -> Posterior:
        """Return what is believed after a history that has at least two different values."""
        fit, leads = self._fitted(history, seed)
        success = self._success.learned(history.codes, history.is_measured, fit.beliefs[0].parameters)
        return Posterior(self._kernel_problem, history, fit, success, leads, self._bounds)

    def _before_learning(self, history: History, rng: Generator) -> RowSuggestion:
        """Return the row that was best in a related problem, or a draw."""
        row = None if self._transfer is None else self._transfer.best_untried(history)
        if row is None:
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        return RowSuggestion(row, False, Reason.BEST_ELSEWHERE)

    def _near_best(self, history: History, rng: Generator) -> Codes:
        """Return unseen feasible rows next to the best row that has any, of the few best.

        Next to it is one change away, or two under rules that leave no single change.
        """
        everything = Literals.all_of(self._problem.space.sizes)
        for center, n_slots in product(history.best_first[: self._settings.n_local_centers], (1, 2)):
            literals = literals_near(center, everything, self._settings.candidates.search.max_codes, rng)
            changes = self._problem.feasible.changes(center, n_slots, literals)
            if changes.shape[0] > self._settings.max_local:
                changes = changes[np.sort(rng.choice(changes.shape[0], self._settings.max_local, replace=False))]
            rows = changed_rows(center, changes)
            rows = rows[~history.is_seen(rows)]
            if rows.shape[0]:
                return rows
        return history.codes[:0]

    def _fitted(self, history: History, seed: int) -> tuple[Fit, Sequence[Lead]]:
        """Fit on the largest scheduled number of observations, so that a fit can be rebuilt from the history alone."""
        values = history.values[history.is_measured]
        n = scheduled(values.size)
        while np.ptp(safe(values[:n])) == 0:
            n += 1
        if self._fit is None or self._fit[0] != seed or self._fit[1].n != n:
            codes = history.codes[history.is_measured][:n]
            leads = () if self._transfer is None else self._transfer.leads(codes, values[:n])
            guesses = [lead.guess(codes) for lead in leads]
            rng = np.random.default_rng([seed, _FIT_STREAM, n])
            active = self._kernel_problem.active_part(codes)
            kernel = self._kernel_problem.kernel
            sees = self._settings.belief.sees_structure
            views = self._kernel_problem.views[1:] if sees else ()
            fit = fit_beliefs(
                self._settings.belief, kernel, active, values[:n], rng, guesses=guesses, views=views, finds_pairs=sees
            )
            self._fit = seed, fit, leads
        return self._fit[1:]


# On a plateau every fifth suggestion is that of the beliefs.
_ON_PLATEAU = 5
# What another reading must be worth, in deviations of the values, where nothing else is left to try.
_LEAST_WORTH = math.log(1e-4)
# Keeps the random numbers of fits apart from those of suggestions.
_FIT_STREAM = 2**40


def _is_out(row: Codes, history: History) -> bool:
    return bool((history.pending == row).all(axis=1).any())


def _highest(scores: Scores, n: int) -> NDArray[np.int64]:
    return np.argsort(-scores, kind="stable")[:n]
