"""Parts of a space that no rule ties together, each held by its own engine: answers multiply instead of crossing."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Changes, Codes, CodeScores, Mask, Places
from hedgerow.errors import InfeasibleError
from hedgerow.feasible.changes import Literals
from hedgerow.feasible.code_set import CodeSet, Sampling

# Draws before what is left is looked for.
_MAX_DRAWS = 200


@dataclass(frozen=True, eq=False)
class Factor:
    """Some slots of the space, in increasing order, and the set of their codes."""

    slots: Places
    codes: CodeSet


class ProductSet(CodeSet):
    """The rows whose part in every factor is in its set."""

    def __init__(self, factors: Sequence[Factor]) -> None:
        self.factors = tuple(factors)
        n_slots = sum(factor.slots.size for factor in factors)
        sizes = np.zeros(n_slots, dtype=np.int64)
        for factor in factors:
            sizes[factor.slots] = factor.codes.sizes
        self.sizes = tuple(sizes.tolist())

    @property
    def is_exact(self) -> bool:
        """Whether all factors are."""
        return self.is_empty or all(factor.codes.is_exact for factor in self.factors)

    @property
    def sampling(self) -> Sampling:
        """Uniform where all factors are."""
        return "uniform" if all(factor.codes.sampling == "uniform" for factor in self.factors) else "diverse"

    @property
    def is_empty(self) -> bool:
        """Whether a factor is."""
        return any(factor.codes.is_empty for factor in self.factors)

    @property
    def description(self) -> str:
        """What holds each factor."""
        return " and ".join(factor.codes.description for factor in self.factors)

    @property
    def n_nodes(self) -> int:
        """Those of all factors."""
        return sum(factor.codes.n_nodes for factor in self.factors)

    @property
    def n_bytes(self) -> int:
        """Those of all factors."""
        return sum(factor.codes.n_bytes for factor in self.factors)

    def _count(self) -> int:
        return 0 if self.is_empty else math.prod(factor.codes.count for factor in self.factors)

    # --- rows ---

    def accepts(self, codes: Codes) -> Mask:
        """Ask every factor about its part."""
        accepted = np.ones(codes.shape[0], dtype=np.bool_)
        for factor in self.factors:
            accepted[accepted] = factor.codes.accepts(codes[accepted][:, factor.slots])
        return accepted

    def _together(self, parts: Sequence[Codes]) -> Codes:
        rows = np.empty((parts[0].shape[0], len(self.sizes)), dtype=np.int64)
        for factor, part in zip(self.factors, parts, strict=True):
            rows[:, factor.slots] = part
        return rows

    def draw(self, n: int, rng: Generator) -> Codes:
        """Draw from every factor."""
        return self._together([factor.codes.draw(n, rng) for factor in self.factors])

    def draw_up_to(self, n: int, rng: Generator) -> Codes:
        """Return as many rows as the factor with fewest has parts."""
        parts = [factor.codes.draw_up_to(n, rng) for factor in self.factors]
        least = min(part.shape[0] for part in parts)
        return self._together([part[:least] for part in parts])

    def draw_rejected(self, n: int, rng: Generator) -> Codes:
        """Return n rows that break a rule."""
        n_points = math.prod(self.sizes) if self.points is None else self.points.count if self.points.is_exact else 0
        if self.is_exact and n_points == self.count:
            raise InfeasibleError("Every point of the space satisfies the rules; there is no infeasible point to draw.")
        return super().draw_rejected(n, rng)

    def untried(self, tried: Codes, rng: Generator) -> Codes | None:
        """Draw, and then look where there must be one."""
        if self.is_empty:
            return None
        seen = {row.tobytes() for row in np.ascontiguousarray(tried)}
        for _ in range(_MAX_DRAWS if self.sampling == "uniform" else 4):
            row = self.draw(1, rng)[0]
            if row.tobytes() not in seen:
                return np.asarray(row)
        if self.is_exact:
            for row in self.unrank(range(min(self._count(), len(seen) + 1))):
                if row.tobytes() not in seen:
                    return np.asarray(row)
            return None
        return self._untried_part(seen, tried, rng)

    def _untried_part(self, seen: set[bytes], tried: Codes, rng: Generator) -> Codes | None:
        """Look for a row with a part that no tried row has, then for another combination of parts that they have."""
        for factor in self.factors:
            part = factor.codes.untried(tried[:, factor.slots], rng)
            if part is not None:
                row = self.draw(1, rng)[0]
                row[factor.slots] = part
                return np.asarray(row)
        # A tried row may be feasible in some of its parts only; these are tried parts all the same.
        own = [tried[:, factor.slots] for factor in self.factors]
        kept = [part[factor.codes.accepts(part)] for factor, part in zip(self.factors, own, strict=True)]
        parts = [np.unique(part, axis=0) for part in kept]
        for number in range(min(len(seen) + 1, math.prod(part.shape[0] for part in parts))):
            places = np.unravel_index(number, [part.shape[0] for part in parts])
            row = self._together([part[[at]] for part, at in zip(parts, places, strict=True)])[0]
            if row.tobytes() not in seen:
                return np.asarray(row)
        return None

    def unrank(self, ranks: Sequence[int]) -> Codes:
        """Take ranks apart into those of the factors, of which the last runs fastest."""
        self.require_exact("The order of feasible points")
        left = list(map(int, ranks))
        parts: list[Codes] = []
        for factor in reversed(self.factors):
            n = factor.codes.count
            parts.append(factor.codes.unrank([rank % n for rank in left]))
            left = [rank // n for rank in left]
        return self._together(parts[::-1])

    def rank(self, codes: Codes) -> list[int]:
        """Put the ranks of the parts together."""
        self.require_exact("The order of feasible points")
        total = [0] * codes.shape[0]
        for factor in self.factors:
            n, own = factor.codes.count, factor.codes.rank(codes[:, factor.slots])
            total = [rank * n + part for rank, part in zip(total, own, strict=True)]
        return total

    def usage(self) -> list[list[int]]:
        """Return for each slot and code the number of feasible rows that use it."""
        self.require_exact("The number of feasible points per value")
        found: list[list[int]] = [[0] * size for size in self.sizes]
        total = self._count()
        for factor in self.factors if total else ():
            others = total // factor.codes.count
            for slot, counts in zip(factor.slots, factor.codes.usage(), strict=True):
                found[slot] = [others * count for count in counts]
        return found

    # --- changes, scores, parts ---

    def changes(self, codes: Codes, n_slots: int, literals: Literals | None = None) -> Changes:
        """Return changes inside one factor, and pairs of changes in two."""
        broken = [
            place for place, factor in enumerate(self.factors) if not factor.codes.accepts(codes[None, factor.slots])[0]
        ]
        if len(broken) > n_slots:
            return np.zeros((0, 4), dtype=np.int64)
        singles = [self._own_changes(factor, codes, 1, literals) for factor in self.factors]
        looked_at: Sequence[int] = broken or range(len(self.factors))
        if n_slots == 1:
            return np.concatenate([singles[place] for place in looked_at])
        found = []
        if len(broken) < 2:
            found = [self._own_changes(self.factors[place], codes, 2, literals) for place in looked_at]
        for first in range(len(self.factors)):
            for second in range(first + 1, len(self.factors)):
                if all(place in (first, second) for place in broken):
                    found.append(_pairs(singles[first], singles[second]))
        return np.concatenate([np.zeros((0, 4), dtype=np.int64), *found])

    def _own_changes(self, factor: Factor, codes: Codes, n_slots: int, literals: Literals | None) -> Changes:
        own = None
        if literals is not None:
            ends = np.cumsum(literals.sizes)
            chosen = [literals.is_chosen[ends[slot] - literals.sizes[slot] : ends[slot]] for slot in factor.slots]
            own = Literals(literals.sizes[factor.slots], np.concatenate(chosen))
        found = factor.codes.changes(codes[factor.slots], n_slots, own).copy()
        found[:, 0] = factor.slots[found[:, 0]]
        found[:, 2] = np.where(found[:, 2] >= 0, factor.slots[found[:, 2]], -1)
        return found

    def best(self, scores: CodeScores, most: int | None = None) -> Iterator[Codes]:
        """Yield rows from the highest sum of scores down, from those of the factors."""
        if self.is_empty:
            return
        lists = [
            _Listed(factor.codes.best([scores[slot] for slot in factor.slots], most), [scores[s] for s in factor.slots])
            for factor in self.factors
        ]
        start = (0,) * len(lists)
        queue = [(-self._worth(lists, start), start)] if all(one.has(0) for one in lists) else []
        known = {start}
        while queue:
            _, places = heapq.heappop(queue)
            yield self._together([one.rows[at][None, :] for one, at in zip(lists, places, strict=True)])[0]
            for which, one in enumerate(lists):
                ahead = (*places[:which], places[which] + 1, *places[which + 1 :])
                if ahead not in known and one.has(ahead[which]):
                    known.add(ahead)
                    heapq.heappush(queue, (-self._worth(lists, ahead), ahead))

    @staticmethod
    def _worth(lists: Sequence[_Listed], places: Sequence[int]) -> float:
        return sum(one.worths[at] for one, at in zip(lists, places, strict=True))

    def restricted(self, allowed: Sequence[Mask]) -> ProductSet:
        """Return the rows whose code in every slot is marked in `allowed`."""
        factors = [
            Factor(factor.slots, factor.codes.restricted([allowed[slot] for slot in factor.slots]))
            for factor in self.factors
        ]
        return ProductSet(factors)


class _Listed:
    """The best rows of a factor, as far as they have been asked for, and what they are worth."""

    def __init__(self, best: Iterator[Codes], scores: CodeScores) -> None:
        self._best, self._scores = best, scores
        self.rows: list[Codes] = []
        self.worths: list[float] = []

    def has(self, place: int) -> bool:
        while len(self.rows) <= place:
            row = next(self._best, None)
            if row is None:
                return False
            self.rows.append(row)
            self.worths.append(sum(float(score[code]) for score, code in zip(self._scores, row, strict=True)))
        return True


def _pairs(first: Changes, second: Changes) -> Changes:
    """Return every change of one slot together with every one of another."""
    left, right = np.repeat(first[:, :2], second.shape[0], axis=0), np.tile(second[:, :2], (first.shape[0], 1))
    found = np.concatenate([left, right], axis=1)
    is_turned = found[:, 0] > found[:, 2]
    found[is_turned] = found[is_turned][:, [2, 3, 0, 1]]
    return found
