"""The polynomial program of the paper's eq. (4) for two variables: fit u_i . v_j to the observations, with u_i . v_j
>= tau at every infeasible cell.

Eq. (4) alone often has no single answer: five observations of a 3 x 3 table are met by infinitely many tables of rank
two, some of them with entries of any size. A small `ridge` on the mean squared entry chooses the least of them, as is
usual where a matrix is completed. On the normalized scale 0 is the best value seen, so this tie-break is hopeful
about cells that nothing is known of. It also makes the set of good tables bounded, without which neither a
semidefinite solver nor a proven bound has a hold. The loss that is trained, and bounded, includes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Matrix
from hedgerow.errors import HedgerowError

Cells = NDArray[np.int64]  # (n_cells, 2)


@dataclass(frozen=True, eq=False)
class TableProgram:
    """Minimize `loss` over tables of this shape and at most this rank that are at least `floor` at some cells."""

    shape: tuple[int, int]
    rank: int
    cells: Cells
    targets: NDArray[np.float64]
    floor_cells: Cells
    floor: float
    ridge: float

    def __post_init__(self) -> None:
        if not self.ridge > 0:
            raise HedgerowError(f"The ridge of hsdp must be above 0, so that models are bounded; got {self.ridge}.")

    @property
    def weights(self) -> Matrix:
        """The coefficient of each entry's square in the loss."""
        weights = np.full(self.shape, self.ridge / (self.shape[0] * self.shape[1]))
        np.add.at(weights, tuple(self.cells.T), 1.0 / self.targets.size)
        return weights

    @property
    def pulls(self) -> Matrix:
        """Half the coefficient, with the sign turned, of each entry itself in the loss."""
        pulls = np.zeros(self.shape)
        np.add.at(pulls, tuple(self.cells.T), self.targets / self.targets.size)
        return pulls

    @property
    def constant(self) -> float:
        """The loss of a table of zeros."""
        return float((self.targets**2).mean())

    def data_loss(self, table: Matrix) -> float:
        """Return the mean squared error over the observations, eq. (4)."""
        return float(((table[tuple(self.cells.T)] - self.targets) ** 2).mean())

    def loss(self, table: Matrix) -> float:
        """Return the mean squared error and the ridge."""
        return self.data_loss(table) + self.ridge * float((table**2).mean())

    def slope(self, table: Matrix) -> Matrix:
        """Return d(loss)/d(entry)."""
        return np.asarray(2.0 * (self.weights * table - self.pulls))

    def margins(self, table: Matrix) -> NDArray[np.float64]:
        """Return entry minus floor at the cells that have one."""
        return np.asarray(table[tuple(self.floor_cells.T)] - self.floor)

    def largest_norm(self, loss: float) -> float:
        """Return a bound on the Frobenius norm of any table whose loss is at most this: the ridge alone gives one."""
        left_for_ridge = max(loss - self._unavoidable, 0.0)
        return float(np.sqrt(left_for_ridge * self.shape[0] * self.shape[1] / self.ridge))

    @property
    def _unavoidable(self) -> float:
        """The mean squared error of observations below a floor, which no table can meet."""
        has_floor = np.zeros(self.shape, dtype=np.bool_)
        has_floor[tuple(self.floor_cells.T)] = True
        below = np.maximum(self.floor - self.targets, 0.0) * has_floor[tuple(self.cells.T)]
        return float((below**2).mean())
