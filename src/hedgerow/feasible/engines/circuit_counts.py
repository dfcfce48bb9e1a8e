"""How many solutions a circuit has, in exact whole numbers: in all, below each edge, and per literal.

What is forbidden is a mask of literals, so that a part of a set is counted on the circuit of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedgerow.arrays import Mask, Places, Whole
from hedgerow.feasible.engines.circuit import Circuit

# A choice is drawn by so many random bits; what they leave open is settled exactly.
BITS = 62


@dataclass(frozen=True, eq=False)
class CircuitCounts:
    """The solutions whose literals are all allowed; `allowed[1, v]` is about the variable v being true."""

    circuit: Circuit
    allowed: Mask

    @property
    def total(self) -> int:
        """The number of solutions."""
        return self.nodes[-1]

    @cached_property
    def _n_free(self) -> tuple[Mask, Places]:
        """For each edge whether it is allowed, and how many of its free variables have two values."""
        circuit = self.circuit.arrays
        is_bad = ~self.allowed[(circuit.literals > 0).astype(np.int64), np.abs(circuit.literals)]
        n_values = self.allowed[:, circuit.free].sum(axis=0)
        n_bad = _sums(is_bad, circuit.literal_starts) + _sums(n_values == 0, circuit.free_starts)
        return n_bad == 0, _sums(n_values == 2, circuit.free_starts)

    @cached_property
    def _swept(self) -> tuple[list[int], list[int]]:
        """The solutions of each node over the variables that it knows, and of each edge."""
        circuit = self.circuit.arrays
        starts, targets = circuit.edge_starts.tolist(), circuit.targets.tolist()
        is_allowed, n_free = (array.tolist() for array in self._n_free)
        nodes: list[int] = []
        edges: list[int] = []
        for node, is_choice in enumerate(circuit.is_choice.tolist()):
            total = 0 if is_choice else 1
            for edge in range(starts[node], starts[node + 1]):
                ways = nodes[targets[edge]] << n_free[edge] if is_allowed[edge] else 0
                edges.append(ways)
                total = total + ways if is_choice else total * ways
            nodes.append(total)
        return nodes, edges

    @property
    def nodes(self) -> list[int]:
        """The solutions of each node."""
        return self._swept[0]

    @property
    def edges(self) -> list[int]:
        """The solutions along each edge."""
        return self._swept[1]

    @cached_property
    def thresholds(self) -> Whole:
        """For each edge of a choice where the share up to it ends, on a scale of 2^BITS, rounded down."""
        circuit = self.circuit.arrays
        starts = circuit.edge_starts.tolist()
        ends = np.zeros(circuit.targets.size, dtype=np.int64)
        nodes, edges = self._swept
        for node in np.flatnonzero(circuit.is_choice & (np.diff(circuit.edge_starts) > 1)).tolist():
            total, sum_so_far = nodes[node], 0
            if not total:
                continue
            for edge in range(starts[node], starts[node + 1]):
                sum_so_far += edges[edge]
                # The last one ends beyond every number that is drawn.
                ends[edge] = (sum_so_far << BITS) // total
        return ends

    @cached_property
    def outside(self) -> list[int]:
        """The ways to complete each node's solutions to solutions of all."""
        starts, targets = self.circuit.arrays.edge_starts.tolist(), self.circuit.arrays.targets.tolist()
        nodes, edges = self._swept
        outside = [0] * self.circuit.n_nodes
        outside[-1] = 1
        for node in range(self.circuit.n_nodes - 1, -1, -1):
            own = outside[node]
            if not own:
                continue
            is_choice = self.circuit.arrays.is_choice[node]
            for edge in range(starts[node], starts[node + 1]):
                below = nodes[targets[edge]]
                if below:
                    ways = edges[edge] if is_choice else nodes[node]
                    outside[targets[edge]] += own * ways // below
        return outside

    def per_literal(self) -> list[list[int]]:
        """Return how many solutions have each variable false, and true."""
        usage = [[0] * (self.circuit.n_variables + 1) for _ in range(2)]
        nodes, edges = self._swept
        for node, outside in enumerate(self.outside):
            if not outside:
                continue
            is_choice = self.circuit.arrays.is_choice[node]
            for edge in self.circuit.edges_of(node):
                ways = outside * (edges[edge] if is_choice else nodes[node])
                if ways:
                    self._add(usage, edge, ways)
        return usage

    def _add(self, usage: Sequence[list[int]], edge: int, ways: int) -> None:
        for literal in self.circuit.literals_of(edge):
            usage[literal > 0][abs(literal)] += ways
        for variable in self.circuit.free_of(edge):
            values = [value for value in (0, 1) if self.allowed[value, variable]]
            for value in values:
                usage[value][variable] += ways // len(values)


def _sums(marks: Mask, starts: Places) -> Places:
    """Return how many marks each edge has."""
    upto = np.concatenate([[0], np.cumsum(marks)])
    return np.asarray(upto[starts[1:]] - upto[starts[:-1]])
