"""Draws and ranks on a circuit: exactly uniform, and every solution with a number of its own.

Compiled loops do nearly all of it. What they cannot settle with machine numbers, a draw whose random number falls on a
boundary or ranks of more than 62 bits, is settled here with whole numbers of any length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Mask
from hedgerow.feasible.engines.circuit import Circuit
from hedgerow.feasible.engines.circuit_counts import BITS, CircuitCounts

# Takes a choice and says which of its edges is taken.
Chooser = Callable[[int], int]
# Where the words of a draw that needs more bits are counted from.
_MORE = 2**40


def draw(counts: CircuitCounts, n: int, rng: Generator) -> Mask:
    """Return n independent uniform solutions, a row of values each; there must be one."""
    from hedgerow.feasible.engines.circuit_loops import draw_solutions  # noqa: PLC0415 - compiled, on demand

    circuit = counts.circuit
    seeds = rng.integers(-(2**63), 2**63, size=(n, 2))
    values = np.zeros((n, circuit.n_variables + 1), dtype=np.bool_)
    is_doubtful = draw_solutions(circuit.arrays, counts.thresholds, counts.allowed, seeds, values)
    for row in np.flatnonzero(is_doubtful).tolist():
        values[row] = drawn_exactly(counts, *seeds[row].tolist())
    return values


def drawn_exactly(counts: CircuitCounts, first: int, second: int) -> Mask:
    """Return the draw of a pair of seeds, by exact numbers."""
    from hedgerow.feasible.engines.circuit_loops import random_word  # noqa: PLC0415 - compiled, on demand

    n_used, n_more = 0, 0

    def word() -> int:
        nonlocal n_used
        n_used += 1
        return int(random_word(first, second, n_used - 1))

    def choose(node: int) -> int:
        nonlocal n_more
        if len(counts.circuit.edges_of(node)) == 1:
            return counts.circuit.edges_of(node).start
        bits, drawn = BITS, word()
        while (edge := _settled(counts, node, drawn, bits)) is None:
            drawn = (drawn << BITS) + int(random_word(first, second, _MORE + n_more))
            bits, n_more = bits + BITS, n_more + 1
        return edge

    return _solution(counts, choose, lambda _: word() & 1 == 1)


def _settled(counts: CircuitCounts, node: int, drawn: int, bits: int) -> int | None:
    """Return the edge whose share holds all numbers that begin with these bits, None where two do."""
    circuit = counts.circuit
    low, high, upto = drawn * counts.nodes[node], (drawn + 1) * counts.nodes[node], 0
    for edge in circuit.edges_of(node):
        upto += counts.edges[edge]
        if low < upto << bits:
            return edge if high <= upto << bits else None
    raise AssertionError("shares add up to all")


def _solution(counts: CircuitCounts, choose: Chooser, free_value: Callable[[int], bool]) -> Mask:
    """Go down from the root, with these choices."""
    circuit = counts.circuit
    values = np.zeros(circuit.n_variables + 1, dtype=np.bool_)
    stack = [circuit.n_nodes - 1]
    while stack:
        node = stack.pop()
        edges = circuit.edges_of(node)
        for edge in [choose(node)] if circuit.arrays.is_choice[node] else edges:
            for literal in circuit.literals_of(edge):
                values[abs(literal)] = literal > 0
            for variable in circuit.free_of(edge):
                has_both = bool(counts.allowed[:, variable].all())
                values[variable] = free_value(edge) if has_both else counts.allowed[1, variable]
            stack.append(circuit.target(edge))
    return values


def unrank(counts: CircuitCounts, ranks: Sequence[int]) -> Mask:
    """Return the solutions with these ranks."""
    circuit = counts.circuit
    if counts.total >= 2**BITS:
        return np.array([_unranked(counts, rank) for rank in ranks]).reshape(-1, circuit.n_variables + 1)
    from hedgerow.feasible.engines.circuit_loops import unrank_solutions  # noqa: PLC0415 - compiled, on demand

    values = np.zeros((len(ranks), circuit.n_variables + 1), dtype=np.bool_)
    # Where nothing leads to a node its count may be of any length, and is never read.
    edge_counts = np.array([count if count < 2**BITS else 0 for count in counts.edges], dtype=np.int64)
    unrank_solutions(circuit.arrays, edge_counts, counts.allowed, np.array(ranks, dtype=np.int64), values)
    return values


def _unranked(counts: CircuitCounts, rank: int) -> Mask:
    circuit = counts.circuit
    values = np.zeros(circuit.n_variables + 1, dtype=np.bool_)
    stack = [(circuit.n_nodes - 1, rank)]
    while stack:
        node, left = stack.pop()
        edges = circuit.edges_of(node)
        for edge in edges:
            if circuit.arrays.is_choice[node] and left >= counts.edges[edge]:
                left -= counts.edges[edge]
                continue
            own = left
            if not circuit.arrays.is_choice[node]:
                left, own = divmod(left, counts.edges[edge])
            for literal in circuit.literals_of(edge):
                values[abs(literal)] = literal > 0
            for variable in circuit.free_of(edge):
                if counts.allowed[:, variable].all():
                    values[variable] = own & 1
                    own >>= 1
                else:
                    values[variable] = counts.allowed[1, variable]
            stack.append((circuit.target(edge), own))
            if circuit.arrays.is_choice[node]:
                break
    return values


def rank(counts: CircuitCounts, values: Mask, is_known: Mask) -> int:
    """Return the rank of the solution that has these values; variables that are not known follow from the others."""
    from hedgerow.feasible.engines.circuit_loops import met_edges  # noqa: PLC0415 - compiled, on demand

    circuit = counts.circuit
    is_met = met_edges(circuit.arrays, values, is_known)
    ranks: dict[int, int] = {}
    for node in reversed(_path(circuit, is_met)):
        edges = circuit.edges_of(node)
        if circuit.arrays.is_choice[node]:
            taken = next(edge for edge in edges if is_met[edge])
            ranks[node] = sum(counts.edges[edges.start : taken]) + _along(counts, taken, values, ranks)
        else:
            total = 0
            for edge in reversed(edges):
                total = total * counts.edges[edge] + _along(counts, edge, values, ranks)
            ranks[node] = total
    return ranks[circuit.n_nodes - 1]


def _path(circuit: Circuit, is_met: Mask) -> list[int]:
    """Return the nodes of a solution, parents first."""
    nodes = [circuit.n_nodes - 1]
    for node in nodes:
        edges = circuit.edges_of(node)
        taken = [next(edge for edge in edges if is_met[edge])] if circuit.arrays.is_choice[node] else list(edges)
        nodes += [circuit.target(edge) for edge in taken]
    return nodes


def _along(counts: CircuitCounts, edge: int, values: Mask, ranks: dict[int, int]) -> int:
    """Return the rank of a solution among those of one edge: its free variables are the lowest bits."""
    both = [v for v in counts.circuit.free_of(edge) if counts.allowed[:, v].all()]
    bits = sum(int(values[variable]) << place for place, variable in enumerate(both))
    return (ranks[counts.circuit.target(edge)] << len(both)) + bits
