"""Finding the untried feasible row with the highest score where the set cannot be scored in one pass.

The search climbs through feasible changes of one slot, and of two where none of one helps (swaps, under rules that
fix a sum). It starts from the best observations, from the diagram's best rows under main effects or whatever else a
surrogate knows from afar, and from uniform draws. From the highest tops it goes on in two ways: along the path from one
to another, and to the best completion, the row that the diagram finds best when the score is taken as a sum over slots
around the top, however far away. It never leaves the feasible set and never returns a row that has been seen. Its
effort is counted in steps, not seconds, so that the same input gives the same row on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.arrays import Changes, Codes, Scores
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.feasible.code_set import CodeSet
from hedgerow.search.landscape import Landscape, Neighborhood, Score, finite
from hedgerow.search.literals import literals_for_pairs, literals_near, literals_toward
from hedgerow.search.suggestion import Reason, RowSuggestion

IsSeen = Callable[[Codes], NDArray[np.bool_]]

# Scores this close count as equal; one of them is drawn, so that no corner of the space is favored.
_TIE = 1e-9


@dataclass(frozen=True)
class SearchSettings:
    """How hard to search."""

    n_draws: int = 64
    # Starts: best observations, best draws, best rows under main effects.
    n_good: int = 3
    n_drawn: int = 1
    n_by_effects: int = 1
    max_climb: int = 40
    # Steps of all climbs together.
    max_steps: int = 80
    # Codes of a slot that a step looks at, codes of all slots together that it looks at in pairs, and pairs that it
    # scores: those of highest guess and some others.
    max_codes: int = 32
    max_literals: int = 600
    max_pairs: int = 400
    # Tops that are completed, rows taken from the diagram each time, and tops that are joined by paths.
    n_completed: int = 1
    n_completions: int = 3
    n_joined: int = 2
    # Rows kept of each step, and rows that a final score is asked about.
    n_kept: int = 4
    n_final: int = 80


def best_of(candidates: Codes, scores: NDArray[np.float64], rng: Generator) -> Codes:
    """Return a row of highest score, drawn among ties."""
    ties = np.flatnonzero(scores >= scores.max() - _TIE)
    return np.asarray(candidates[ties[rng.integers(ties.size)]])


def search(
    feasible: CodeSet,
    landscape: Landscape,
    is_seen: IsSeen,
    good: Codes,
    rng: Generator,
    settings: SearchSettings,
    *,
    sizes: Sequence[int],
    effects: Sequence[NDArray[np.float64]] | None = None,
    guided: Codes | None = None,
    final_score: Score | None = None,
) -> RowSuggestion | None:
    """Return the best unseen row found, or None when every row that was looked at has been seen.

    `good` are observed rows from the best down, `effects` scores per slot and code for the diagram's best rows, and
    `guided` further feasible rows to start from. With a `final_score`, the landscape leads the search and the final
    score chooses among the rows it found.
    """
    starts = [] if guided is None else [guided]
    return _Search(feasible, landscape, is_seen, rng, settings, sizes).run([*starts, good], effects, final_score)


@dataclass(frozen=True)
class _Top:
    row: Codes
    score: float


class _Search:
    """One search: what it has climbed already, and the unseen rows worth remembering."""

    def __init__(
        self,
        feasible: CodeSet,
        landscape: Landscape,
        is_seen: IsSeen,
        rng: Generator,
        settings: SearchSettings,
        sizes: Sequence[int],
    ) -> None:
        self._feasible = feasible
        self._landscape = landscape
        self._is_seen = is_seen
        self._rng = rng
        self._settings = settings
        self._sizes = sizes
        self._all_literals = Literals.all_of(sizes)
        # Slots of many codes have steps of any smallness, and a climb may end before the last of them.
        self._has_large_slots = max(sizes) > settings.max_codes
        self._visited: set[bytes] = set()
        self._remembered: list[Codes] = []
        self._steps_left = settings.max_steps

    def run(
        self, given: Sequence[Codes], effects: Sequence[NDArray[np.float64]] | None, final_score: Score | None
    ) -> RowSuggestion | None:
        """Climb from everywhere and choose."""
        settings = self._settings
        drawn = self._feasible.draw_up_to(settings.n_draws, self._rng)
        self._remembered.append(drawn[~self._is_seen(drawn)])
        starts = [rows[: settings.n_good] for rows in given]
        starts.append(_top(drawn, self._landscape.heights(drawn), settings.n_drawn))
        if effects is not None and self._feasible.is_exact:
            starts.insert(0, self._best_by_sum(effects, settings.n_by_effects))
        tops = [self._climb(start) for start in np.concatenate(starts)]
        tops += [self._climb(row) for row in self._completions(tops)]
        tops += [self._climb(row) for row in self._between(tops)]
        unseen = np.unique(np.concatenate(self._remembered), axis=0)
        if not unseen.size:
            return None
        if final_score is not None:
            unseen = _top(unseen, self._landscape.heights(unseen), settings.n_final)
        scores = (final_score or self._landscape.heights)(unseen)
        return RowSuggestion(best_of(unseen, scores, self._rng), False, Reason.BEST_FOUND)

    def _climb(self, start: Codes) -> _Top:
        """Move to the best change while that helps, or until somebody has been there."""
        current, score = start, float(self._landscape.heights(start[None, :])[0])
        self._remember(start[None, :])
        for _ in range(self._settings.max_climb):
            if current.tobytes() in self._visited or self._steps_left <= 0:
                break
            self._visited.add(current.tobytes())
            self._steps_left -= 1
            step = self._best_step(current, score)
            if step is None:
                break
            gain = step.score - score
            current, score = step.row, step.score
            if self._has_large_slots and gain < self._landscape.negligible:
                break
        return _Top(current, score)

    def _best_step(self, row: Codes, score: float) -> _Top | None:
        """Return the best change that is better than the row: of one slot if there is one, else of two."""
        literals = self._literals(row)
        neighborhood = self._landscape.neighborhood(row, literals)
        for n_slots in (1, 2):
            if n_slots == 2:
                literals = literals_for_pairs(literals, neighborhood, self._settings.max_literals, self._rng)
            changes = self._thinned(self._feasible.changes(row, n_slots, literals), neighborhood)
            if not changes.shape[0]:
                continue
            scores = neighborhood.scores(changes)
            kept = _highest(scores, self._settings.n_kept)
            rows = changed_rows(row, changes[kept])
            self._remember(rows)
            if scores[kept[0]] > score:
                return self._combined(row, changes[scores > score], scores[scores > score]) or _Top(
                    rows[0], float(scores[kept[0]])
                )
        return None

    def _combined(self, row: Codes, changes: Changes, scores: Scores) -> _Top | None:
        """Return the best of several improving changes at once, if that is feasible and better than each alone."""
        order = _highest(scores, scores.size)
        _, first = np.unique(changes[order, 0], return_index=True)
        # The best change of every slot, from the best down; changes of two slots may touch one slot twice.
        best = changes[order[np.sort(first)]]
        numbers = [2**k for k in range(1, best.shape[0].bit_length())]
        if not numbers:
            return None
        rows = np.repeat(row[None, :], len(numbers), axis=0)
        for combined, n in zip(rows, numbers, strict=True):
            combined[best[:n, 0]] = best[:n, 1]
            is_double = best[:n, 2] >= 0
            combined[best[:n][is_double, 2]] = best[:n][is_double, 3]
        rows = rows[self._feasible.accepts_few(rows)]
        if not rows.shape[0]:
            return None
        combined_scores = self._landscape.heights(rows)
        self._remember(rows)
        top = int(combined_scores.argmax())
        is_better = combined_scores[top] > scores[order[0]]
        return _Top(rows[top], float(combined_scores[top])) if is_better else None

    def _completions(self, tops: list[_Top]) -> list[Codes]:
        """Return the diagram's best rows under the sum of scores around the highest tops."""
        if not self._feasible.is_exact:
            return []
        rows: list[Codes] = []
        for top in _different(tops)[: self._settings.n_completed]:
            literals = self._literals(top.row)
            scores = finite(self._landscape.neighborhood(top.row, literals).rough_scores(literals.changes))
            found = self._best_by_sum(_spread_out(scores, literals), self._settings.n_completions)
            rows.append(found[int(self._landscape.heights(found).argmax())])
        return rows

    def _between(self, tops: list[_Top]) -> list[Codes]:
        """Return the best row on the path from each of the highest tops to the next."""
        joined = _different(tops)[: self._settings.n_joined]
        rows = [self._best_on_path(one.row, other.row) for one, other in pairwise(joined)]
        return [row for row in rows if row is not None]

    def _best_on_path(self, start: Codes, end: Codes) -> Codes | None:
        """Return the best row met when codes of `start` become those of `end`, the best first, inside the rules."""
        met: list[_Top] = []
        row = start
        for _ in range(self._settings.max_climb):
            if self._steps_left <= 0:
                break
            literals = literals_toward(end, row, self._all_literals)
            neighborhood = self._landscape.neighborhood(row, literals)
            changes = np.concatenate([self._feasible.changes(row, n_slots, literals) for n_slots in (1, 2)])
            if not changes.shape[0]:
                break
            self._steps_left -= 1
            scores = neighborhood.scores(changes)
            best = int(scores.argmax())
            row = changed_rows(row, changes[best : best + 1])[0]
            if np.array_equal(row, end):
                break
            met.append(_Top(row, float(scores[best])))
        return max(met, key=lambda top: top.score).row if met else None

    def _thinned(self, changes: Changes, neighborhood: Neighborhood) -> Changes:
        """Return at most so many changes: half of them those of highest guess, the others at random."""
        n = self._settings.max_pairs
        if changes.shape[0] <= n or changes[0, 2] < 0:
            return changes
        order = np.argpartition(-neighborhood.guesses(changes), n // 2)
        others = order[n // 2 :]
        chosen = np.concatenate([order[: n // 2], others[self._rng.choice(others.size, n - n // 2, replace=False)]])
        return np.asarray(changes[np.sort(chosen)])

    def _literals(self, row: Codes) -> Literals:
        return literals_near(row, self._all_literals, self._settings.max_codes, self._rng)

    def _best_by_sum(self, scores: Sequence[NDArray[np.float64]], n: int) -> Codes:
        rows = list(islice(self._feasible.best(scores, n), n))
        return np.array(rows, dtype=np.int64).reshape(-1, len(self._sizes))

    def _remember(self, rows: Codes) -> None:
        self._remembered.append(rows[~self._is_seen(rows)])


def _spread_out(scores: Scores, literals: Literals) -> list[Scores]:
    """Return scores per slot and code from those of literals; between the literals of a slot they go straight."""
    parts = []
    for slot, size in enumerate(literals.sizes):
        own = literals.slots == slot
        parts.append(np.interp(np.arange(size), literals.codes[own], scores[own]) if own.any() else np.zeros(size))
    return parts


def _different(tops: list[_Top]) -> list[_Top]:
    """Return the tops from the highest down, each row once."""
    first: dict[bytes, _Top] = {}
    for top in sorted(tops, key=lambda top: -top.score):
        first.setdefault(top.row.tobytes(), top)
    return list(first.values())


def _highest(scores: Scores, n: int) -> NDArray[np.int64]:
    return np.argsort(-scores, kind="stable")[:n]


def _top(rows: Codes, scores: Scores, n: int) -> Codes:
    return np.asarray(rows[_highest(scores, n)])
