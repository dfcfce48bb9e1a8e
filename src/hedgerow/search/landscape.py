"""What a search climbs on: a score for any row, and a faster one for the small changes of a row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from hedgerow.arrays import Changes, Codes, Scores
from hedgerow.feasible.changes import Literals, changed_rows

Score = Callable[[Codes], Scores]


class Neighborhood(Protocol):
    """The small changes of one row."""

    def scores(self, changes: Changes) -> Scores:
        """Return the score after each change; what is hopeless may be rated roughly, but not above the best."""

    def rough_scores(self, changes: Changes) -> Scores:
        """Return roughly the same for many changes."""

    def guesses(self, changes: Changes) -> Scores:
        """Return what to expect of changes of two slots from those of one, to leave the hopeless ones out."""


class Landscape(Protocol):
    """What is to be climbed."""

    @property
    def negligible(self) -> float:
        """What a step must gain to be followed by another where steps can be ever so small."""

    def heights(self, rows: Codes) -> Scores:
        """Return how high each row stands."""

    def neighborhood(self, row: Codes, literals: Literals) -> Neighborhood:
        """Return what scores the changes of a row to these literals."""


@dataclass(frozen=True)
class ScoredRows:
    """The landscape of a function of rows that knows no short cuts."""

    score: Score

    @property
    def negligible(self) -> float:
        """Nothing is known about the scale of the scores, so every gain counts."""
        return 0.0

    def heights(self, rows: Codes) -> Scores:
        """Return the score of each row."""
        return self.score(rows)

    def neighborhood(self, row: Codes, literals: Literals) -> Neighborhood:
        """Return what scores the changes of a row to these literals."""
        return _ScoredChanges(self.score, row, literals)


@dataclass(frozen=True, eq=False)
class _ScoredChanges:
    score: Score
    row: Codes
    literals: Literals

    def scores(self, changes: Changes) -> Scores:
        return self.score(changed_rows(self.row, changes))

    def rough_scores(self, changes: Changes) -> Scores:
        return self.scores(changes)

    def guesses(self, changes: Changes) -> Scores:
        first, second = self.literals.of(changes)
        return np.asarray(self._singles[first] + self._singles[second])

    @cached_property
    def _singles(self) -> Scores:
        return finite(self.scores(self.literals.changes))


def finite(scores: Scores) -> Scores:
    """Return scores with a number below all others instead of -inf, which says that nothing is to be gained there."""
    possible = np.isfinite(scores)
    lowest = float(scores[possible].min()) - 1.0 if possible.any() else 0.0
    return np.where(possible, scores, lowest)
