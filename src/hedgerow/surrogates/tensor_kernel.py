"""The covariance of a CP tensor whose rank goes to infinity.

A CP model with factors 1 + s_k g_k, g_k Gaussian over the codes of slot k with covariance kappa_k, has in the limit
the kernel prod_k (1 + s_k^2 kappa_k) / (1 + s_k^2): small s_k make an additive function, large ones strong
interactions. kappa_k is equality for unordered slots and Matern-5/2 in level distance for ordered ones. Parameters
are logarithms: s_k of every slot, the length of every ordered slot, and the noise relative to the signal.

The prior is hierarchical: all slots share an unknown common scale, around which each has its own. That is what lets
a handful of observations decide between additive and entangled without a hundred of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Parameters = NDArray[np.float64]
Tables = NDArray[np.float64]

_SQRT_5 = math.sqrt(5.0)


@dataclass(frozen=True)
class KernelPrior:
    """Where the logarithms of the parameters lie before anything is seen: centre, own spread, common spread."""

    # In d slots, s^2 near 1/d keeps distant points weakly correlated, whatever d is.
    scale_spread: float = 0.5
    scale_common: float = 1.0
    length_centre: float = math.log(0.5)
    length_spread: float = 0.7
    noise_centre: float = -9.0
    noise_spread: float = 2.0


@dataclass(frozen=True, eq=False)
class TensorKernel:
    """The kernel over rows of codes with these level counts; slots with one level do not matter."""

    sizes: tuple[int, ...]
    is_ordered: tuple[bool, ...]
    prior: KernelPrior = KernelPrior()

    @classmethod
    def of(cls, sizes: Sequence[int], is_ordered: Sequence[bool]) -> TensorKernel:
        """Return the kernel of a space; two levels have no inner distance, so they count as unordered."""
        return cls(tuple(sizes), tuple(bool(flag) and n > 2 for flag, n in zip(is_ordered, sizes, strict=True)))

    @property
    def n_slots(self) -> int:
        """The number of slots."""
        return len(self.sizes)

    @cached_property
    def ordered(self) -> NDArray[np.int64]:
        """The slots that have a length."""
        return np.flatnonzero(np.array(self.is_ordered, dtype=np.bool_))

    @cached_property
    def table_slots(self) -> NDArray[np.int64]:
        """The slot of each derivative table: all for their scales, then the ordered ones for their lengths."""
        return np.concatenate([np.arange(self.n_slots), self.ordered])

    @cached_property
    def _distances(self) -> Tables:
        n_codes = max(self.sizes)
        places = np.arange(n_codes)[None, :] / np.maximum(1, np.array(self.sizes) - 1)[:, None]
        return np.asarray(np.abs(places[:, :, None] - places[:, None, :]))

    @cached_property
    def centre(self) -> Parameters:
        """The parameters that the prior expects."""
        n_active = max(1, sum(n > 1 for n in self.sizes))
        scales = np.full(self.n_slots, -0.5 * math.log(n_active))
        lengths = np.full(self.ordered.size, self.prior.length_centre)
        return np.concatenate([scales, lengths, [self.prior.noise_centre]])

    @cached_property
    def spreads(self) -> Parameters:
        """The prior standard deviation of each parameter on its own."""
        scales = np.full(self.n_slots, self.prior.scale_spread)
        lengths = np.full(self.ordered.size, self.prior.length_spread)
        return np.concatenate([scales, lengths, [self.prior.noise_spread]])

    @cached_property
    def precision(self) -> NDArray[np.float64]:
        """The inverse of the prior covariance."""
        covariance = np.diag(self.spreads**2)
        covariance[: self.n_slots, : self.n_slots] += self.prior.scale_common**2
        return np.asarray(np.linalg.inv(covariance))

    @cached_property
    def bounds(self) -> tuple[Parameters, Parameters]:
        """The box in which parameters are searched."""
        low = np.concatenate([np.full(self.n_slots, -5.0), np.full(self.ordered.size, -3.5), [-13.0]])
        high = np.concatenate([np.full(self.n_slots, 3.0), np.full(self.ordered.size, 2.5), [0.0]])
        return low, high

    def noise(self, parameters: Parameters) -> float:
        """Return the noise variance relative to the signal, with a floor that keeps factorisations sound."""
        return math.exp(float(parameters[-1])) + 1e-8

    def tables(self, parameters: Parameters) -> Tables:
        """Return the factor of each slot for each pair of codes."""
        strength = np.exp(2 * parameters[: self.n_slots])[:, None, None]
        similarity, _ = self._similarity(parameters)
        return np.asarray((1 + strength * similarity) / (1 + strength))

    def derivative_tables(self, parameters: Parameters) -> Tables:
        """Return the derivative of the logarithm of each factor by its scale, then by its length (`table_slots`)."""
        strength = np.exp(2 * parameters[: self.n_slots])[:, None, None]
        similarity, by_length = self._similarity(parameters)
        by_scale = 2 * strength * similarity / (1 + strength * similarity) - 2 * strength / (1 + strength)
        inner = strength[self.ordered]
        return np.concatenate([by_scale, inner * by_length / (1 + inner * similarity[self.ordered])])

    def _similarity(self, parameters: Parameters) -> tuple[Tables, Tables]:
        """Return kappa of each slot, and its derivative by the log-length for the ordered ones."""
        n_codes = max(self.sizes)
        similarity = np.repeat(np.eye(n_codes)[None], self.n_slots, axis=0)
        lengths = np.exp(parameters[self.n_slots : -1])[:, None, None]
        scaled = _SQRT_5 * self._distances[self.ordered] / lengths
        decay = np.exp(-scaled)
        similarity[self.ordered] = (1 + scaled + scaled**2 / 3) * decay
        return similarity, scaled**2 * (1 + scaled) / 3 * decay
