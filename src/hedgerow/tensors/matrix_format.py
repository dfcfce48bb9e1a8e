"""What tensor trains and tensor rings share as formats: where matrices lie, the choice between the two ways to
compute, and random beginnings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator

from hedgerow.tensors import chain, halves
from hedgerow.tensors.tensor_format import (
    INITIAL_MEAN,
    Codes,
    Entries,
    Evaluation,
    Parameters,
    Starts,
    as_numbers,
    as_rows,
    check_shape,
    prefix_order,
)


@dataclass(frozen=True)
class MatrixFormat:
    """One matrix per slot and level; the trace of the product of the chosen ones is the entry."""

    level_counts: tuple[int, ...]
    rank: int

    def __post_init__(self) -> None:
        check_shape(self.level_counts, self.rank)

    @property
    def outer_rank(self) -> int:
        """The rank at both ends."""
        raise NotImplementedError

    @property
    def initial_variation(self) -> float:
        """The variance of the noise that gives the entries of a fresh model their spread."""
        raise NotImplementedError

    @cached_property
    def ranks(self) -> chain.Ranks:
        """The ranks before, between and behind the slots."""
        inner = [self.rank] * (len(self.level_counts) - 1)
        return np.array([self.outer_rank, *inner, self.outer_rank], dtype=np.int64)

    @cached_property
    def starts(self) -> Starts:
        """Where the parameters of each slot begin."""
        return chain.chain_starts(self.level_counts, self.ranks)

    @property
    def n_parameters(self) -> int:
        """The numbers that one model has."""
        return int(self.starts[-1])

    @cached_property
    def _halves(self) -> halves.Halves:
        return halves.meet_in_the_middle(self.level_counts, self.starts, self.ranks)

    @cached_property
    def _rows_to_pay(self) -> float:
        return halves.rows_to_pay(self.level_counts)

    def evaluate(self, parameters: Parameters, codes: Codes) -> Evaluation:
        """Return the entry of every model at every row, and the way back from there."""
        numbers, rows = as_numbers(parameters), as_rows(codes)
        if rows.shape[0] < self._rows_to_pay:
            return self._walk(numbers, rows)
        tables = halves.grow(numbers, self._halves)
        lines = halves.line_numbers(rows, self._halves)
        entries = np.empty((rows.shape[0], numbers.shape[1]))
        halves.halved_entries(self._halves, tables, *lines, entries)

        def gradient(weights: Entries) -> Parameters:
            result = np.empty_like(numbers)
            halves.halved_gradient(self._halves, tables, *lines, as_numbers(weights), result)
            return result

        return Evaluation(entries, gradient)

    def _walk(self, parameters: Parameters, codes: Codes) -> Evaluation:
        order = prefix_order(codes, self.level_counts)
        rows = codes[order]
        entries = np.empty((codes.shape[0], parameters.shape[1]))
        entries[order] = chain.walked_entries(parameters, rows, self.starts, self.ranks)

        def gradient(weights: Entries) -> Parameters:
            return chain.walked_gradient(parameters, rows, weights[order], self.starts, self.ranks)

        return Evaluation(entries, gradient)

    def initial(self, n_models: int, rng: Generator) -> Parameters:
        """Return random parameters whose entries lie around 0.5 with a spread of about 0.25.

        Matrices have Gaussian noise around the identity, those with one row or one column around ones: a fresh chain is
        a sum of `rank` separate products, as a CP model is, and the noise between them is free to grow.
        """
        blocks = []
        for n_levels, n_left, n_right in zip(self.level_counts, self.ranks[:-1], self.ranks[1:], strict=True):
            centre = np.ones((n_left, n_right)) if 1 in (n_left, n_right) else np.eye(n_left)
            noise = rng.standard_normal((n_levels, n_left, n_right, n_models)) * np.sqrt(self.initial_variation)
            blocks.append((centre[None, :, :, None] + noise).reshape(-1, n_models))
        scale: float = (INITIAL_MEAN / int(self.ranks.max())) ** (1.0 / len(blocks))
        return np.concatenate(blocks) * scale
