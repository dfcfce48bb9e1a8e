"""Where the score of a space with reals is highest inside the rules: from many points, along gradients and borders.

Draws and small changes of good points are scored. From the best of them the reals climb (`feasible.reals.inside`),
with codes as they are; then codes change, which may need other reals to stay inside, and the reals climb again. Codes
of the best point known change as well where nothing has been gained lately: with the codes beside it the rules may ask
for reals that no draw meets, so these are mended into the rules first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes, Column, Mask, Matrix, Scores
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.feasible.reals.inside import Function, lowest_inside, nearest_inside
from hedgerow.search.literals import literals_near
from hedgerow.search.suggestion import Reason, RowSuggestion

# Trials without a gain after which a search also looks beside the best row.
STUCK = 2
# Told rows among which good points are taken, where they are feasible.
_N_BEST = 12
# Draws, perturbed copies of each good point, and good points.
_N_DRAWN = 192
_N_COPIES = 48
_N_CENTERS = 3
# Climbs from the best of these, rounds of changed codes, and changes tried in each.
_N_CLIMBS = 5
_MAX_ROUNDS = 2
_N_CHANGES = 4
# Where nothing has been gained lately: rows with codes beside those of the best that are mended, and reals for its own.
_N_BESIDE = 8
_N_ANEW = 2
_STEPS = 40
_TOLERANCE = 1e-7
# Changes of one code and of two that are looked at, how many codes of a slot, and reals tried with each change.
_MAX_CHANGES = 64
_MAX_CODES = 7
_N_BRANCHES = 24
_N_AROUND = 12


class MixedLandscape(Protocol):
    """What rows are worth; they are rows of numbers, floats in place of the codes of reals."""

    def scores(self, rows: Matrix) -> Scores:
        """Return the score of each row."""

    def rough(self, rows: Matrix) -> Scores:
        """Return about the same, for less."""

    def falling(self, row: Column) -> Function:
        """Return minus the score with its slopes, as a function of where the reals lie; codes are those of the row."""


@dataclass(frozen=True, eq=False)
class Climb:
    """A row inside the rules, as numbers, and its score."""

    row: Column
    score: float


def best_inside(
    feasible: MixedSet,
    landscape: MixedLandscape,
    is_seen: Callable[[Codes], Mask],
    best: Codes,
    rng: Generator,
    is_stuck: bool = False,
) -> RowSuggestion | None:
    """Return the untried row of highest score that a search finds; `best` are told rows, the best first.

    `is_stuck` says that nothing has been gained lately: then what lies beside the best row is looked at, too.
    """
    # Points that break rules may be told.
    centers = best[:_N_BEST][feasible.accepts(best[:_N_BEST])]
    for found in MixedSearch(feasible, landscape, is_seen, best, rng).best_first(centers, is_stuck):
        row = feasible.rules.scales.codes(found.row[None, :])
        if not is_seen(row)[0] and feasible.accepts(row)[0]:
            return RowSuggestion(row[0], False, Reason.BEST_FOUND)
    return None


class MixedSearch:
    """One search: what rows are worth, and the set that they must lie in."""

    def __init__(
        self,
        feasible: MixedSet,
        landscape: MixedLandscape,
        is_seen: Callable[[Codes], Mask],
        told: Codes,
        rng: Generator,
    ) -> None:
        self._feasible = feasible
        self._landscape = landscape
        self._is_seen = is_seen
        rows = feasible.rules.scales.numbers(told) if feasible.rules.space.conditional else np.zeros((0, 0))
        self._n_told_like = Counter(self._branch(row) for row in rows)
        self._rng = rng
        self._is_code = ~np.isin(np.arange(len(feasible.sizes)), feasible.rules.space.reals)

    def best_first(self, centers: Codes, is_stuck: bool = False) -> list[Climb]:
        """Return rows from the highest score found down; `centers` are good rows that are feasible, the best first."""
        good = self._feasible.rules.scales.numbers(centers)
        pool = self._leading_on(self._pool(good))
        if not pool.shape[0]:
            return []
        scores = self._landscape.scores(pool)
        order = np.argsort(-scores, kind="stable")
        found = [Climb(pool[place], float(scores[place])) for place in order[:8]]
        for place in self._starts(pool, order):
            found.append(self._climbed(pool[place], is_inside=True) or found[0])
        if is_stuck and good.shape[0]:
            found += self._beside(good[0])
        best = max(found, key=lambda one: one.score)
        for _ in range(_MAX_ROUNDS):
            better = [one for one in self._changed(best) if one.score > best.score + 1e-9]
            found += better
            if not better:
                break
            best = max(better, key=lambda one: one.score)
        return sorted(found, key=lambda one: -one.score)

    def _leading_on(self, rows: Matrix) -> Matrix:
        """Return rows without those that were tried and have no real that could climb from there."""
        scales = self._feasible.rules.scales
        has_real = np.isfinite(rows[:, scales.reals]).any(axis=1)
        return rows[has_real | ~self._is_seen(scales.codes(rows))]

    def _pool(self, centers: Matrix) -> Matrix:
        """Return feasible rows: draws, and copies of good rows with some reals moved, near and far."""
        rules = self._feasible.rules
        drawn = self._feasible.draw_up_to(_N_DRAWN if self._feasible.sampling == "uniform" else 24, self._rng)
        pool = [rules.scales.numbers(drawn)]
        for center in centers[:_N_CENTERS]:
            copies = np.repeat(center[None, :], _N_COPIES, axis=0)
            units = rules.scales.to_unit(copies[:, rules.scales.reals])
            reach = 10.0 ** self._rng.uniform(-4, -0.5, size=(_N_COPIES, 1))
            moves = self._rng.normal(size=units.shape) * (self._rng.random(units.shape) < 0.6)
            copies, kept = rules.completed(rules.scales.placed(copies, np.clip(units + reach * moves, 0.0, 1.0)))
            pool.append(copies[kept])
        pool.append(centers[:_N_CENTERS])
        return np.concatenate(pool)

    def _starts(self, pool: Matrix, order: Codes) -> Iterator[int]:
        """Yield the places to climb from: the best, at most two with the same codes, and the best known row."""
        taken: dict[bytes, int] = {}
        n = 0
        for place in order:
            key = pool[place][self._is_code].tobytes()
            if taken.get(key, 0) < 2 or not self._is_code.any():
                taken[key] = taken.get(key, 0) + 1
                yield int(place)
                n += 1
            if n >= _N_CLIMBS:
                break

    def _branch(self, row: Column) -> bytes:
        """Return which reals have a value, as a key."""
        return np.isinf(row[self._feasible.rules.scales.reals]).tobytes()

    def _is_unknown(self, row: Column) -> bool:
        """Whether fewer rows with these very reals were told than they are: there is no slope to follow yet.

        What little a belief says of them would lead into a corner of their ranges.
        """
        n_reals = int(np.isfinite(row[self._feasible.rules.scales.reals]).sum())
        return bool(self._feasible.rules.space.conditional) and self._n_told_like[self._branch(row)] < n_reals

    def _climbed(self, row: Column, is_inside: bool) -> Climb | None:
        """Return where the reals climb to from a row, its codes as they are."""
        if self._is_unknown(row):
            return Climb(row, float(self._landscape.scores(row[None, :])[0]))
        falling = self._landscape.falling(row)
        found = lowest_inside(self._feasible.rules, row.copy(), falling, is_inside, _STEPS, _TOLERANCE)
        if found is None:
            return None
        return Climb(found, float(self._landscape.scores(found[None, :])[0]))

    def _changed(self, best: Climb) -> Iterator[Climb]:
        """Yield rows reached by changing one code or two and letting the reals climb from where that is inside."""
        if max(self._feasible.discrete.sizes) < 2:
            return
        rows = self._other_codes(best.row)
        if not rows.shape[0]:
            return
        # A change of codes may need other reals to stay inside the rules: some around the best are tried with each.
        scales = self._feasible.rules.scales
        tried = np.repeat(rows, _N_AROUND, axis=0)
        units = scales.to_unit(tried[:, scales.reals])
        reach = 10.0 ** self._rng.uniform(-2.5, -0.5, size=(tried.shape[0], 1))
        reach[::_N_AROUND] = 0.0
        units = np.clip(units + reach * self._rng.normal(size=units.shape), 0.0, 1.0)
        tried, kept = self._feasible.rules.completed(scales.placed(tried, units))
        scores = np.full(tried.shape[0], -np.inf)
        if kept.any():
            scores[kept] = self._landscape.rough(tried[kept])
        by_row = scores.reshape(-1, _N_AROUND)
        chosen = by_row.argmax(axis=1)
        heights = by_row.max(axis=1)
        for place in np.argsort(-heights, kind="stable")[:_N_CHANGES]:
            if np.isfinite(heights[place]):
                climb = self._climbed(tried[place * _N_AROUND + chosen[place]], is_inside=True)
                if climb is not None:
                    yield climb

    def _beside(self, row: Column) -> Iterator[Climb]:
        """Yield rows with the codes beside those of a good row, its reals mended into the rules, then climbing.

        With the codes as they are, reals from anywhere are mended and climb.
        """
        rules = self._feasible.rules
        anew = np.repeat(row[None, :], _N_ANEW, axis=0)
        starts = [rules.scales.placed(anew, self._rng.random((_N_ANEW, rules.scales.reals.size)))]
        if max(self._feasible.discrete.sizes) > 1:
            starts.append(self._nearest(row, self._rng.permutation(self._other_codes(row)))[:_N_BESIDE])
        mended = [found for start in np.concatenate(starts) if (found := nearest_inside(rules, start)) is not None]
        if not mended:
            return
        rows = np.array(mended)
        for place in np.argsort(-self._landscape.rough(rows), kind="stable")[:_N_CHANGES]:
            climb = self._climbed(rows[place], is_inside=True)
            if climb is not None:
                yield climb

    def _nearest(self, row: Column, rows: Matrix) -> Matrix:
        """Return rows by how far their codes are from those of a row: by steps of ordered slots, by 1 of others."""
        codes = np.flatnonzero(self._is_code)
        is_ordered = np.array([self._feasible.rules.space.slots[slot].has_order for slot in codes], dtype=np.bool_)
        steps = np.abs(rows[:, codes] - row[codes])
        apart = np.where(is_ordered, steps, steps > 0).sum(axis=1)
        return rows[np.argsort(apart, kind="stable")]

    def _other_codes(self, row: Column) -> Matrix:
        """Return the row with one code or two changed, near ones of ordered slots, as the rules about codes allow.

        Where variables have conditions, one code may ask for many others: then some rows are drawn besides.
        """
        codes = self._feasible.of_codes(self._feasible.rules.scales.codes(row[None, :]))[0]
        everything = Literals.all_of(self._feasible.discrete.sizes)
        literals = literals_near(codes, everything, _MAX_CODES, self._rng)
        changes = [self._feasible.discrete.changes(codes, n, literals) for n in (1, 2)]
        for place, n in enumerate((_MAX_CHANGES, _MAX_CHANGES)):
            if changes[place].shape[0] > n:
                picked = self._rng.choice(changes[place].shape[0], n, replace=False)
                changes[place] = changes[place][np.sort(picked)]
        changed = changed_rows(codes, np.concatenate(changes))
        if self._feasible.rules.space.conditional:
            changed = np.concatenate([changed, self._feasible.discrete.draw_up_to(_N_BRANCHES, self._rng)])
        scales = self._feasible.rules.scales
        own = np.repeat(row[None, scales.reals], changed.shape[0], axis=0)
        anew = scales.from_unit(self._rng.random(own.shape)) if np.isinf(own).any() else own
        rows = self._feasible.with_reals(changed.astype(np.float64), np.where(np.isinf(own), anew, own))
        return self._leading_on(rows)
