"""Which engine holds a set of rules: a diagram where it holds them all, else a solver beside it."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.expressions import Scalar
from hedgerow.feasible.code_set import CodeSet
from hedgerow.feasible.compile import Compiled
from hedgerow.feasible.engines.diagram import DiagramSet
from hedgerow.feasible.engines.solved import RuleSet, SolvedSet


def engine_for(compiled: Compiled, domains: Sequence[Sequence[Scalar]]) -> CodeSet:
    """Return the rows that satisfy the compiled rules."""
    diagram = DiagramSet(compiled.diagram, compiled.order)
    if compiled.is_exact or diagram.is_empty:
        return diagram
    return SolvedSet(diagram, RuleSet(compiled.parts, compiled.order, domains))
