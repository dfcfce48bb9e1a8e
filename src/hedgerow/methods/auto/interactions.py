"""Pairs of slots that act together, found in the observations.

A product over all slots knows interactions of every order and none in particular. Where a function is a sum over a few
pairs of many slots (couplings of spins, options that help or hinder each other), knowing which pairs is worth more than
a hundred observations. They are looked for by a sparse fit of everything that two slots can do together; evidence says
whether a kernel that sees those found is better, and pays for having picked them.
"""

from __future__ import annotations

import math
from itertools import combinations, combinations_with_replacement

import numpy as np

from hedgerow.arrays import Codes, Column, Matrix
from hedgerow.methods.auto.interactions_loops import sparse_fit
from hedgerow.methods.auto.kernel.derived import Coordinate, Derived
from hedgerow.methods.auto.kernel.tensor_kernel import TensorKernel
from hedgerow.methods.auto.kernel.view import View

KIND = "pairs"
# The product over all slots sees the pairs of fewer slots as well. Of fewer observations no fit is to be trusted.
_LEAST_SLOTS = 8
_LEAST_SEEN = 40
# Pairs with more contents are not learned in some hundred trials. Where all pairs together have more columns than this,
# none is looked at: they would take 40 MB and more at 250 observations.
_MAX_CONTENTS = 16
_MAX_LOOKED_AT = 20_000
# Columns that are fitted: those that go with the targets best.
_MAX_COLUMNS = 2_000
# The penalty of the fit, as a part of the least that leaves nothing. Observations are nearly exact, so it is small.
_PENALTY = 0.005
# Pairs weaker than this part of the strongest are left out; so are all beyond so many for each slot.
_LEAST_STRENGTH = 0.05
_PAIRS_PER_SLOT = 2
# The part that is paid of the logarithm of all ways to pick. Where there is nothing to find, what is picked improves
# the evidence by up to 0.55 a pair (contamination, MaxSAT, scattered triples) and costs 0.8; couplings improve it by 1
# to 3.
_PRICE = 0.3


def pairs_view(kernel: TensorKernel, codes: Codes, targets: Column) -> View | None:
    """Return the kernel's slots with the pairs that seem to act together; None where there are none to speak of."""
    if kernel.n_slots < _LEAST_SLOTS or targets.size < _LEAST_SEEN:
        return None
    candidates = _candidates(kernel)
    pairs = interacting_pairs(kernel, codes, targets)
    if not pairs:
        return None
    coordinates = [_both(first, second, kernel.sizes) for first, second in pairs]
    return View.of((KIND,), kernel, Derived.of([coordinates], kernel.n_slots), _log_price(len(pairs), len(candidates)))


def interacting_pairs(kernel: TensorKernel, codes: Codes, targets: Column) -> list[tuple[int, int]]:
    """Return the pairs of slots that a sparse fit of the targets needs most, the strongest first."""
    pairs = _candidates(kernel)
    if not pairs:
        return []
    plain = _plain(kernel)
    contrasts = {slot: _contrasts(kernel.sizes[slot])[:, codes[:, slot]] for slot in plain}
    alone = [contrasts[slot] for slot in plain]
    together = [(contrasts[i][:, None] * contrasts[j]).reshape(-1, targets.size) for i, j in pairs]
    # -1 for what a slot does alone.
    owners = np.repeat([-1] * len(alone) + list(range(len(pairs))), [block.shape[0] for block in (*alone, *together)])
    columns = np.concatenate([*alone, *together])
    strengths = np.zeros(len(pairs))
    found = _fitted(columns, targets)
    np.add.at(strengths, owners[owners >= 0], found[owners >= 0] ** 2)
    strengths = np.sqrt(strengths)
    order = np.argsort(-strengths, kind="stable")[: _PAIRS_PER_SLOT * kernel.n_slots]
    return [pairs[k] for k in order if strengths[k] > _LEAST_STRENGTH * strengths.max()]


def _candidates(kernel: TensorKernel) -> list[tuple[int, int]]:
    """Return the pairs of slots that are looked at: none where they are too many."""
    sizes = np.array(kernel.sizes)[_plain(kernel)]
    # How many columns there are is counted by sizes, because thousands of slots have millions of pairs.
    values, counts = np.unique(sizes, return_counts=True)
    n_columns = sum(
        (a - 1) * (b - 1) * (n * (n - 1) // 2 if a == b else n * m)
        for (a, n), (b, m) in combinations_with_replacement(zip(values.tolist(), counts.tolist(), strict=True), 2)
        if a * b <= _MAX_CONTENTS
    )
    if n_columns > _MAX_LOOKED_AT:
        return []
    small = [slot for slot in _plain(kernel) if 2 * kernel.sizes[slot] <= _MAX_CONTENTS]
    of = kernel.sizes
    return [pair for pair in combinations(small, 2) if of[pair[0]] * of[pair[1]] <= _MAX_CONTENTS]


def _plain(kernel: TensorKernel) -> list[int]:
    """Return the slots whose codes are those of the space."""
    return [slot for slot, size in enumerate(kernel.sizes) if size > 1 and slot not in kernel.recoded]


def _log_price(n_picked: int, n_candidates: int) -> float:
    """Return what picking costs: a part of the logarithm of the number of ways to pick so many."""
    return _PRICE * n_picked * (1.0 + math.log(n_candidates / n_picked))


def _fitted(columns: Matrix, targets: Column) -> Column:
    """Return the coefficient of each column in a sparse fit of the targets."""
    columns = columns - columns.mean(axis=1, keepdims=True)
    targets = targets - targets.mean()
    shared = np.abs(columns @ targets)
    kept = np.sort(np.argsort(-shared, kind="stable")[:_MAX_COLUMNS])
    coefficients = np.zeros(columns.shape[0])
    coefficients[kept] = sparse_fit(np.ascontiguousarray(columns[kept]), targets, _PENALTY * float(shared.max()))
    return coefficients


def _contrasts(size: int) -> Matrix:
    """Return what tells the codes of a slot apart: orthogonal rows of mean 0 and mean square 1."""
    rows = np.tril(np.ones((size - 1, size)))
    rows[np.arange(size - 1), np.arange(1, size)] = -np.arange(1.0, size)
    return np.asarray(rows * np.sqrt(size / (rows**2).sum(axis=1, keepdims=True)))


def _both(first: int, second: int, sizes: tuple[int, ...]) -> Coordinate:
    """Return what stands in two slots as one coordinate."""
    counts_for = (np.arange(sizes[first]), sizes[first] * np.arange(sizes[second]))
    return Coordinate((first, second), counts_for, np.arange(sizes[first] * sizes[second]), is_ordered=False)
