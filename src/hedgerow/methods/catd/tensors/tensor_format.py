"""What every tensor format offers, and how its numbers are laid out.

M models of one format are held together as one array of shape (n_parameters, M). The compiled loops work on
blocks of four models, as (n_parameters, 4); a last block that is not full repeats its last model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.methods.catd.tensors.lanes import N_LANES, Block
from hedgerow.methods.catd.tensors.rows import Layout, Ranks, Starts, block_entries, block_gradient

__all__ = ["Codes", "Entries", "FormatName", "Parameters", "TensorFormat", "blocks", "joined"]

Parameters = NDArray[np.float64]  # (n_parameters, n_models)
Entries = NDArray[np.float64]  # (n_rows, n_models)

FormatName = Literal["cp", "tr", "tt"]

# Where entries of a fresh model lie on the scale of normalized values: mid-way, wide enough for models to disagree.
INITIAL_MEAN = 0.5
INITIAL_SPREAD = 0.25
# The squared coefficient of variation that follows from them.
INITIAL_VARIATION = (INITIAL_SPREAD / INITIAL_MEAN) ** 2


@dataclass(frozen=True)
class TensorFormat:
    """A way to write a tensor over a product of levels with few numbers, for a batch of models.

    Formats say what their matrices look like (`ranks`, `is_diagonal`) and where fresh ones lie (`variation`).
    """

    level_counts: tuple[int, ...]
    rank: int
    # The slots whose levels are nodes of a grid, between which factors are linear.
    grids: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.level_counts or min(self.level_counts) < 1:
            raise ValueError(
                f"A tensor needs at least one slot, each with at least one level; got {self.level_counts}."
            )
        if self.rank < 1:
            raise ValueError(f"The rank of a tensor format is at least 1; got {self.rank}.")

    @property
    def outer_rank(self) -> int:
        """The rank at both ends."""
        return self.rank

    @property
    def is_diagonal(self) -> bool:
        """Whether matrices are diagonal, so that only their diagonals are kept."""
        return False

    @property
    def variation(self) -> float:
        """The variance of the noise around `center`, relative to it, that gives fresh entries their spread."""
        raise NotImplementedError

    @cached_property
    def ranks(self) -> Ranks:
        """The ranks before, between and behind the slots."""
        inner = [self.rank] * (len(self.level_counts) - 1)
        return np.array([self.outer_rank, *inner, self.outer_rank], dtype=np.int64)

    @cached_property
    def widths(self) -> Ranks:
        """The numbers that one level of each slot has."""
        return self.ranks[:-1].copy() if self.is_diagonal else self.ranks[:-1] * self.ranks[1:]

    @cached_property
    def starts(self) -> Starts:
        """Where the parameters of each slot begin, and the number of parameters as the last item."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.array(self.level_counts, np.int64) * self.widths)])

    @property
    def n_parameters(self) -> int:
        """The numbers that one model has."""
        return int(self.starts[-1])

    @cached_property
    def layout(self) -> Layout:
        """Where everything lies, as compiled loops are told."""
        rank = (0,) * int(self.ranks.max())
        return Layout(
            self.starts,
            self.widths,
            int(self.ranks[0]),
            self.is_diagonal,
            rank,
            np.isin(np.arange(self.widths.size), self.grids),
            np.concatenate([np.zeros(1, np.int64), np.cumsum(self.widths)]),
            (0,) if self.grids else (),
        )

    @property
    def _size(self) -> float:
        """What every factor of a fresh model is multiplied with, so that entries have the wanted mean."""
        return float((INITIAL_MEAN / int(self.ranks.max())) ** (1.0 / len(self.level_counts)))

    @cached_property
    def center(self) -> NDArray[np.float64]:
        """The parameters around which fresh models lie: ones, and identities where a slot has square matrices.

        A fresh chain is a sum of `rank` separate products, as a CP model is; what lies between them is free to grow.
        """
        parts = []
        for n_levels, n_left, n_right in zip(self.level_counts, self.ranks[:-1], self.ranks[1:], strict=True):
            one = np.ones(n_left if self.is_diagonal else n_left * n_right)
            if not self.is_diagonal and min(n_left, n_right) > 1:
                one = np.eye(n_left).ravel()
            parts.append(np.tile(one, n_levels))
        return np.concatenate(parts) * self._size

    @property
    def spread(self) -> float:
        """The standard deviation of fresh parameters around their center."""
        return float(np.sqrt(self.variation)) * self._size

    def entries(self, parameters: Parameters, codes: Codes) -> Entries:
        """Return the entry of every model at every row."""
        rows = as_rows(codes)
        results = []
        for block in blocks(parameters):
            result = np.empty((rows.shape[0], N_LANES))
            block_entries(self.layout, block, rows, result)
            results.append(result)
        return joined(results, parameters.shape[1])

    def gradient(self, parameters: Parameters, codes: Codes, weights: Entries) -> Parameters:
        """Return d(loss)/d(parameters), given weights = d(loss)/d(entries)."""
        rows = as_rows(codes)
        results = []
        for block, weight in zip(blocks(parameters), blocks(weights), strict=True):
            slopes = np.zeros_like(block)
            block_gradient(self.layout, block, rows, weight, slopes)
            results.append(slopes)
        return joined(results, parameters.shape[1])


def blocks(numbers: NDArray[np.float64]) -> list[Block]:
    """Return the columns in contiguous blocks of four; the last column fills up the last block."""
    n_models = numbers.shape[1]
    chosen = np.minimum(np.arange(-(-n_models // N_LANES) * N_LANES), n_models - 1)
    return [np.ascontiguousarray(numbers[:, chosen[i : i + N_LANES]]) for i in range(0, chosen.size, N_LANES)]


def joined(parts: list[Block], n_models: int) -> NDArray[np.float64]:
    """Return the first columns of blocks as one array."""
    return np.ascontiguousarray(np.concatenate(parts, axis=1)[:, :n_models])


def as_rows(codes: Codes) -> Codes:
    """Return codes as the loops were compiled for: contiguous, writable, 64-bit. Copies only when they are not."""
    return np.require(codes, dtype=np.int64, requirements=["C", "W"])
