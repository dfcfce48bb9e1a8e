"""The covariance of a CP tensor whose rank goes to infinity.

A CP model with factors 1 + s_k g_k, g_k Gaussian over the codes of slot k with covariance kappa_k, has in the limit
the kernel prod_k (1 + s_k^2 kappa_k) / (1 + s_k^2): small s_k make an additive function, large ones strong
interactions. kappa_k is equality for unordered slots. For ordered ones it is Matern-5/2 in level distance, mixed
with a share of equality, the slot's roughness: block sizes have a trend, and single ones that are special. Either way
it depends on the difference of two codes alone, so a table has an entry per difference and not per pair of codes.
That a slot has no value is a code of its own, equal to itself and as far from every level as unequal codes are; in an
ordered slot of n levels it is 2n - 1, whose differences to levels no two levels have.
Labels that numbers describe have codes no two pairs of which differ by the same (`described`), so that a table of
differences holds the distance of every pair; they count as ordered, with as much equality as distance to begin with.
Parameters are the logarithms of s_k of every slot and of the length of every ordered slot, the log odds of its
roughness, and the logarithm of the noise relative to the signal.

The prior is hierarchical: all slots share an unknown common scale, around which each has its own. That is what lets
a handful of observations decide between additive and entangled without a hundred of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Codes, Column, Matrix, Places, Tables
from hedgerow.methods.auto.kernel.described import FAR, DescribedCodes
from hedgerow.methods.auto.kernel.loops import own_products, table_products
from hedgerow.methods.auto.kernel.motifs import Motifs, SeenMotifs

Parameters = NDArray[np.float64]

_SQRT_5 = math.sqrt(5.0)
# Groups of more coordinates than this share a scale nearly.
_MANY = 8
_NO_PLACES = np.zeros(0, dtype=np.int64)
# From so many slots on, the prior's matrix costs more than all else.
_MANY_SLOTS = 500


@dataclass(frozen=True)
class KernelPrior:
    """Where the logarithms of the parameters lie before anything is seen: center, own spread, common spread.

    Half and double of each group were tried on nine kinds of generated problems, three seeds each (docs/constants.md).
    Lengths matter: with center and spread moved up, the optimum takes 30 % more trials (standard error 9). The others
    are plain choices: moving them changes the trials by no more than two standard errors.
    """

    # In d slots, s^2 near 1/d keeps distant points weakly correlated, whatever d is.
    scale_spread: float = 0.5
    # Of coordinates that are many, as windows of neighbors are: they matter alike, or not at all.
    many_spread: float = 0.15
    scale_common: float = 1.0
    length_center: float = math.log(0.5)
    length_spread: float = 0.7
    roughness_center: float = -6.0
    roughness_spread: float = 2.5
    noise_center: float = -9.0
    noise_spread: float = 2.0
    # The same for labels that numbers describe: whether these numbers matter is an open question.
    described_roughness_center: float = 0.0


@dataclass(frozen=True, eq=False)
class TensorKernel:
    """The kernel over rows of codes, of which each slot has so many; slots with one code do not matter."""

    sizes: tuple[int, ...]
    is_ordered: tuple[bool, ...]
    prior: KernelPrior = KernelPrior()
    may_miss: tuple[bool, ...] = ()
    described: Mapping[int, DescribedCodes] = field(default_factory=dict)
    # Which slots share a common scale: 0 for those of the space, further ones for coordinates computed from them.
    groups: tuple[int, ...] = ()
    # The last slots are no columns of rows: their differences are counted from sets of motifs.
    motifs: SeenMotifs | None = None

    @classmethod
    def of(
        cls,
        sizes: Sequence[int],
        is_ordered: Sequence[bool],
        prior: KernelPrior = KernelPrior(),
        may_miss: Sequence[bool] | None = None,
        described: Mapping[int, DescribedCodes] | None = None,
    ) -> TensorKernel:
        """Return the kernel of a space; two levels have no inner distance, so they count as unordered.

        Slots that may have no value have a code for it besides their levels: the one that `codes_of` gives. Those with
        numbers that describe their labels have codes of their own.
        """
        described = described or {}
        long = [bool(flag) and n > 2 for flag, n in zip(is_ordered, sizes, strict=True)]
        ordered = tuple(is_long or slot in described for slot, is_long in enumerate(long))
        missing = tuple(map(bool, may_miss)) if may_miss is not None else (False,) * len(ordered)
        n_codes = [
            n if not misses else 2 * n if is_long else n + 1
            for n, misses, is_long in zip(sizes, missing, ordered, strict=True)
        ]
        for slot, own in described.items():
            n_codes[slot] = own.distances.size
        return cls(tuple(n_codes), ordered, prior, missing if any(missing) else (), described)

    def extended(self, sizes: Sequence[int], is_ordered: Sequence[bool], groups: Sequence[int]) -> TensorKernel:
        """Return the kernel with more slots, in groups of their own."""
        ordered = tuple(bool(flag) and n > 2 for flag, n in zip(is_ordered, sizes, strict=True))
        return replace(
            self,
            sizes=(*self.sizes, *sizes),
            is_ordered=(*self.is_ordered, *ordered),
            may_miss=(*self.may_miss, *(False for _ in sizes)) if self.may_miss else (),
            groups=(*(0 for _ in self.sizes), *groups),
        )

    def seeing(self, motifs: Sequence[Motifs]) -> TensorKernel:
        """Return the kernel of rows with their motifs behind them, a group of their own."""
        sizes = [kind.n_differences for kind in motifs]
        group = 1 + max(self.groups, default=0)
        extended = self.extended(sizes, [True] * len(sizes), [group] * len(sizes))
        return replace(extended, motifs=SeenMotifs(tuple(motifs), self.n_slots))

    @property
    def n_columns(self) -> int:
        """How many slots are columns of rows, the first ones."""
        return self.n_slots if self.motifs is None else self.motifs.n_slots

    def products(self, left: Codes, right: Codes, tables: Tables) -> Matrix:
        """Return for each pair of rows the product over slots of the tables at their difference."""
        if self.motifs is None:
            return table_products(left, right, tables)
        slots = slice(0, self.n_columns)
        result = table_products(np.ascontiguousarray(left[:, slots]), np.ascontiguousarray(right[:, slots]), tables)
        self.motifs.multiply(result, self.motifs.parts(left), self.motifs.parts(right), tables)
        return result

    def own_products(self, rows: Codes, tables: Tables) -> Matrix:
        """Return the same for each pair of rows of one list."""
        if self.motifs is None:
            return own_products(rows, tables)
        result = own_products(np.ascontiguousarray(rows[:, : self.n_columns]), tables)
        parts = self.motifs.parts(rows)
        self.motifs.multiply(result, parts, parts, tables)
        return result

    @cached_property
    def _group_sizes(self) -> NDArray[np.int64]:
        """How many slots share the common scale of each."""
        groups = np.array(self.groups or (0,) * self.n_slots)
        is_active = np.array(self.sizes) > 1
        counts = np.bincount(groups[is_active], minlength=int(groups.max()) + 1)
        return np.asarray(np.maximum(1, counts)[groups])

    @cached_property
    def moved(self) -> Places:
        """The ordered slots that may have no value, but for those whose labels are described."""
        if not self.may_miss:
            return _NO_PLACES
        moved = np.flatnonzero(np.array(self.is_ordered) & np.array(self.may_miss))
        return moved[~np.isin(moved, list(self.described))]

    @cached_property
    def recoded(self) -> tuple[int, ...]:
        """The slots whose codes are not those of the space."""
        return (*map(int, self.moved), *self.described)

    def codes_of(self, rows: Codes) -> Codes:
        """Return rows of the space's codes as the kernel's: the last code of a slot may stand further away."""
        if not self.recoded:
            return rows
        recoded = rows.copy()
        for slot in self.recoded:
            recoded[:, slot] = self.codes_in(slot, rows[:, slot])
        return recoded

    def codes_in(self, slot: int, codes: Codes) -> Codes:
        """Return codes of one slot of the space as the kernel's."""
        if slot in self.described:
            return self.described[slot].codes[codes]
        n = self.sizes[slot] // 2
        return np.where(codes == n, 2 * n - 1, codes) if slot in self.moved else codes

    def by_space_code(self, slot: int, of_codes: Column) -> Column:
        """Return what belongs to the kernel's codes of a slot in the order of the space's."""
        if slot in self.described:
            return of_codes[self.described[slot].codes]
        n = self.sizes[slot] // 2
        return of_codes[[*range(n), 2 * n - 1]] if slot in self.moved else of_codes

    @property
    def n_slots(self) -> int:
        """The number of slots."""
        return len(self.sizes)

    @property
    def n_differences(self) -> int:
        """The number of differences that tables have room for: of the largest slot, and two to be equal or not."""
        return max(2, *self.sizes)

    @cached_property
    def ordered(self) -> NDArray[np.int64]:
        """The slots that have a length."""
        return np.flatnonzero(np.array(self.is_ordered, dtype=np.bool_))

    @cached_property
    def _distances(self) -> Tables:
        n_levels = np.array(self.sizes)
        n_levels[self.moved] //= 2
        ordered_sizes = n_levels[self.ordered]
        differences = np.arange(self.n_differences)
        distances = np.asarray(differences / np.maximum(1, ordered_sizes - 1)[:, None])
        is_moved = np.isin(self.ordered, self.moved)
        distances[is_moved[:, None] & (differences >= ordered_sizes[:, None])] = FAR
        for slot, own in self.described.items():
            distances[int(np.searchsorted(self.ordered, slot)), : own.distances.size] = own.distances
        kinds = () if self.motifs is None else self.motifs.kinds
        for line, kind in enumerate(kinds, start=self.ordered.size - len(kinds)):
            distances[line, : kind.n_differences] = kind.distances
        return distances

    @cached_property
    def center(self) -> Parameters:
        """The parameters that the prior expects."""
        scales = np.array([-0.5 * math.log(max(self._group_sizes[0], n)) for n in self._group_sizes])
        lengths = np.full(self.ordered.size, self.prior.length_center)
        is_described = np.isin(self.ordered, list(self.described))
        roughness = np.where(is_described, self.prior.described_roughness_center, self.prior.roughness_center)
        return np.concatenate([scales, lengths, roughness, [self.prior.noise_center]])

    @cached_property
    def spreads(self) -> Parameters:
        """The prior standard deviation of each parameter on its own."""
        is_many = (np.array(self.groups or (0,) * self.n_slots) > 0) & (self._group_sizes > _MANY)
        scales = np.where(is_many, self.prior.many_spread, self.prior.scale_spread)
        lengths = np.full(self.ordered.size, self.prior.length_spread)
        roughness = np.full(self.ordered.size, self.prior.roughness_spread)
        return np.concatenate([scales, lengths, roughness, [self.prior.noise_spread]])

    @cached_property
    def precision(self) -> NDArray[np.float64]:
        """The inverse of the prior covariance."""
        covariance = np.diag(self.spreads**2)
        groups = np.array(self.groups or (0,) * self.n_slots)
        covariance[: self.n_slots, : self.n_slots] += self.prior.scale_common**2 * (groups[:, None] == groups)
        return np.asarray(np.linalg.inv(covariance))

    def pull(self, offset: Parameters) -> Parameters:
        """Return the precision times an offset from the center.

        Of thousands of slots the matrix is never built: each group is a diagonal and a constant, inverted by hand.
        """
        if self.n_slots <= _MANY_SLOTS:
            return np.asarray(self.precision @ offset)
        weights = 1.0 / self.spreads**2
        pulled = weights * offset
        groups = np.array(self.groups or (0,) * self.n_slots)
        for group in np.unique(groups):
            own = np.flatnonzero(groups == group)
            common = self.prior.scale_common**2
            pulled[own] -= weights[own] * (common * pulled[own].sum() / (1.0 + common * weights[own].sum()))
        return np.asarray(pulled)

    @cached_property
    def bounds(self) -> tuple[Parameters, Parameters]:
        """The box in which parameters are searched."""
        slots, ordered = np.ones(self.n_slots), np.ones(self.ordered.size)
        low = np.concatenate([-5.0 * slots, -3.5 * ordered, -9.0 * ordered, [-13.0]])
        high = np.concatenate([3.0 * slots, 2.5 * ordered, 4.0 * ordered, [0.0]])
        return low, high

    def noise(self, parameters: Parameters) -> float:
        """Return the noise variance relative to the signal, with a floor that keeps factorizations sound."""
        return math.exp(float(parameters[-1])) + 1e-8

    def tables(self, parameters: Parameters) -> Tables:
        """Return the factor of each slot for each difference of codes: (n_slots, n_differences)."""
        return self.tables_of(parameters, self.similarity(parameters))

    def tables_of(self, parameters: Parameters, similarity: Similarity) -> Tables:
        """Return the same where the similarity of codes is known."""
        strength = np.exp(2 * parameters[: self.n_slots])[:, None]
        return np.asarray((1 + strength * similarity.tables) / (1 + strength))

    def gradient(self, parameters: Parameters, similarity: Similarity, pair_sums: Tables) -> Parameters:
        """Return the derivative by each parameter but the noise of the sum of `pair_sums` times the log of `tables`."""
        strength = np.exp(2 * parameters[: self.n_slots])[:, None]
        by_scale = 2 * strength * similarity.tables / (1 + strength * similarity.tables) - 2 * strength / (1 + strength)
        by_similarity = (pair_sums * strength / (1 + strength * similarity.tables))[self.ordered]
        return np.concatenate(
            [
                (pair_sums * by_scale).sum(axis=1),
                (by_similarity * similarity.by_length).sum(axis=1),
                (by_similarity * similarity.by_roughness).sum(axis=1),
            ]
        )

    def similarity(self, parameters: Parameters) -> Similarity:
        """Return how similar codes of each slot are by their difference, with derivatives."""
        equality = np.zeros(self.n_differences)
        equality[0] = 1.0
        lengths, roughness = np.split(parameters[self.n_slots : -1], 2)
        scaled = _SQRT_5 * self._distances / np.exp(lengths)[:, None]
        decay = np.exp(-scaled)
        smooth = (1 + scaled + scaled**2 / 3) * decay
        share = (1 / (1 + np.exp(-roughness)))[:, None]
        tables = np.repeat(equality[None], self.n_slots, axis=0)
        tables[self.ordered] = (1 - share) * smooth + share * equality
        by_length = (1 - share) * scaled**2 * (1 + scaled) / 3 * decay
        return Similarity(tables, by_length, share * (1 - share) * (equality - smooth))


@dataclass(frozen=True, eq=False)
class Similarity:
    """kappa of each slot, and its derivatives by log-length and roughness for the ordered ones."""

    tables: Tables
    by_length: Tables
    by_roughness: Tables
