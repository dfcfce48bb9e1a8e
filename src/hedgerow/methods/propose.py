"""The last step of every method: the untried row with the highest score, in one pass or by search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.acquisition.landscape import Landscape, Score, ScoredRows
from hedgerow.acquisition.maximize import Found, SearchSettings, best_of, search
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem
from hedgerow.space.encoding import Codes

# From the untried rows and their places in the list: the rows worth scoring, and whether these are all.
Shortlist = Callable[[Codes, NDArray[np.int64]], tuple[Codes, bool]]


@dataclass(frozen=True)
class Proposing:
    """How candidates are found."""

    # Sets up to this size are listed.
    max_listed: int = 30_000
    search: SearchSettings = field(default_factory=SearchSettings)
    # With a number, only so many uniform draws are scored: the mini-batched acquisition of the paper's Appendix F.
    n_drawn: int | None = None


def propose(
    problem: CodeProblem,
    history: History,
    score: Score,
    rng: Generator,
    settings: Proposing,
    *,
    landscape: Landscape | None = None,
    effects: Callable[[], Sequence[NDArray[np.float64]]] | None = None,
    guided: Callable[[], Codes | None] | None = None,
    shortlist: Shortlist | None = None,
) -> Found:
    """Return the untried row of highest score.

    A `landscape` that is cheaper to climb may lead a search, which `effects` (a score per slot and code) or `guided`
    (feasible rows) may start well; `shortlist` may spare a listed set from being scored as a whole.
    """
    if settings.n_drawn is not None:
        drawn = problem.feasible.draw(settings.n_drawn, rng)
        drawn = drawn[~history.is_seen(drawn)]
        row = best_of(drawn, score(drawn), rng) if drawn.shape[0] else problem.draw_unseen(history, rng)
        return Found(row, is_exact=False)
    listed = problem.listed(settings.max_listed)
    if listed is None:
        found = search(
            problem.feasible,
            landscape or ScoredRows(score),
            history.is_seen,
            history.best_first,
            rng,
            settings.search,
            sizes=problem.space.sizes,
            effects=effects and effects(),
            guided=guided and guided(),
            final_score=score if landscape else None,
        )
        return found or Found(problem.draw_unseen(history, rng), is_exact=False)
    places = np.flatnonzero(~problem.is_seen(history))
    rows, are_all = (listed[places], True) if shortlist is None else shortlist(listed[places], places)
    return Found(best_of(rows, score(rows), rng), is_exact=are_all)
