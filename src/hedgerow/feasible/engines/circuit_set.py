"""The engine for Boolean structure: rules as a d-DNNF, which counts, draws and optimizes exactly where no diagram fits.

The circuit knows all rows; whether a given row is one of them, and which changes of it are, the rules' own small
diagrams answer faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Changes, Codes, CodeScores, Mask
from hedgerow.feasible.changes import Literals, allowed_changes
from hedgerow.feasible.code_set import CodeSet, Sampling, nothing_to_draw, untried_row
from hedgerow.feasible.engines import circuit_draws
from hedgerow.feasible.engines.circuit import Circuit
from hedgerow.feasible.engines.circuit_best import best_first
from hedgerow.feasible.engines.circuit_counts import CircuitCounts
from hedgerow.feasible.engines.cnf import Variables
from hedgerow.feasible.engines.solved import RuleSet
from hedgerow.wording import counted


class CircuitSet(CodeSet):
    """The rows that are solutions of a circuit, and whose codes are all allowed."""

    def __init__(
        self,
        circuit: Circuit,
        variables: Variables,
        rules: RuleSet,
        allowed: Sequence[Mask] | None = None,
        n_sums: int = 0,
    ) -> None:
        self.circuit = circuit
        self._n_sums = n_sums
        self.sizes = variables.sizes
        self._variables = variables
        self._rules = rules
        self._allowed = [np.ones(size, dtype=np.bool_) for size in self.sizes] if allowed is None else list(allowed)

    @property
    def is_exact(self) -> bool:
        """Always."""
        return True

    @property
    def sampling(self) -> Sampling:
        """Uniform."""
        return "uniform"

    @property
    def is_empty(self) -> bool:
        """Whether there is no solution."""
        return self.counts.total == 0

    @property
    def description(self) -> str:
        """The size of the circuit."""
        joined = f", {counted(self._n_sums, 'sum')} in it" if self._n_sums else ""
        return f"1 d-DNNF with {self.n_nodes:,} nodes{joined}"

    @property
    def n_nodes(self) -> int:
        """The nodes of the circuit."""
        return self.circuit.n_nodes

    @property
    def n_bytes(self) -> int:
        """The memory of the circuit, and of the diagrams of single rules."""
        return self.circuit.n_bytes + sum(part.diagram.n_bytes for part in self._rules.parts if part.diagram)

    @cached_property
    def counts(self) -> CircuitCounts:
        """The number of solutions of every node."""
        literals = self._variables.allowed_literals(self._allowed, self.circuit.n_variables)
        return CircuitCounts(self.circuit, literals)

    def _count(self) -> int:
        return self.counts.total

    def accepts(self, codes: Codes) -> Mask:
        """Ask all rules."""
        accepted = self._rules.checker.accepts(codes)
        for slot, mask in enumerate([] if self._is_whole else self._allowed):
            accepted &= mask[codes[:, slot]]
        return accepted

    @cached_property
    def _is_whole(self) -> bool:
        return all(mask.all() for mask in self._allowed)

    def draw(self, n: int, rng: Generator) -> Codes:
        """Return n independent uniform rows."""
        if self.is_empty:
            raise nothing_to_draw()
        return self._variables.codes_of(circuit_draws.draw(self.counts, n, rng))

    def untried(self, tried: Codes, rng: Generator) -> Codes | None:
        """Draw while that may help, and then look through all rows."""
        return untried_row(self, tried, rng)

    def unrank(self, ranks: Sequence[int]) -> Codes:
        """Return the rows with these ranks in the circuit's order."""
        return self._variables.codes_of(circuit_draws.unrank(self.counts, ranks))

    def rank(self, codes: Codes) -> list[int]:
        """Return the ranks of rows that are in the set."""
        n_variables = self.circuit.n_variables
        is_known = np.arange(n_variables + 1) <= self._variables.n
        values = [self._variables.values_of(row, n_variables) for row in codes]
        return [circuit_draws.rank(self.counts, of_row, is_known) for of_row in values]

    def usage(self) -> list[list[int]]:
        """Return for each slot and code the number of feasible rows that use it."""
        false, true = self.counts.per_literal()
        usage: list[list[int]] = []
        for slot, size in enumerate(self.sizes):
            first = int(self._variables.first[slot])
            usage.append([false[first], true[first]] if size == 2 else true[first : first + size])
        return usage

    def changes(self, codes: Codes, n_slots: int, literals: Literals | None = None) -> Changes:
        """Ask the rules that read the changed slots."""
        changes = self._rules.checker.changes(codes, n_slots, literals)
        return changes if self._is_whole else allowed_changes(codes, changes, self._allowed)

    def best(self, scores: CodeScores, most: int | None = None) -> Iterator[Codes]:
        """Yield rows from the highest sum of scores down, exactly."""
        return islice(best_first(self.circuit, self._variables, self._allowed, scores), most)

    def restricted(self, allowed: Sequence[Mask]) -> CircuitSet:
        """Return the rows whose code in every slot is marked in `allowed`."""
        both = [mask & other for mask, other in zip(allowed, self._allowed, strict=True)]
        return CircuitSet(self.circuit, self._variables, self._rules, both, self._n_sums)
