"""Generated problems with rules, none of which was used to choose a constant: a seed gives a new one of each kind.

All are small enough to be listed, so that the optimum is known; those above 30,000 points are searched by the default.
Functions are given as tables over the listed rows, so that a trial costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.feasible import FeasibleSet
from hedgerow.space import Integer, Space, Vector

Values = NDArray[np.float64]
Function = Callable[[Codes], Values]


@dataclass(frozen=True, eq=False)
class SensitivityTask:
    """One problem: its feasible set, the listed rows with their true values, and what trials tell."""

    feasible: FeasibleSet
    places: dict[bytes, int]
    values: Values  # (n_rows,): the truth
    told: Values  # (n_rows,): what a trial gives, NaN where it fails

    @property
    def optimum(self) -> float:
        """The lowest true value where trials do not fail."""
        return float(self.values[np.isfinite(self.told)].min())


@dataclass(frozen=True)
class Kind:
    """A kind of problem: space, rules, how functions are drawn, and what trials add to the truth."""

    name: str
    space: Space
    rules: tuple[str, ...]
    draw: Callable[[Codes, Generator], Values]
    is_searched: bool = False
    is_long: bool = False
    has_large_slots: bool = False
    fails: float = 0.0
    noise: float = 0.0

    def task(self, seed: int) -> SensitivityTask:
        """Return the problem of a seed; the set is the same for all seeds, the function is not."""
        rng = np.random.default_rng([seed, sum(self.name.encode())])
        feasible = FeasibleSet(self.space, self.rules)
        rows = np.concatenate(list(feasible.codes.batches()))
        values = self.draw(rows, rng)
        values = (values - values.mean()) / values.std()
        told = values + self.noise * rng.normal(size=values.size)
        if self.fails:
            # Whole parts of the space fail, as where a kernel does not fit into shared memory.
            danger = _polynomial(rows, rng, 4)
            told[danger > np.quantile(danger, 1 - self.fails)] = np.nan
        return SensitivityTask(feasible, {row.tobytes(): place for place, row in enumerate(rows)}, values, told)


def _polynomial(rows: Codes, rng: Generator, n_terms: int = 12) -> Values:
    """A sparse polynomial of degree three in the slots, each scaled and bent at random."""
    x = 2.0 * rows / np.maximum(1, rows.max(axis=0)) - 1.0
    total = np.zeros(rows.shape[0])
    for _ in range(n_terms):
        chosen = rng.choice(x.shape[1], size=int(rng.integers(1, min(3, x.shape[1]) + 1)), replace=False)
        bent = (x[:, chosen] - rng.uniform(-0.7, 0.7, chosen.size)) ** rng.integers(1, 3)
        total += rng.normal() * np.prod(bent, axis=1)
    return total


def _forest(rows: Codes, rng: Generator, n_trees: int = 12, depth: int = 4) -> Values:
    """A sum of random decision trees: steps everywhere, gradients nowhere."""
    total = np.zeros(rows.shape[0])
    for _ in range(n_trees):
        leaf = np.zeros(rows.shape[0], dtype=np.int64)
        for _ in range(depth):
            slot = int(rng.integers(rows.shape[1]))
            leaf = 2 * leaf + (rows[:, slot] > rng.integers(max(1, rows[:, slot].max())))
        total += rng.normal(size=2**depth)[leaf]
    return total


def _nk(rows: Codes, rng: Generator, n_partners: int = 3) -> Values:
    """Kauffman's NK landscape: every bit with three others has a table of its own; rugged."""
    total = np.zeros(rows.shape[0])
    for slot in range(rows.shape[1]):
        others = rng.choice(np.delete(np.arange(rows.shape[1]), slot), n_partners, replace=False)
        index = rows[:, [slot, *others]] @ (2 ** np.arange(n_partners + 1))
        total += rng.random(2 ** (n_partners + 1))[index]
    return total


def _assignment(rows: Codes, rng: Generator) -> Values:
    """Quadratic assignment: what flows between two things times how far apart they are placed."""
    n = rows.shape[1]
    flow, distance = rng.random((n, n)), rng.random((n, n))
    pairs = [flow[i, j] * distance[rows[:, i], rows[:, j]] for i, j in combinations(range(n), 2)]
    return np.asarray(np.sum(pairs, axis=0) + rng.random((n, n))[np.arange(n), rows].sum(axis=1))


def _valley(rows: Codes, rng: Generator) -> Values:
    """A narrow valley across the axes, with values over several orders of magnitude."""
    x = 2.0 * rows / np.maximum(1, rows.max(axis=0)) - 1.0
    turn, _ = np.linalg.qr(rng.normal(size=(x.shape[1],) * 2))
    offset = (x - rng.uniform(-0.5, 0.5, x.shape[1])) @ turn
    height = (offset**2 * np.logspace(0.0, 1.0, x.shape[1])).sum(axis=1)
    return np.asarray(np.expm1(np.minimum(3.0 * height / np.quantile(height, 0.9), 6.0)))


def _stepped(rows: Codes, rng: Generator) -> Values:
    """A polynomial in coarse steps, as counts are."""
    smooth = _polynomial(rows, rng)
    return np.asarray(np.round(8.0 * smooth / smooth.std()))


KINDS = (
    Kind("rugged", Space({"x": Vector(bool, 11)}), ("x[0] or x[1]", "sum(x) >= 4"), _nk),
    Kind("assignment", Space({"x": Vector(Integer(0, 5), 6)}), ("all_different(x)",), _assignment),
    Kind("valley", Space({"x": Vector(Integer(0, 7), 4)}), ("x[0] + x[1] <= 7", "x[2] != x[3]"), _valley),
    Kind("steps", Space({"x": Vector(Integer(0, 4), 5)}), ("sum(x) >= 6", "x[0] <= x[4]"), _stepped),
    Kind("failing", Space({"x": Vector(Integer(0, 3), 6)}), ("sum(x) <= 8",), _polynomial, fails=0.3),
    Kind("noisy", Space({"x": Vector(Integer(0, 4), 5)}), ("x[0] + x[3] <= 4",), _forest, noise=0.3),
    Kind("long list", Space({"x": Vector(Integer(0, 3), 8)}), ("11 <= sum(x) <= 13",), _polynomial, is_long=True),
    Kind("searched", Space({"x": Vector(Integer(0, 3), 9)}), ("12 <= sum(x) <= 13",), _polynomial, is_searched=True),
    Kind(
        "large slots",
        Space({"x": Vector(Integer(0, 49), 4)}),
        ("sum(x) == 90", "x[0] <= x[1]"),
        _valley,
        is_searched=True,
        has_large_slots=True,
    ),
)
