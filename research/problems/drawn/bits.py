"""Functions of bits whose positions mean nothing: sums of drawn tables over a few bits each, near or far."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from hedgerow.rules import Rule
from hedgerow.space import Point, Space, Vector
from research.problems.problem import BenchmarkProblem

# So many bits are looked at in all combinations; with more the reference is the lowest of so many descents.
_MOST_LISTED = 24
_N_DESCENTS = 2_000
_TRIPLES_PER_BIT = 2
_PAIRS_PER_SPIN = 2
_AT_ONCE = 2**18

Bits = NDArray[np.int8]  # (n, n_bits)
Values = NDArray[np.float64]


class Tables:
    """A sum of tables, each over the same number of bits: `places` (n_tables, n), `values` (n_tables, 2^n)."""

    def __init__(self, places: NDArray[np.int64], values: Values) -> None:
        self.places = places
        self.values = values

    def __call__(self, bits: Bits) -> Values:
        """Return the value of each row."""
        strides = 2 ** np.arange(self.places.shape[1])
        total = np.zeros(bits.shape[0])
        for places, values in zip(self.places, self.values, strict=True):
            total += values[bits[:, places] @ strides]
        return total


def scattered(n_bits: int, instance: int) -> BenchmarkProblem:
    """Return one of the instances: tables over drawn triples of bits, so that neighbors are nothing special."""
    rng = np.random.default_rng([instance, 11, n_bits])
    places = np.stack([rng.choice(n_bits, 3, replace=False) for _ in range(_TRIPLES_PER_BIT * n_bits)])
    function = Tables(places, rng.normal(size=(places.shape[0], 8)))
    is_listed = n_bits <= _MOST_LISTED
    lowest = _lowest(function, n_bits, None) if is_listed else _descended(function, n_bits, rng)
    return BenchmarkProblem(
        name=f"scattered-{n_bits}-{instance}",
        description=f"{n_bits} bits, drawn tables over {places.shape[0]} triples of them",
        space=Space({"on": Vector(bool, n_bits)}),
        rules=(),
        objective=partial(_objective, function, "on"),
        optimum=lowest if is_listed else None,
        best_known=None if is_listed else lowest,
        n_feasible=2**n_bits,
        budget=150,
    )


def spins(n_bits: int, instance: int) -> BenchmarkProblem:
    """Return one of the instances: couplings between drawn pairs of spins, half of which are up."""
    rng = np.random.default_rng([instance, 12, n_bits])
    places = np.stack([rng.choice(n_bits, 2, replace=False) for _ in range(_PAIRS_PER_SPIN * n_bits)])
    couplings = rng.normal(size=(places.shape[0], 1))
    function = Tables(places, couplings * np.array([1.0, -1.0, -1.0, 1.0]))
    half = n_bits // 2
    return BenchmarkProblem(
        name=f"spins-{n_bits}-{instance}",
        description=f"{n_bits} spins, half of them up, with {places.shape[0]} drawn couplings",
        space=Space({"up": Vector(bool, n_bits)}),
        rules=(Rule(f"sum(up) == {half}", name="half"),),
        objective=partial(_objective, function, "up"),
        optimum=_lowest(function, n_bits, half),
        budget=150,
    )


def _objective(function: Tables, name: str, point: Point) -> float:
    return float(function(np.array([point[name]], dtype=np.int8))[0])


def _lowest(function: Tables, n_bits: int, n_on: int | None) -> float:
    """Return the lowest value over all rows, or over those with so many bits on."""
    lowest = np.inf
    for start in range(0, 2**n_bits, _AT_ONCE):
        numbers = np.arange(start, min(start + _AT_ONCE, 2**n_bits))
        bits = ((numbers[:, None] >> np.arange(n_bits)) & 1).astype(np.int8)
        if n_on is not None:
            bits = bits[bits.sum(axis=1) == n_on]
        if bits.shape[0]:
            lowest = min(lowest, float(function(bits).min()))
    return lowest


def _descended(function: Tables, n_bits: int, rng: np.random.Generator) -> float:
    """Return the lowest value that descents by single bits end at."""
    rows = (rng.random((_N_DESCENTS, n_bits)) < 0.5).astype(np.int8)
    values = function(rows)
    is_moving = np.ones(_N_DESCENTS, dtype=np.bool_)
    while is_moving.any():
        moving = np.flatnonzero(is_moving)
        best, where = values[moving].copy(), np.full(moving.size, -1)
        for bit in range(n_bits):
            rows[moving, bit] ^= 1
            changed = function(rows[moving])
            rows[moving, bit] ^= 1
            is_lower = changed < best - 1e-12
            best[is_lower], where[is_lower] = changed[is_lower], bit
        has_moved = where >= 0
        rows[moving[has_moved], where[has_moved]] ^= 1
        values[moving] = best
        is_moving[moving[~has_moved]] = False
    return float(values.min())
