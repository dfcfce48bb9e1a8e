"""Regularized evolution inside the feasible set: mutations along feasible neighbors, the oldest of a population dies.

After Real et al. (2019), "Regularized evolution for image classifier architecture search": a tournament among the
latest observations chooses a parent, and a random feasible change of one slot (of two, where none exists) its child.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import Reason, RowSuggestion


@dataclass(frozen=True)
class Evolution:
    """Sizes of the population, of its random beginning, and of a tournament."""

    population: int = 30
    n_start: int = 10
    tournament: int = 8

    @property
    def may_break_rules(self) -> bool:
        """Never."""
        return False

    def start(self, problem: CodeProblem) -> EvolutionRun:
        """Return the population at work on a problem."""
        return EvolutionRun(self, problem)


class EvolutionRun:
    """Breeds rows; the population is the tail of the history."""

    def __init__(self, settings: Evolution, problem: CodeProblem) -> None:
        self._settings = settings
        self._problem = problem

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return a mutated winner, or a uniform draw at the beginning and where all its neighbors have been tried."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        alive = np.flatnonzero(history.is_measured)[-self._settings.population :]
        if history.n_told < self._settings.n_start or not alive.size:
            return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_LEARNED)
        entrants = rng.choice(alive, size=min(self._settings.tournament, alive.size), replace=False)
        for parent in entrants[np.argsort(history.values[entrants], kind="stable")]:
            for moves in (self._problem.feasible.neighbors, self._problem.feasible.exchanges):
                rows = moves(history.codes[parent])
                rows = rows[~history.is_seen(rows)]
                if rows.shape[0]:
                    return RowSuggestion(rows[rng.integers(rows.shape[0])], False, Reason.VARIATION)
        return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_FOUND)
