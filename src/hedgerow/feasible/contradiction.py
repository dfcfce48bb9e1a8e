"""Which rules contradict each other, and which say nothing new."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes
from hedgerow.diagram.combine import conjunction
from hedgerow.diagram.count import count_completions
from hedgerow.diagram.effort import Effort, NodeBudgetExceeded
from hedgerow.diagram.machine import Diagram, everything, extend
from hedgerow.diagram.walk import accepts
from hedgerow.feasible.compile import Compiled, conjoin

# Work, in edges, with which nothing can be settled any more.
_LEAST_WORK = 2**14
# Points examined for a witness that a rule is not redundant.
_WITNESS_POINTS = 64
_MAX_WITNESS_CANDIDATES = 20_000


def rule_diagrams(compiled: Compiled, n_rules: int, effort: Effort) -> list[Diagram | None]:
    """Return one diagram per rule, None where it does not fit on its own."""
    diagrams: list[Diagram | None] = []
    for index in range(n_rules):
        own = compiled.parts_of.get(index, [])
        joined, outside = conjoin([part.diagram for part in own], effort)
        fits = not outside and all(part.diagram is not None and not part.is_narrowed for part in own)
        diagrams.append(joined if fits else None)
    return diagrams


def is_everything(diagram: Diagram) -> bool:
    """Whether a reduced diagram accepts all sequences."""
    return not diagram.is_empty and all(table.shape[0] == 2 and bool(table[1].all()) for table in diagram.tables)


def minimal_contradiction(diagrams: Sequence[Diagram | None], effort: Effort) -> tuple[int, ...]:
    """Return a minimal set of rules without a common point: leave any one out and there is one.

    Rules are added until nothing is left; the last one added belongs to the set. Repeat with that one in front.
    """
    core: list[int] = []
    candidates = [index for index, diagram in enumerate(diagrams) if diagram is not None]
    try:
        while True:
            current = _all_of(diagrams, core, effort)
            if current.is_empty:
                return tuple(sorted(core))
            culprit = None
            for position, index in enumerate(candidates):
                diagram = diagrams[index]
                assert diagram is not None
                current = conjunction(current, diagram, effort)
                if current.is_empty:
                    culprit = position
                    break
            if culprit is None:
                return ()
            core.append(candidates[culprit])
            candidates = candidates[:culprit]
    except NodeBudgetExceeded:
        return ()


def redundant_rules(
    compiled: Compiled,
    diagrams: Sequence[Diagram | None],
    feasible_rows: Codes,
    effort: Effort,
    rng: Generator,
) -> tuple[list[int], list[int]]:
    """Return the rules that the others imply, and those for which that could not be settled.

    A point that breaks one rule alone proves that rule needed; only rules without such a witness are settled exactly,
    by intersecting all the others. `feasible_rows` are codes in layer order.
    """
    if any(diagram is None for diagram in diagrams):
        return [], list(range(len(diagrams)))
    known = [diagram for diagram in diagrams if diagram is not None]
    needed = _witnessed(compiled, known, feasible_rows, rng)
    suspects = [index for index in range(len(known)) if index not in needed]
    redundant: list[int] = []
    unsettled: list[int] = []
    total = count_completions(compiled.diagram).total
    for index in suspects:
        if effort.work_left < _LEAST_WORK:
            unsettled.append(index)
            continue
        others, outside = conjoin([diagram for other, diagram in enumerate(known) if other != index], effort)
        if outside:
            unsettled.append(index)
        elif count_completions(extend(others, compiled.sizes)).total == total:
            redundant.append(index)
    return redundant, unsettled


def _witnessed(compiled: Compiled, diagrams: list[Diagram], feasible_rows: Codes, rng: Generator) -> set[int]:
    """Look among changed feasible points for some that break exactly one rule."""
    rows = feasible_rows[:_WITNESS_POINTS]
    sizes = np.array(compiled.sizes)
    n_changes = max(1, min(4 * sizes.size, _MAX_WITNESS_CANDIDATES // max(1, rows.shape[0])))
    changed = np.repeat(rows, n_changes, axis=0)
    columns = rng.integers(0, sizes.size, size=changed.shape[0])
    changed[np.arange(changed.shape[0]), columns] = rng.integers(0, sizes[columns])
    broken = np.stack([~accepts(diagram, changed[:, list(diagram.layers)]) for diagram in diagrams])
    alone = broken.sum(axis=0) == 1
    return set(np.flatnonzero(broken[:, alone].any(axis=1)).tolist())


def _all_of(diagrams: Sequence[Diagram | None], indices: Sequence[int], effort: Effort) -> Diagram:
    current = everything()
    for index in indices:
        diagram = diagrams[index]
        assert diagram is not None
        current = conjunction(current, diagram, effort)
    return current
