"""Beliefs that begin from trials of related problems.

What is believed of a related problem, brought to the unit of this one by a straight line, is a *lead*: a first guess of
every value here. A belief that follows a lead is about what is left over. Each transform is fitted with every lead and
without any, and evidence weighs them as it weighs the transforms: a lead that misleads loses its weight trial by trial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Codes, Column, Scores
from hedgerow.feasible.changes import Literals
from hedgerow.methods.auto.belief import BeliefSettings, fit_beliefs, safe
from hedgerow.methods.auto.kernel.neighborhood import KernelNeighborhood
from hedgerow.methods.auto.kernel_problem import KernelProblem
from hedgerow.methods.auto.leads import Guess, Lead, LeadNear
from hedgerow.methods.auto.posterior import Posterior
from hedgerow.methods.earlier import EarlierTrials
from hedgerow.methods.history import History

# Rows that one related problem is believed from.
_MAX_ROWS = 400


class Related:
    """One related problem: its rows, the best first, and what is believed of it on its own."""

    def __init__(self, problem: KernelProblem, settings: BeliefSettings, trials: EarlierTrials) -> None:
        kept = trials.thinned(_MAX_ROWS)
        self.codes, self.values = kept.codes, kept.values
        only_modes = BeliefSettings(n_draws=0, prior=settings.prior)
        active = problem.active_part(self.codes)
        fit = fit_beliefs(only_modes, problem.kernel, active, self.values, np.random.default_rng(0))
        history = History(self.codes, self.values, self.codes[:0])
        self._posterior = Posterior(problem, history, fit)
        self._belief = self._posterior.major[0]
        self._problem = problem
        self._listed: Column | None = None

    def predicted(self, rows: Codes) -> Column:
        """Return what these rows would give there."""
        return self._values(self._posterior.model(self._belief).predict(self._problem.active_part(rows))[0])

    def listed(self) -> Column:
        """Return what all listed rows would give there."""
        if self._listed is None:
            self._listed = self._values(self._posterior.model(self._belief).predict_mean(self._problem.many_rows))
        return self._listed

    def near(self, row: Codes, literals: Literals) -> RelatedNear:
        """Return what knows the values after small changes of a row."""
        active = self._problem.active_part(row[None, :])[0]
        model = self._posterior.model(self._belief)
        return RelatedNear(self, KernelNeighborhood.of(model, active, *self._problem.places_of(literals)))

    def _values(self, targets: Column) -> Column:
        return self._posterior.values_of(self._belief.transform, targets)


@dataclass(frozen=True, eq=False)
class RelatedNear:
    """What is believed of a related problem around one row."""

    related: Related
    neighborhood: KernelNeighborhood

    def means(self, first: Codes, second: Codes) -> Scores:
        """Return the values after changes."""
        return self.related._values(self.neighborhood.means(first, second))


@dataclass(frozen=True, eq=False)
class StraightLead(Lead):
    """here = offset + slope * there."""

    related: Related
    offset: float
    slope: float

    @classmethod
    def fitted(cls, related: Related, rows: Codes, values: Column) -> StraightLead:
        """Return the line through the means, with the slope that the units or the spreads explain.

        How much of it to believe is another question, which beliefs answer.
        """
        there = related.predicted(rows)
        slope = 1.0
        if (there > 0).all() and (values > 0).all():
            slope = float(np.median(values / there))
        elif values.size > 2 and np.ptp(there) > 0 and np.ptp(values) > 0:
            slope = float(values.std() / there.std())
        return cls(related, float(values.mean() - slope * there.mean()), slope)

    def at(self, rows: Codes) -> Column:
        """Return the first guess at some rows."""
        return self.offset + self.slope * self.related.predicted(rows)

    def guess(self, rows: Codes) -> Guess:
        """Return the first guess at some rows, and at all trials from there."""
        return Guess(self.at(rows), self.offset + self.slope * self.related.values)

    def listed(self) -> Column:
        """Return the first guess at all listed rows."""
        return self.offset + self.slope * self.related.listed()

    def near(self, row: Codes, literals: Literals) -> LeadNear:
        """Return the first guess around a row."""
        return StraightLeadNear(self, self.related.near(row, literals))


@dataclass(frozen=True, eq=False)
class StraightLeadNear(LeadNear):
    """A line around one row."""

    line: StraightLead
    near: RelatedNear

    def means(self, first: Codes, second: Codes) -> Scores:
        """Return the first guess after changes."""
        return self.line.offset + self.line.slope * self.near.means(first, second)


class Transfer:
    """The related problems of one problem."""

    def __init__(self, problem: KernelProblem, settings: BeliefSettings) -> None:
        able = [
            trials for trials in problem.codes.earlier if trials.values.size > 1 and np.ptp(safe(trials.values)) > 0
        ]
        self._problem = problem
        self._related = [Related(problem, settings, trials) for trials in able]

    def best_untried(self, history: History) -> Codes | None:
        """Return the row that was best elsewhere, of those that keep the rules and have not been tried."""
        for one in self._related:
            able = self._problem.codes.feasible.accepts(one.codes) & ~history.is_seen(one.codes)
            if able.any():
                return np.asarray(one.codes[able][0])
        return None

    def leads(self, rows: Codes, values: Column) -> Sequence[Lead]:
        """Return a first guess from each related problem, in the unit of these values."""
        return [StraightLead.fitted(one, rows, values) for one in self._related]


def _varies(trials: EarlierTrials) -> bool:
    return trials.values.size > 1 and bool(np.ptp(safe(trials.values)) > 0)
