"""The rows that break a rule, for training to push up: all of them in random order where they can be listed, else
uniform draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.random import Generator

from hedgerow.arrays import Codes
from hedgerow.errors import HedgerowError
from hedgerow.feasible.code_set import CodeSet
from hedgerow.feasible.engines.mixed import MixedSet

# Spaces up to this size are listed once.
_LIST_LIMIT = 2**19
_CHUNK = 2**15
# Batches drawn at a time, at most: drawing has a fixed cost, and rows drawn after the last epoch are wasted.
_MOST_BATCHES = 16
# Of a space with reals: infeasible rows that are kept, and draws from which they are taken at most.
_STOCK = 2**14
_STOCK_CASTS = 2**16


@dataclass(frozen=True)
class Batches:
    """Rows for some epochs: one batch after another, from `first` on and around the end."""

    rows: Codes
    batch_size: int
    first: int
    n_epochs: int


class InfeasibleRows(Protocol):
    """Rows that break a rule."""

    def batches(self, batch_size: int | None, n_epochs: int, rng: Generator) -> Iterator[Batches]:
        """Yield batches for this many epochs in all; each row of each batch is uniform over the infeasible ones.

        Without a size every batch holds all rows, which only those that are listed can give.
        """


@dataclass(frozen=True)
class ListedRows:
    """Infeasible rows as a list."""

    rows: Codes

    @cached_property
    def _shuffled(self) -> Codes:
        return np.random.default_rng(0).permutation(self.rows)

    def batches(self, batch_size: int | None, n_epochs: int, rng: Generator) -> Iterator[Batches]:
        """Yield one stretch of the shuffled list, beginning anywhere: no row comes twice before all came once."""
        n_rows = self.rows.shape[0]
        if batch_size is None or n_rows <= batch_size:
            yield Batches(self.rows, n_rows, 0, n_epochs)
        else:
            yield Batches(self._shuffled, batch_size, int(rng.integers(n_rows)), n_epochs)


@dataclass(frozen=True)
class DrawnRows:
    """Infeasible rows by a function that draws them, as `CodeSet.draw_rejected` does."""

    draw: Callable[[int, Generator], Codes]

    def batches(self, batch_size: int | None, n_epochs: int, rng: Generator) -> Iterator[Batches]:
        """Yield fresh draws, few at first."""
        if batch_size is None:
            raise HedgerowError(
                "batch_size=None takes all points that break a rule in every step, but this space is too large to list "
                f"them (more than {_LIST_LIMIT:,} points): give a number, such as 2048."
            )
        n_batches = 1
        while n_epochs > 0:
            n_batches = min(n_batches, n_epochs)
            yield Batches(self.draw(n_batches * batch_size, rng), batch_size, 0, n_batches)
            n_epochs -= n_batches
            n_batches = min(2 * n_batches, _MOST_BATCHES)


@dataclass(frozen=True)
class StockedRows:
    """Infeasible rows of a space with reals: some of them, drawn once, since there is no end to them."""

    stock: ListedRows

    def batches(self, batch_size: int | None, n_epochs: int, rng: Generator) -> Iterator[Batches]:
        """Yield a stretch of the stock, beginning anywhere."""
        if batch_size is None:
            raise HedgerowError(
                "batch_size=None takes all points that break a rule in every step, but where variables take any real "
                "number there is no end to them: give a number, such as 2048."
            )
        return self.stock.batches(batch_size, n_epochs, rng)


@dataclass(frozen=True)
class NoRows:
    """Every row is feasible, or the rules are not to be learned."""

    def batches(self, batch_size: int | None, n_epochs: int, rng: Generator) -> Iterator[Batches]:  # noqa: ARG002
        """Yield empty batches."""
        yield Batches(np.zeros((0, 1), dtype=np.int64), 0, 0, n_epochs)


def infeasible_rows(feasible: CodeSet, level_counts: Sequence[int], list_limit: int = _LIST_LIMIT) -> InfeasibleRows:
    """Return the rows that break a rule. Build it once per problem."""
    n_points = math.prod(level_counts)
    if n_points > list_limit:
        has_none = feasible.is_exact and feasible.count == n_points
        return NoRows() if has_none else DrawnRows(feasible.draw_rejected)
    kept = []
    for start in range(0, n_points, _CHUNK):
        numbers = np.arange(start, min(start + _CHUNK, n_points))
        rows = np.stack(np.unravel_index(numbers, tuple(level_counts)), axis=1).astype(np.int64)
        kept.append(rows[~feasible.accepts(rows)])
    rejected = np.concatenate(kept)
    return ListedRows(rejected) if rejected.size else NoRows()


def anywhere_outside(feasible: CodeSet, places: Callable[[Codes], Codes]) -> InfeasibleRows:
    """Return rows of places that break a rule, drawn anywhere in a space with reals. Build it once per problem.

    `places` makes them of rows of codes. Where next to nothing breaks a rule, there is nothing to learn.
    """
    assert isinstance(feasible, MixedSet)
    drawn = feasible.rejected_up_to(_STOCK, np.random.default_rng(0), _STOCK_CASTS)
    return StockedRows(ListedRows(places(drawn))) if drawn.shape[0] else NoRows()
