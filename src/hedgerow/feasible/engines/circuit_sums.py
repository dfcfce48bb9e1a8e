"""Conditions on sums joined into a circuit: another circuit, whose nodes also know the sums of what is below them.

A node of the new circuit is a node of the old one with one value of each sum. Below a conjunction the values of the
parts add up, so that it becomes a choice among the ways to split them: ways that exclude each other, over parts that
share no variable. What comes out is a d-DNNF again, and counts, draws, ranks and best solutions need nothing new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hedgerow.arrays import Places, Whole
from hedgerow.feasible.engines.additive import SumCondition, SumRule
from hedgerow.feasible.engines.circuit import Circuit, Edge, assembled
from hedgerow.feasible.engines.cnf import Variables

# Ways to split sums that are looked at, and edges of the circuit that comes out.
_MAX_PAIRS = 2**23
_MAX_EDGES = 2**20
# States that a tuple of sums may have.
MAX_STATES = 2**14


class SumsExceeded(Exception):  # noqa: N818 - says what happened
    """The circuit with sums would be too large."""


def with_sums(circuit: Circuit, variables: Variables, rules: Sequence[SumRule]) -> Circuit:
    """Return the circuit of the solutions that keep the rules, too; or raise `SumsExceeded`."""
    return _Expansion(circuit, _Sums(variables, rules, circuit.n_variables)).made()


class _Sums:
    """A tuple of sums as one number, its state: what literals add to it, and how two of them add up."""

    def __init__(self, variables: Variables, rules: Sequence[SumRule], n_variables: int) -> None:
        self._rules = rules
        self._conditions = [condition for rule in rules for condition in rule.conditions]
        self._caps = np.array([condition.cap for condition in self._conditions], dtype=np.int64)
        if np.prod(self._caps + 1.0) > MAX_STATES:
            raise SumsExceeded
        self._strides = np.concatenate([[1], np.cumprod(self._caps + 1)[:-1]]).astype(np.int64)
        # Where a rule is one condition that fails from its cap on, nothing above such a sum is looked at.
        self._is_dead = np.array(
            [len(rule.conditions) == 1 and not rule.conditions[0].holds[-1] for rule in rules for _ in rule.conditions]
        )
        added = [_of_literals(variables, condition, n_variables) for condition in self._conditions]
        self.is_counted = np.any([(own[0] != own[1]) for own in added], axis=0)
        self._added = [np.minimum(own, cap) for own, cap in zip(added, self._caps, strict=True)]

    def of_literal(self, literal: int) -> int:
        """Return the state of one literal."""
        own = [table[int(literal > 0), abs(literal)] for table in self._added]
        return int(np.dot(own, self._strides))

    def added(self, left: Whole, right: Whole) -> Whole:
        """Return the states of sums of states; -1 where nothing is left to hope for."""
        total = np.zeros(np.broadcast_shapes(left.shape, right.shape), dtype=np.int64)
        is_dead = np.zeros(total.shape, dtype=np.bool_)
        for cap, stride, can_die in zip(self._caps, self._strides, self._is_dead, strict=True):
            own = np.minimum(cap, left // stride % (cap + 1) + right // stride % (cap + 1))
            if can_die:
                is_dead |= own == cap
            total += own * stride
        return np.where(is_dead, -1, total)

    def holds(self, states: Whole) -> Whole:
        """Return which states keep all rules."""
        kept = np.ones(states.shape, dtype=np.bool_)
        place = 0
        for rule in self._rules:
            some = np.zeros(states.shape, dtype=np.bool_)
            for condition in rule.conditions:
                some |= condition.holds[states // self._strides[place] % (condition.cap + 1)]
                place += 1
            kept &= some
        return states[kept]


def _of_literals(variables: Variables, condition: SumCondition, n_variables: int) -> Whole:
    """Return what variables that are false, and true, add to a sum."""
    scores = [condition.numbers.get(slot, np.zeros(size, np.int64)) for slot, size in enumerate(variables.sizes)]
    return variables.scores_of_literals(scores, n_variables)


@dataclass(eq=False)
class _Unit:
    """Something with solutions in several states: a node, a free variable, or two units whose states add up.

    `ways` gives for each state the ways to it: an edge to another unit's state, or a pair of states of two units.
    """

    states: Whole
    ids: dict[int, int] = field(default_factory=dict)

    def ways(self, state: int) -> Iterator[tuple[list[tuple[_Unit, int]], list[int]]]:
        """Yield what must be met together on each way to a state, and the literals on it."""
        raise NotImplementedError


@dataclass(eq=False)
class _True(_Unit):
    def ways(self, state: int) -> Iterator[tuple[list[tuple[_Unit, int]], list[int]]]:
        _ = state
        yield [], []


@dataclass(eq=False)
class _Joined(_Unit):
    """Two units that are met together."""

    left: _Unit = field(kw_only=True)
    right: _Unit = field(kw_only=True)
    sums: Whole = field(kw_only=True)

    @cached_property
    def _sorted(self) -> tuple[Places, Whole]:
        order = np.argsort(self.sums, axis=None, kind="stable").astype(np.int64)
        return order, self.sums.reshape(-1)[order]

    def ways(self, state: int) -> Iterator[tuple[list[tuple[_Unit, int]], list[int]]]:
        order, states = self._sorted
        first, last = np.searchsorted(states, [state, state + 1])
        lefts, rights = np.unravel_index(order[first:last], self.sums.shape)
        for a, b in zip(self.left.states[lefts].tolist(), self.right.states[rights].tolist(), strict=True):
            yield [(self.left, a), (self.right, b)], []


@dataclass(eq=False)
class _Along(_Unit):
    """A unit below an edge, with the literals of the edge."""

    below: _Unit = field(kw_only=True)
    literals: list[int] = field(kw_only=True)
    after: Whole = field(kw_only=True)

    def ways(self, state: int) -> Iterator[tuple[list[tuple[_Unit, int]], list[int]]]:
        for own in self.below.states[self.after == state].tolist():
            yield [(self.below, own)], self.literals


@dataclass(eq=False)
class _Either(_Unit):
    """A choice among units."""

    parts: list[_Unit] = field(kw_only=True)

    def ways(self, state: int) -> Iterator[tuple[list[tuple[_Unit, int]], list[int]]]:
        for part in self.parts:
            place = np.searchsorted(part.states, state)
            if place < part.states.size and part.states[place] == state:
                yield from part.ways(state)


class _Expansion:
    def __init__(self, circuit: Circuit, sums: _Sums) -> None:
        self._circuit, self._sums = circuit, sums
        self._n_pairs = 0
        self._true = _True(np.zeros(1, dtype=np.int64))
        self._free: dict[tuple[int, ...], _Unit] = {(): self._true}

    def made(self) -> Circuit:
        """Go up for the states that there are, then down from those that keep the rules."""
        units: list[_Unit] = []
        for node, is_choice in enumerate(self._circuit.arrays.is_choice.tolist()):
            below = [self._along(units, edge) for edge in self._circuit.edges_of(node)]
            units.append(_either(below) if is_choice else self._together(below))
        kinds: dict[int, str] = {1: "o"}
        edges: dict[int, list[Edge]] = {}
        root = units[-1]
        self._emit(root, self._sums.holds(root.states).tolist(), kinds, edges)
        kinds[0], edges[0] = "o", [(1, [])]
        return assembled(kinds, edges, self._circuit.n_variables)

    def _along(self, units: Sequence[_Unit], edge: int) -> _Unit:
        """Return what is below an edge, with its literals and with the values of free variables that count."""
        free = tuple(v for v in self._circuit.free_of(edge) if self._sums.is_counted[v])
        below = self._joined(units[self._circuit.target(edge)], self._of_free(free))
        literals = self._circuit.literals_of(edge)
        return self._with_literals(below, literals) if literals else below

    def _with_literals(self, below: _Unit, literals: list[int]) -> _Unit:
        after = below.states
        for literal in literals:
            if self._sums.is_counted[abs(literal)]:
                state = np.array(self._sums.of_literal(literal))
                after = np.where(after < 0, -1, self._sums.added(np.maximum(after, 0), state))
        return _Along(_distinct(after), below=below, literals=literals, after=after)

    def _of_free(self, variables: tuple[int, ...]) -> _Unit:
        """Return both values of each of some variables, from the last one on, which other edges may share."""
        for first in range(len(variables) - 1, -1, -1):
            rest = variables[first:]
            if rest not in self._free:
                values = [self._with_literals(self._true, [sign * rest[0]]) for sign in (-1, 1)]
                self._free[rest] = self._joined(_either(values), self._free[rest[1:]])
        return self._free[variables]

    def _together(self, parts: list[_Unit]) -> _Unit:
        """Return units that are met together, those with few states first."""
        whole: _Unit = self._true
        for part in sorted(parts, key=lambda part: part.states.size):
            whole = self._joined(whole, part)
        return whole

    def _joined(self, left: _Unit, right: _Unit) -> _Unit:
        if left is self._true or right is self._true:
            return right if left is self._true else left
        self._n_pairs += left.states.size * right.states.size
        if self._n_pairs > _MAX_PAIRS:
            raise SumsExceeded
        sums = self._sums.added(left.states[:, None], right.states[None, :])
        return _Joined(_distinct(sums), left=left, right=right, sums=sums)

    def _emit(self, root: _Unit, states: list[int], kinds: dict[int, str], edges: dict[int, list[Edge]]) -> None:
        """Write the nodes that lead to these states of the root; node 1 is the choice among them."""
        stack: list[tuple[_Unit, int]] = []
        n_edges = 0

        def number(unit: _Unit, state: int) -> int:
            if state not in unit.ids:
                unit.ids[state] = len(kinds) + 1
                kinds[unit.ids[state]] = "o"
                stack.append((unit, state))
            return unit.ids[state]

        edges[1] = [(number(root, state), []) for state in states]
        while stack:
            unit, state = stack.pop()
            own: list[Edge] = []
            edges[unit.ids[state]] = own
            for met, literals in unit.ways(state):
                n_edges += len(met) + 1
                if len(met) == 1:
                    own.append((number(*met[0]), literals))
                    continue
                both = len(kinds) + 1
                kinds[both] = "a"
                edges[both] = [(number(*one), []) for one in met]
                own.append((both, literals))
            if n_edges > _MAX_EDGES:
                raise SumsExceeded


def _either(parts: list[_Unit]) -> _Unit:
    if len(parts) == 1:
        return parts[0]
    states = np.concatenate([np.zeros(0, np.int64), *(part.states for part in parts)])
    return _Either(_distinct(states), parts=parts)


def _distinct(states: Whole) -> Whole:
    found = np.unique(states)
    return found[found >= 0]
