"""The best solutions of a circuit under a sum of scores: exact, in order, one at a time.

A sweep gives the best solution, a second one the best for every code of every slot. So the second best is known: it is
the best one with some code that the first does not have. Splitting the set by that code leaves two parts of which both
best solutions are known, and the next is found in the same way in one of them (Nilsson, 1998).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from hedgerow.arrays import Codes, CodeScores, Mask, Whole
from hedgerow.diagram.best import FORBIDDEN, whole_scores
from hedgerow.feasible.engines.circuit import Circuit
from hedgerow.feasible.engines.cnf import Variables


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of the set, given by scores that forbid the rest: its best row, and what the second best has instead."""

    scores: list[Whole]
    row: Codes
    second: int
    slot: int
    code: int


def best_first(circuit: Circuit, variables: Variables, allowed: Sequence[Mask], scores: CodeScores) -> Iterator[Codes]:
    """Yield rows of codes from the highest sum of scores down."""
    whole = [np.where(mask, score, FORBIDDEN) for mask, score in zip(allowed, whole_scores(scores), strict=True)]
    part = _part(circuit, variables, whole)
    if part is None:
        return
    yield part.row
    number = count()
    heap = [(-part.second, next(number), part)]
    while heap:
        second, _, part = heapq.heappop(heap)
        if -second <= FORBIDDEN // 2:
            return
        with_code, without = list(part.scores), list(part.scores)
        is_code = np.arange(part.scores[part.slot].size) == part.code
        with_code[part.slot] = np.where(is_code, part.scores[part.slot], FORBIDDEN)
        without[part.slot] = np.where(is_code, FORBIDDEN, part.scores[part.slot])
        for place, scored in enumerate((with_code, without)):
            half = _part(circuit, variables, scored)
            assert half is not None
            if place == 0:
                yield half.row
            heapq.heappush(heap, (-half.second, next(number), half))


def _part(circuit: Circuit, variables: Variables, scores: list[Whole]) -> _Part | None:
    from hedgerow.feasible.engines import circuit_loops  # noqa: PLC0415 - compiled, on demand

    by_literal = variables.scores_of_literals(scores, circuit.n_variables)
    best, sums = circuit_loops.best_sums(circuit.arrays, by_literal, FORBIDDEN)
    if best[-1] <= FORBIDDEN // 2:
        return None
    values = np.zeros(circuit.n_variables + 1, dtype=np.bool_)
    circuit_loops.best_solution(circuit.arrays, by_literal, sums, values)
    row = variables.codes_of(values[None, :])[0]
    reached = circuit_loops.best_with_literals(circuit.arrays, by_literal, best, sums, FORBIDDEN)
    second, slot, code = FORBIDDEN, 0, 0
    for place, sums_of_codes in enumerate(variables.by_code(reached)):
        sums_of_codes[row[place]] = FORBIDDEN
        best_code = int(sums_of_codes.argmax())
        if sums_of_codes[best_code] > second:
            second, slot, code = int(sums_of_codes[best_code]), place, best_code
    return _Part(scores, row, second, slot, code)
