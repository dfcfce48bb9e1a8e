"""The feasible set as rows of integer codes: everything at array speed, nothing about values.

Rows are in slot order, as `space.encoding` makes them. This is what optimizers work on, and the page that every engine
in `engines/` has to keep: what is asked of a set of rows, whatever holds it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Changes, Codes, CodeScores, Mask
from hedgerow.errors import EffortExceeded, InfeasibleError
from hedgerow.feasible.changes import Literals, changed_rows

Sampling = Literal["uniform", "diverse"]

# Rows drawn from the whole space where infeasible ones are wanted.
_MAX_DRAWS = 2**15
_CHUNK = 4096
# Draws of rows that were perhaps not tried, before what is left is listed.
_UNTRIED_DRAWS = 1024
# Rows that are listed one by one.
_MAX_LISTED = 2_000


class CodeSet(ABC):
    """All rows of codes that satisfy the rules."""

    sizes: tuple[int, ...]
    # The rows that are points of the space, where not all are: shares that do not add up to 1 are none.
    points: CodeSet | None = None

    @property
    def mask_sizes(self) -> tuple[int, ...]:
        """How many marks each slot has in what `restricted` takes: one for every code, and few for reals."""
        return self.sizes

    # --- what is known of it ---

    @property
    @abstractmethod
    def is_exact(self) -> bool:
        """Whether the number of rows is known, rows have an order, and draws are uniform."""

    @property
    @abstractmethod
    def sampling(self) -> Sampling:
        """Whether draws are uniform, or only as different from each other as a solver's random choices make them."""

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """Whether there is no row at all; where that is not settled, no."""

    @property
    @abstractmethod
    def description(self) -> str:
        """What holds the set, in a few words."""

    @property
    @abstractmethod
    def n_nodes(self) -> int:
        """The size of what holds the set."""

    @property
    @abstractmethod
    def n_bytes(self) -> int:
        """The memory that it occupies."""

    @property
    def count(self) -> int:
        """The exact number of rows."""
        self.require_exact("The number of feasible points")
        return self._count()

    @abstractmethod
    def _count(self) -> int: ...

    def require_exact(self, what: str) -> None:
        """Raise when rules outside the diagram make an exact answer unavailable."""
        if not self.is_exact:
            raise EffortExceeded(
                f"{what} is not known exactly: some rules stayed outside the diagram (doctor() names them). "
                "Raise node_budget, simplify those rules, or use what needs no count: sample, `in`, repair, neighbors."
            )

    # --- rows ---

    @abstractmethod
    def accepts(self, codes: Codes) -> Mask:
        """Return for each row (n, n_slots) whether it satisfies all rules."""

    def accepts_few(self, codes: Codes) -> Mask:
        """Return what `accepts` returns, sooner where a search asks about a few rows again and again."""
        return self.accepts(codes)

    @abstractmethod
    def draw(self, n: int, rng: Generator) -> Codes:
        """Return n independent rows, uniform or diverse as `sampling` says; InfeasibleError where there is none."""

    def draw_up_to(self, n: int, rng: Generator) -> Codes:
        """Return n rows as `draw` does, or fewer, perhaps none, where they are hard to find.

        For searches, which have other rows to begin with: the effort is a small part of what `draw` may spend.
        """
        return self.draw(n, rng)

    def draw_rejected(self, n: int, rng: Generator) -> Codes:
        """Return n independent uniform rows that break a rule."""
        kept: list[Codes] = [np.zeros((0, len(self.sizes)), dtype=np.int64)]
        n_kept, n_drawn = 0, 0
        while n_kept < n and (n_drawn < _MAX_DRAWS or n_kept * 64 > n_drawn):
            if self.points is None:
                rows = rng.integers(0, self.sizes, size=(_CHUNK, len(self.sizes)))
            else:
                rows = self.points.draw(_CHUNK, rng)
            n_drawn += _CHUNK
            kept.append(rows[~self.accepts(rows)])
            n_kept += kept[-1].shape[0]
        if n_kept < n:
            raise EffortExceeded(f"Fewer than {n} points that break a rule were found in {n_drawn:,} uniform draws.")
        return np.concatenate(kept)[:n]

    @abstractmethod
    def untried(self, tried: Codes, rng: Generator) -> Codes | None:
        """Return a row of the set that is not among those tried, None where none is left, however rare it is."""

    @abstractmethod
    def unrank(self, ranks: Sequence[int]) -> Codes:
        """Return the rows with these ranks in the set's own order."""

    @abstractmethod
    def rank(self, codes: Codes) -> list[int]:
        """Return the ranks of rows that are in the set."""

    @abstractmethod
    def usage(self) -> list[list[int]]:
        """Return for each slot and code the number of feasible rows that use it."""

    def batches(self, size: int = _CHUNK) -> Iterator[Codes]:
        """Yield all rows in order, in batches; one by one, and not too many of them, where they have no order."""
        if not self.is_exact:
            yield from self._listed(np.zeros((0, len(self.sizes)), dtype=np.int64))
            return
        total = self.count
        for start in range(0, total, size):
            yield self.unrank(range(start, min(total, start + size)))

    def _listed(self, given: Codes) -> Iterator[Codes]:
        """Yield what is left besides some rows, each looked for by itself."""
        rng = np.random.default_rng(0)
        for _ in range(_MAX_LISTED):
            row = self.untried(given, rng)
            if row is None:
                return
            given = np.concatenate([given, row[None, :]])
            yield row[None, :]
        raise EffortExceeded(
            f"There are more than {_MAX_LISTED:,} feasible points, and rules outside the diagram (doctor() names them) "
            "keep them from being listed one after the other. Raise node_budget, or draw points instead."
        )

    # --- changes of a row ---

    @abstractmethod
    def changes(self, codes: Codes, n_slots: int, literals: Literals | None = None) -> Changes:
        """Return the changes in exactly one or two slots after which a row is in the set.

        With `literals`, only changes to their codes.
        """

    def neighbors(self, codes: Codes) -> Codes:
        """Return the rows of the set that differ from one row in one slot."""
        return changed_rows(codes, self.changes(codes, 1))

    def exchanges(self, codes: Codes) -> Codes:
        """Return the rows of the set that differ from one row in exactly two slots."""
        return changed_rows(codes, self.changes(codes, 2))

    # --- scores, and parts of the set ---

    @abstractmethod
    def best(self, scores: CodeScores, most: int | None = None) -> Iterator[Codes]:
        """Yield rows from the highest sum of scores down; one array per slot, -inf forbids a code.

        Whoever wants only a few says so in `most`, which saves effort where slots have many codes.
        """

    def with_codes(self, fixed: Mapping[int, int]) -> CodeSet:
        """Return the rows that have these codes in these slots."""
        allowed = [np.ones(size, dtype=np.bool_) for size in self.sizes]
        for slot, code in fixed.items():
            allowed[slot][:] = False
            allowed[slot][code] = True
        return self.restricted(allowed)

    @abstractmethod
    def restricted(self, allowed: Sequence[Mask]) -> CodeSet:
        """Return the rows whose code in every slot is marked in `allowed`."""


def untried_row(codes: CodeSet, tried: Codes, rng: Generator) -> Codes | None:
    """Draw from an exact set while that may find a row that was not tried, and then look through all of its rows."""
    seen = {row.tobytes() for row in np.ascontiguousarray(tried)}
    if codes.count > 2 * len(seen):
        for row in codes.draw(_UNTRIED_DRAWS, rng):
            if row.tobytes() not in seen:
                return np.asarray(row)
    for rows in codes.batches():
        left = [place for place, row in enumerate(np.ascontiguousarray(rows)) if row.tobytes() not in seen]
        if left:
            return np.asarray(rows[left[rng.integers(len(left))]])
    return None


def nothing_to_draw() -> InfeasibleError:
    """Return the error of drawing from an empty set."""
    return InfeasibleError("There is no feasible point to draw.")
