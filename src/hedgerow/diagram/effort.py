"""How much a compilation may cost. All limits are counts of edges, so they are the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hedgerow.errors import EffortExceeded

# 32 million edges are 128 MiB of tables.
DEFAULT_EDGES = 2**25
# One layer of 8 million edges takes about 64 MiB in each of the few arrays that build it.
DEFAULT_LAYER = 2**23
# The work of one compilation, in diagrams of the largest allowed size.
WORK_FACTOR = 4
# A node, and a layer by itself, cost about as much as this many edges.
_EDGES_PER_NODE = 4
_EDGES_PER_LAYER = 512


class NodeBudgetExceeded(EffortExceeded):
    """One diagram would grow beyond the budget; the caller keeps its rule outside."""


@dataclass
class Effort:
    """A budget for the largest diagram, its largest layer, and the work of all of them together."""

    max_edges: int = DEFAULT_EDGES
    max_layer: int = DEFAULT_LAYER
    work_left: int = WORK_FACTOR * DEFAULT_EDGES

    @classmethod
    def for_nodes(cls, n_nodes: int | None, sizes: Sequence[int]) -> Effort:
        """Return the effort for a node budget, or the default one."""
        if n_nodes is None:
            return cls()
        max_edges = max(1, round(n_nodes * sum(sizes) / max(1, len(sizes))))
        # Small budgets may still try all their rules; the allowance guards against many large failures.
        return cls(max_edges, max(max_edges // 4, min(max_edges, DEFAULT_LAYER)), max(WORK_FACTOR * max_edges, 2**20))

    @classmethod
    def unlimited(cls) -> Effort:
        """Return an effort for operations that can only shrink a diagram."""
        return cls(2**62, 2**62, 2**62)

    def meter(self) -> Meter:
        """Return a meter for the layers of one diagram."""
        return Meter(self)


class Meter:
    """Counts one diagram while it grows; every layer is paid for before it is allocated, kept or not."""

    def __init__(self, effort: Effort) -> None:
        self._effort = effort
        self._n_edges = 0

    def layer(self, n_nodes: int, n_codes: int) -> None:
        """Pay for a layer, or raise when a limit is reached."""
        n_edges = n_nodes * n_codes
        self._n_edges += n_edges
        work = n_edges + _EDGES_PER_NODE * n_nodes + _EDGES_PER_LAYER
        effort = self._effort
        if self._n_edges > effort.max_edges or n_edges > effort.max_layer or work > effort.work_left:
            raise NodeBudgetExceeded(f"A diagram would need more than {effort.max_edges:,} edges.")
        effort.work_left -= work
