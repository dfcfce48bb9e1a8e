"""Local search inside the feasible set: try the moves of the best row in random order, restart where none is left.

A move changes one slot, or two where no change of one is feasible. Whatever is better becomes the new center. When all
moves of the center have been tried, the search begins again at a uniform draw.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.feasible.changes import changed_rows
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.suggestion import Reason, RowSuggestion

_MOST_SLOTS = 2


@dataclass(frozen=True)
class LocalSearch:
    """It has no settings."""

    @property
    def may_break_rules(self) -> bool:
        """Never."""
        return False

    def start(self, problem: CodeProblem) -> LocalSearchRun:
        """Return the search at work on a problem."""
        return LocalSearchRun(problem)


class LocalSearchRun:
    """Suggests moves; the center follows from the history alone."""

    def __init__(self, problem: CodeProblem) -> None:
        self._problem = problem

    def suggest(self, history: History, seed: int) -> RowSuggestion:
        """Return an untried move of the center, or a uniform draw where there is none."""
        rng = np.random.default_rng([seed, history.n_told, history.pending.shape[0]])
        center = _center(history)
        if center is not None:
            moves = self._moves(center)
            moves = moves[~history.is_seen(moves)]
            if moves.shape[0]:
                return RowSuggestion(moves[rng.integers(moves.shape[0])], False, Reason.VARIATION)
        return RowSuggestion(self._problem.draw_unseen(history, rng), False, Reason.NOTHING_FOUND)

    def _moves(self, row: Codes) -> Codes:
        for n_slots in range(1, _MOST_SLOTS + 1):
            changes = self._problem.feasible.changes(row, n_slots)
            if changes.shape[0]:
                return changed_rows(row, changes)
        return row[None, :][:0]


def _center(history: History) -> Codes | None:
    """Return the best row since the last restart; a row that is more than a move away from the center is one."""
    center: Codes | None = None
    value = np.inf
    for row, told in zip(history.codes, history.values, strict=True):
        is_restart = center is None or int((row != center).sum()) > _MOST_SLOTS
        if np.isfinite(told) and (is_restart or told < value):
            center, value = row, float(told)
    return center
