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
from hedgerow.methods.auto.kernel.many_rows import ManyRows
from hedgerow.methods.auto.kernel.motifs import Motifs, of_some
from hedgerow.methods.auto.kernel.motifs_loops import MotifCenter, multiply_by_moved_motifs
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
    def of(
        cls,
        kinds: Sequence[str],
        kernel: TensorKernel,
        derived: Derived | None,
        log_price: float = 0.0,
        motifs: Sequence[Motifs] = (),
    ) -> View:
        """Extend a kernel by coordinates of some kinds, or by motifs, or by both."""
        if derived is not None:
            is_ordered = [each.is_ordered for each in derived.coordinates]
            kernel = kernel.extended(derived.sizes, is_ordered, derived.groups)
        return cls(tuple(kinds), kernel.seeing(motifs) if motifs else kernel, derived, log_price)

    @property
    def is_found(self) -> bool:
        """Whether its coordinates were picked by what was observed."""
        return self.log_price > 0.0

    def rows(self, active: Codes) -> Codes:
        """Return rows of the kernel's slots as this view sees them."""
        rows = active if self.derived is None else self.derived.of_rows(active)
        return rows if self.kernel.motifs is None else self.kernel.motifs.extended(rows, active)

    def listed(self, active: Codes) -> ManyRows:
        """Return a list of rows of the kernel's slots as this view sees them, by their halves."""
        order = None if self.derived is None else self.derived.order
        return ManyRows.of(self.rows(active), order, self.kernel.motifs)

    def near(self, model: KernelSurrogate, row: Codes, slots: Places, codes: Codes) -> KernelNeighborhood:
        """Return the predictions of a process around a row of the kernel's slots, at changes to these literals."""
        if not self.kinds:
            return KernelNeighborhood.of(model, row, slots, codes)
        seen = self.rows(row[None, :])[0]
        plain = KernelNeighborhood.of(model, seen, slots, codes)
        return ViewedNeighborhood(
            model, slots, plain.ratios, plain.products, plain.closest, derived=self.derived, row=seen, codes=codes
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class ViewedNeighborhood(KernelNeighborhood):
    """The same where a change also moves coordinates, or motifs."""

    derived: Derived | None
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
        kept = slice(None) if observations is None else observations
        kinds = np.ascontiguousarray(self.model.observed.kinds[:, kept])
        shared = changed_products(self.products[kept], kinds, self.ratios, self.slots, first, second)
        if self.derived is not None:
            around = self._coordinates
            observed = np.ascontiguousarray(around.observed[:, kept])
            around = around._replace(observed=observed, inverses=np.ascontiguousarray(around.inverses[:, kept]))
            moved_products(shared, first, second, self.slots, self.codes, self.derived.looks, around)
        for center in self._motifs if observations is None else self._closest_motifs:
            multiply_by_moved_motifs(shared, first, second, self.slots, self.codes, center)
        return shared

    @cached_property
    def _coordinates(self) -> Center:
        """The row with its coordinates and those of all observations."""
        assert self.derived is not None
        own = slice(self.derived.n_slots, self.model.factor.kernel.n_columns)
        observed = np.ascontiguousarray(self.model.columns[own])
        tables = np.ascontiguousarray(self.model.tables[own])
        inverses = np.ascontiguousarray(1.0 / factors_at(self.row[own], observed, tables))
        sums = np.asarray(self.derived.sums(self.row[None, :])[0])
        return Center(self.row[: self.derived.n_slots], sums, observed, tables, inverses)

    @cached_property
    def _motifs(self) -> list[MotifCenter]:
        """The row with its motifs of each kind, and what it shares with all observations."""
        seen = self.model.factor.kernel.motifs
        return [] if seen is None else seen.around(self.row, self.model.motif_flags, self.model.tables)

    @cached_property
    def _closest_motifs(self) -> list[MotifCenter]:
        """The same beside the closest observations alone."""
        return [of_some(center, self.closest) for center in self._motifs]
