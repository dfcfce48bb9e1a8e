"""A d-DNNF as frozen arrays: a circuit whose solutions are counted, drawn, ranked and optimized in one sweep.

Nodes are conjunctions of parts that share no variable, and choices among ways that exclude each other. An edge carries
literals, and the variables that its node knows and it does not mention, which are free there. Nodes are numbered so
that children come before their parents; the root is the last. Variables are numbered from 1, as in CNF files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hedgerow.arrays import Mask, Places
from hedgerow.errors import HedgerowError

Edge = tuple[int, list[int]]


class CircuitArrays(NamedTuple):
    """Edges are sorted by the node they leave; what edge e carries stands from `starts[e]` to `starts[e + 1]`."""

    is_choice: Mask
    edge_starts: Places
    targets: Places
    literal_starts: Places
    literals: Places
    free_starts: Places
    free: Places


@dataclass(frozen=True, eq=False)
class Circuit:
    """A d-DNNF over so many variables."""

    n_variables: int
    arrays: CircuitArrays

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return int(self.arrays.is_choice.size)

    @property
    def n_bytes(self) -> int:
        """The memory of the arrays."""
        return sum(array.nbytes for array in self.arrays)

    def edges_of(self, node: int) -> range:
        """Return the edges that leave a node."""
        return range(int(self.arrays.edge_starts[node]), int(self.arrays.edge_starts[node + 1]))

    def target(self, edge: int) -> int:
        """Return the node that an edge leads to."""
        return int(self.arrays.targets[edge])

    def literals_of(self, edge: int) -> list[int]:
        """Return the literals of an edge."""
        starts = self.arrays.literal_starts
        found: list[int] = self.arrays.literals[starts[edge] : starts[edge + 1]].tolist()
        return found

    def free_of(self, edge: int) -> list[int]:
        """Return the variables that are free along an edge."""
        starts = self.arrays.free_starts
        found: list[int] = self.arrays.free[starts[edge] : starts[edge + 1]].tolist()
        return found


def read_nnf(lines: Iterator[str], n_variables: int) -> Circuit:
    """Read the format of d4: nodes `o 1 0`, `a 2 0`, `t 3 0`, `f 4 0`, edges `from to literal ... 0`; 1 is the root."""
    kinds: dict[int, str] = {}
    edges: dict[int, list[Edge]] = {}
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0] in "oatf":
            kinds[int(words[1])] = words[0]
        else:
            start, end, *literals = [int(word) for word in words[:-1]]
            edges.setdefault(start, []).append((end, literals))
    if 1 not in kinds:
        raise HedgerowError("What the compiler wrote has no root.")
    # A root of our own, where what no clause mentions is free.
    kinds[0], edges[0] = "o", [(1, [])]
    return assembled(kinds, edges, n_variables)


def assembled(kinds: dict[int, str], edges: dict[int, list[Edge]], n_variables: int) -> Circuit:
    """Return the circuit of nodes `o` (choice), `a` (conjunction), `t`, `f`; 0 is the root, where all are known."""
    order = _children_first(edges)
    place = {node: number for number, node in enumerate(order)}
    scopes: dict[int, int] = {}
    edge_starts, targets, literals, literal_starts, free, free_starts = [0], [], [], [0], [], [0]
    for node in order:
        own = edges.get(node, [])
        known = [scopes[end] | _scope(given) for end, given in own]
        scope = (1 << (n_variables + 1)) - 2 if node == 0 else 0
        for part in known:
            scope |= part
        scopes[node] = scope
        for (end, given), part in zip(own, known, strict=True):
            targets.append(place[end])
            literals += given
            literal_starts.append(len(literals))
            if kinds[node] == "o":
                free += _variables(scope & ~part)
            free_starts.append(len(free))
        edge_starts.append(len(targets))
    # Nodes without edges: true is an empty conjunction, false a choice of nothing.
    is_choice = np.array([kinds[node] in "of" for node in order], dtype=np.bool_)
    lists = (edge_starts, targets, literal_starts, literals, free_starts, free)
    return Circuit(n_variables, CircuitArrays(is_choice, *(np.array(values, dtype=np.int64) for values in lists)))


def _children_first(edges: dict[int, list[Edge]]) -> list[int]:
    order: list[int] = []
    seen: set[int] = set()
    stack = [(0, False)]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(end, False) for end, _ in edges.get(node, []) if end not in seen]
    return order


def _scope(literals: Sequence[int]) -> int:
    scope = 0
    for literal in literals:
        scope |= 1 << abs(literal)
    return scope


def _variables(scope: int) -> list[int]:
    found: list[int] = []
    while scope:
        low = scope & -scope
        found.append(low.bit_length() - 1)
        scope ^= low
    return found
