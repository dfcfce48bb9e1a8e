"""PGRAD, the paper's training (Section 3.3, eq. (5)): squared error on the observations plus lambda times the
expected violation over the infeasible region, minimised by Adam for all models of an ensemble at once.

L_total = 1/|H| sum_H (y - Y[x])^2 + lambda E_{x ~ U(infeasible)} [violation of "Y[x] >= tau"]

Values are normalised, so tau, the highest feasible value seen, is 1. The mean squared error is taken over the
observations, as the text says. The expectation is exact where few rows break a rule; otherwise every epoch draws a
fresh uniform batch of such rows, with all observations beside it (Appendix F), which is unbiased. A model rests
from the epoch on in which its total loss meets the target. Adam's moments begin anew in every round; parameters go
on.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.feasible.code_set import CodeSet
from hedgerow.tensors.adam import adam_step
from hedgerow.tensors.losses import hinge_losses
from hedgerow.tensors.tensor_format import Codes, Entries, Parameters, TensorFormat

PerModel = NDArray[np.float64]  # (n_models,)
TNorm = Literal["lukasiewicz", "product", "goedel"]

# Spaces up to this size are listed once, so that a batch is a matter of picking lines.
_LIST_LIMIT = 2**19
_CHUNK = 2**15
# Batches drawn at a time, at most: drawing has a fixed cost, and rows drawn after the last epoch are wasted.
_MOST_BATCHES = 16
# A step of Adam moves every factor of a product by about the learning rate, so an entry moves by that times the number
# of slots. Up to this number the learning rate is as given; above, it shrinks in proportion.
_SLOTS_AT_FULL_RATE = 16
# The product penalty is a straight line from this violation on, where its logarithm would soon be infinite.
_STRAIGHT_FROM = 0.9
# How sharply the Goedel penalty looks at the worst rows.
_SHARPNESS = 10.0


@dataclass(frozen=True)
class Pgrad:
    """Settings of the training.

    penalty is the paper's lambda; loss_target and max_epochs end a model's training in each round. batch_size and
    exact_limit count infeasible rows: up to exact_limit of them the expectation is exact, in about 0.6 ms per epoch of
    ten rank-3 trains. A batch of 512 costs about 0.15 ms and reaches nearly the same loss; models then rest when the
    loss of a batch meets the target, which is a little early: at a
    true loss of 0.10 to 0.11 for 0.1 (up to 0.12 with 128 rows).
    """

    penalty: float = 1.0
    tnorm: TNorm = "lukasiewicz"
    learning_rate: float = 0.01
    loss_target: float = 0.1
    max_epochs: int = 1000
    batch_size: int = 512
    exact_limit: int = 5000

    def __post_init__(self) -> None:
        if self.tnorm not in _VIOLATIONS:
            raise ValueError(f"There is no T-norm {self.tnorm!r}. Choose one of {', '.join(_VIOLATIONS)}.")
        if not (self.penalty >= 0 and self.learning_rate > 0 and self.max_epochs >= 0 and self.batch_size > 0):
            raise ValueError(
                "Training needs penalty >= 0, learning_rate > 0, max_epochs >= 0 and batch_size > 0; got "
                f"{self.penalty}, {self.learning_rate}, {self.max_epochs} and {self.batch_size}."
            )


@dataclass(frozen=True)
class TrainingReport:
    """How the training of each model ended; penalty and violated are of the rows of its last epoch."""

    epochs: NDArray[np.int64]
    data_loss: PerModel
    penalty: PerModel
    violated: PerModel


class InfeasibleRows(Protocol):
    """The rows that break a rule: all of them where they are few, and uniform draws in any case."""

    @property
    def listed(self) -> Codes | None:
        """All rows, or None where they are too many to list."""

    def draw(self, n: int, rng: Generator) -> Codes:
        """Return n independent uniform rows."""


@dataclass(frozen=True)
class ListedRows:
    """Infeasible rows as a list."""

    rows: Codes

    @property
    def listed(self) -> Codes:
        """All rows."""
        return self.rows

    def draw(self, n: int, rng: Generator) -> Codes:
        """Return n independent uniform rows."""
        return self._compact.take(rng.integers(0, self.rows.shape[0], size=n), axis=0).astype(np.int64)

    @cached_property
    def _compact(self) -> NDArray[np.integer]:
        """The rows in the fewest bytes: random lines of a list that fits the cache come several times faster."""
        return self.rows.astype(np.min_scalar_type(int(self.rows.max())))


@dataclass(frozen=True)
class DrawnRows:
    """Infeasible rows by a function that draws them, as `CodeSet.draw_rejected` does."""

    source: Callable[[int, Generator], Codes]

    @property
    def listed(self) -> None:
        """They are too many to list."""

    def draw(self, n: int, rng: Generator) -> Codes:
        """Return n independent uniform rows."""
        return self.source(n, rng)


def infeasible_rows(
    feasible: CodeSet, level_counts: Sequence[int], list_limit: int = _LIST_LIMIT
) -> InfeasibleRows | None:
    """Return the rows that break a rule, or None where every row is feasible. Build it once per problem."""
    n_points = math.prod(level_counts)
    if n_points > list_limit:
        has_none = feasible.is_exact and feasible.count == n_points
        return None if has_none else DrawnRows(feasible.draw_rejected)
    kept = []
    for start in range(0, n_points, _CHUNK):
        numbers = np.arange(start, min(start + _CHUNK, n_points))
        rows = np.stack(np.unravel_index(numbers, tuple(level_counts)), axis=1).astype(np.int64)
        kept.append(rows[~feasible.accepts(rows)])
    rejected = np.concatenate(kept)
    return ListedRows(rejected) if rejected.size else None


def train(
    tensor: TensorFormat,
    codes: Codes,
    values: NDArray[np.float64],
    infeasible: InfeasibleRows | None,
    settings: Pgrad,
    rng: Generator,
    *,
    parameters: Parameters,
    threshold: float = 1.0,
) -> tuple[Parameters, TrainingReport]:
    """Return trained parameters and how training went; `values` are normalised, `threshold` is tau on their scale."""
    result = parameters.copy()
    n_models = parameters.shape[1]
    epochs = np.zeros(n_models, dtype=np.int64)
    ends = np.zeros((3, n_models))
    rate = settings.learning_rate * min(1.0, _SLOTS_AT_FULL_RATE / codes.shape[1])
    active = np.arange(n_models)
    moving, mean, square = result.copy(), np.zeros_like(result), np.zeros_like(result)
    for epoch, rows in enumerate(_batches(codes, infeasible, settings, rng)):
        evaluation = tensor.evaluate(moving, rows)
        losses, weights = _losses(evaluation.entries, values, threshold, settings)
        rests = (losses[0] + settings.penalty * losses[1] <= settings.loss_target) | (epoch == settings.max_epochs)
        if rests.any():
            epochs[active[rests]], ends[:, active[rests]] = epoch, losses[:, rests]
            result[:, active[rests]] = moving[:, rests]
            active = active[~rests]
        if active.size == 0:
            break
        gradient = evaluation.gradient(weights)
        if rests.any():
            moving, mean, square, gradient = _kept(~rests, moving, mean, square, gradient)
        adam_step(moving, gradient, mean, square, rate, epoch + 1)
    return result, TrainingReport(epochs, *ends)


def _kept(which: NDArray[np.bool_], *arrays: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    return [np.ascontiguousarray(array[:, which]) for array in arrays]


def _batches(codes: Codes, infeasible: InfeasibleRows | None, settings: Pgrad, rng: Generator) -> Iterator[Codes]:
    """Yield the rows of each epoch: the observations, then infeasible rows. Endless."""
    if infeasible is None or settings.penalty == 0.0:
        while True:
            yield codes
    if infeasible.listed is not None and infeasible.listed.shape[0] <= settings.exact_limit:
        rows = np.concatenate([codes, infeasible.listed])
        while True:
            yield rows
    n_batches = 1
    while True:
        drawn = infeasible.draw(n_batches * settings.batch_size, rng)
        for batch in np.split(drawn, n_batches):
            yield np.concatenate([codes, batch])
        n_batches = min(2 * n_batches, _MOST_BATCHES)


def _losses(
    entries: Entries, values: NDArray[np.float64], threshold: float, settings: Pgrad
) -> tuple[NDArray[np.float64], Entries]:
    """Return data loss, penalty and share of violated rows per model, and d(total loss)/d(entries).

    The first entries belong to the observations, the others to infeasible rows.
    """
    losses, weights = np.zeros((3, entries.shape[1])), np.empty_like(entries)
    hinge_losses(entries, values, threshold, settings.penalty, losses, weights)
    n = values.size
    if settings.tnorm != "lukasiewicz" and entries.shape[0] > n:
        losses[1], slopes = violation(threshold - entries[n:], settings.tnorm)
        np.multiply(slopes, -settings.penalty, out=weights[n:])
    return losses, weights


def violation(gaps: Entries, tnorm: TNorm) -> tuple[PerModel, Entries]:
    """Return how far the rule "every infeasible row lies at tau or above" is violated, and its slope in each gap.

    Gaps are tau - Y[x]. A row's truth score is s = 1 - max(0, gap). For every T-norm the residuum of "infeasible
    implies high" with a true antecedent is I(1, s) = sup{z : T(1, z) <= s} = s, so T-norms differ in how the rows are
    joined: by the T-norm itself. With an additive generator f, joined truth is a sum of f(s), which is the loss.

    - Lukasiewicz, f(s) = 1 - s: the mean of max(0, gap), the paper's hinge. (Not cut at 1: far rows keep their slope.)
    - product, f(s) = -log s: the mean of -log(1 - max(0, gap)), continued as a straight line from 0.9 on.
    - Goedel, T = min, without generator: the largest gap counts. For useful slopes the maximum is softened to
      log(mean(exp(k max(0, gap)))) / k with k = 10, which lies between the mean and the largest.
    """
    return _VIOLATIONS[tnorm](gaps)


def _lukasiewicz(gaps: Entries) -> tuple[PerModel, Entries]:
    n = gaps.shape[0]
    return np.maximum(gaps, 0.0).sum(axis=0) / n, (gaps > 0.0) * (1.0 / n)


def _product(gaps: Entries) -> tuple[PerModel, Entries]:
    n = gaps.shape[0]
    curved = np.clip(gaps, 0.0, _STRAIGHT_FROM)
    steepness = 1.0 / (1.0 - curved)
    straight = np.maximum(gaps - _STRAIGHT_FROM, 0.0) * steepness
    return (straight - np.log1p(-curved)).mean(axis=0), np.where(gaps > 0.0, steepness, 0.0) / n


def _goedel(gaps: Entries) -> tuple[PerModel, Entries]:
    n = gaps.shape[0]
    heights = _SHARPNESS * np.maximum(gaps, 0.0)
    highest = heights.max(axis=0)
    shares = np.exp(heights - highest)
    total = shares.sum(axis=0)
    return (highest + np.log(total / n)) / _SHARPNESS, np.where(gaps > 0.0, shares / total, 0.0)


_VIOLATIONS: dict[TNorm, Callable[[Entries], tuple[PerModel, Entries]]] = {
    "lukasiewicz": _lukasiewicz,
    "product": _product,
    "goedel": _goedel,
}
