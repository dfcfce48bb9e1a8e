"""Rules outside the diagram: checking them on codes, and finding points that satisfy them where chance would not.

The search walks the layers depth first. It keeps one node in the main diagram and one in each diagram outside it,
asks a partial evaluator about rules that have no diagram, and backtracks at dead ends. Its effort is bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hedgerow.arrays import Codes, Mask, Places, Transitions
from hedgerow.diagram.machine import Diagram
from hedgerow.diagram.walk import accepts
from hedgerow.expressions import Scalar
from hedgerow.feasible.compile import Compiled
from hedgerow.rules.evaluate import holds
from hedgerow.rules.partial import PartialEvaluator
from hedgerow.rules.resolve import slots_of

# Given a layer, a node of the main diagram and the codes allowed there: the codes in the order to try them.
Preference = Callable[[int, int, Places], Places]


class ResidualRules:
    """What a compiled set of rules keeps outside its diagram; codes are in layer order here."""

    def __init__(self, compiled: Compiled, domains: Sequence[Sequence[Scalar]]) -> None:
        self._order = compiled.order
        self._layer_of = compiled.layer_of
        self._domains = domains
        self._diagrams = [group.diagram for group in compiled.outside]
        self._expressions = [part.expression for part in compiled.uncompiled]
        self._at_layer: list[list[tuple[int, Transitions]]] = [[] for _ in compiled.order]
        for index, diagram in enumerate(self._diagrams):
            for layer, table in zip(diagram.layers, diagram.tables, strict=True):
                self._at_layer[layer].append((index, table))
        self._watching: list[list[PartialEvaluator]] = [[] for _ in compiled.order]
        for expression in self._expressions:
            evaluator = PartialEvaluator(expression, domains)
            for slot in slots_of(expression):
                self._watching[self._layer_of[slot]].append(evaluator)

    def accept(self, codes: Codes) -> Mask:
        """Return for each row whether it satisfies every rule outside the diagram."""
        accepted = np.ones(codes.shape[0], dtype=np.bool_)
        for diagram in self._diagrams:
            accepted &= accepts(diagram, codes[:, list(diagram.layers)])
        for expression in self._expressions:
            for row in np.flatnonzero(accepted):
                accepted[row] = holds(expression, self._values(codes[row]))
        return accepted

    def search(self, diagram: Diagram, prefer: Preference, max_tries: int) -> Places | None:
        """Return the first row that satisfies everything in the order preferred, or None when the tries ran out."""
        return _Descent(self, diagram, prefer).run(max_tries)

    def _values(self, codes: Codes) -> list[Scalar]:
        return [self._domains[slot][codes[layer]] for slot, layer in enumerate(self._layer_of)]


class _Descent:
    """One depth-first search; `steps` holds, per layer, the codes still to try and the nodes to return to."""

    def __init__(self, rules: ResidualRules, diagram: Diagram, prefer: Preference) -> None:
        self._rules = rules
        self._diagram = diagram
        self._prefer = prefer
        self._known: dict[int, Scalar] = {}
        self._codes: list[int] = []
        self._node = diagram.root
        self._outside = [other.root for other in rules._diagrams]

    def run(self, max_tries: int) -> Places | None:
        if self._diagram.is_empty or 0 in self._outside:
            return None
        n_layers = len(self._diagram.tables)
        options: list[list[int]] = []
        undo: list[tuple[int, list[tuple[int, int]]]] = []
        for _ in range(max_tries):
            layer = len(self._codes)
            if layer == n_layers:
                return np.array(self._codes, dtype=np.int64)
            if len(options) == layer:
                options.append(self._options(layer))
            if options[layer]:
                undone = self._advance(layer, options[layer].pop(0))
                if undone is not None:
                    undo.append(undone)
                continue
            options.pop()
            if not undo:
                return None
            self._retreat(undo.pop())
        return None

    def _options(self, layer: int) -> list[int]:
        allowed = self._diagram.tables[layer][self._node] > 0
        for index, table in self._rules._at_layer[layer]:
            allowed &= table[self._outside[index]] > 0
        return [int(code) for code in self._prefer(layer, self._node, np.flatnonzero(allowed))]

    def _advance(self, layer: int, code: int) -> tuple[int, list[tuple[int, int]]] | None:
        """Take a code and return how to take it back, or None where a rule forbids it."""
        slot = self._rules._order[layer]
        self._known[slot] = self._rules._domains[slot][code]
        if not all(evaluator.may_hold(self._known) for evaluator in self._rules._watching[layer]):
            del self._known[slot]
            return None
        before = (self._node, [(index, self._outside[index]) for index, _ in self._rules._at_layer[layer]])
        self._node = int(self._diagram.tables[layer][self._node, code])
        for index, table in self._rules._at_layer[layer]:
            self._outside[index] = int(table[self._outside[index], code])
        self._codes.append(code)
        return before

    def _retreat(self, before: tuple[int, list[tuple[int, int]]]) -> None:
        self._node, outside = before
        for index, node in outside:
            self._outside[index] = node
        self._codes.pop()
        del self._known[self._rules._order[len(self._codes)]]
