"""Finding the untried feasible row with the highest score: exactly where the set is small, else by search.

The search climbs through feasible neighbours, and through exchanges where no single change is feasible or helps,
from the best observations and from uniform draws. It never leaves the feasible set and never returns a row that has
been seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.feasible.code_set import CodeSet
from hedgerow.space.encoding import Codes

Score = Callable[[Codes], NDArray[np.float64]]
IsSeen = Callable[[Codes], NDArray[np.bool_]]

# Scores this close count as equal; one of them is drawn, so that no corner of the space is favoured.
_TIE = 1e-9


@dataclass(frozen=True)
class SearchSettings:
    """How hard to search where the set cannot be scored in one pass."""

    n_draws: int = 512
    n_starts: int = 8
    max_climb: int = 30
    max_exchanges: int = 2000


@dataclass(frozen=True)
class Found:
    """A row, and whether it is the best of all unseen feasible rows or the best that was found."""

    codes: Codes
    is_exact: bool


def best_of(candidates: Codes, scores: NDArray[np.float64], rng: Generator) -> Codes:
    """Return a row of highest score, drawn among ties."""
    ties = np.flatnonzero(scores >= scores.max() - _TIE)
    return np.asarray(candidates[ties[rng.integers(ties.size)]])


def search(
    feasible: CodeSet, score: Score, is_seen: IsSeen, good: Codes, rng: Generator, settings: SearchSettings
) -> Found | None:
    """Return the best unseen row found, or None when every row that was looked at has been seen."""
    drawn = feasible.draw(settings.n_draws, rng)
    starts = np.concatenate([good[: settings.n_starts], _top(drawn, score(drawn), settings.n_starts)])
    pool = [drawn[~is_seen(drawn)]]
    pool += [_climb(feasible, start, score, is_seen, rng, settings) for start in starts]
    candidates = np.unique(np.concatenate(pool), axis=0)
    if not candidates.size:
        return None
    return Found(best_of(candidates, score(candidates), rng), is_exact=False)


def _climb(
    feasible: CodeSet, start: Codes, score: Score, is_seen: IsSeen, rng: Generator, settings: SearchSettings
) -> Codes:
    """Move to the best neighbour while that helps; return the unseen rows worth remembering on the way."""
    current, value = start, float(score(start[None, :])[0])
    remembered: list[Codes] = [start[None, :][~is_seen(start[None, :])]]
    for _ in range(settings.max_climb):
        moves = feasible.neighbours(current)
        best = _best_move(moves, score)
        if best is None or best[1] <= value:
            moves = _thinned(feasible.exchanges(current), settings.max_exchanges, rng)
            best = _best_move(moves, score)
        if best is None:
            break
        unseen = moves[~is_seen(moves)]
        remembered.append(_top(unseen, score(unseen), 4) if unseen.size else unseen)
        if best[1] <= value:
            break
        current, value = best
    return np.concatenate(remembered)


def _best_move(moves: Codes, score: Score) -> tuple[Codes, float] | None:
    if not moves.shape[0]:
        return None
    scores = score(moves)
    place = int(scores.argmax())
    return moves[place], float(scores[place])


def _top(rows: Codes, scores: NDArray[np.float64], n: int) -> Codes:
    return rows[np.argsort(-scores, kind="stable")[:n]]


def _thinned(rows: Codes, n: int, rng: Generator) -> Codes:
    return rows if rows.shape[0] <= n else rows[np.sort(rng.choice(rows.shape[0], n, replace=False))]
