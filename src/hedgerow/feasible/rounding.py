"""What the rounding of floats does to a rule: 0.2 + 0.7 + 0.1 is not 1, so `a + b + c == 1` loses a mixture.

A rule means what Python says. Where the levels are decimals, the same comparison in exact arithmetic is compiled beside
it, and the two are counted against each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.diagram.combine import conjunction
from hedgerow.diagram.count import count_completions
from hedgerow.diagram.effort import Effort, NodeBudgetExceeded
from hedgerow.diagram.machine import Diagram
from hedgerow.expressions import Comparison, Not, Scalar
from hedgerow.feasible.compile import Compiled, Part
from hedgerow.feasible.machines import Compiler
from hedgerow.feasible.valued import Setting, to_diagram
from hedgerow.wording import approximate

_OPPOSITES = {"==": "!=", "!=": "==", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True)
class Rounding:
    """How many combinations of the variables that a rule reads are on the wrong side of it for rounding alone."""

    n_exact: int  # combinations that keep the rule in exact arithmetic
    n_lost: int  # those of them that break it in floats
    n_gained: int  # combinations that keep it in floats alone
    is_equality: bool

    def __str__(self) -> str:
        parts = []
        if self.n_lost:
            parts.append(
                f"loses {approximate(self.n_lost)} of {approximate(self.n_exact)} combinations "
                "to the rounding of floats (0.1 + 0.2 is not 0.3)"
            )
        if self.n_gained:
            parts.append(f"lets {approximate(self.n_gained)} pass that break it in exact arithmetic")
        advice = (
            "Write isclose(left, right), or hr.Shares for shares that add up to 1"
            if self.is_equality
            else "Move the limit off the levels, as in 'a + b <= 1 + 1e-9'"
        )
        return f"{' and '.join(parts)}. {advice}."


def rounding_of(
    part: Part, symbols: Sequence[str], domains: Sequence[Sequence[Scalar | None]], compiled: Compiled, effort: Effort
) -> Rounding | None:
    """Return what rounding does to one part of a rule, or None where it does nothing, or nobody knows."""
    node = part.expression
    if isinstance(node, Not) and isinstance(node.operand, Comparison):
        opposite = node.operand
        node = Comparison(_OPPOSITES[opposite.operator], opposite.left, opposite.right)
    if not isinstance(node, Comparison) or node.operator not in symbols or part.diagram is None or part.is_narrowed:
        return None
    compiler = Compiler(domains, compiled.layer_of, Setting(compiled.sizes, effort))
    try:
        holds = compiler.exactly(node)
        if holds is None:
            return None
        exact = to_diagram(holds)
        n_both = _count(conjunction(exact, part.diagram, effort))
    except NodeBudgetExceeded:
        return None
    n_exact, n_floats = _count(exact), _count(part.diagram)
    if n_exact == n_both == n_floats:
        return None
    return Rounding(n_exact, n_exact - n_both, n_floats - n_both, node.operator in ("==", "!="))


def _count(diagram: Diagram) -> int:
    return count_completions(diagram).total
