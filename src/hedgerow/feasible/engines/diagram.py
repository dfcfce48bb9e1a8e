"""The default engine: one decision diagram that holds all rules, read in its own order of the slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Changes, Codes, CodeScores, Mask
from hedgerow.diagram import walk
from hedgerow.diagram.best import best_first
from hedgerow.diagram.combine import complement, conjunction
from hedgerow.diagram.count import Counts, count_codes, count_completions
from hedgerow.diagram.draw import draw, rank, unrank
from hedgerow.diagram.effort import Effort
from hedgerow.diagram.machine import Diagram, box
from hedgerow.errors import InfeasibleError
from hedgerow.feasible.changes import Literals
from hedgerow.feasible.code_set import CodeSet, Sampling, nothing_to_draw

if TYPE_CHECKING:
    from hedgerow.diagram.moves import Moves


class DiagramSet(CodeSet):
    """The rows that a diagram accepts; layer k reads slot `order[k]`."""

    def __init__(self, diagram: Diagram, order: Sequence[int]) -> None:
        self.diagram = diagram
        self.order = tuple(order)
        self._order = np.array(order, dtype=np.int64)
        self._layer_of = np.argsort(self._order, kind="stable")
        self.sizes = tuple(diagram.sizes[layer] for layer in self._layer_of)

    @property
    def is_exact(self) -> bool:
        """Always."""
        return True

    @property
    def sampling(self) -> Sampling:
        """Uniform."""
        return "uniform"

    @property
    def is_empty(self) -> bool:
        """Whether the diagram is."""
        return self.diagram.is_empty

    @property
    def description(self) -> str:
        """The size of the diagram."""
        return f"1 diagram with {self.n_nodes:,} nodes"

    @property
    def n_nodes(self) -> int:
        """The nodes of the diagram."""
        return self.diagram.n_nodes

    @property
    def n_bytes(self) -> int:
        """The tables, and the counts of their nodes."""
        return self.diagram.n_bytes + sum(layer.nbytes for layer in self.counts.layers)

    @cached_property
    def counts(self) -> Counts:
        """The number of completions of every node."""
        return count_completions(self.diagram)

    @cached_property
    def rejected_counts(self) -> Counts:
        """The number of ways from every node to a rejected row."""
        return count_completions(self.diagram, to_false=True)

    def _count(self) -> int:
        return self.counts.total

    def accepts(self, codes: Codes) -> Mask:
        """Walk the diagram."""
        return walk.accepts(self.diagram, codes[:, self._order])

    def accepts_few(self, codes: Codes) -> Mask:
        """Walk it in compiled loops."""
        return self._moves.accept(codes[:, self._order])

    def draw(self, n: int, rng: Generator) -> Codes:
        """Return n independent uniform rows."""
        if self.is_empty:
            raise nothing_to_draw()
        return self._slotted(draw(self.diagram, self.counts, n, rng))

    def draw_rejected(self, n: int, rng: Generator) -> Codes:
        """Return n independent uniform rows that break a rule."""
        if self.rejected_counts.total == 0:
            raise InfeasibleError("Every point of the space satisfies the rules; there is no infeasible point to draw.")
        rejected = self._rejected_points
        if rejected is None:
            return self._slotted(draw(self.diagram, self.rejected_counts, n, rng))
        if rejected.is_empty:
            raise InfeasibleError("Every point of the space satisfies the rules; there is no infeasible point to draw.")
        return rejected.draw(n, rng)

    @cached_property
    def _rejected_points(self) -> DiagramSet | None:
        """The points that break a rule, where not every row is a point."""
        if not isinstance(self.points, DiagramSet):
            return None
        rest = conjunction(self.points.diagram, complement(self.diagram), Effort.unlimited())
        return DiagramSet(rest, self.order)

    def untried(self, tried: Codes, rng: Generator) -> Codes | None:
        """Look through all rows for the first batch that has some, and draw one of these."""
        seen = {row.tobytes() for row in np.ascontiguousarray(tried)}
        for rows in self.batches():
            left = [place for place, row in enumerate(np.ascontiguousarray(rows)) if row.tobytes() not in seen]
            if left:
                return np.asarray(rows[left[rng.integers(len(left))]])
        return None

    def unrank(self, ranks: Sequence[int]) -> Codes:
        """Return the rows with these ranks in the diagram's order."""
        return self._slotted(unrank(self.diagram, self.counts, ranks))

    def rank(self, codes: Codes) -> list[int]:
        """Return the ranks of rows that are in the set."""
        return rank(self.diagram, self.counts, codes[:, self._order])

    def usage(self) -> list[list[int]]:
        """Return for each slot and code the number of feasible rows that use it."""
        usage = count_codes(self.diagram, self.counts)
        return [usage[layer] for layer in self._layer_of]

    def neighbors(self, codes: Codes) -> Codes:
        """Return the rows of the set that differ from one row in one slot."""
        return self._slotted(walk.one_change(self.diagram, codes[self._order]))

    def exchanges(self, codes: Codes) -> Codes:
        """Return the rows of the set that differ from one row in exactly two slots."""
        return self._slotted(walk.two_changes(self.diagram, codes[self._order]))

    def changes(self, codes: Codes, n_slots: int, literals: Literals | None = None) -> Changes:
        """Return the same as changes, found by compiled loops."""
        allowed = None if literals is None or literals.are_all else literals.table[self._order]
        found = self._moves.changes(np.ascontiguousarray(codes[self._order]), n_slots, allowed)
        return found if self._keeps_order else self._slots_of(found)

    @cached_property
    def _keeps_order(self) -> bool:
        return self.order == tuple(range(len(self.order)))

    def _slots_of(self, found: Changes) -> Changes:
        changes = found.copy()
        changes[:, 0] = self._order[found[:, 0]]
        changes[:, 2] = np.where(found[:, 2] >= 0, self._order[found[:, 2]], -1)
        return changes

    @cached_property
    def _moves(self) -> Moves:
        # Compiled loops are loaded by whoever searches; counting and drawing do without.
        from hedgerow.diagram.moves import Moves  # noqa: PLC0415

        return Moves(self.diagram)

    def best(self, scores: CodeScores, most: int | None = None) -> Iterator[Codes]:
        """Yield rows from the highest sum of scores down, exactly."""
        for row in best_first(self.diagram, [scores[slot] for slot in self.order], most):
            yield row[self._layer_of]

    def restricted(self, allowed: Sequence[Mask]) -> DiagramSet:
        """Return the rows whose code in every slot is marked in `allowed`."""
        limits = box(self.diagram.layers, [allowed[slot] for slot in self.order])
        return DiagramSet(conjunction(self.diagram, limits, Effort.unlimited()), self.order)

    def _slotted(self, layered: Codes) -> Codes:
        return layered[:, self._layer_of]
