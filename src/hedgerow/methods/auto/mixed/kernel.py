"""The tensor kernel over coordinates instead of codes.

A slot is a real, an ordered slot or an unordered one. Reals and ordered slots lie between 0 and 1 and are similar as
they are near, in one of two ways (rough: Matern-5/2, smooth: Gaussian); unordered ones are equal or not. As over codes,
the kernel is the product of (1 + s^2 kappa) / (1 + s^2): small s make an additive function.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Column, Mask, Matrix
from hedgerow.methods.auto.kernel.tensor_kernel import KernelPrior, Parameters
from hedgerow.methods.auto.mixed.loops import log_slope_sums, own_products, pair_products, products_with_slopes

Cube = NDArray[np.float64]  # (n_slots, n, m)
_SQRT_5 = math.sqrt(5.0)


@dataclass(frozen=True, eq=False)
class CoordinateKernel:
    """The kernel over rows of coordinates, of which those in `has_length` have a distance."""

    has_length: Mask
    is_smooth: bool
    prior: KernelPrior = field(default_factory=KernelPrior)
    # Whether values are known to vary from one reading to the next.
    is_noisy: bool = False

    @property
    def n_slots(self) -> int:
        """The number of slots."""
        return int(self.has_length.size)

    @cached_property
    def n_lengths(self) -> int:
        """The number of slots with a distance."""
        return int(self.has_length.sum())

    @cached_property
    def center(self) -> Parameters:
        """The parameters that the prior expects: scales, lengths, noise."""
        scales = np.full(self.n_slots, -0.5 * math.log(max(1, self.n_slots)))
        lengths = np.full(self.n_lengths, self.prior.length_center + (0.3 if self.is_smooth else 0.0))
        return np.concatenate([scales, lengths, [_NOISY_CENTER if self.is_noisy else _NOISE_CENTER]])

    @cached_property
    def precision(self) -> Matrix:
        """The inverse of the prior covariance."""
        scales = np.full(self.n_slots, self.prior.scale_spread)
        lengths = np.full(self.n_lengths, self.prior.length_spread)
        noise_spread = _NOISY_SPREAD if self.is_noisy else self.prior.noise_spread
        covariance = np.diag(np.concatenate([scales, lengths, [noise_spread]]) ** 2)
        covariance[: self.n_slots, : self.n_slots] += self.prior.scale_common**2
        return np.asarray(np.linalg.inv(covariance))

    @cached_property
    def bounds(self) -> tuple[Parameters, Parameters]:
        """The box in which parameters are searched."""
        slots, lengths = np.ones(self.n_slots), np.ones(self.n_lengths)
        low = np.concatenate([-5.0 * slots, -3.5 * lengths, [_NOISE_LOW]])
        return low, np.concatenate([4.0 * slots, 2.5 * lengths, [0.0]])

    def noise(self, parameters: Parameters) -> float:
        """Return the noise variance relative to the signal, with a floor that keeps factorizations sound."""
        return math.exp(float(parameters[-1])) + 1e-9

    def between(self, parameters: Parameters, left: Matrix, right: Matrix) -> Matrix:
        """Return the kernel of each pair of rows, without an array for every slot."""
        return np.asarray(
            pair_products(left, np.ascontiguousarray(right), *self._compiled_form(parameters), self.is_smooth)
        )

    def with_slopes(self, parameters: Parameters, rows: Matrix, row: Column) -> tuple[Column, Matrix]:
        """Return the kernel of each row with one row, and its derivatives by that one's coordinates, (n_slots, n)."""
        return products_with_slopes(rows, row, *self._compiled_form(parameters), self.is_smooth)

    def own(self, parameters: Parameters, rows: Matrix) -> tuple[Matrix, Matrix]:
        """Return the kernel of each pair of one list of rows, and what `summed_slopes` wants of them."""
        return own_products(rows, *self._compiled_form(parameters), self.is_smooth)

    def summed_slopes(self, parameters: Parameters, rows: Matrix, decays: Matrix, weights: Matrix) -> Parameters:
        """Return what `log_gradient` does for the pairs of one list of rows, and symmetric weights."""
        form = self._compiled_form(parameters)
        by_scale, by_length = log_slope_sums(rows, decays, weights, *form, self.is_smooth)
        return np.concatenate([by_scale, by_length[self.has_length]])

    def _compiled_form(self, parameters: Parameters) -> tuple[Column, Column]:
        inverse_lengths = np.full(self.n_slots, -1.0)
        inverse_lengths[self.has_length] = np.exp(-parameters[self.n_slots : -1])
        return np.exp(2 * parameters[: self.n_slots]), inverse_lengths

    def apart(self, left: Matrix, right: Matrix) -> Cube:
        """Return for each slot and pair of rows how far they are apart, 0 or 1 where there is no distance.

        Rows without a value are alike, and out of reach of those with one.
        """
        cube = np.abs(left.T[:, :, None] - right.T[:, None, :])
        missing = [np.isnan(rows).T for rows in (left, right)]
        if missing[0].any() or missing[1].any():
            is_one, is_other = missing[0][:, :, None], missing[1][:, None, :]
            cube = np.where(is_one & is_other, 0.0, np.where(is_one | is_other, _OUT_OF_REACH, cube))
        cube[~self.has_length] = (cube[~self.has_length] > 1e-12).astype(np.float64)
        return cube

    def products(self, parameters: Parameters, apart: Cube) -> Matrix:
        """Return the kernel of each pair."""
        return np.asarray(self.factors(parameters, apart)[0].prod(axis=0))

    def factors(self, parameters: Parameters, apart: Cube) -> tuple[Cube, Cube, Cube]:
        """Return the factor of each slot, the similarity in it, and its derivative by the distance."""
        strength = np.exp(2 * parameters[: self.n_slots])[:, None, None]
        similarity, slope = 1.0 - apart, np.zeros_like(apart)
        lengths = np.exp(parameters[self.n_slots : -1])[:, None, None]
        scaled = apart[self.has_length] / lengths
        if self.is_smooth:
            similar = np.exp(-0.5 * scaled**2)
            slope[self.has_length] = -scaled * similar / lengths
        else:
            decay = np.exp(-_SQRT_5 * scaled)
            similar = (1 + _SQRT_5 * scaled + 5.0 / 3.0 * scaled**2) * decay
            slope[self.has_length] = -5.0 / 3.0 * scaled * (1 + _SQRT_5 * scaled) * decay / lengths
        similarity[self.has_length] = similar
        return (1 + strength * similarity) / (1 + strength), similarity, slope

    def log_gradient(self, parameters: Parameters, apart: Cube, weights: Matrix) -> Parameters:
        """Return the derivative by each parameter but the noise of the sum of weights times the kernel's logarithm."""
        strength = np.exp(2 * parameters[: self.n_slots])[:, None, None]
        _, similarity, slope = self.factors(parameters, apart)
        inverse = 1.0 / (1 + strength * similarity)
        by_scale = np.einsum("kij,ij->k", 2 * strength * similarity * inverse, weights)
        by_scale -= 2 * (strength / (1 + strength))[:, 0, 0] * weights.sum()
        # The similarity depends on distance over length: by its logarithm, minus distance times slope.
        by_length = np.einsum("kij,ij->k", -(strength * inverse * slope * apart)[self.has_length], weights)
        return np.concatenate([by_scale, by_length])


# A distance at which nothing is similar, whatever the lengths.
_OUT_OF_REACH = 1e6
_NOISE_CENTER = -14.0
# A tenth of a deviation, give or take a factor of four, as over levels.
_NOISY_CENTER, _NOISY_SPREAD = -4.6, 3.0
_NOISE_LOW = -19.0
