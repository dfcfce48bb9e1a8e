"""How deep and how long a rule may be: what is refused before it costs memory or the stack."""

from __future__ import annotations

from hedgerow.errors import RuleError
from hedgerow.expressions import Expression

MAX_DEPTH = 150
MAX_NODES = 200_000


def check_extent(expression: Expression) -> None:
    """Refuse a rule that is nested too deeply, or too long once parts that it repeats are written out."""
    depths: dict[Expression, int] = {}
    stack = [(expression, 0)]
    while stack:
        node, depth = stack.pop()
        if depths.get(node, -1) >= depth:
            continue
        depths[node] = depth
        if depth > MAX_DEPTH:
            raise RuleError(f"The rule is nested more than {MAX_DEPTH} deep. Split it into several rules.")
        stack.extend((child, depth + 1) for child in node.children)
    WrittenOut().check(expression)


class WrittenOut:
    """Counts the nodes of expressions as if every repeated part were written out."""

    def __init__(self) -> None:
        self._sizes: dict[Expression, int] = {}

    def check(self, node: Expression) -> None:
        """Refuse a node that is too large."""
        if self._size(node) > MAX_NODES:
            raise RuleError(
                f"Written out in full, the rule has more than {MAX_NODES:,} parts. Split it into several rules."
            )

    def _size(self, node: Expression) -> int:
        if node not in self._sizes:
            self._sizes[node] = 1 + sum(self._size(child) for child in node.children)
        return self._sizes[node]
