"""Sweeps over a circuit in compiled loops: draws, ranks, and the best solution under a score per literal.

Random numbers are a function of a row's two seeds and of how many were used, so that a draw whose choice falls on a
boundary is taken up again with exact numbers.
"""

from __future__ import annotations

import numpy as np

from hedgerow.arrays import Mask, Whole
from hedgerow.compiled import compiled, inlined
from hedgerow.feasible.engines.circuit import CircuitArrays


@inlined
def _mixed(z: np.uint64) -> np.uint64:
    """Scramble 64 bits (the finalizer of SplitMix64)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def random_word(first: int, second: int, number: int) -> int:
    """Return 62 random bits: the word of this number under two seeds."""
    z = _mixed(np.uint64(first) + np.uint64(number + 1) * np.uint64(0x9E3779B97F4A7C15))
    return np.int64(_mixed(z ^ np.uint64(second)) >> np.uint64(2))  # type: ignore[return-value]


@compiled
def draw_solutions(
    circuit: CircuitArrays,
    thresholds: Whole,
    allowed: Mask,
    seeds: Whole,
    values: Mask,
) -> Mask:
    """Fill a row of values per pair of seeds; return which rows met a choice that 62 bits do not settle."""
    is_choice, edge_starts, targets, literal_starts, literals, free_starts, free = circuit
    is_doubtful = np.zeros(seeds.shape[0], dtype=np.bool_)
    stack = np.empty(is_choice.size + targets.size + 1, dtype=np.int64)
    for row in range(seeds.shape[0]):
        n_used = 0
        stack[0] = is_choice.size - 1
        depth = 1
        while depth > 0 and not is_doubtful[row]:
            depth -= 1
            node = stack[depth]
            first, last = edge_starts[node], edge_starts[node + 1]
            if is_choice[node] and last - first > 1:
                word = random_word(seeds[row, 0], seeds[row, 1], n_used)
                n_used += 1
                edge = first
                while edge < last - 1 and word > thresholds[edge]:
                    edge += 1
                if word == thresholds[edge]:
                    is_doubtful[row] = True
                first, last = edge, edge + 1
            for edge in range(first, last):
                for k in range(literal_starts[edge], literal_starts[edge + 1]):
                    values[row, abs(literals[k])] = literals[k] > 0
                for k in range(free_starts[edge], free_starts[edge + 1]):
                    variable = free[k]
                    if allowed[0, variable] and allowed[1, variable]:
                        values[row, variable] = random_word(seeds[row, 0], seeds[row, 1], n_used) & 1 == 1
                        n_used += 1
                    else:
                        values[row, variable] = allowed[1, variable]
                stack[depth] = targets[edge]
                depth += 1
    return is_doubtful


@compiled
def unrank_solutions(
    circuit: CircuitArrays,
    edge_counts: Whole,
    allowed: Mask,
    ranks: Whole,
    values: Mask,
) -> None:
    """Fill a row of values per rank, where all counts are small enough for machine numbers."""
    is_choice, edge_starts, targets, literal_starts, literals, free_starts, free = circuit
    stack = np.empty((is_choice.size + targets.size + 1, 2), dtype=np.int64)
    for row in range(ranks.size):
        stack[0, 0], stack[0, 1] = is_choice.size - 1, ranks[row]
        depth = 1
        while depth > 0:
            depth -= 1
            node, rank = stack[depth, 0], stack[depth, 1]
            first, last = edge_starts[node], edge_starts[node + 1]
            if is_choice[node]:
                while rank >= edge_counts[first]:
                    rank -= edge_counts[first]
                    first += 1
                last = first + 1
            for edge in range(first, last):
                own = rank if is_choice[node] else rank % edge_counts[edge]
                rank = rank if is_choice[node] else rank // edge_counts[edge]
                for k in range(literal_starts[edge], literal_starts[edge + 1]):
                    values[row, abs(literals[k])] = literals[k] > 0
                for k in range(free_starts[edge], free_starts[edge + 1]):
                    variable = free[k]
                    if allowed[0, variable] and allowed[1, variable]:
                        values[row, variable] = own & 1 == 1
                        own >>= 1
                    else:
                        values[row, variable] = allowed[1, variable]
                stack[depth, 0], stack[depth, 1] = targets[edge], own
                depth += 1


@compiled
def met_edges(
    circuit: CircuitArrays,
    values: Mask,
    is_known: Mask,
) -> Mask:
    """Return which edges a solution may take; variables that are not known may have either value."""
    is_choice, edge_starts, targets, literal_starts, literals, _, _ = circuit
    is_met = np.empty(targets.size, dtype=np.bool_)
    holds = np.empty(is_choice.size, dtype=np.bool_)
    for node in range(is_choice.size):
        value = not is_choice[node]
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            met = holds[targets[edge]]
            for k in range(literal_starts[edge], literal_starts[edge + 1]):
                variable = abs(literals[k])
                if is_known[variable] and values[variable] != (literals[k] > 0):
                    met = False
            is_met[edge] = met
            value = value or met if is_choice[node] else value and met
        holds[node] = value
    return is_met


@compiled
def best_sums(
    circuit: CircuitArrays,
    scores: Whole,
    lowest: int,
) -> tuple[Whole, Whole]:
    """Return for every node and every edge the best sum below it; `scores[0]` and `[1]`: variables false and true.

    Scores are not above zero, and `lowest` forbids.
    """
    is_choice, edge_starts, targets, literal_starts, literals, free_starts, free = circuit
    sums = np.empty(targets.size, dtype=np.int64)
    best = np.empty(is_choice.size, dtype=np.int64)
    for node in range(is_choice.size):
        value = lowest if is_choice[node] else 0
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            total = best[targets[edge]]
            for k in range(literal_starts[edge], literal_starts[edge + 1]):
                total = max(lowest, total + scores[1 if literals[k] > 0 else 0, abs(literals[k])])
            for k in range(free_starts[edge], free_starts[edge + 1]):
                total = max(lowest, total + max(scores[0, free[k]], scores[1, free[k]]))
            sums[edge] = total
            value = max(value, total) if is_choice[node] else max(lowest, value + total)
        best[node] = value if value > lowest // 2 else lowest
    return best, sums


@compiled
def best_with_literals(
    circuit: CircuitArrays,
    scores: Whole,
    best: Whole,
    sums: Whole,
    lowest: int,
) -> Whole:
    """Return for every literal the best sum of a solution that has it."""
    is_choice, edge_starts, targets, literal_starts, literals, free_starts, free = circuit
    found = np.full(scores.shape, lowest, dtype=np.int64)
    outer = np.full(is_choice.size, lowest, dtype=np.int64)
    outer[is_choice.size - 1] = 0
    for node in range(is_choice.size - 1, -1, -1):
        if outer[node] <= lowest // 2 or best[node] <= lowest // 2:
            continue
        for edge in range(edge_starts[node], edge_starts[node + 1]):
            # All edges of a conjunction are taken together, and none of them is forbidden here.
            whole = outer[node] + (sums[edge] if is_choice[node] else best[node])
            if whole <= lowest // 2:
                continue
            target = targets[edge]
            outer[target] = max(outer[target], whole - best[target])
            for k in range(literal_starts[edge], literal_starts[edge + 1]):
                side = 1 if literals[k] > 0 else 0
                found[side, abs(literals[k])] = max(found[side, abs(literals[k])], whole)
            for k in range(free_starts[edge], free_starts[edge + 1]):
                variable = free[k]
                without = whole - max(scores[0, variable], scores[1, variable])
                for side in range(2):
                    if scores[side, variable] > lowest // 2:
                        found[side, variable] = max(found[side, variable], without + scores[side, variable])
    return found


@compiled
def best_solution(
    circuit: CircuitArrays,
    scores: Whole,
    sums: Whole,
    values: Mask,
) -> None:
    """Fill in a solution of the highest sum; of equals the first edge, and false."""
    is_choice, edge_starts, targets, literal_starts, literals, free_starts, free = circuit
    stack = np.empty(is_choice.size + targets.size + 1, dtype=np.int64)
    stack[0] = is_choice.size - 1
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        first, last = edge_starts[node], edge_starts[node + 1]
        if is_choice[node]:
            chosen = first
            for edge in range(first + 1, last):
                if sums[edge] > sums[chosen]:
                    chosen = edge
            first, last = chosen, chosen + 1
        for edge in range(first, last):
            for k in range(literal_starts[edge], literal_starts[edge + 1]):
                values[abs(literals[k])] = literals[k] > 0
            for k in range(free_starts[edge], free_starts[edge + 1]):
                values[free[k]] = scores[1, free[k]] > scores[0, free[k]]
            stack[depth] = targets[edge]
            depth += 1
