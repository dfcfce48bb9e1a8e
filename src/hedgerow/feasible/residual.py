"""Rules outside the diagram: checking them on codes, and finding points that satisfy them when drawing at random
does not.

The search walks the levels like a draw, keeps one node in the main diagram and one in the diagram of each residual
part, asks a partial evaluator about parts that have no diagram, and backtracks at dead ends. Its effort is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.diagram.machine import Diagram, Indices
from hedgerow.diagram.walk import accepts
from hedgerow.expressions import Scalar
from hedgerow.feasible.compile import Compiled
from hedgerow.rules.evaluate import holds
from hedgerow.rules.partial import PartialEvaluator
from hedgerow.rules.resolve import slots_of

# Values tried by one search before it starts afresh, and the number of fresh starts.
_MAX_TRIES = 20_000
_MAX_RESTARTS = 8


class ResidualRules:
    """The residual parts of a compiled set of rules; codes are in level order here."""

    def __init__(self, compiled: Compiled, domains: Sequence[Sequence[Scalar]]) -> None:
        self._compiled = compiled
        self._domains = domains
        self._diagrams = [part.diagram for part in compiled.residual_parts if part.diagram is not None]
        self._expressions = [part.expression for part in compiled.residual_parts if part.diagram is None]
        self._partials = [PartialEvaluator(expression, domains) for expression in self._expressions]
        self._reads = [{compiled.level_of[slot] for slot in slots_of(expression)} for expression in self._expressions]

    @property
    def is_empty(self) -> bool:
        """Whether the diagram holds all rules."""
        return not self._diagrams and not self._expressions

    def accept(self, codes: Indices) -> NDArray[np.bool_]:
        """Return for each row whether it satisfies every residual part."""
        accepted = np.ones(codes.shape[0], dtype=np.bool_)
        for diagram in self._diagrams:
            accepted &= accepts(diagram, codes[:, list(diagram.levels)])
        for expression in self._expressions:
            for row in np.flatnonzero(accepted):
                accepted[row] = holds(expression, self._values(codes[row]))
        return accepted

    def search(self, diagram: Diagram, rng: Generator) -> Indices | None:
        """Return one row of codes that satisfies everything, or None when the effort ran out."""
        for _ in range(_MAX_RESTARTS):
            found = self._descend(diagram, rng)
            if found is not None:
                return found
        return None

    def _descend(self, diagram: Diagram, rng: Generator) -> Indices | None:
        n_levels = len(diagram.tables)
        tables = [dict(zip(other.levels, other.tables, strict=True)) for other in self._diagrams]
        known: dict[int, Scalar] = {}
        codes: list[int] = []
        nodes = [(diagram.root, *(other.root for other in self._diagrams))]
        options = [self._options(diagram, nodes[0], tables, 0, rng)] if n_levels else []
        for _ in range(_MAX_TRIES):
            level = len(codes)
            if level == n_levels:
                return np.array(codes, dtype=np.int64)
            if not options[-1]:
                options.pop()
                nodes.pop()
                if not codes:
                    return None
                codes.pop()
                known.pop(self._compiled.order[level - 1])
                continue
            code, following = options[-1].pop()
            slot = self._compiled.order[level]
            known[slot] = self._domains[slot][code]
            if not self._may_continue(level, known):
                known.pop(slot)
                continue
            codes.append(code)
            nodes.append(following)
            if level + 1 < n_levels:
                options.append(self._options(diagram, following, tables, level + 1, rng))
            else:
                options.append([])
        return None

    def _options(
        self,
        diagram: Diagram,
        nodes: tuple[int, ...],
        tables: Sequence[dict[int, NDArray[np.int32]]],
        level: int,
        rng: Generator,
    ) -> list[tuple[int, tuple[int, ...]]]:
        """Return the codes that no diagram forbids here with the nodes they lead to, in random order."""
        rows = [diagram.tables[level][nodes[0]]]
        for table, node in zip(tables, nodes[1:], strict=True):
            rows.append(table[level][node] if level in table else np.full(rows[0].size, node))
        stacked = np.stack(rows)
        allowed = np.flatnonzero((stacked > 0).all(axis=0))
        return [(int(code), tuple(map(int, stacked[:, code]))) for code in rng.permutation(allowed)]

    def _may_continue(self, level: int, known: dict[int, Scalar]) -> bool:
        return all(
            partial.may_hold(known)
            for partial, reads in zip(self._partials, self._reads, strict=True)
            if level in reads
        )

    def _values(self, codes: Indices) -> list[Scalar]:
        return [self._domains[slot][codes[level]] for slot, level in enumerate(self._compiled.level_of)]
