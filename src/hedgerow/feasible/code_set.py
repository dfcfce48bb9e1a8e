"""The feasible set as rows of integer codes: everything at array speed, nothing about values.

Rows are in slot order, as `space.encoding` makes them; the diagram reads the same codes in its own order, and the
two meet only here. This is what optimizers work on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Changes, Codes, CodeScores, Mask
from hedgerow.diagram import walk
from hedgerow.diagram.best import FORBIDDEN, best_completions, best_first, whole_scores
from hedgerow.diagram.combine import conjunction
from hedgerow.diagram.count import Counts, count_codes, count_completions
from hedgerow.diagram.draw import draw, rank, unrank
from hedgerow.diagram.effort import Effort
from hedgerow.diagram.machine import Diagram, box
from hedgerow.errors import EffortExceeded, InfeasibleError
from hedgerow.expressions import Scalar
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.feasible.compile import Compiled
from hedgerow.feasible.residual import Preference, ResidualRules

if TYPE_CHECKING:
    from hedgerow.diagram.moves import Moves

# Effort where rules are outside the diagram: rows drawn for rejection, branches opened, codes tried by a search.
_MAX_DRAWS = 2**15
_MAX_BRANCHES = 200_000
_MAX_TRIES = 20_000
_FEW_TRIES = 2_000
_MAX_RESTARTS = 5
_MAX_SKIPPED = 2**14
_CHUNK = 4096


class CodeSet:
    """All rows of codes that satisfy the rules."""

    def __init__(self, compiled: Compiled, domains: Sequence[Sequence[Scalar]], diagram: Diagram | None = None) -> None:
        self._compiled = compiled
        self._domains = domains
        self.diagram = compiled.diagram if diagram is None else diagram
        self._residual = ResidualRules(compiled, domains)
        self._order = np.array(compiled.order, dtype=np.int64)
        self._layer_of = np.array(compiled.layer_of, dtype=np.int64)

    @property
    def is_exact(self) -> bool:
        """Whether the diagram holds all rules, so that counts are known and draws are uniform."""
        return self._compiled.is_exact

    @property
    def is_empty(self) -> bool:
        """Whether the diagram alone is empty; with residual rules, emptiness may go unnoticed."""
        return self.diagram.is_empty

    @cached_property
    def counts(self) -> Counts:
        """The number of completions of every node."""
        return count_completions(self.diagram)

    @cached_property
    def rejected_counts(self) -> Counts:
        """The number of ways from every node to a rejected row."""
        return count_completions(self.diagram, to_false=True)

    @property
    def count(self) -> int:
        """The exact number of rows."""
        self.require_exact("The number of feasible points")
        return self.counts.total

    def require_exact(self, what: str) -> None:
        """Raise when rules outside the diagram make an exact answer unavailable."""
        if not self.is_exact:
            raise EffortExceeded(
                f"{what} is not known exactly: some rules stayed outside the diagram (doctor() names them). "
                "Raise node_budget, simplify those rules, or use what needs no count: sample, `in`, repair, neighbors."
            )

    @property
    def order(self) -> tuple[int, ...]:
        """The slots in the order in which the diagram reads them."""
        return self._compiled.order

    def accepts(self, codes: Codes) -> Mask:
        """Return for each row (n, n_slots) whether it satisfies all rules."""
        layered = codes[:, self._order]
        return self._and_residual(walk.accepts(self.diagram, layered), layered)

    def draw(self, n: int, rng: Generator) -> Codes:
        """Return n independent uniform rows; with residual rules by rejection, and near uniform when that fails."""
        if self.is_empty:
            raise InfeasibleError("There is no feasible point to draw.")
        if self.is_exact:
            return self._slotted(draw(self.diagram, self.counts, n, rng))
        return self._slotted(self._draw_residual(n, rng))

    def draw_up_to(self, n: int, rng: Generator) -> Codes:
        """Return n rows as `draw` does, or fewer, perhaps none, where rules outside the diagram make them hard to find.

        For searches, which have other rows to begin with: the effort is a small part of what `draw` may spend.
        """
        if self.is_exact:
            return self.draw(n, rng)
        rows = draw(self.diagram, self.counts, _CHUNK, rng)
        rows = rows[self._residual.accept(rows)][:n]
        if not rows.shape[0]:
            found = self._residual.search(self.diagram, _at_random(rng), _FEW_TRIES)
            rows = rows if found is None else found[None, :]
        return self._slotted(rows)

    def _draw_residual(self, n: int, rng: Generator) -> Codes:
        kept: list[Codes] = [np.zeros((0, self._order.size), dtype=np.int64)]
        n_kept, n_drawn = 0, 0
        while n_kept < n and (n_drawn < _MAX_DRAWS or n_kept * 64 > n_drawn):
            rows = draw(self.diagram, self.counts, _CHUNK, rng)
            n_drawn += _CHUNK
            kept.append(rows[self._residual.accept(rows)])
            n_kept += kept[-1].shape[0]
        while n_kept < n:
            kept.append(self._search(rng)[None, :])
            n_kept += 1
        return np.concatenate(kept)[:n]

    def _search(self, rng: Generator) -> Codes:
        for _ in range(_MAX_RESTARTS):
            found = self._residual.search(self.diagram, _at_random(rng), _MAX_TRIES)
            if found is not None:
                return found
        raise EffortExceeded(
            "No point that satisfies the rules was found in many draws and a bounded search. Some rules stayed outside "
            "the diagram (doctor() names them): raise node_budget, or add rules that narrow the space."
        )

    def draw_rejected(self, n: int, rng: Generator) -> Codes:
        """Return n independent uniform rows that break a rule."""
        if self.is_exact:
            if self.rejected_counts.total == 0:
                raise InfeasibleError(
                    "Every point of the space satisfies the rules; there is no infeasible point to draw."
                )
            return self._slotted(draw(self.diagram, self.rejected_counts, n, rng))
        kept: list[Codes] = [np.zeros((0, self._order.size), dtype=np.int64)]
        n_kept, n_drawn = 0, 0
        sizes = np.array(self._compiled.sizes)
        while n_kept < n and (n_drawn < _MAX_DRAWS or n_kept * 64 > n_drawn):
            rows = rng.integers(0, sizes, size=(_CHUNK, sizes.size))[:, self._layer_of]
            n_drawn += _CHUNK
            kept.append(rows[~self.accepts(rows)])
            n_kept += kept[-1].shape[0]
        if n_kept < n:
            raise EffortExceeded(f"Fewer than {n} points that break a rule were found in {n_drawn:,} uniform draws.")
        return np.concatenate(kept)[:n]

    def unrank(self, ranks: Sequence[int]) -> Codes:
        """Return the rows with these ranks in the set's own order."""
        self.require_exact("The order of feasible points")
        return self._slotted(unrank(self.diagram, self.counts, ranks))

    def rank(self, codes: Codes) -> list[int]:
        """Return the ranks of rows that are in the set."""
        self.require_exact("The order of feasible points")
        return rank(self.diagram, self.counts, codes[:, self._order])

    def usage(self) -> list[list[int]]:
        """Return for each slot and code the number of feasible rows that use it."""
        self.require_exact("The number of feasible points per value")
        usage = count_codes(self.diagram, self.counts)
        return [usage[layer] for layer in self._layer_of]

    def batches(self, size: int = _CHUNK) -> Iterator[Codes]:
        """Yield all rows in order, in batches."""
        total = self.counts.total
        n_missed = 0
        for start in range(0, total, size):
            rows = unrank(self.diagram, self.counts, range(start, min(total, start + size)))
            if not self.is_exact:
                rows = rows[self._residual.accept(rows)]
                n_missed = 0 if rows.size else n_missed + size
                if n_missed > _MAX_SKIPPED:
                    raise EffortExceeded(
                        f"{n_missed:,} points of the diagram in a row break a rule outside it (doctor() names them). "
                        "Raise node_budget, or draw points instead of listing them."
                    )
            yield self._slotted(rows)

    def neighbors(self, codes: Codes) -> Codes:
        """Return the rows of the set that differ from one row in one slot."""
        return self._kept(walk.one_change(self.diagram, codes[self._order]))

    def exchanges(self, codes: Codes) -> Codes:
        """Return the rows of the set that differ from one row in exactly two slots."""
        return self._kept(walk.two_changes(self.diagram, codes[self._order]))

    def changes(self, codes: Codes, n_slots: int, literals: Literals | None = None) -> Changes:
        """Return the changes in exactly one or two slots after which a row is in the set; the same, for a search.

        With `literals`, only changes to their codes.
        """
        allowed = None if literals is None or literals.are_all else literals.table[self._order]
        found = self._moves.changes(np.ascontiguousarray(codes[self._order]), n_slots, allowed)
        changes = found if self._keeps_order else self._slots_of(found)
        if not self.is_exact:
            changes = changes[self._residual.accept(changed_rows(codes, changes)[:, self._order])]
        return changes

    @cached_property
    def _keeps_order(self) -> bool:
        return self.order == tuple(range(len(self.order)))

    def _slots_of(self, found: Changes) -> Changes:
        changes = found.copy()
        changes[:, 0] = self._order[found[:, 0]]
        changes[:, 2] = np.where(found[:, 2] >= 0, self._order[found[:, 2]], -1)
        return changes

    def accepts_few(self, codes: Codes) -> Mask:
        """Return what `accepts` returns, sooner where a search asks about a few rows again and again."""
        layered = codes[:, self._order]
        return self._and_residual(self._moves.accept(layered), layered)

    def _and_residual(self, accepted: Mask, layered: Codes) -> Mask:
        """Ask the rules outside the diagram about the rows that it accepts."""
        if not self.is_exact:
            accepted[accepted] = self._residual.accept(layered[accepted])
        return accepted

    @cached_property
    def _moves(self) -> Moves:
        # Compiled loops are loaded by whoever searches; counting and drawing do without.
        from hedgerow.diagram.moves import Moves  # noqa: PLC0415

        return Moves(self.diagram)

    def best(self, scores: CodeScores, most: int | None = None) -> Iterator[Codes]:
        """Yield rows from the highest sum of scores down; one array per slot, -inf forbids a code.

        Whoever wants only a few says so in `most`, which saves effort where slots have many codes.
        With rules outside the diagram the order holds as long as few better rows break them; otherwise one good row
        is searched for, and asking for more raises EffortExceeded.
        """
        layered = [scores[slot] for slot in self._compiled.order]
        misses = 0
        given: set[bytes] = set()
        max_misses = max(10, _MAX_BRANCHES // sum(self._compiled.sizes))
        # Rows that break a rule outside are passed over, so that nobody knows how many are needed.
        for row in best_first(self.diagram, layered, most if self.is_exact else None):
            if self.is_exact or self._residual.accept(row[None, :])[0]:
                misses = 0
                given.add(row.tobytes())
                yield row[self._layer_of]
            else:
                misses += 1
            if misses > max_misses:
                good = self._search_best(layered)
                if good.tobytes() not in given:
                    yield good[self._layer_of]
                raise EffortExceeded(
                    "No further good points were found: the best of the diagram break rules outside it (doctor() names "
                    "them). Raise node_budget."
                )

    def _search_best(self, scores: CodeScores) -> Codes:
        """Return a good row by going for the best completion first at every layer."""
        whole = whole_scores(scores)
        reachable = best_completions(self.diagram, whole)

        def best_completion_first(layer: int, node: int, codes: Codes) -> Codes:
            promises = reachable[layer + 1][self.diagram.tables[layer][node, codes]] + whole[layer][codes]
            possible = promises > FORBIDDEN // 2
            return np.asarray(codes[possible][np.argsort(-promises[possible], kind="stable")])

        found = self._residual.search(self.diagram, best_completion_first, _MAX_TRIES)
        if found is None and all(np.isfinite(score).all() for score in scores):
            found = self._search(np.random.default_rng(0))
        if found is None:
            raise EffortExceeded(
                "No good point was found that satisfies the rules outside the diagram (doctor() names them). "
                "Raise node_budget, or forbid fewer values."
            )
        return found

    def restricted(self, allowed: Sequence[Mask]) -> CodeSet:
        """Return the rows whose code in every slot is marked in `allowed`."""
        layered = [allowed[slot] for slot in self._compiled.order]
        limits = box(self.diagram.layers, layered)
        return CodeSet(self._compiled, self._domains, conjunction(self.diagram, limits, Effort.unlimited()))

    def _kept(self, layered: Codes) -> Codes:
        if not self.is_exact:
            layered = layered[self._residual.accept(layered)]
        return self._slotted(layered)

    def _slotted(self, layered: Codes) -> Codes:
        return layered[:, self._layer_of]


def _at_random(rng: Generator) -> Preference:
    return lambda _layer, _node, codes: rng.permutation(codes)
