"""Where the expected improvement is highest inside the rules: from many points, along gradients and borders.

Draws and small changes of good points are scored. From the best of them the reals climb (`feasible.reals.inside`),
with codes as they are; then codes change, which may need other reals to stay inside, and the reals climb again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes, Column, Matrix, Scores
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.feasible.reals.inside import lowest_inside
from hedgerow.methods.auto.mixed.belief import MixedPosterior, RowCoordinates

# Draws, perturbed copies of each good point, and good points.
_N_DRAWN = 192
_N_COPIES = 48
_N_CENTERS = 3
# Climbs from the best of these, rounds of changed codes, and changes tried in each.
_N_CLIMBS = 5
_MAX_ROUNDS = 3
_N_CHANGES = 6
_STEPS = 40


@dataclass(frozen=True, eq=False)
class Climb:
    """A row inside the rules, as numbers, and the logarithm of its expected improvement."""

    row: Column
    score: float


class MixedSearch:
    """One search: what rows are worth, and the set that they must lie in."""

    def __init__(
        self,
        feasible: MixedSet,
        coordinates: RowCoordinates,
        posterior: MixedPosterior,
        penalty: Callable[[Matrix], Scores] | None,
        rng: Generator,
    ) -> None:
        self._feasible = feasible
        self._coordinates = coordinates
        self._posterior = posterior
        self._penalty = penalty
        self._rng = rng
        self._is_code = ~np.isin(np.arange(len(feasible.sizes)), feasible.rules.space.reals)

    def best_first(self, centers: Codes) -> list[Climb]:
        """Return rows from the highest score found down; `centers` are good rows that are feasible."""
        pool = self._pool(self._feasible.rules.scales.numbers(centers))
        scores = self._scores(pool)
        order = np.argsort(-scores, kind="stable")
        found = [Climb(pool[place], float(scores[place])) for place in order[:8]]
        for place in self._starts(pool, order):
            found.append(self._climbed(pool[place], is_inside=True) or found[0])
        best = max(found, key=lambda one: one.score)
        for _ in range(_MAX_ROUNDS):
            better = [one for one in self._changed(best) if one.score > best.score + 1e-9]
            found += better
            if not better:
                break
            best = max(better, key=lambda one: one.score)
        return sorted(found, key=lambda one: -one.score)

    def _scores(self, rows: Matrix) -> Scores:
        coordinates = self._coordinates.of_numbers(rows)
        scores = self._posterior.log_improvement(coordinates)
        return scores if self._penalty is None else scores + self._penalty(coordinates)

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
            copies[:, rules.scales.reals] = rules.scales.from_unit(np.clip(units + reach * moves, 0.0, 1.0))
            copies, kept = rules.completed(copies)
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

    def _climbed(self, row: Column, is_inside: bool) -> Climb | None:
        """Return where the reals climb to from a row, its codes as they are."""
        row = row.copy()
        active, reals = self._coordinates.active, self._coordinates.reals
        base = self._coordinates.of_numbers(row[None, :])[0]

        def falling(units: Column) -> tuple[float, Column]:
            at = base.copy()
            at[reals] = units
            value, slopes = self._posterior.with_slopes(at)
            return -value, -slopes[reals]

        assert active.size
        found = lowest_inside(self._feasible.rules, row, falling, is_inside, _STEPS)
        if found is None:
            return None
        return Climb(found, float(self._scores(found[None, :])[0]))

    def _changed(self, best: Climb) -> Iterator[Climb]:
        """Yield rows reached by changing a code and letting the reals climb."""
        if not self._is_code.any():
            return
        codes = self._feasible.rules.scales.codes(best.row[None, :])[0]
        codes[~self._is_code] = 0
        changes = self._feasible.discrete.changes(codes, 1)
        if not changes.shape[0]:
            changes = self._feasible.discrete.changes(codes, 2)
        if not changes.shape[0]:
            return
        if changes.shape[0] > 2000:
            changes = changes[np.sort(self._rng.choice(changes.shape[0], 2000, replace=False))]
        rows = np.repeat(best.row[None, :], changes.shape[0], axis=0)
        places = np.arange(changes.shape[0])
        rows[places, changes[:, 0]] = changes[:, 1]
        double = changes[:, 2] >= 0
        rows[places[double], changes[double, 2]] = changes[double, 3]
        completed, kept = self._feasible.rules.completed(rows)
        # What a change is worth where the reals are says little where it leaves the rules; both kinds are tried.
        scores = self._scores(rows)
        order = np.argsort(-scores, kind="stable")
        inside, outside = order[kept[order]], order[~kept[order]]
        for place in [*inside[: _N_CHANGES // 2], *outside[: _N_CHANGES - min(inside.size, _N_CHANGES // 2)]]:
            is_inside = bool(kept[place])
            found = self._climbed(completed[place] if is_inside else rows[place], is_inside)
            if found is not None:
                yield found
