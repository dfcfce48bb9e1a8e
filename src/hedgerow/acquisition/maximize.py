"""Finding the untried feasible row with the highest score: exactly where the set is small, else by search.

The search climbs through feasible neighbours, through exchanges where no single change is feasible or helps, and
through best completions: the score is taken as a sum over slots around the row that was reached, and the diagram gives
the best row of that sum, however far away. It starts from the best observations, from the diagram's best rows under
main effects, and from uniform draws. It never leaves the feasible set and never returns a row that has been seen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

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
    n_by_effects: int = 4
    # Rows reached by climbing that are completed, and rows taken from the diagram each time.
    n_completed: int = 2
    n_completions: int = 3
    # Rows that a final score is asked about.
    n_final: int = 80


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
    feasible: CodeSet,
    score: Score,
    is_seen: IsSeen,
    good: Codes,
    rng: Generator,
    settings: SearchSettings,
    *,
    sizes: Sequence[int],
    effects: Sequence[NDArray[np.float64]] | None = None,
    final_score: Score | None = None,
) -> Found | None:
    """Return the best unseen row found, or None when every row that was looked at has been seen.

    `effects` are scores per slot and code for the diagram's best rows. With a `final_score`, `score` (a cheaper one)
    leads the search and the final one chooses among the rows it found.
    """
    drawn = feasible.draw(settings.n_draws, rng)
    starts = [good[: settings.n_starts], _top(drawn, score(drawn), settings.n_starts)]
    if effects is not None and feasible.is_exact:
        starts.append(np.array(list(islice(feasible.best(effects), settings.n_by_effects))))
    climbs = [_climb(feasible, start, score, is_seen, rng, settings) for start in np.concatenate(starts)]
    if feasible.is_exact:
        climbs += _completed(feasible, climbs, score, is_seen, rng, settings, sizes)
    unseen = np.unique(np.concatenate([drawn[~is_seen(drawn)], *(climb.remembered for climb in climbs)]), axis=0)
    if not unseen.size:
        return None
    if final_score is not None:
        unseen = _top(unseen, score(unseen), settings.n_final)
    return Found(best_of(unseen, (final_score or score)(unseen), rng), is_exact=False)


@dataclass(frozen=True)
class _Climb:
    """Where a climb ended, and unseen rows worth remembering on its way."""

    top: Codes
    value: float
    remembered: Codes


def _completed(
    feasible: CodeSet,
    climbs: list[_Climb],
    score: Score,
    is_seen: IsSeen,
    rng: Generator,
    settings: SearchSettings,
    sizes: Sequence[int],
) -> list[_Climb]:
    """Go on from the best rows of the sum of scores around the highest tops."""
    more: list[_Climb] = []
    tops: dict[bytes, _Climb] = {}
    for climb in sorted(climbs, key=lambda climb: -climb.value):
        tops.setdefault(climb.top.tobytes(), climb)
    for climb in list(tops.values())[: settings.n_completed]:
        around = _scores_around(climb.top, score, sizes)
        rows = np.array(list(islice(feasible.best(around), settings.n_completions)))
        start = rows[int(score(rows).argmax())]
        if not np.array_equal(start, climb.top):
            more.append(_climb(feasible, start, score, is_seen, rng, settings))
    return more


def _scores_around(row: Codes, score: Score, sizes: Sequence[int]) -> list[NDArray[np.float64]]:
    """Return the score of the row with each code in each slot, feasible or not, as one array per slot."""
    changed = np.repeat(row[None, :], sum(sizes), axis=0)
    slots = np.repeat(np.arange(len(sizes)), sizes)
    changed[np.arange(sum(sizes)), slots] = np.concatenate([np.arange(size) for size in sizes])
    scores = score(changed)
    # A score of -inf says that nothing is to be gained there; in the diagram it would forbid the code.
    possible = np.isfinite(scores)
    lowest = float(scores[possible].min()) - 1.0 if possible.any() else 0.0
    return np.split(np.where(possible, scores, lowest), np.cumsum(sizes)[:-1])


def _climb(
    feasible: CodeSet, start: Codes, score: Score, is_seen: IsSeen, rng: Generator, settings: SearchSettings
) -> _Climb:
    """Move to the best neighbour while that helps."""
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
    return _Climb(current, value, np.concatenate(remembered))


def _best_move(moves: Codes, score: Score) -> tuple[Codes, float] | None:
    if not moves.shape[0]:
        return None
    scores = score(moves)
    place = int(scores.argmax())
    return moves[place], float(scores[place])


def _top(rows: Codes, scores: NDArray[np.float64], n: int) -> Codes:
    return np.asarray(rows[np.argsort(-scores, kind="stable")[:n]])


def _thinned(rows: Codes, n: int, rng: Generator) -> Codes:
    return rows if rows.shape[0] <= n else rows[np.sort(rng.choice(rows.shape[0], n, replace=False))]
