"""A Gaussian process with the tensor kernel, conditioned on observations; its parameters come from `fit`.

The signal variance and the mean have closed forms: an inverse-gamma prior and generalized least squares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Column, Matrix, Tables
from hedgerow.methods.auto.kernel.many_rows import ManyRows
from hedgerow.methods.auto.kernel.motifs_loops import Flags
from hedgerow.methods.auto.kernel.tensor_kernel import Parameters, TensorKernel
from hedgerow.methods.auto.kernel.triangular import lower_factor, solve_lower

# The inverse-gamma prior of the signal variance for standardized targets.
SHAPE, RATE = 1.5, 1.5
# The part of the prior variance that rounding leaves at least.
LEAST_LEFT = 1e-9


@dataclass(frozen=True, eq=False)
class KernelFactor:
    """The Cholesky factor of the noisy kernel matrix of some rows."""

    kernel: TensorKernel
    parameters: Parameters
    codes: Codes
    lower: Matrix

    @classmethod
    def of(cls, kernel: TensorKernel, parameters: Parameters, codes: Codes) -> KernelFactor:
        """Factorize from the start."""
        tables = kernel.tables(parameters)
        factor = cls(kernel, parameters, codes, lower_factor(_noisy(kernel, parameters, codes, tables)))
        return factor._with_tables(tables)

    @cached_property
    def tables(self) -> Tables:
        """The kernel's factor for each slot and difference of codes."""
        return self.kernel.tables(self.parameters)

    def _with_tables(self, tables: Tables) -> KernelFactor:
        """Return this, which need not work the tables out again."""
        self.__dict__["tables"] = tables
        return self

    def extended(self, codes: Codes) -> KernelFactor:
        """Return the factor of these rows and more; a few more cost little."""
        if not codes.shape[0]:
            return self
        tables = self.tables
        n, more = self.codes.shape[0], codes.shape[0]
        across = solve_lower(self.lower, self.kernel.products(self.codes, codes, tables))
        within = _noisy(self.kernel, self.parameters, codes, tables)
        lower = np.zeros((n + more, n + more))
        lower[:n, :n] = self.lower
        lower[n:, :n] = across.T
        lower[n:, n:] = lower_factor(within - across.T @ across)
        rows = np.concatenate([self.codes, codes])
        return KernelFactor(self.kernel, self.parameters, rows, lower)._with_tables(tables)

    def solve(self, right: Matrix) -> Matrix:
        """Return lower^-1 right."""
        return solve_lower(self.lower, right)


@dataclass(frozen=True, eq=False)
class Observed:
    """For each slot the codes that may occur among the observations (n_slots, n_kinds), and which one each has."""

    codes: Codes
    kinds: NDArray[np.int64]

    @classmethod
    def of(cls, columns: Codes, n_codes: int) -> Observed:
        """Take all codes where they are fewer than the observations, else those that occur."""
        n_slots, n = columns.shape
        if n_codes <= n:
            return cls(np.repeat(np.arange(n_codes)[None, :], n_slots, axis=0), columns)
        codes = np.sort(columns, axis=1)
        return cls(codes, np.stack([np.searchsorted(own, column) for own, column in zip(codes, columns, strict=True)]))


@dataclass(frozen=True, eq=False)
class KernelSurrogate:
    """A conditioned process: what is needed to predict anywhere."""

    factor: KernelFactor
    targets: Column
    whitened: Column
    mean: float
    variance: float

    @classmethod
    def condition(cls, factor: KernelFactor, targets: Column) -> KernelSurrogate:
        """Condition on the targets of the factorized rows."""
        ones, whitened = factor.solve(np.stack([np.ones(targets.size), targets], axis=1)).T
        mean = float(ones @ whitened / (ones @ ones))
        whitened = whitened - mean * ones
        variance = float((whitened @ whitened + 2 * RATE) / (targets.size + 2 * SHAPE))
        return cls(factor, targets, whitened, mean, variance)

    def predict(self, codes: Codes) -> tuple[Column, Column]:
        """Return the mean and the standard deviation of the noiseless function at each row."""
        shared = self.factor.kernel.products(self.factor.codes, codes, self.tables)
        explained = self.factor.solve(shared)
        return self.mean + self.whitened @ explained, self.deviation(explained)

    def means(self, codes: Codes) -> Column:
        """Return the mean at each row."""
        if not codes.shape[0]:
            return np.zeros(0)
        return np.asarray(self.mean + self.weights @ self.factor.kernel.products(self.factor.codes, codes, self.tables))

    def predict_mean(self, rows: ManyRows) -> Column:
        """Return the mean at each row of a list."""
        return self.mean + rows.sums(self.factor.codes, self.tables, self.weights)

    def main_effects(self) -> list[Column]:
        """Return for each slot what each code adds to the mean, averaged over all codes of the other slots."""
        averages = [_averages(table[:size])[codes] for table, size, codes in self._by_slot()]
        together = self.weights * np.prod(averages, axis=0)
        effects = []
        for average, (table, size, codes) in zip(averages, self._by_slot(), strict=True):
            # Factors of the kernel are positive, so dividing leaves the product over the other slots.
            others = together / average
            by_code = np.bincount(codes, others, minlength=size)
            both_ways = np.concatenate([table[size - 1 : 0 : -1], table[:size]])
            effect = np.convolve(by_code, both_ways)[size - 1 : 2 * size - 1]
            effects.append(effect - effect.mean())
        return effects

    def _by_slot(self) -> Iterator[tuple[Column, int, Codes]]:
        """Yield the table, the number of codes and the observed codes of each slot."""
        return zip(self.tables, self.factor.kernel.sizes, self.columns, strict=True)

    def bound(self, rows: ManyRows, n_used: int) -> tuple[Column, Column]:
        """Return the mean and an upper bound of the standard deviation at each row of a list.

        The bound is what `n_used` observations alone would leave: more can only reduce it. Half of them are the lowest,
        the others those that the ones before say least about, so that no part of the space is left out.
        """
        part = self.spread_out(n_used)
        explained = part.solve(rows.products(part.codes, self.tables))
        return self.predict_mean(rows), self.deviation(explained)

    def spread_out(self, n: int) -> KernelFactor:
        """Return the factor of so many observations: half of them the lowest, the others spread out."""
        return KernelFactor.of(
            self.factor.kernel, self.factor.parameters, self.factor.codes[self._lowest_and_spread_out(n)]
        )

    def _lowest_and_spread_out(self, n: int) -> NDArray[np.int64]:
        n_rows = self.targets.size
        if n >= n_rows:
            return np.arange(n_rows)
        chosen = list(np.argsort(self.targets, kind="stable")[: n - n // 2])
        codes = self.factor.codes
        part = KernelFactor.of(self.factor.kernel, self.factor.parameters, codes[chosen])
        explained = part.solve(part.kernel.products(part.codes, codes, self.tables))
        left = 1.0 - np.einsum("ij,ij->j", explained, explained)
        columns = [explained]
        # A Cholesky factorization that always takes the row with the most variance left.
        for _ in range(n // 2):
            pivot = int(left.argmax())
            known = np.concatenate(columns)
            shared = part.kernel.products(codes[pivot : pivot + 1], codes, self.tables)[0]
            column = (shared - known[:, pivot] @ known) / np.sqrt(max(left[pivot], LEAST_LEFT))
            columns.append(column[None, :])
            left = left - column**2
            left[pivot] = -np.inf
            chosen.append(pivot)
        return np.sort(np.array(chosen))

    @cached_property
    def weights(self) -> Column:
        """What each observation's kernel counts for in the mean."""
        return solve_lower(self.factor.lower, self.whitened[:, None], transposed=True)[:, 0]

    @property
    def fitted(self) -> Column:
        """The mean of the noiseless function at the observed rows."""
        return self.targets - self.factor.kernel.noise(self.factor.parameters) * self.weights

    @property
    def tables(self) -> Tables:
        """The kernel's factor for each slot and difference of codes."""
        return self.factor.tables

    @cached_property
    def columns(self) -> Codes:
        """The observed codes slot by slot."""
        return np.ascontiguousarray(self.factor.codes[:, : self.factor.kernel.n_columns].T)

    @cached_property
    def observed(self) -> Observed:
        """The observed codes of each slot without repetition."""
        return Observed.of(self.columns, self.factor.kernel.n_differences)

    @cached_property
    def motif_flags(self) -> list[tuple[Flags, Flags]]:
        """Which observation has which motif, where motifs are seen."""
        seen = self.factor.kernel.motifs
        return [] if seen is None else seen.flags(self.factor.codes)

    def deviation(self, explained: Matrix) -> Column:
        """Return the standard deviation that is left where observations explain this much, as whitened columns."""
        left = np.maximum(1.0 - np.einsum("ij,ij->j", explained, explained), LEAST_LEFT)
        return np.asarray(np.sqrt(self.variance * left))


def _noisy(kernel: TensorKernel, parameters: Parameters, codes: Codes, tables: Tables) -> Matrix:
    """Return the kernel matrix of some rows, with noise."""
    matrix = kernel.own_products(codes, tables)
    matrix.flat[:: codes.shape[0] + 1] += kernel.noise(parameters)
    return matrix


def _averages(table: Column) -> Column:
    """Return for each code of a slot the average of a table of differences over all codes."""
    sums = np.cumsum(table)
    return np.asarray((sums + sums[::-1] - table[0]) / table.size)
