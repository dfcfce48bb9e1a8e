"""The hot loops of the kernel over coordinates; `kernel.py` has their plain twins, which tests compare them with."""

from __future__ import annotations

import math

import numpy as np

from hedgerow.arrays import Column, Matrix
from hedgerow.compiled import compiled, inlined

_SQRT_5 = math.sqrt(5.0)
# What stands for a decay where there is no distance: equal, or not.
_SAME, _OTHER = 2.0, -1.0


@inlined
def _similarity(apart: float, inverse_length: float, is_smooth: bool) -> float:
    scaled = apart * inverse_length
    if is_smooth:
        return math.exp(-0.5 * scaled * scaled)
    return (1.0 + _SQRT_5 * scaled + 5.0 / 3.0 * scaled * scaled) * math.exp(-_SQRT_5 * scaled)


@compiled
def pair_products(left: Matrix, right: Matrix, strengths: Column, inverse_lengths: Column, is_smooth: bool) -> Matrix:
    """Return the kernel of each pair of rows; slots with an inverse length below 0 have no distance."""
    n, m, n_slots = left.shape[0], right.shape[0], left.shape[1]
    result = np.ones((n, m))
    columns = np.ascontiguousarray(right.T)
    for i in range(n):
        for k in range(n_slots):
            own, strength, inverse = left[i, k], strengths[k], inverse_lengths[k]
            most, least = 1.0, 1.0 / (1.0 + strength)
            if inverse < 0.0:
                for j in range(m):
                    result[i, j] *= most if abs(own - columns[k, j]) <= 1e-12 else least
            elif math.isnan(own):
                for j in range(m):
                    result[i, j] *= most if math.isnan(columns[k, j]) else least
            else:
                for j in range(m):
                    other = columns[k, j]
                    if math.isnan(other):
                        result[i, j] *= least
                    else:
                        similarity = _similarity(abs(own - other), inverse, is_smooth)
                        result[i, j] *= (1.0 + strength * similarity) * least
    return result


@compiled
def products_with_slopes(
    rows: Matrix, row: Column, strengths: Column, inverse_lengths: Column, is_smooth: bool
) -> tuple[Column, Matrix]:
    """Return the kernel of each row with one row, and its derivatives by the coordinates of that one, (n_slots, n)."""
    n, n_slots = rows.shape
    shared = np.ones(n)
    slopes = np.zeros((n_slots, n))
    for k in range(n_slots):
        own, strength, inverse = row[k], strengths[k], inverse_lengths[k]
        least = 1.0 / (1.0 + strength)
        for i in range(n):
            other = rows[i, k]
            if inverse < 0.0:
                shared[i] *= 1.0 if abs(own - other) <= 1e-12 else least
            elif math.isnan(own) or math.isnan(other):
                shared[i] *= 1.0 if math.isnan(own) and math.isnan(other) else least
            else:
                difference = own - other
                scaled = abs(difference) * inverse
                if is_smooth:
                    similarity = math.exp(-0.5 * scaled * scaled)
                    slope = -scaled * similarity * inverse
                else:
                    decay = math.exp(-_SQRT_5 * scaled)
                    similarity = (1.0 + _SQRT_5 * scaled + 5.0 / 3.0 * scaled * scaled) * decay
                    slope = -5.0 / 3.0 * scaled * (1.0 + _SQRT_5 * scaled) * decay * inverse
                factor = 1.0 + strength * similarity
                shared[i] *= factor * least
                if difference != 0.0:
                    slopes[k, i] = strength * slope * (1.0 if difference > 0 else -1.0) / factor
    for k in range(n_slots):
        for i in range(n):
            slopes[k, i] *= shared[i]
    return shared, slopes


@compiled
def own_products(rows: Matrix, strengths: Column, inverse_lengths: Column, is_smooth: bool) -> tuple[Matrix, Matrix]:
    """Return the kernel of each pair of one list of rows, and for `log_slope_sums` the decay of each slot and pair.

    Pairs stand line by line, each row with those up to itself.
    """
    n, n_slots = rows.shape
    decays = np.empty((n_slots, n * (n + 1) // 2))
    result = np.ones((n, n))
    columns = np.ascontiguousarray(rows.T)
    for i in range(n):
        first = i * (i + 1) // 2
        for k in range(n_slots):
            own, strength, inverse = rows[i, k], strengths[k], inverse_lengths[k]
            least = 1.0 / (1.0 + strength)
            for j in range(i + 1):
                other = columns[k, j]
                if inverse < 0.0:
                    is_same = abs(own - other) <= 1e-12
                elif math.isnan(own) or math.isnan(other):
                    is_same = math.isnan(own) and math.isnan(other)
                else:
                    scaled = abs(own - other) * inverse
                    if is_smooth:
                        decay = math.exp(-0.5 * scaled * scaled)
                        similarity = decay
                    else:
                        decay = math.exp(-_SQRT_5 * scaled)
                        similarity = (1.0 + _SQRT_5 * scaled + 5.0 / 3.0 * scaled * scaled) * decay
                    decays[k, first + j] = decay
                    result[i, j] *= (1.0 + strength * similarity) * least
                    continue
                decays[k, first + j] = _SAME if is_same else _OTHER
                result[i, j] *= 1.0 if is_same else least
    for i in range(n):
        for j in range(i):
            result[j, i] = result[i, j]
    return result, decays


@compiled
def log_slope_sums(
    rows: Matrix, decays: Matrix, weights: Matrix, strengths: Column, inverse_lengths: Column, is_smooth: bool
) -> tuple[Column, Column]:
    """Return for each slot the sum over pairs of weights times the derivative of the kernel's logarithm.

    By the logarithm of the strength's root, then by the logarithm of the length; weights are symmetric, and decays are
    those of `own_products`, since exponentials are what takes time here.
    """
    n, n_slots = rows.shape
    by_scale, by_length = np.zeros(n_slots), np.zeros(n_slots)
    columns = np.ascontiguousarray(rows.T)
    for k in range(n_slots):
        strength, inverse = strengths[k], inverse_lengths[k]
        constant = 2.0 * strength / (1.0 + strength)
        for i in range(n):
            own, first = columns[k, i], i * (i + 1) // 2
            for j in range(i):
                decay, weight = decays[k, first + j], 2.0 * weights[i, j]
                similarity, by_distance = 0.0, 0.0
                if decay == _SAME:
                    similarity = 1.0
                elif decay != _OTHER:
                    scaled = abs(own - columns[k, j]) * inverse
                    if is_smooth:
                        similarity = decay
                        by_distance = -scaled * scaled * similarity
                    else:
                        similarity = (1.0 + _SQRT_5 * scaled + 5.0 / 3.0 * scaled * scaled) * decay
                        by_distance = -5.0 / 3.0 * scaled * scaled * (1.0 + _SQRT_5 * scaled) * decay
                factor = 1.0 + strength * similarity
                by_scale[k] += weight * (2.0 * strength * similarity / factor - constant)
                by_length[k] -= weight * strength * by_distance / factor
    return by_scale, by_length
