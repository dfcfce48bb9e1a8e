"""The last step of methods that score rows: the untried row with the highest score, in one pass or by search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Scores
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.search.landscape import Landscape, Score, ScoredRows
from hedgerow.search.maximize import SearchSettings, best_of, search
from hedgerow.search.suggestion import Reason, RowSuggestion


@dataclass(frozen=True)
class CandidateSettings:
    """How candidates are found."""

    # Sets up to this size are listed.
    max_listed: int = 30_000
    search: SearchSettings = field(default_factory=SearchSettings)
    # With a number, only so many uniform draws are scored: the mini-batched acquisition of the paper's Appendix F.
    n_drawn: int | None = None


class Criterion(ABC):
    """What a method asks of a row, its score, and what it knows about where rows of high score may be."""

    @abstractmethod
    def score(self, rows: Codes) -> Scores:
        """Return what each row is worth."""

    def landscape(self) -> Landscape | None:
        """Return what is cheaper to climb than the score, and leads a search where sets cannot be listed."""
        return None

    def effects(self) -> Sequence[NDArray[np.float64]] | None:
        """Return a score per slot and code, under whose sum the best rows start a search well."""
        return None

    def guided(self) -> Codes | None:
        """Return feasible rows to start a search from."""
        return None

    def shortlist(self, rows: Codes, places: NDArray[np.int64]) -> tuple[Codes, bool]:
        """Return which of the untried listed rows, at these places of the list, to score, and whether that is exact."""
        _ = places
        return rows, True


@dataclass(frozen=True, eq=False)
class PlainCriterion(Criterion):
    """A score and nothing else."""

    function: Score

    def score(self, rows: Codes) -> Scores:
        """Return what the function says."""
        return self.function(rows)


def best_candidate(
    problem: CodeProblem, history: History, criterion: Criterion, rng: Generator, settings: CandidateSettings
) -> RowSuggestion:
    """Return the untried row of highest score."""
    if settings.n_drawn is not None:
        drawn = problem.feasible.draw(settings.n_drawn, rng)
        drawn = drawn[~history.is_seen(drawn)]
        if not drawn.shape[0]:
            return RowSuggestion(problem.draw_unseen(history, rng), False, Reason.NOTHING_FOUND)
        return RowSuggestion(best_of(drawn, criterion.score(drawn), rng), False, Reason.BEST_OF_DRAWS)
    listed = problem.listed(settings.max_listed)
    if listed is None:
        landscape = criterion.landscape()
        found = search(
            problem.feasible,
            landscape or ScoredRows(criterion.score),
            history.is_seen,
            history.best_first,
            rng,
            settings.search,
            sizes=problem.space.sizes,
            effects=criterion.effects(),
            guided=criterion.guided(),
            final_score=criterion.score if landscape else None,
        )
        return found or RowSuggestion(problem.draw_unseen(history, rng), False, Reason.NOTHING_FOUND)
    places = np.flatnonzero(~problem.is_seen(history))
    rows, is_exact = criterion.shortlist(listed[places], places)
    reason = Reason.BEST_OF_ALL if is_exact else Reason.BEST_OF_SHORTLIST
    return RowSuggestion(best_of(rows, criterion.score(rows), rng), is_exact, reason)
