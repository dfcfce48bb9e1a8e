"""What a search climbs on: a score for any row, and a faster one for the small changes of a row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.feasible.changes import Changes, all_single_changes, changed_rows
from hedgerow.space.encoding import Codes

Scores = NDArray[np.float64]
Score = Callable[[Codes], Scores]


class Vicinity(Protocol):
    """What is around one row."""

    def scores(self, changes: Changes) -> Scores:
        """Return the score after each change."""

    def guesses(self, changes: Changes) -> Scores:
        """Return what to expect of changes of two slots from those of one, to leave the hopeless ones out."""


class Landscape(Protocol):
    """What is to be climbed."""

    def scores(self, rows: Codes) -> Scores:
        """Return the score of each row."""

    def around(self, row: Codes) -> Vicinity:
        """Return what scores the changes of a row."""


@dataclass(frozen=True)
class ScoredRows:
    """The landscape of a function of rows that knows no short cuts."""

    score: Score
    sizes: Sequence[int]

    def scores(self, rows: Codes) -> Scores:
        """Return the score of each row."""
        return self.score(rows)

    def around(self, row: Codes) -> Vicinity:
        """Return what scores the changes of a row."""
        return _ScoredChanges(self, row)


@dataclass(frozen=True, eq=False)
class _ScoredChanges:
    landscape: ScoredRows
    row: Codes

    def scores(self, changes: Changes) -> Scores:
        return self.landscape.score(changed_rows(self.row, changes))

    def guesses(self, changes: Changes) -> Scores:
        first = self._singles[self._starts[changes[:, 0]] + changes[:, 1]]
        return np.asarray(first + self._singles[self._starts[changes[:, 2]] + changes[:, 3]])

    @cached_property
    def _singles(self) -> Scores:
        return finite(self.scores(all_single_changes(self.landscape.sizes)))

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum(self.landscape.sizes)])


def finite(scores: Scores) -> Scores:
    """Return scores with a number below all others instead of -inf, which says that nothing is to be gained there."""
    possible = np.isfinite(scores)
    lowest = float(scores[possible].min()) - 1.0 if possible.any() else 0.0
    return np.where(possible, scores, lowest)
