"""The last step of every method: the untried row with the highest score, in one pass or by search."""

from __future__ import annotations

from dataclasses import dataclass, field

from numpy.random import Generator

from hedgerow.acquisition.maximize import Found, Score, SearchSettings, best_of, search
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem


@dataclass(frozen=True)
class Proposing:
    """How candidates are found."""

    # Sets up to this size are scored in one pass.
    max_listed: int = 30_000
    search: SearchSettings = field(default_factory=SearchSettings)


def propose(problem: CodeProblem, history: History, score: Score, rng: Generator, settings: Proposing) -> Found:
    """Return the untried row of highest score."""
    listed = problem.listed(settings.max_listed)
    if listed is None:
        sizes = problem.space.sizes
        found = search(problem.feasible, score, history.is_seen, history.best_first, rng, settings.search, sizes=sizes)
        return found or Found(problem.draw_unseen(history, rng), is_exact=False)
    unseen = listed[~problem.is_seen(history)]
    return Found(best_of(unseen, score(unseen), rng), is_exact=True)
