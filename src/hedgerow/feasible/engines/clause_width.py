"""How entangled clauses are: the width of an order in which their variables can be eliminated one after the other.

Compilers take about 2 to the power of it where clauses have no other structure. Long clauses, the choices of feature
models, are left out: what they say falls apart as soon as one of their variables is true.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

_LONG = 12


def elimination_width(clauses: Iterable[Sequence[int]], most: int) -> int:
    """Return the width of eliminating a variable of fewest neighbors each time; not more than one above `most`."""
    neighbors: dict[int, set[int]] = {}
    for clause in clauses:
        if len(clause) <= _LONG:
            variables = {abs(literal) for literal in clause}
            for variable in variables:
                neighbors.setdefault(variable, set()).update(variables - {variable})
    heap = [(len(others), variable) for variable, others in neighbors.items()]
    heapq.heapify(heap)
    width = 0
    while heap:
        degree, variable = heapq.heappop(heap)
        if variable not in neighbors or degree != len(neighbors[variable]):
            continue
        width = max(width, degree)
        if width > most:
            return most + 1
        others = neighbors.pop(variable)
        for other in others:
            neighbors[other] |= others
            neighbors[other] -= {other, variable}
            heapq.heappush(heap, (len(neighbors[other]), other))
    return width
