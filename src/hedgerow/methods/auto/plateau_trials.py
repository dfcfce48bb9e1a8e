"""What to try on a plateau: which elements are needed, codes beside them, and elements that act together elsewhere.

A trial that sets all slots that are free to codes that they did not have tests as many codes as there are such slots.
Where all codes were tested, elements may stand in each other's way: which of them act together is found out, and these
are moved along their vector, which costs nothing where position does not matter.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Mask, Places
from hedgerow.errors import EffortExceeded
from hedgerow.methods.auto.belief import safe
from hedgerow.methods.auto.plateau import Plateau, can_move, first_told, moves_of, plateau_of
from hedgerow.methods.history import History
from hedgerow.methods.problem import CodeProblem

# So many suspects may stay: they are looked at when nothing else is left to test.
_MOST_SUSPECTS = 2
# A trial must test so many codes that were not tried beside the elements; at first as many as this part of the slots
# that are free, because elements that are moved leave other codes to test.
_LEAST_NEW = 2
_LEAST_PART = 0.4
# Codes tried on lower plateaus count as tried where so few of the elements were missing.
_MOST_LACKING = 3
# What must hold is worth more than any number of codes tested; and what a code that was tried so often costs.
_HELD = 1e6
_TRIED, _MOST_TRIED = 0.01, 50
# More elements take too many trials to be told apart.
_MOST_ELEMENTS = 24
# After one move of everything that acts together come second moves, and so on.
_MOST_MOVES = 6
# Moves that fail, before elements are taken to act together with others, or positions to matter.
_MOST_FAILED = 4
_TOLERANCE = 1e-9
# Suspects that are looked at alone where rules leave no row without a half of them.
_MOST_ALONE = 8
# Rows of which it is asked whether their trials work, before the beliefs take over.
_MOST_JUDGED = 4

# The value without some of the elements.
Losses = dict[tuple[int, ...], float]


def on_plateau(
    problem: CodeProblem, history: History, rng: Generator, is_likely: Callable[[Codes], bool] | None = None
) -> Codes | None:
    """Return an unseen row that tells most of the plateau of the best value, or None where there is nothing to tell.

    Where trials fail, `is_likely` says of a row whether its trial works, and the first few are looked at.
    """
    told = first_told(history)
    plateau = plateau_of(problem.space, told, problem.changing)
    if plateau is None:
        return None
    trials = _PlateauTrials(problem, told, plateau, rng)
    found = (row for row in trials.rows() if row is not None)
    return next((row for row in islice(found, _MOST_JUDGED) if is_likely is None or is_likely(row)), None)


class _PlateauTrials:
    def __init__(self, problem: CodeProblem, history: History, plateau: Plateau, rng: Generator) -> None:
        self._problem = problem
        self._history = history
        self._plateau = plateau
        self._rng = rng
        self._told = np.concatenate([history.codes, history.pending])
        self._sizes = problem.space.sizes
        self._vector_of = [None if slot.index is None else slot.owner for slot in problem.space.slots]
        self._everything = np.ones(plateau.codes.size, np.bool_)

    def rows(self) -> Iterator[Codes | None]:
        """Yield what to try, the most telling first; None where there is no such row."""
        yield self._bisected()
        n_elements = self._plateau.codes.size
        yield self._covering(at_least=max(_LEAST_NEW, _LEAST_PART * (self._plateau.active.size - n_elements)))
        if n_elements <= _MOST_ELEMENTS and can_move(self._problem.space, self._plateau.here):
            yield from self._rearranged()
        yield self._covering()
        yield self._covering(again=True)

    def _bisected(self) -> Codes | None:
        """Return a row without half of the suspects, or of those of a pool, if there are many."""
        suspects = ~self._plateau.is_needed
        if suspects.sum() <= _MOST_SUSPECTS:
            return None
        pool = np.flatnonzero(min(self._plateau.pools, key=lambda pool: int(pool.sum()), default=suspects))
        pool = self._rng.permutation(pool)
        half = max(1, pool.size // 2)
        # Rules may leave no row without one half: then without the other, or without one suspect.
        for lost in (pool[:half], pool[half:], *pool[:_MOST_ALONE, None]):
            row = self._without(*lost.tolist()) if lost.size else None
            if row is not None:
                return row
        return None

    def _covering(self, *, at_least: float = _LEAST_NEW, again: bool = False) -> Codes | None:
        """Return a row that tests many codes beside the elements, or None where few are left.

        Codes tried on lower plateaus, or where elements were before, count as tried, unless `again`.
        """
        here = self._plateau.here
        counts = self._counts_here() if again else self._counts(here, self._plateau.slots)
        row, n_new = self._row_with(self._everything, here, counts)
        return row if n_new >= at_least else None

    def _rearranged(self) -> Iterator[Codes | None]:
        """Yield rows that find out which elements act together, and such in which those that do are moved.

        Of elements that cost the same some may act together; where they cannot be moved, pairs are looked at.
        """
        n = self._plateau.codes.size
        losses = self._losses()
        for element in range(n):
            if (element,) not in losses or self._plateau.instead[element] >= 0:
                yield self._without(element)
        classes: dict[float, list[int]] = {}
        for element in range(n):
            loss = losses.get((element,), math.nan)
            classes.setdefault(-math.inf if math.isnan(loss) else round(loss, 9), []).append(element)
        # What loses most by one of its elements has fewest of them, and lacks some.
        by_loss = [classes[value] for value in sorted(classes, reverse=True)]
        for n_moves in range(_MOST_MOVES):
            for members in by_loss:
                # Moved all together they would only stand in each other's way elsewhere.
                if len(members) < n and self._n_moves(members) <= n_moves:
                    yield self._elsewhere(members)
            for members in by_loss:
                left = members
                while len(left) > 1:
                    first, *others = left
                    for other in others:
                        if (first, other) not in losses:
                            yield self._without(first, other)
                    together = [first, *(other for other in others if _act_together(losses, first, other))]
                    if len(together) < n and self._n_moves(together) <= n_moves:
                        if self._placements(together)[0]:
                            yield from self._seen_once([(first, other) for other in others if other not in together])
                        yield self._elsewhere(together)
                    left = [element for element in left if element not in together]

    def _n_moves(self, elements: list[int]) -> int:
        """Return how often elements were moved, seen from those of the others that were moved least against them."""
        moves = np.stack(self._plateau.slots) - self._plateau.slots[0]
        against = np.delete(moves, elements, axis=1) - moves[:, elements[:1]]
        return min(np.unique(column).size for column in against.T) - 1

    def _seen_once(self, pairs: Sequence[tuple[int, ...]]) -> Iterator[Codes | None]:
        """Yield rows that find out once more what losing some elements costs.

        Another code may have made up for them by chance, and then elements are taken for what they are not.
        """
        lacking = self._plateau.lacking(self._told)
        seen = Counter(tuple(np.flatnonzero(row).tolist()) for row in lacking if row.sum() == 2)
        for lost in pairs:
            if seen[lost] == 1:
                yield self._without(*lost)

    def _losses(self) -> Losses:
        """Return the worst value without each set of elements that was lost in a trial; NaN while it is out."""
        losses: Losses = {}
        # Parts of the largest, so that they can be multiplied and compared whatever their magnitude.
        values = np.full(self._told.shape[0], math.nan)
        values[: self._history.n_told][self._history.is_measured] = safe(
            self._history.values[self._history.is_measured]
        )
        for lacking, value in zip(self._plateau.lacking(self._told), values, strict=True):
            lost = tuple(np.flatnonzero(lacking).tolist())
            losses[lost] = float(np.fmax(losses.get(lost, math.nan), value))
        return losses

    def _elsewhere(self, elements: list[int]) -> Codes | None:
        """Return a row in which some elements stand elsewhere, or None where that failed or fits nowhere."""
        n_failed, found = self._placements(elements)
        if n_failed >= _MOST_FAILED:
            return None
        positions = self._plateau.slots
        worths = []
        for slots in found:
            n_new = sum(int((count == 0).sum()) for count in self._counts(slots, [*positions, slots]))
            worths.append((self._n_freed(elements, slots), n_new))
        for place in sorted(range(len(found)), key=lambda place: worths[place], reverse=True):
            slots = found[place]
            row, _ = self._row_with(self._everything, slots, self._counts(slots, [*positions, slots]))
            if row is not None:
                return row
        return None

    def _placements(self, elements: list[int]) -> tuple[int, list[Places]]:
        """Return in how many places some elements were worth less, and the slots of all where they were not tried."""
        plateau, history = self._plateau, self._history
        here = plateau.here
        n_failed = 0
        found: list[Places] = []
        if not can_move(self._problem.space, here[elements]):
            return n_failed, found
        others = np.delete(here, elements)
        for moved in moves_of(self._problem.space, here[elements]):
            if np.isin(moved, others).any():
                continue
            slots = here.copy()
            slots[elements] = moved
            tried = np.flatnonzero((self._told[:, slots] == plateau.codes).all(axis=1))
            if tried.size == 0:
                found.append(slots)
            elif tried[0] < history.n_told:
                n_failed += int(np.nanmin(history.values) < history.values[tried[tried < history.n_told]].min())
        return n_failed, found

    def _n_freed(self, elements: list[int], slots: Places) -> int:
        """Return how many places around elements are free that always belonged to others where they stood before.

        What is missing of them is as a rule among them, and must have been out of reach.
        """
        before = [self._free_around(elements, then) for then in self._plateau.slots]
        return len(self._free_around(elements, slots).difference(*before))

    def _free_around(self, elements: list[int], slots: Places) -> set[int]:
        """Return how far from the first of some elements there are free slots, not much farther than they reach."""
        first, last = int(slots[elements].min()), int(slots[elements].max())
        beyond = max(2, (last - first) // 2)
        vector = self._vector_of[first]
        places = range(max(0, first - beyond), min(len(self._sizes), last + beyond + 1))
        taken = set(slots.tolist())
        return {place - first for place in places if place not in taken and self._vector_of[place] == vector}

    def _without(self, *lost: int) -> Codes | None:
        """Return a row without just these elements, and without what is known to serve as well."""
        kept = self._everything.copy()
        kept[list(lost)] = False
        here = self._plateau.here
        counts = self._counts(here, self._plateau.slots)
        # What stood there when they were lost before may be what made up for it.
        before = self._told[(self._plateau.lacking(self._told) == ~kept).all(axis=1)]
        for slot in here[list(lost)]:
            counts[slot] = np.maximum(
                counts[slot], _MOST_TRIED * np.bincount(before[:, slot], minlength=counts[slot].size)
            )
        return self._row_with(kept, here, counts)[0]

    def _row_with(self, kept: Mask, slots: Places, counts: Sequence[NDArray[np.int64]]) -> tuple[Codes | None, int]:
        """Return an unseen row with some elements at some slots and the others lost, and how many codes it tests."""
        plateau = self._plateau
        scores = [np.where(count > 0, -_TRIED * np.minimum(count, _MOST_TRIED), 1.0) for count in counts]
        scores = [score + 1e-4 * self._rng.random(score.size) for score in scores]
        is_new = [count == 0 for count in counts]
        for slot, code in zip(slots[kept], plateau.codes[kept], strict=True):
            scores[slot] -= _HELD * (np.arange(scores[slot].size) != code)
            is_new[slot] = np.zeros_like(is_new[slot])
        for element in np.flatnonzero(~kept):
            for code in plateau.codes[element], plateau.instead[element]:
                if code >= 0:
                    scores[plateau.here[element]][code] -= _HELD
        for row in self._best(scores):
            holds = sum(float(each[code]) for each, code in zip(scores, row, strict=True)) > -_HELD / 2
            if not holds or self._history.is_seen(row[None, :])[0]:
                return None, 0
            return np.asarray(row), sum(int(each[code]) for each, code in zip(is_new, row, strict=True))
        return None, 0

    def _best(self, scores: Sequence[NDArray[np.float64]]) -> Iterator[Codes]:
        """Yield rows from the highest sum of scores down, as far as they are found: a trial of beliefs does as well."""
        with contextlib.suppress(EffortExceeded):
            yield from self._problem.feasible.best(scores, 1)

    def _counts_here(self) -> list[NDArray[np.int64]]:
        """Return how often each code was tried beside the elements where they are."""
        beside = self._told[(self._told[:, self._plateau.here] == self._plateau.codes).all(axis=1)]
        return [np.bincount(column, minlength=size) for column, size in zip(beside.T, self._sizes, strict=True)]

    def _counts(self, slots: Places, positions: Sequence[Places]) -> list[NDArray[np.int64]]:
        """Return how often each code was tried beside the elements at some slots, slot by slot.

        Elements that have moved together are told apart from the others: a code is as new as it is to any of these
        parts, and where a part has moved what was tried beside it counts at the same distance.
        """
        moves = np.stack(positions) - positions[0]
        _, part = np.unique(moves, axis=1, return_inverse=True)
        most = np.iinfo(np.int64).max
        fewest = [np.full(size, most) for size in self._sizes]
        for k in range(part.max(initial=-1) + 1):
            element = int(np.flatnonzero(part.ravel() == k)[0])
            counts = [np.zeros(size, np.int64) for size in self._sizes]
            for rows, then in self._beside:
                step = int(slots[element] - then[element])
                for slot, vector in enumerate(self._vector_of):
                    source = slot - step if vector == self._vector_of[slots[element]] else slot
                    if 0 <= source < len(self._sizes) and self._vector_of[source] == vector:
                        counts[slot] += np.bincount(rows[:, source], minlength=self._sizes[slot])
            fewest = [np.minimum(*each) for each in zip(fewest, counts, strict=True)]
        for slot in slots:
            fewest[slot] = np.full_like(fewest[slot], most)
        return [np.where(count == most, 1, count) for count in fewest] if slots.size else self._counts_here()

    @cached_property
    def _beside(self) -> list[tuple[Codes, Places]]:
        """The rows with all elements where they stood, with these slots; at first those of lower plateaus as well."""
        found = []
        for place, slots in enumerate(self._plateau.slots):
            is_beside = (self._told[:, slots] == self._plateau.codes).all(axis=1)
            if place == 0:
                is_beside |= self._on_lower_plateaus
            found.append((self._told[is_beside], slots))
        return found

    @property
    def _on_lower_plateaus(self) -> Mask:
        """Which trials lack a few of the elements only, and were as good as the best before them."""
        values = np.where(self._history.is_measured, self._history.values, np.inf)
        before = np.concatenate([[np.inf], np.minimum.accumulate(values)[:-1]])
        lacking = self._history.codes[:, self._plateau.slots[0]] != self._plateau.codes
        is_below = (values == before) & (lacking.sum(axis=1) <= _MOST_LACKING)
        return np.concatenate([is_below, np.zeros(self._history.pending.shape[0], np.bool_)])


def _act_together(losses: Losses, first: int, second: int) -> bool:
    """Whether losing both is something else than losing the one and losing the other.

    That is as factors or as terms, whatever more of the pairs say: most of them do not act together.
    """
    pairs = [_compositions(losses, *lost) for lost in losses if len(lost) == 2]
    place = int(sum(as_factors for _, as_factors in pairs) >= sum(as_terms for as_terms, _ in pairs))
    return not _compositions(losses, first, second)[place]


def _compositions(losses: Losses, first: int, second: int) -> tuple[bool, bool]:
    """Whether losing two elements is losing the one and losing the other, as terms and as factors."""
    values = [losses.get(lost, math.nan) for lost in ((), (first,), (second,), (first, second))]
    if not all(map(math.isfinite, values)):
        return False, False
    none, one, other, both = values
    near = _TOLERANCE * max(map(abs, values))
    return abs(both - (one + other - none)) <= near, none != 0 and abs(both - one * other / none) <= near
