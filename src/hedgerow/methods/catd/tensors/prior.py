"""Where models begin and what they are drawn back to: factors around a common center, each with its own deviation.

Deviations are independent between models, terms and slots. Along an ordered slot they may be smooth: level x then
deviates by a mixture of independent numbers, mixture x being row x of a Cholesky factor, so that neighboring levels
have deviations of correlation near one. Training moves the independent numbers, called deviations here; what it learns
about one level then reaches its neighbors.

A factor at the ends may be a sum of R terms, each of which begins and learns like any other factor. All R have the same
slope and so the same steps of Adam: their sum, which is all that is kept, moves R times as far in a step. A mixture of
R on the diagonal does that, as Adam's steps do not depend on the scale of slopes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.compiled import compiled, inlined
from hedgerow.methods.catd.tensors.lanes import Block, Lanes, add, load, multiply_add, splat, store
from hedgerow.methods.catd.tensors.rows import Layout
from hedgerow.methods.catd.tensors.tensor_format import Parameters, TensorFormat

_Matrix = NDArray[np.float64]
Start = Literal["scaled", "normal"]

# Added to the diagonal of correlations, whose Cholesky factor would else lose digits.
_JITTER = 1e-6
_FEWEST_SMOOTH_LEVELS = 3


class Mixing(NamedTuple):
    """The mixtures of all slots in one flat array; `first` is where those of a slot begin, -1 without any."""

    weights: NDArray[np.float64]
    first: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Prior:
    """The distribution of the factors of a fresh model.

    Its `start` is "scaled", around the format's own center so that entries lie within the unit interval, or "normal",
    around zero. `given_spread` replaces the standard deviation that belongs to it. `n_end_terms` is how many terms make
    a factor of the first and of the last slot.
    """

    tensor: TensorFormat
    mixtures: tuple[_Matrix | None, ...]  # lower triangles (n_levels, n_levels), per slot
    start: Start = "scaled"
    given_spread: float | None = None
    n_end_terms: int = 1

    @classmethod
    def of(
        cls,
        tensor: TensorFormat,
        is_ordered: Sequence[bool] | None = None,
        smoothness: float | None = None,
        *,
        has_none: Sequence[bool] | None = None,
        start: Start = "scaled",
        spread: float | None = None,
        n_end_terms: int = 1,
    ) -> Prior:
        """Return the prior of a format, smooth over this share of the range of ordered slots, or not at all.

        `has_none` marks ordered slots whose last level stands for no value, and is in no order with the others.
        """
        n_slots = len(tensor.level_counts)
        ordered = [False] * n_slots if is_ordered is None or smoothness is None else is_ordered
        lone = [False] * n_slots if has_none is None else has_none
        mixtures = [
            _mixture(count, count - alone, smoothness)
            if smooth and smoothness and count - alone >= _FEWEST_SMOOTH_LEVELS
            else None
            for count, smooth, alone in zip(tensor.level_counts, ordered, lone, strict=True)
        ]
        if n_end_terms > 1:
            for end in {0, n_slots - 1}:
                own = mixtures[end]
                mixtures[end] = n_end_terms * (np.eye(tensor.level_counts[end]) if own is None else own)
        return cls(tensor, tuple(mixtures), start, spread, n_end_terms)

    @cached_property
    def center(self) -> NDArray[np.float64]:
        """The parameters around which fresh models lie."""
        return self.tensor.center if self.start == "scaled" else np.zeros(self.tensor.n_parameters)

    @property
    def spread(self) -> float:
        """The standard deviation of fresh parameters around their center."""
        if self.given_spread is not None:
            return self.given_spread
        return self.tensor.spread if self.start == "scaled" else 1.0

    def draw(self, n_models: int, rng: Generator) -> Parameters:
        """Return the deviations of fresh models."""
        drawn = rng.standard_normal((self.tensor.n_parameters, n_models)) * self.spread
        if self.n_end_terms > 1:
            # A sum of terms is as wide as they make it; where the beginning is scaled, as wide as the format wants it.
            narrower = self.n_end_terms if self.start == "scaled" else math.sqrt(self.n_end_terms)
            for end in {0, len(self.mixtures) - 1}:
                drawn[self.tensor.starts[end] : self.tensor.starts[end + 1]] /= narrower
        return np.asarray(drawn)

    def factors(self, deviations: Parameters) -> Parameters:
        """Return the factors that these deviations give."""
        return self.center[:, None] + self._each_slot(deviations, transpose=False)

    def pull_back(self, slopes: Parameters) -> Parameters:
        """Return d(loss)/d(deviations) from d(loss)/d(factors)."""
        return self._each_slot(slopes, transpose=True)

    def _each_slot(self, numbers: Parameters, *, transpose: bool) -> Parameters:
        result = numbers.copy()
        starts = self.tensor.starts
        for mixture, start, end in zip(self.mixtures, starts[:-1], starts[1:], strict=True):
            if mixture is not None:
                matrix = mixture.T if transpose else mixture
                levels = numbers[start:end].reshape(mixture.shape[0], -1)
                result[start:end] = (matrix @ levels).reshape(-1, numbers.shape[1])
        return result

    @cached_property
    def mixing(self) -> Mixing:
        """The mixtures as compiled loops are told."""
        first, weights, n = [], [np.zeros(0)], 0
        for mixture in self.mixtures:
            first.append(-1 if mixture is None else n)
            if mixture is not None:
                weights.append(mixture.ravel())
                n += mixture.size
        return Mixing(np.concatenate(weights), np.array(first, dtype=np.int64))


def _mixture(n_levels: int, n_ordered: int, smoothness: float) -> _Matrix:
    """Return the Cholesky factor of Matern-5/2 correlations between ordered levels at equal distances on [0, 1]."""
    result = np.eye(n_levels)
    result[:n_ordered, :n_ordered] = _smooth(n_ordered, smoothness)
    return result


def _smooth(n_levels: int, smoothness: float) -> _Matrix:
    levels = np.arange(n_levels) / (n_levels - 1)
    distance = np.abs(levels[:, None] - levels[None, :]) * math.sqrt(5.0) / smoothness
    correlation = (1.0 + distance + distance**2 / 3.0) * np.exp(-distance)
    jittered = (correlation + _JITTER * np.eye(n_levels)) / (1.0 + _JITTER)
    return np.asarray(np.linalg.cholesky(jittered), dtype=np.float64)


@inlined
def _weighted_sum(
    weights: NDArray[np.float64], weight: int, weight_step: int, lines: Block, line: int, line_step: int, n: int
) -> Lanes:
    """Return the sum of n weights times n lines, each in even steps; four sums grow side by side to hide latency."""
    a, b, c, d = splat(0.0), splat(0.0), splat(0.0), splat(0.0)
    for i in range(n // 4):
        w, p = weight + 4 * i * weight_step, line + 4 * i * line_step
        a = multiply_add(splat(weights[w]), load(lines, p), a)
        b = multiply_add(splat(weights[w + weight_step]), load(lines, p + line_step), b)
        c = multiply_add(splat(weights[w + 2 * weight_step]), load(lines, p + 2 * line_step), c)
        d = multiply_add(splat(weights[w + 3 * weight_step]), load(lines, p + 3 * line_step), d)
    for i in range(n - n % 4, n):
        a = multiply_add(splat(weights[weight + i * weight_step]), load(lines, line + i * line_step), a)
    return add(add(a, b), add(c, d))


@compiled
def mix(layout: Layout, mixing: Mixing, center: NDArray[np.float64], deviations: Block, factors: Block) -> None:
    """Write the factors of four models: `Prior.factors`, compiled."""
    for k in range(layout.widths.size):
        start, end, width, first = layout.starts[k], layout.starts[k + 1], layout.widths[k], mixing.first[k]
        n_levels = (end - start) // width
        for i in range(start, end):
            if first < 0:
                store(factors, i, add(splat(center[i]), load(deviations, i)))
            else:
                x, r = (i - start) // width, (i - start) % width
                total = _weighted_sum(mixing.weights, first + x * n_levels, 1, deviations, start + r, width, x + 1)
                store(factors, i, add(splat(center[i]), total))


@compiled
def unmix(layout: Layout, mixing: Mixing, slopes: Block) -> None:
    """Turn slopes of factors into slopes of deviations, in place: `Prior.pull_back`, compiled."""
    for k in range(layout.widths.size):
        start, end, width, first = layout.starts[k], layout.starts[k + 1], layout.widths[k], mixing.first[k]
        n_levels = (end - start) // width
        if first >= 0:
            # Level x takes from levels at or above it, so those below may be overwritten on the way up.
            for i in range(start, end):
                x = (i - start) // width
                weight = first + x * n_levels + x
                store(slopes, i, _weighted_sum(mixing.weights, weight, n_levels, slopes, i, width, n_levels - x))
