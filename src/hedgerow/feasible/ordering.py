"""The order in which the diagram reads the variables: what decides whether it is small.

Every rule makes the diagram remember something between the first and the last of its variables. `Profile` says how
much (in bits), `cost` adds it up over the cuts of an order, and `choose_order` takes the cheapest of several
candidates: the order given, orders that pull the variables of a rule together (the FORCE heuristic of Aloul, Markov
and Sakallah, 2003), and what moving single variables can still improve. `research/rules.py` measures it against
its alternatives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Column, Places
from hedgerow.expressions import (
    Absolute,
    AllDifferent,
    Comparison,
    Constant,
    Contains,
    Expression,
    Fold,
    LongestRun,
    Slot,
)
from hedgerow.rules.resolve import slots_of
from hedgerow.rules.simplify import signed_terms

# Work limits, in orders tried and in matrix cells, so that ordering never costs more than compiling.
_MAX_MOVES = 400
_MAX_CELLS = 2**22
_MAX_MOVED_CELLS = 2**23
_RANDOM_STARTS = 3
# The base-2 logarithm of a number of edges that is not worth improving.
_GOOD_ENOUGH = 13.0


@dataclass(frozen=True)
class Profile:
    """What one rule asks the diagram to remember: at most `bits` between its slots, if `sequence` is read in order."""

    slots: tuple[int, ...]
    bits: float
    sequence: tuple[int, ...] = ()


def profile(expression: Expression, domains: Sequence[Sequence[object]]) -> Profile:
    """Estimate the memory that an expression needs while it is read."""
    slots = slots_of(expression)
    sequences = [node for node in _inner(expression) if isinstance(node, Contains | LongestRun)]
    if sequences:
        in_order = tuple(item.position for item in sequences[0].items if isinstance(item, Slot))
        return Profile(slots, _sequence_bits(sequences[0]), in_order)
    if isinstance(expression, AllDifferent):
        return Profile(slots, float(len({value for slot in slots for value in domains[slot]})))
    if isinstance(expression, Comparison):
        try:
            return _sum_profile(expression, slots, domains)
        except OverflowError:
            return Profile(slots, math.inf)
    return Profile(slots, math.inf)


def choose_order(sizes: Sequence[int], profiles: Sequence[Profile]) -> list[int]:
    """Return the slots in the order in which the diagram should read them."""
    linking = [item for item in profiles if sum(sizes[slot] > 1 for slot in item.slots) > 1]
    linked = sorted({slot for item in linking for slot in item.slots if sizes[slot] > 1})
    free = [slot for slot in range(len(sizes)) if slot not in set(linked)]
    return free + _order_linked(linked, sizes, linking)


def _order_linked(slots: list[int], sizes: Sequence[int], profiles: list[Profile]) -> list[int]:
    if len(slots) <= 2:
        return slots
    meter = CostMeter(sizes, profiles) if len(slots) * len(profiles) <= _MAX_CELLS else None
    if meter is not None and meter.cost(slots) < _GOOD_ENOUGH:
        return slots
    starts = [slots]
    rng = np.random.default_rng(0)
    if len(slots) <= 300:
        starts += [list(map(int, rng.permutation(slots))) for _ in range(_RANDOM_STARTS)]
    candidates = [slots, *(_force(start, profiles) for start in starts)]
    if meter is None:
        return min(candidates, key=lambda order: _total_span(order, profiles))
    best = min(candidates, key=meter.cost)
    return _improve(best, meter)


class CostMeter:
    """Measures orders: the base-2 logarithm of the expected number of edges."""

    def __init__(self, sizes: Sequence[int], profiles: Sequence[Profile]) -> None:
        self._profiles = list(profiles)
        self._log_sizes = np.log2(np.asarray(sizes, dtype=np.float64))
        self._weights = np.zeros((len(self._profiles), len(sizes)))
        for row, item in enumerate(self._profiles):
            self._weights[row, list(item.slots)] = self._log_sizes[list(item.slots)]
        self._bits = np.array([item.bits for item in self._profiles])
        self._sequences = [(row, item.sequence) for row, item in enumerate(self._profiles) if item.sequence]

    @property
    def n_cells(self) -> int:
        """The size of what one measurement looks at."""
        return max(1, self._weights.size)

    def cost(self, order: Sequence[int]) -> float:
        """Return the estimate for an order of (some of) the slots."""
        before = np.cumsum(self._weights[:, order], axis=1)
        after = before[:, -1:] - before
        # One bit more than the rest can distinguish: a rule may also be decided already.
        remembered = np.minimum(before, after + 1)
        remembered[(before <= 0) | (after <= 1e-9)] = 0
        bits = self._bits
        if self._sequences:
            position = {slot: place for place, slot in enumerate(order)}
            bits = bits.copy()
            for row, sequence in self._sequences:
                places = [position[slot] for slot in sequence if slot in position]
                if places != sorted(places):
                    bits[row] = np.inf
        widths = np.minimum(remembered, bits[:, None]).sum(axis=0)
        edges = np.concatenate([[0.0], widths[:-1]]) + self._log_sizes[list(order)]
        peak = float(edges.max())
        return peak + math.log2(float(np.exp2(edges - peak).sum()))


def _improve(order: list[int], meter: CostMeter) -> list[int]:
    """Move single slots to where they cost least, as long as that helps and the allowance lasts."""
    best, best_cost = order, meter.cost(order)
    moves_left = min(_MAX_MOVES, _MAX_MOVED_CELLS // meter.n_cells)
    improved = True
    while improved and moves_left > 0:
        improved = False
        for slot in list(best):
            rest = [other for other in best if other != slot]
            for place in range(len(best)):
                moved = [*rest[:place], slot, *rest[place:]]
                moves_left -= 1
                if moves_left < 0:
                    return best
                cost = meter.cost(moved)
                if cost < best_cost - 1e-9:
                    best, best_cost, improved = moved, cost, True
    return best


def _force(start: list[int], profiles: list[Profile]) -> list[int]:
    """Pull each slot to the mean of the centers of its rules until the total span stops shrinking."""
    place = {slot: index for index, slot in enumerate(start)}
    edges = [np.array([place[slot] for slot in item.slots if slot in place]) for item in profiles]
    members = np.concatenate(edges)
    edge_of = np.repeat(np.arange(len(edges)), [edge.size for edge in edges])
    edge_sizes = np.bincount(edge_of)
    degrees = np.bincount(members, minlength=len(start))
    positions = np.arange(len(start), dtype=np.float64)
    starts = np.cumsum(edge_sizes) - edge_sizes
    best, best_span = list(start), _span(positions[members], starts)
    for _ in range(3 + 2 * max(1, math.ceil(math.log2(len(start))))):
        centers = np.bincount(edge_of, weights=positions[members]) / edge_sizes
        pulls = np.bincount(members, weights=centers[edge_of], minlength=len(start)) / np.maximum(degrees, 1)
        ranked = np.argsort(pulls, kind="stable")
        positions = np.empty(len(start))
        positions[ranked] = np.arange(len(start))
        span = _span(positions[members], starts)
        if span < best_span:
            best, best_span = [start[index] for index in ranked], span
    return best


def _span(positions: Column, starts: Places) -> float:
    """Return the sum of what the rules span; the positions of each begin at its start."""
    return float((np.maximum.reduceat(positions, starts) - np.minimum.reduceat(positions, starts)).sum())


def _total_span(order: Sequence[int], profiles: list[Profile]) -> int:
    place = {slot: index for index, slot in enumerate(order)}
    spans = ([place[slot] for slot in item.slots if slot in place] for item in profiles)
    return sum(max(places) - min(places) for places in spans)


def _sum_profile(node: Comparison, slots: tuple[int, ...], domains: Sequence[Sequence[object]]) -> Profile:
    """A sum of terms of one slot each remembers the partial sum: whole numbers in any order, floats in theirs."""
    left = node.left
    is_distance = isinstance(left, Absolute) and isinstance(node.right, Constant)
    if isinstance(left, Absolute) and is_distance:
        left = left.operand
    terms = signed_terms(left) + signed_terms(node.right, -1)
    scopes = [slots_of(term) for _, term in terms]
    if len(terms) <= 2 or any(len(scope) > 1 for scope in scopes):
        return Profile(slots, math.inf)
    reach = 1.0
    for (weight, term), scope in zip(terms, scopes, strict=True):
        if not scope:
            continue
        values = domains[scope[0]] if isinstance(term, Slot) else (0, 1)
        numbers = [value for value in values if isinstance(value, int | float)]
        if is_distance and any(isinstance(value, float) for value in numbers):
            # How near two sums of decimals are is mostly told in ticks, about as many as the levels make.
            return Profile(slots, math.log2(1 + sum(len(domains[slot]) for slot in slots)))
        if any(isinstance(value, float) for value in numbers):
            return Profile(slots, 20.0, tuple(scope[0] for scope in scopes if scope))
        reach += abs(weight) * (max(numbers, default=1) - min(numbers, default=0))
    return Profile(slots, math.log2(reach + 1))


def _sequence_bits(node: Contains | LongestRun) -> float:
    return math.log2(len(node.motif) + 1) if isinstance(node, Contains) else 5.0


def _inner(expression: Expression) -> list[Expression]:
    found: list[Expression] = []
    stack = [expression]
    while stack:
        node = stack.pop()
        found.append(node)
        if isinstance(node, Fold | Comparison) or not isinstance(node, Contains | LongestRun):
            stack.extend(node.children)
    return found
