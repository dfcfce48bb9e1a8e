"""Rules as clauses, for compilers of Boolean formulas: every row of the set is one solution, and the other way round.

A slot with two codes is one variable, a larger one a variable per code, exactly one of which is true. A rule comes as
its own diagram: one clause per way to fail where these are few, else one variable per node, true where the row's way
leads through it. Such variables are determined by the row, so that solutions are counted right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from hedgerow.arrays import Codes, Mask, Places, Whole
from hedgerow.diagram.machine import Diagram
from hedgerow.feasible.compile import Part

Clause = tuple[int, ...]

# Diagrams up to this size, with layers up to this width, are encoded, and so many clauses in all.
_MAX_EDGES = 4_000
_MAX_WIDTH = 24
# Where a rule reads few variables, deciding these settles it, however many ways there are.
_FEW_LAYERS = 5
_MAX_EDGES_OF_FEW = 16_000
_MAX_WIDTH_OF_FEW = 128
_MAX_CLAUSES = 500_000
# Ways to fail up to which a rule has a clause for each.
_MAX_WAYS = 64


@dataclass(frozen=True, eq=False)
class Variables:
    """Which variables stand for slots: one for a slot with two codes, true where it is 1; for others one per code.

    They come first, slot by slot; whatever follows is determined by them.
    """

    sizes: tuple[int, ...]

    @cached_property
    def first(self) -> Places:
        """The first variable of each slot."""
        widths = np.where(np.array(self.sizes) <= 2, 1, self.sizes)
        return np.asarray(1 + np.cumsum(widths) - widths)

    @cached_property
    def n(self) -> int:
        """The number of variables of slots."""
        return int(self._slot_of.size)

    @cached_property
    def _slot_of(self) -> Places:
        return np.repeat(np.arange(len(self.sizes)), np.where(np.array(self.sizes) <= 2, 1, self.sizes))

    @cached_property
    def _code_of(self) -> Places:
        """The code that each variable stands for, where it is true."""
        codes = np.arange(1, self.n + 1) - self.first[self._slot_of]
        return np.asarray(np.where(np.array(self.sizes)[self._slot_of] == 2, 1, codes))

    def literal(self, slot: int, code: int) -> int:
        """Return the literal of a slot having a code."""
        first = int(self.first[slot])
        if self.sizes[slot] == 2:
            return first if code else -first
        return first + code

    def codes_of(self, values: Mask) -> Codes:
        """Return the rows of some solutions."""
        weighted = values[:, 1 : self.n + 1] * self._code_of
        return np.asarray(np.add.reduceat(weighted, self.first - 1, axis=1), dtype=np.int64)

    def values_of(self, row: Codes, n_variables: int) -> Mask:
        """Return the values of the variables of slots; others are false."""
        values = np.zeros(n_variables + 1, dtype=np.bool_)
        is_two = np.array(self.sizes)[self._slot_of] == 2
        values[1 : self.n + 1] = np.where(is_two, row[self._slot_of] == 1, row[self._slot_of] == self._code_of)
        return values

    def allowed_literals(self, allowed: Sequence[Mask], n_variables: int) -> Mask:
        """Return which variables may be false, and which true."""
        literals = np.ones((2, n_variables + 1), dtype=np.bool_)
        for slot, mask in enumerate(allowed):
            first = self.first[slot]
            if mask.size == 2:
                literals[:, first] = mask
            else:
                literals[1, first : first + mask.size] = mask
        return literals

    def scores_of_literals(self, scores: Sequence[Whole], n_variables: int) -> Whole:
        """Return the scores of variables that are false, and true."""
        literals = np.zeros((2, n_variables + 1), dtype=np.int64)
        for slot, score in enumerate(scores):
            first = self.first[slot]
            if score.size == 2:
                literals[:, first] = score
            else:
                literals[1, first : first + score.size] = score
        return literals

    def by_code(self, literals: Whole) -> Iterator[Whole]:
        """Yield for each slot a number per code, from numbers of variables that are false, and true."""
        for slot, size in enumerate(self.sizes):
            first = self.first[slot]
            yield literals[:, first].copy() if size == 2 else literals[1, first : first + size].copy()


@dataclass(frozen=True, eq=False)
class Cnf:
    """Clauses over variables 1, 2, ..., of which the first stand for slots."""

    n_variables: int
    clauses: tuple[Clause, ...]
    variables: Variables

    def to_dimacs(self) -> str:
        """Return the text of a CNF file."""
        lines = [f"p cnf {self.n_variables} {len(self.clauses)}"]
        lines += [f"{' '.join(map(str, clause))} 0" for clause in self.clauses]
        return "\n".join(lines) + "\n"


def encode_rules(parts: Sequence[Part], order: Sequence[int], sizes: Sequence[int]) -> Cnf | None:
    """Return the rules as clauses, or None where some are too large for that."""
    if not all(is_small(part.diagram) for part in parts):
        return None
    encoder = _Encoder(sizes)
    for part in parts:
        assert part.diagram is not None
        encoder.add(part.diagram, [order[layer] for layer in part.diagram.layers])
        if len(encoder.clauses) > _MAX_CLAUSES:
            return None
    return encoder.cnf()


def is_small(diagram: Diagram | None) -> bool:
    """Return whether a rule can be written as clauses."""
    if diagram is None:
        return False
    is_of_few = len(diagram.layers) <= _FEW_LAYERS
    return is_narrow(diagram) or (is_of_few and _is_within(diagram, _MAX_EDGES_OF_FEW, _MAX_WIDTH_OF_FEW))


def is_narrow(diagram: Diagram | None) -> bool:
    """Return whether a rule is much like a clause."""
    return diagram is not None and _is_within(diagram, _MAX_EDGES, _MAX_WIDTH)


def _is_within(diagram: Diagram, max_edges: int, max_width: int) -> bool:
    return diagram.n_edges <= max_edges and all(table.shape[0] <= max_width for table in diagram.tables)


class _Encoder:
    def __init__(self, sizes: Sequence[int]) -> None:
        self._sizes = tuple(sizes)
        self._variables = Variables(self._sizes)
        self.clauses: list[Clause] = []
        self._n = self._variables.n
        self._literal = self._variables.literal
        for slot, size in enumerate(sizes):
            literals = [self._literal(slot, code) for code in range(size)]
            if size == 1:
                self.clauses.append((literals[0],))
            elif size > 2:
                self.clauses.append(tuple(literals))
                self.clauses += [(-a, -b) for a, b in combinations(literals, 2)]

    def cnf(self) -> Cnf:
        return Cnf(self._n, tuple(self.clauses), self._variables)

    def add(self, diagram: Diagram, slots: Sequence[int]) -> None:
        """Add a rule."""
        if diagram.is_empty:
            self.clauses.append(())
            return
        ways = _ways_to_fail(diagram, _MAX_WAYS)
        if ways is None:
            self._add_nodes(diagram, slots)
            return
        for way in ways:
            clause: list[int] = []
            for layer, codes in way:
                # The row has none of these codes there; with a variable per code the others say so.
                others = sorted(set(range(self._sizes[slots[layer]])) - codes)
                clause += [self._literal(slots[layer], code) for code in others]
            self.clauses.append(tuple(clause))

    def _add_nodes(self, diagram: Diagram, slots: Sequence[int]) -> None:
        before = {diagram.root: 0}
        for place, (table, slot) in enumerate(zip(diagram.tables, slots, strict=True)):
            is_last = place == len(diagram.tables) - 1
            reached = sorted({int(node) for start in before for node in table[start] if node})
            # The end needs no variable: it is reached, or the row fails.
            after = {node: 0 if is_last else self._new() for node in reached}
            for start, variable in before.items():
                for code, node in enumerate(table[start].tolist()):
                    came = (-variable,) if variable else ()
                    there = (-self._literal(slot, code),)
                    if node == 0:
                        self.clauses.append((*came, *there))
                    elif not is_last:
                        self.clauses.append((*came, *there, after[node]))
            if not is_last:
                # One node at a time: what is true is where the row is, and nothing else.
                self.clauses += [(-a, -b) for a, b in combinations(after.values(), 2)]
                self.clauses.append(tuple(after.values()))
            before = after

    def _new(self) -> int:
        self._n += 1
        return self._n


def _ways_to_fail(diagram: Diagram, most: int) -> list[list[tuple[int, set[int]]]] | None:
    """Return boxes of codes, as (layer, codes) pairs, that lead to false and cover all that do; None where many."""
    ways: list[list[tuple[int, set[int]]]] = []
    stack: list[tuple[int, int, list[tuple[int, set[int]]]]] = [(0, diagram.root, [])]
    while stack:
        place, node, path = stack.pop()
        if place == len(diagram.tables):
            continue
        row = diagram.tables[place][node]
        for target in np.unique(row).tolist():
            codes = set(np.flatnonzero(row == target).tolist())
            longer = path if len(codes) == row.size else [*path, (place, codes)]
            if target == 0:
                ways.append(longer)
            else:
                stack.append((place + 1, target, longer))
        if len(ways) > most or len(stack) > 4 * most:
            return None
    return ways
