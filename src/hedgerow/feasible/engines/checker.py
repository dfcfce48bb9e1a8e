"""Checking rows rule by rule, where no diagram holds all rules: small diagrams in compiled loops, others as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.arrays import Changes, Codes, Mask
from hedgerow.diagram import walk
from hedgerow.diagram.machine import Diagram
from hedgerow.expressions import Scalar
from hedgerow.feasible.changes import Literals, changed_rows
from hedgerow.feasible.compile import Part
from hedgerow.feasible.engines.distinct import distinct_slots
from hedgerow.feasible.engines.evaluate_rows import Column, RowEvaluator

if TYPE_CHECKING:
    from hedgerow.feasible.engines.checker_loops import FlatDiagrams

# Diagrams up to this size are read by compiled loops; larger ones stay where they are.
_SMALL = 2**14
# Rows, or changes, that are looked at together.
_CHUNK = 2**14


class RuleChecker:
    """Asks all parts of rules about rows in slot order."""

    def __init__(self, parts: Sequence[Part], order: Sequence[int], domains: Sequence[Sequence[Scalar | None]]) -> None:
        self._sizes = [len(domain) for domain in domains]
        compiled = [
            (part.diagram, [order[layer] for layer in part.diagram.layers])
            for part in parts
            if part.diagram is not None
        ]
        self.is_empty = any(diagram.is_empty for diagram, _ in compiled)
        self._small = [item for item in compiled if item[0].n_edges <= _SMALL and item[0].layers]
        self._large = [item for item in compiled if item[0].n_edges > _SMALL]
        uncompiled = [part.expression for part in parts if part.diagram is None]
        self._others = [RowEvaluator(expression, domains) for expression in uncompiled]
        # What changes of a row do to these is looked up; the others are evaluated anew.
        distinct = [distinct_slots(expression, domains) for expression in uncompiled]
        self._distinct = [found for found in distinct if found is not None]
        self._evaluated = [other for other, found in zip(self._others, distinct, strict=True) if found is None]
        self._room = 1024

    def accepts(self, rows: Codes) -> Mask:
        """Return for each row whether all rules hold."""
        accepted = np.zeros(rows.shape[0], dtype=np.bool_)
        if self.is_empty:
            return accepted
        for start in range(0, rows.shape[0], _CHUNK):
            some = np.ascontiguousarray(rows[start : start + _CHUNK])
            accepted[start : start + _CHUNK] = self._accepted(some)
        return accepted

    def _accepted(self, rows: Codes) -> Mask:
        from hedgerow.feasible.engines.checker_loops import accepted_rows  # noqa: PLC0415 - compiled, on demand

        accepted = accepted_rows(self._flat, rows)
        places = np.flatnonzero(accepted)
        kept = rows[places]
        accepted[places] = self._rest_holds(self._others, lambda slot: kept[:, slot], kept.shape[0])
        return accepted

    def _rest_holds(self, others: Sequence[RowEvaluator], column: Column, n_rows: int) -> Mask:
        """Ask the rules that compiled loops do not know; each of them about the rows that are left."""
        places = np.arange(n_rows)
        questions = [self._walked(*item) for item in self._large] + [other.holds for other in others]
        for holds in questions:
            if not places.size:
                break
            left = places
            places = left[holds(lambda slot, left=left: column(slot)[left], left.size)]  # type: ignore[misc]
        mask = np.zeros(n_rows, dtype=np.bool_)
        mask[places] = True
        return mask

    @staticmethod
    def _walked(diagram: Diagram, slots: list[int]) -> Callable[[Column, int], Mask]:
        def holds(column: Column, n_rows: int) -> Mask:
            rows = np.stack([column(slot) for slot in slots], axis=1) if slots else np.zeros((n_rows, 0), np.int64)
            return walk.accepts(diagram, rows)

        return holds

    @cached_property
    def _flat(self) -> FlatDiagrams:
        from hedgerow.feasible.engines.checker_loops import FlatDiagrams  # noqa: PLC0415 - compiled, on demand

        return FlatDiagrams.of(
            [diagram for diagram, _ in self._small], [slots for _, slots in self._small], len(self._sizes)
        )

    def changes(self, row: Codes, n_slots: int, literals: Literals | None = None) -> Changes:
        """Return the changes in exactly one or two slots after which all rules hold."""
        if self.is_empty:
            return np.zeros((0, 4), dtype=np.int64)
        allowed = (literals or Literals.all_of(self._sizes)).table
        for distinct in self._distinct:
            swaps = distinct.swaps(row)
            if swaps is not None:
                # Nothing else changes these slots, so that the loops need not try.
                rest = allowed.copy()
                rest[distinct.slots] = False
                others = self._changes(row, n_slots, rest)
                if n_slots == 1:
                    return others
                kept = swaps[allowed[swaps[:, 0], swaps[:, 1]] & allowed[swaps[:, 2], swaps[:, 3]]]
                return np.concatenate([others, kept[self.accepts(changed_rows(row, kept))]])
        return self._changes(row, n_slots, allowed)

    def _changes(self, row: Codes, n_slots: int, allowed: Mask) -> Changes:
        from hedgerow.feasible.engines import checker_loops  # noqa: PLC0415 - compiled, on demand

        find = checker_loops.find_one_change if n_slots == 1 else checker_loops.find_two_changes
        while True:
            found = np.empty((self._room, 4), dtype=np.int64)
            n = find(self._flat, np.ascontiguousarray(row), allowed, found)
            if n <= self._room:
                break
            self._room = 2 * n
        kept = [self._kept(row, found[start : min(n, start + _CHUNK)]) for start in range(0, n, _CHUNK)]
        return np.concatenate([np.zeros((0, 4), dtype=np.int64), *kept])

    def _kept(self, row: Codes, changes: Changes) -> Changes:
        for distinct in self._distinct:
            changes = changes[distinct.keep(row, changes)]

        def column(slot: int) -> Codes:
            codes = np.where(changes[:, 0] == slot, changes[:, 1], row[slot])
            return np.where(changes[:, 2] == slot, changes[:, 3], codes)

        return changes[self._rest_holds(self._evaluated, column, changes.shape[0])]
