"""A way to see rows: by their slots alone, or with coordinates that are computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Column, Places
from hedgerow.methods.auto.kernel.derived import Derived
from hedgerow.methods.auto.kernel.derived_loops import Center, factors_at, moved_products, weighted_sums
from hedgerow.methods.auto.kernel.neighborhood import KernelNeighborhood
from hedgerow.methods.auto.kernel.neighborhood_loops import changed_products
from hedgerow.methods.auto.kernel.process import KernelSurrogate
from hedgerow.methods.auto.kernel.tensor_kernel import TensorKernel
from hedgerow.methods.auto.kernel.triangular import solve_lower

# Products with observations that are held at once.
_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class View:
    """A kernel over slots, with what it sees besides them."""

    kinds: tuple[str, ...]
    kernel: TensorKernel
    derived: Derived | None = None
    # What it costs to have picked its coordinates by what was observed, as a logarithm.
    log_price: float = 0.0

    @classmethod
    def of(cls, kinds: Sequence[str], kernel: TensorKernel, derived: Derived, log_price: float = 0.0) -> View:
        """Extend a kernel by coordinates of some kinds."""
        is_ordered = [each.is_ordered for each in derived.coordinates]
        return cls(tuple(kinds), kernel.extended(derived.sizes, is_ordered, derived.groups), derived, log_price)

    @property
    def is_found(self) -> bool:
        """Whether its coordinates were picked by what was observed."""
        return self.log_price > 0.0

    def rows(self, active: Codes) -> Codes:
        """Return rows of the kernel's slots as this view sees them."""
        return active if self.derived is None else self.derived.of_rows(active)

    def near(self, model: KernelSurrogate, row: Codes, slots: Places, codes: Codes) -> KernelNeighborhood:
        """Return the predictions of a process around a row of the kernel's slots, at changes to these literals."""
        if self.derived is None:
            return KernelNeighborhood.of(model, row, slots, codes)
        seen = self.rows(row[None, :])[0]
        plain = KernelNeighborhood.of(model, seen, slots, codes)
        return ViewedNeighborhood(
            model, slots, plain.ratios, plain.products, plain.closest, derived=self.derived, row=seen, codes=codes
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ViewedNeighborhood(KernelNeighborhood):
    """The same where a change also moves coordinates."""

    derived: Derived
    row: Codes
    codes: Codes

    @cached_property
    def single_means(self) -> Column:
        """The mean after each single change, literal by literal."""
        every = np.arange(self.slots.size)
        return self._means(every, np.full(every.size, -1))

    def means(self, first: Places, second: Places) -> Column:
        """Return the means after changes to one literal, or to two where `second` is not -1."""
        return self._means(first, second)

    def deviations(self, first: Places, second: Places) -> Column:
        """Return the standard deviations after changes."""
        return self.model.deviation(self.model.factor.solve(self._shared(first, second, None).T))

    def bounds(self, first: Places, second: Places) -> Column:
        """Return upper bounds of the standard deviations after changes."""
        return self.model.deviation(solve_lower(self._lower, self._shared(first, second, self.closest).T))

    def _means(self, first: Places, second: Places) -> Column:
        step = max(1, _AT_ONCE // self.products.size)
        parts = [
            weighted_sums(self._shared(first[k : k + step], second[k : k + step], None), self.model.weights)
            for k in range(0, first.size, step)
        ]
        return self.model.mean + np.concatenate([*parts, np.zeros(0)])

    def _shared(self, first: Places, second: Places, observations: Places | None) -> NDArray[np.float64]:
        """Return the covariances with some observations after changes, or with all."""
        kinds, products, columns, inverses = self._of_all
        if observations is not None:
            kinds, products = np.ascontiguousarray(kinds[:, observations]), products[observations]
            columns = np.ascontiguousarray(columns[:, observations])
            inverses = np.ascontiguousarray(inverses[:, observations])
        shared = changed_products(products, kinds, self.ratios, self.slots, first, second)
        center = Center(self.row[: self.derived.n_slots], self._sums, columns, self._tables, inverses)
        moved_products(shared, first, second, self.slots, self.codes, self.derived.looks, center)
        return shared

    @cached_property
    def _of_all(self) -> tuple[Places, Column, Codes, NDArray[np.float64]]:
        """Of all observations: their kinds, products with the row, coordinates, and the inverses of their factors."""
        observed = np.ascontiguousarray(self.model.columns[self.derived.n_slots :])
        inverses = np.ascontiguousarray(1.0 / factors_at(self.row[self.derived.n_slots :], observed, self._tables))
        return np.ascontiguousarray(self.model.observed.kinds), self.products, observed, inverses

    @cached_property
    def _sums(self) -> Places:
        return np.asarray(self.derived.sums(self.row[None, :])[0])

    @cached_property
    def _tables(self) -> NDArray[np.float64]:
        return np.ascontiguousarray(self.model.tables[self.derived.n_slots :])
