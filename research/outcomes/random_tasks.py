"""Random tasks for stopping: small spaces under random rules, whose objectives come from three families.

*forest*: the sum of random regression trees, in steps as configurations of software and kernels are. *polynomial*: a
sparse one, with effects of single variables, pairs and a triple. *waves*: smooth over ordered variables, with a part
that belongs to each point alone. A task is a function of its family and number; numbers below `FIRST_HELD_OUT` are for
choosing rules and constants on, the others are looked at once, after that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

import hedgerow as hr
from hedgerow.arrays import Codes, Column, Matrix
from hedgerow.feasible import FeasibleSet
from hedgerow.space import Point
from hedgerow.space.encoding import encode
from research.outcomes.task import OutcomeTask

FIRST_HELD_OUT = 1000
_FEWEST, _MOST = 300, 6000
_N_TREES, _DEPTH = 24, 4


def random_task(name: str) -> OutcomeTask:
    """Return the task of a name such as `forest 12`."""
    family, _, number = name.partition(" ")
    rng = np.random.default_rng([80, list(FAMILIES).index(family), int(number)])
    space, rules, rows = _space_and_rules(rng)
    values = dict(zip((row.tobytes() for row in rows), FAMILIES[family](space, rows, rng).tolist(), strict=True))

    def truth(point: Point) -> dict[str, float]:
        return {"value": values[encode(space, point).tobytes()]}

    return OutcomeTask(name, space, rules, {"value": "minimize"}, truth)


def _space_and_rules(rng: Generator) -> tuple[hr.Space, tuple[str, ...], Codes]:
    """Return a space and rules that leave a few hundred to a few thousand points; drawn until they do."""
    while True:
        n = int(rng.integers(4, 8))
        variables: dict[str, Any] = {}
        for k in range(n):
            is_ordered = rng.random() < 0.7
            size = int(rng.integers(3, 10) if is_ordered else rng.integers(2, 6))
            variables[f"x{k}"] = hr.Integer(0, size - 1) if is_ordered else [f"v{level}" for level in range(size)]
        space = hr.Space(variables)
        ordered = [k for k in range(n) if space.slots[k].variable.is_ordered]
        if len(ordered) < 2:
            continue
        rules = tuple(_rule(space, ordered, rng) for _ in range(int(rng.integers(1, 4))))
        feasible = FeasibleSet(space, rules) if len(set(rules)) == len(rules) else None
        if feasible is not None and _FEWEST <= feasible.count <= _MOST:
            return space, rules, np.concatenate(list(feasible.codes.batches()))


def _rule(space: hr.Space, ordered: list[int], rng: Generator) -> str:
    a, b = (int(k) for k in rng.choice(ordered, 2, replace=False))
    high_a, high_b = space.sizes[a] - 1, space.sizes[b] - 1
    kinds = (
        f"x{a} + x{b} <= {int(rng.integers(1 + (high_a + high_b) // 3, high_a + high_b))}",
        f"x{a} * x{b} <= {int(rng.integers(1 + high_a * high_b // 4, high_a * high_b))}",
        f"implies(x{a} >= {int(rng.integers(1, high_a + 1))}, x{b} <= {int(rng.integers(0, high_b))})",
        f"x{a} % 2 == 0 or x{b} % 2 == 1",
    )
    return kinds[int(rng.integers(len(kinds)))]


def _forest(space: hr.Space, rows: Codes, rng: Generator) -> Column:
    weights = rng.dirichlet(np.full(rows.shape[1], 0.7))
    total = np.zeros(rows.shape[0])
    for _ in range(_N_TREES):
        leaf = np.zeros(rows.shape[0], dtype=np.int64)
        for _ in range(_DEPTH):
            slot = int(rng.choice(rows.shape[1], p=weights))
            if space.slots[slot].variable.is_ordered:
                goes_right = rows[:, slot] > rng.integers(space.sizes[slot] - 1)
            else:
                goes_right = (rng.random(space.sizes[slot]) < 0.5)[rows[:, slot]]
            leaf = 2 * leaf + goes_right
        total += rng.normal(size=2**_DEPTH)[leaf]
    return total


def _polynomial(space: hr.Space, rows: Codes, rng: Generator) -> Column:
    places = _coordinates(space, rows, rng)
    n = rows.shape[1]
    total = np.zeros(rows.shape[0])
    for slot in rng.choice(n, max(2, n // 2), replace=False):
        total += rng.normal() * places[:, slot] + rng.normal() * places[:, slot] ** 2
    for _ in range(3):
        a, b = rng.choice(n, 2, replace=False)
        total += 1.5 * rng.normal() * places[:, a] * places[:, b]
    a, b, c = rng.choice(n, 3, replace=False)
    return np.asarray(total + 2.0 * rng.normal() * places[:, a] * places[:, b] * places[:, c])


def _waves(space: hr.Space, rows: Codes, rng: Generator) -> Column:
    places = _coordinates(space, rows, rng)
    waves = np.zeros(rows.shape[0])
    for _ in range(12):
        rate = rng.normal(size=rows.shape[1]) * rng.gamma(1.0, 0.8, size=rows.shape[1])
        waves += rng.normal() * np.cos(places @ rate + rng.uniform(0, 2 * np.pi))
    own = rng.uniform(0.0, 0.1) * waves.std()
    return np.asarray(waves + own * rng.normal(size=rows.shape[0]))


def _coordinates(space: hr.Space, rows: Codes, rng: Generator) -> Matrix:
    """Return a number from -1 to 1 for each value: evenly spaced where values are ordered, else drawn."""
    columns = []
    for slot, info in enumerate(space.slots):
        size = space.sizes[slot]
        own = np.linspace(-1, 1, size) if info.variable.is_ordered else rng.uniform(-1, 1, size)
        columns.append(own[rows[:, slot]])
    return np.stack(columns, axis=1)


FAMILIES: dict[str, Callable[[hr.Space, Codes, Generator], Column]] = {
    "forest": _forest,
    "polynomial": _polynomial,
    "waves": _waves,
}
