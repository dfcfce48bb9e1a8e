"""A Gaussian process with the tensor kernel, conditioned on observations; its parameters come from `kernel_fit`.

The signal variance and the mean have closed forms: an inverse-gamma prior and generalised least squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular  # type: ignore[import-untyped]

from hedgerow.space.encoding import Codes
from hedgerow.surrogates.kernel_loops import table_products
from hedgerow.surrogates.many_rows import ManyRows
from hedgerow.surrogates.surrogate import Column
from hedgerow.surrogates.tensor_kernel import Parameters, TensorKernel

Matrix = NDArray[np.float64]

# The inverse-gamma prior of the signal variance for standardised targets.
SHAPE, RATE = 1.5, 1.5
# The part of the prior variance that rounding leaves at least.
_LEAST_LEFT = 1e-9


@dataclass(frozen=True, eq=False)
class KernelFactor:
    """The Cholesky factor of the noisy kernel matrix of some rows."""

    kernel: TensorKernel
    parameters: Parameters
    codes: Codes
    lower: Matrix

    @classmethod
    def of(cls, kernel: TensorKernel, parameters: Parameters, codes: Codes) -> KernelFactor:
        """Factorise from the start."""
        correlation = table_products(codes, codes, kernel.tables(parameters))
        noisy = correlation + kernel.noise(parameters) * np.eye(codes.shape[0])
        return cls(kernel, parameters, codes, np.asarray(cholesky(noisy, lower=True, check_finite=False)))

    def extended(self, codes: Codes) -> KernelFactor:
        """Return the factor of these rows and more; a few more cost little."""
        if not codes.shape[0]:
            return self
        tables = self.kernel.tables(self.parameters)
        n, more = self.codes.shape[0], codes.shape[0]
        across = solve_triangular(self.lower, table_products(self.codes, codes, tables), lower=True, check_finite=False)
        within = table_products(codes, codes, tables) + self.kernel.noise(self.parameters) * np.eye(more)
        lower = np.zeros((n + more, n + more))
        lower[:n, :n] = self.lower
        lower[n:, :n] = across.T
        lower[n:, n:] = cholesky(within - across.T @ across, lower=True, check_finite=False)
        return KernelFactor(self.kernel, self.parameters, np.concatenate([self.codes, codes]), lower)

    def solve(self, right: Matrix) -> Matrix:
        """Return lower^-1 right."""
        return np.asarray(solve_triangular(self.lower, right, lower=True, check_finite=False))


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
        """Condition on the targets of the factorised rows."""
        ones, whitened = factor.solve(np.stack([np.ones(targets.size), targets], axis=1)).T
        mean = float(ones @ whitened / (ones @ ones))
        whitened = whitened - mean * ones
        variance = float((whitened @ whitened + 2 * RATE) / (targets.size + 2 * SHAPE))
        return cls(factor, targets, whitened, mean, variance)

    def predict(self, codes: Codes) -> tuple[Column, Column]:
        """Return the mean and the standard deviation of the noiseless function at each row."""
        shared = table_products(self.factor.codes, codes, self.tables)
        explained = self.factor.solve(shared)
        return self.mean + self.whitened @ explained, self.deviation(explained)

    def predict_mean(self, rows: ManyRows) -> Column:
        """Return the mean at each row of a list."""
        return self.mean + rows.sums(self.factor.codes, self.tables, self.weights)

    def main_effects(self) -> list[Column]:
        """Return for each slot what each code adds to the mean, averaged over all codes of the other slots."""
        sizes, codes = self.factor.kernel.sizes, self.factor.codes
        tables = [table[:size, :size] for table, size in zip(self.tables, sizes, strict=True)]
        averages = np.stack([table.mean(axis=1)[codes[:, k]] for k, table in enumerate(tables)], axis=1)
        effects = []
        for k, table in enumerate(tables):
            others = self.weights * np.delete(averages, k, axis=1).prod(axis=1)
            effect = others @ table[codes[:, k]]
            effects.append(effect - effect.mean())
        return effects

    def bound(self, rows: ManyRows, n_used: int) -> tuple[Column, Column]:
        """Return the mean and an upper bound of the standard deviation at each row of a list.

        The bound is what `n_used` observations alone would leave: more can only reduce it. Half of them are the lowest,
        the others those that the ones before say least about, so that no part of the space is left out.
        """
        used = self._lowest_and_spread_out(n_used)
        part = KernelFactor.of(self.factor.kernel, self.factor.parameters, self.factor.codes[used])
        explained = part.solve(rows.products(part.codes, self.tables))
        return self.predict_mean(rows), self.deviation(explained)

    def _lowest_and_spread_out(self, n: int) -> NDArray[np.int64]:
        n_rows = self.targets.size
        if n >= n_rows:
            return np.arange(n_rows)
        chosen = list(np.argsort(self.targets, kind="stable")[: n - n // 2])
        codes = self.factor.codes
        part = KernelFactor.of(self.factor.kernel, self.factor.parameters, codes[chosen])
        explained = part.solve(table_products(part.codes, codes, self.tables))
        left = 1.0 - np.einsum("ij,ij->j", explained, explained)
        columns = [explained]
        # A Cholesky factorisation that always takes the row with the most variance left.
        for _ in range(n // 2):
            pivot = int(left.argmax())
            known = np.concatenate(columns)
            shared = table_products(codes[pivot : pivot + 1], codes, self.tables)[0]
            column = (shared - known[:, pivot] @ known) / np.sqrt(max(left[pivot], _LEAST_LEFT))
            columns.append(column[None, :])
            left = left - column**2
            left[pivot] = -np.inf
            chosen.append(pivot)
        return np.sort(np.array(chosen))

    @cached_property
    def weights(self) -> Column:
        """What each observation's kernel counts for in the mean."""
        return np.asarray(solve_triangular(self.factor.lower, self.whitened, lower=True, trans="T", check_finite=False))

    @cached_property
    def tables(self) -> Matrix:
        """The kernel's factor for each slot and pair of codes."""
        return self.factor.kernel.tables(self.factor.parameters)

    @cached_property
    def columns(self) -> Codes:
        """The observed codes slot by slot."""
        return np.ascontiguousarray(self.factor.codes.T)

    def deviation(self, explained: Matrix) -> Column:
        """Return the standard deviation that is left where observations explain this much, as whitened columns."""
        left = np.maximum(1.0 - np.einsum("ij,ij->j", explained, explained), _LEAST_LEFT)
        return np.asarray(np.sqrt(self.variance * left))
