"""CA-TD where variables take any real number: what its settings have to be, and what a search climbs.

Between the nodes of a grid every model is linear in each real, so a small step inside a cell of the grid tells the
slope of the score there, to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Codes, Column, Matrix, Scores
from hedgerow.errors import HedgerowError
from hedgerow.feasible.reals.inside import Function
from hedgerow.feasible.reals.scales import Scales

# The step that tells slopes, as a part of a cell.
_STEP = 1e-5
# Where nothing is to be gained scores are -inf, which no climb could leave; they are taken for this.
_LEAST_SCORE = -1e6


def check_settings(trainer: str, dilutes_loss: bool) -> None:
    """Raise for settings of CATD that are for levels alone."""
    if trainer != "pgrad":
        raise HedgerowError(
            f"trainer={trainer!r} learns tables over levels, and this space has variables that take any real number. "
            "Use trainer='pgrad', or give them levels, as in Real(low, high, levels=20)."
        )
    if dilutes_loss:
        raise HedgerowError(
            "dilutes_loss=True divides by the number of points that break a rule, and this space has variables that "
            "take any real number, so there is no such number. Leave it out, or give them levels, as in Real(low, "
            "high, levels=20)."
        )


@dataclass(frozen=True, eq=False)
class GridLandscape:
    """The score of rows of codes as a search over reals climbs it, where models are on grids of so many nodes."""

    score: Callable[[Codes], Scores]
    scales: Scales
    n_nodes: int

    def scores(self, rows: Matrix) -> Scores:
        """Return the score of each row."""
        return self.score(self.scales.codes(rows))

    def rough(self, rows: Matrix) -> Scores:
        """Return the score: there is nothing cheaper."""
        return self.scores(rows)

    def falling(self, row: Column) -> Function:
        """Return minus the score with its slopes, as a function of where the reals lie."""
        n, n_cells = self.scales.reals.size, self.n_nodes - 1
        step = _STEP / n_cells

        def function(units: Column) -> tuple[float, Column]:
            # Away from the node that is nearest, so as to stay in the cell.
            in_cell = units * n_cells - np.floor(np.minimum(units * n_cells, n_cells - 0.5))
            steps = np.where(in_cell > 0.5, -step, step)
            moved = np.concatenate([units[None, :], units + np.diag(steps)])
            scores = self.scores(self.scales.placed(np.repeat(row[None, :], n + 1, axis=0), moved))
            scores = np.maximum(scores, _LEAST_SCORE)
            return -float(scores[0]), -(scores[1:] - scores[0]) / steps

        return function
