"""Sets of which no two share a row, as one set: counts add up, and a draw first draws which of them."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Changes, Codes, CodeScores, Mask
from hedgerow.feasible.changes import Literals, allowed_changes
from hedgerow.feasible.code_set import CodeSet, Sampling, nothing_to_draw, untried_row
from hedgerow.feasible.engines.solved import RuleSet

_BITS = 62


class UnionSet(CodeSet):
    """The rows of several exact sets, of which no two share one; `rules` answers about single rows."""

    def __init__(
        self, parts: Sequence[CodeSet], rules: RuleSet, description: str, allowed: Sequence[Mask] | None = None
    ) -> None:
        self.parts = tuple(parts)
        self.sizes = parts[0].sizes
        self._rules = rules
        self._description = description
        self._allowed = allowed

    @property
    def is_exact(self) -> bool:
        """Always, as all parts are."""
        return True

    @property
    def sampling(self) -> Sampling:
        """Uniform."""
        return "uniform"

    @property
    def is_empty(self) -> bool:
        """Whether all parts are."""
        return self._ends[-1] == 0

    @property
    def description(self) -> str:
        """What holds the parts, which are made of the same things."""
        return self._description

    @property
    def n_nodes(self) -> int:
        """Those of the largest part."""
        return max(part.n_nodes for part in self.parts)

    @property
    def n_bytes(self) -> int:
        """The memory of one part, and a little for each of the others."""
        return max(part.n_bytes for part in self.parts) + 8 * sum(part.n_nodes for part in self.parts)

    @cached_property
    def _ends(self) -> list[int]:
        """The ranks at which each part ends."""
        return list(accumulate(part.count for part in self.parts))

    def _count(self) -> int:
        return self._ends[-1]

    # --- rows ---

    def accepts(self, codes: Codes) -> Mask:
        """Ask all rules."""
        accepted = self._rules.checker.accepts(codes)
        for slot, mask in enumerate(self._allowed or ()):
            accepted &= mask[codes[:, slot]]
        return accepted

    def draw(self, n: int, rng: Generator) -> Codes:
        """Draw a part by its size, then a row of it."""
        if self.is_empty:
            raise nothing_to_draw()
        chosen = np.array([self._part_at(_below(self._ends[-1], rng)) for _ in range(n)], dtype=np.int64)
        rows = np.empty((n, len(self.sizes)), dtype=np.int64)
        for place in np.unique(chosen).tolist():
            own = np.flatnonzero(chosen == place)
            rows[own] = self.parts[place].draw(own.size, rng)
        return rows

    def _part_at(self, rank: int) -> int:
        return next(place for place, end in enumerate(self._ends) if rank < end)

    def untried(self, tried: Codes, rng: Generator) -> Codes | None:
        """Draw while that may help, and then look through all rows."""
        return untried_row(self, tried, rng)

    def unrank(self, ranks: Sequence[int]) -> Codes:
        """Return the rows with these ranks; parts follow each other."""
        rows = np.empty((len(ranks), len(self.sizes)), dtype=np.int64)
        by_part: dict[int, list[int]] = {}
        for place, rank in enumerate(ranks):
            by_part.setdefault(self._part_at(int(rank)), []).append(place)
        for which, places in by_part.items():
            first = self._ends[which] - self.parts[which].count
            rows[places] = self.parts[which].unrank([int(ranks[place]) - first for place in places])
        return rows

    def rank(self, codes: Codes) -> list[int]:
        """Return the ranks of rows that are in the set."""
        found = [0] * codes.shape[0]
        for part, end in zip(self.parts, self._ends, strict=True):
            own = np.flatnonzero(part.accepts(codes))
            for place, rank in zip(own.tolist(), part.rank(codes[own]), strict=True):
                found[place] = end - part.count + rank
        return found

    def usage(self) -> list[list[int]]:
        """Return for each slot and code the number of feasible rows that use it."""
        total = [[0] * size for size in self.sizes]
        for part in self.parts:
            for own, more in zip(total, part.usage() if part.count else (), strict=False):
                own[:] = [a + b for a, b in zip(own, more, strict=True)]
        return total

    # --- changes, scores, parts ---

    def changes(self, codes: Codes, n_slots: int, literals: Literals | None = None) -> Changes:
        """Ask the rules that read the changed slots."""
        changes = self._rules.checker.changes(codes, n_slots, literals)
        return changes if self._allowed is None else allowed_changes(codes, changes, self._allowed)

    def best(self, scores: CodeScores, most: int | None = None) -> Iterator[Codes]:
        """Yield rows from the highest sum of scores down: each time the best of what the parts have next."""
        queue: list[tuple[float, int, Codes]] = []
        lists = [part.best(scores, most) for part in self.parts if not part.is_empty]

        def push(which: int) -> None:
            row = next(lists[which], None)
            if row is not None:
                worth = sum(float(score[code]) for score, code in zip(scores, row, strict=True))
                heapq.heappush(queue, (-worth, which, row))

        for which in range(len(lists)):
            push(which)
        while queue:
            _, which, row = heapq.heappop(queue)
            yield row
            push(which)

    def restricted(self, allowed: Sequence[Mask]) -> UnionSet:
        """Return the rows whose code in every slot is marked in `allowed`."""
        both = allowed if self._allowed is None else [a & b for a, b in zip(allowed, self._allowed, strict=True)]
        parts = [part.restricted(allowed) for part in self.parts]
        return UnionSet(parts, self._rules, self._description, both)


def _below(end: int, rng: Generator) -> int:
    """Return a uniform whole number below an end of any length."""
    n_bits = end.bit_length()
    while True:
        drawn = 0
        for _ in range(-(-n_bits // _BITS)):
            drawn = (drawn << _BITS) + int(rng.integers(0, 2**_BITS))
        drawn &= (1 << n_bits) - 1
        if drawn < end:
            return drawn
