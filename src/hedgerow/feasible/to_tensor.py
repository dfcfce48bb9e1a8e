"""The feasible set as a 0/1 tensor train: the diagram's layers, read as cores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Codes, Column, Matrix
from hedgerow.diagram.machine import Diagram
from hedgerow.errors import EffortExceeded

MAX_CORE_ENTRIES = 2**27


@dataclass(frozen=True, eq=False)
class IndicatorTrain:
    """Cores whose product is 1 at feasible rows of codes and 0 elsewhere.

    Core k has shape (rank k, codes, rank k+1) and reads slot `order[k]`.
    """

    order: tuple[int, ...]
    cores: tuple[Matrix, ...]

    @property
    def ranks(self) -> tuple[int, ...]:
        """The sizes of the bonds between cores."""
        return tuple(core.shape[2] for core in self.cores[:-1])

    def entries(self, codes: Codes) -> Column:
        """Return the value at each row of codes (n, n_slots), in slot order."""
        rows = np.ones((codes.shape[0], 1))
        for slot, core in zip(self.order, self.cores, strict=True):
            rows = np.einsum("ni,nij->nj", rows, core[:, codes[:, slot], :].transpose(1, 0, 2))
        return rows[:, 0]


def indicator_train(diagram: Diagram, order: tuple[int, ...]) -> IndicatorTrain:
    """Return the train of a diagram over all layers; its ranks are the numbers of live nodes per layer."""
    widths = [1, *(table.shape[0] - 1 for table in diagram.tables[1:]), 1]
    n_entries = sum(widths[k] * table.shape[1] * widths[k + 1] for k, table in enumerate(diagram.tables))
    if n_entries > MAX_CORE_ENTRIES:
        raise EffortExceeded(
            f"The tensor train has ranks up to {max(widths):,} and {n_entries:,} core entries; at most "
            f"{MAX_CORE_ENTRIES:,} are made dense. Use the diagram itself, which holds the same cores sparsely."
        )
    cores: list[Matrix] = []
    for k, table in enumerate(diagram.tables):
        live = table[[diagram.root]] if k == 0 else table[1:]
        core = np.zeros((widths[k], table.shape[1], widths[k + 1]))
        node, code = np.nonzero(live)
        core[node, code, live[node, code] - 1] = 1.0
        cores.append(core)
    return IndicatorTrain(order, tuple(cores))
