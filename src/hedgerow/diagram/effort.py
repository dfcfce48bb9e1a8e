"""How much a compilation may cost. Both limits are counts of edges, so they are the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.errors import EffortExceeded

# 32 million edges are 128 MiB of tables; building them peaks near 1 GiB.
DEFAULT_EDGES = 2**25
# Total work of one compilation, in diagrams of the largest allowed size.
WORK_FACTOR = 6


class NodeBudgetExceeded(EffortExceeded):
    """One diagram would grow beyond the budget; the caller keeps its rule outside."""


@dataclass
class Effort:
    """A budget for the largest diagram and for the work of all of them; `spend` raises when either runs out."""

    max_edges: int
    work_left: int

    @classmethod
    def for_nodes(cls, n_nodes: int | None, sizes: Sequence[int]) -> Effort:
        """Return the effort for a node budget, or the default one."""
        mean_size = sum(sizes) / max(1, len(sizes))
        max_edges = DEFAULT_EDGES if n_nodes is None else max(1, round(n_nodes * mean_size))
        # Small problems may always try all their rules; the allowance guards against many large failures.
        return cls(max_edges, max(WORK_FACTOR * max_edges, 2**20))

    def check(self, n_edges: int) -> None:
        """Refuse a diagram of this many edges, before it is allocated."""
        if n_edges > self.max_edges or n_edges > self.work_left:
            raise NodeBudgetExceeded(f"A diagram would need more than {min(self.max_edges, self.work_left):,} edges.")

    def spend(self, n_edges: int) -> None:
        """Take the work of one layer off the allowance."""
        self.work_left -= n_edges
