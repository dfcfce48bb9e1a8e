"""Where the expected improvement is highest among orders: several rows climb side by side by small random changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes, Scores
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.feasible.code_set import CodeSet
from hedgerow.feasible.orders.moves import some_moved
from hedgerow.search.literals import literals_near
from hedgerow.space.space import Space

# Draws that are scored, rows that climb, and steps that they take.
_N_DRAWN = 128
_N_CLIMBING = 6
_MAX_STEPS = 30
# Steps without any gain after which a climb has ended.
_PATIENCE = 4
# Changes of a row that are looked at in a step; those of orders, of which rules may allow few, are drawn several times.
_N_MOVES = 48
_N_TRIED = 4
_N_CHANGES = 24
_MAX_CODES = 7
# Good rows around which a near look looks, and how often its changes are drawn for each.
_N_NEAR = 3
_N_LOOKS = 3


class OrderSearch:
    """One search: what rows are worth, and the set that they must lie in."""

    def __init__(
        self, feasible: CodeSet, space: Space, scores: Callable[[Codes], Scores], others: Codes, rng: Generator
    ) -> None:
        self._feasible, self._scores, self._rng = feasible, scores, rng
        self._orders = [
            slice(space.first_slot[name], space.first_slot[name] + order.length)
            for name, order in space.permutations.items()
        ]
        sizes = np.array(space.sizes)
        # Changes of slots that belong to no order come from the set itself.
        is_other = np.zeros(sizes.size, dtype=np.bool_)
        is_other[others] = True
        self._literals = Literals(sizes, np.repeat(is_other, sizes)) if is_other.any() else None

    def best_first(self, centers: Codes) -> Codes:
        """Return rows that were met, from the highest score down; `centers` are good rows that are feasible."""
        drawn = self._feasible.draw_up_to(_N_DRAWN, self._rng)
        rows = np.concatenate([centers, drawn])
        scores = self._scores(rows)
        order = np.argsort(-scores, kind="stable")
        n_centers = min(centers.shape[0], _N_CLIMBING // 2)
        chosen = list(dict.fromkeys([*range(n_centers), *order[:_N_CLIMBING].tolist()]))[:_N_CLIMBING]
        met, worths = [rows[order[:8]]], [scores[order[:8]]]
        climbing, heights = rows[chosen], scores[chosen]
        n_still = 0
        for _ in range(_MAX_STEPS):
            changed = [self._changed(row) for row in climbing]
            owner = np.repeat(np.arange(len(changed)), [rows.shape[0] for rows in changed])
            candidates = np.concatenate(changed)
            if not candidates.shape[0]:
                break
            worth = self._scores(candidates)
            has_gained = False
            for place in range(len(changed)):
                own = np.flatnonzero(owner == place)
                if not own.size:
                    continue
                best = own[worth[own].argmax()]
                met.append(candidates[best][None, :])
                worths.append(worth[best : best + 1])
                if worth[best] > heights[place] + 1e-9:
                    climbing[place], heights[place] = candidates[best], worth[best]
                    has_gained = True
            n_still = 0 if has_gained else n_still + 1
            if n_still >= _PATIENCE:
                break
        together, values = np.concatenate(met), np.concatenate(worths)
        return together[np.argsort(-values, kind="stable")]

    def near_first(self, centers: Codes) -> Codes:
        """Return small changes of the best of some good rows, from the highest score down."""
        found = [self._changed(row) for row in centers[:_N_NEAR] for _ in range(_N_LOOKS)]
        rows = np.concatenate([centers[:0], *found])
        return rows[np.argsort(-self._scores(rows), kind="stable")] if rows.shape[0] else rows

    def _changed(self, row: Codes) -> Codes:
        """Return some feasible rows that differ a little from one."""
        found = []
        for own in self._orders:
            moved = some_moved(row[own], _N_TRIED * _N_MOVES, self._rng)
            rows = np.repeat(row[None, :], moved.shape[0], axis=0)
            rows[:, own] = moved
            found.append(rows[self._feasible.accepts(rows)][:_N_MOVES])
        if self._literals is not None:
            near = literals_near(row, self._literals, _MAX_CODES, self._rng)
            for n_slots in (1, 2):
                changes = self._feasible.changes(row, n_slots, near)
                if changes.shape[0] > _N_CHANGES:
                    changes = changes[np.sort(self._rng.choice(changes.shape[0], _N_CHANGES, replace=False))]
                found.append(changed_rows(row, changes))
        return np.concatenate(found)
