"""Problems that can be listed, as tables over their points: DNA with hidden motifs, tiles, options, forests, nets.

Levels of labels are permuted, so that no optimum sits in a middle and no order of labels means anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hedgerow.arrays import Codes
from hedgerow.feasible import FeasibleSet
from hedgerow.rules import Rule
from hedgerow.space import Categorical, Point, Space, Vector
from hedgerow.space.encoding import encode
from research.problems.problem import BenchmarkProblem

_BUDGET = 150
_LETTERS = ("A", "C", "G", "T")
_DNA = 8
# Lengths of the hidden motifs, how sharply they bind, and how far readings of a table are off.
_MOTIFS = (5, 6)
_SHARPNESS = 1.5
_OFF = 0.05

Values = NDArray[np.float64]


def motif(instance: int) -> BenchmarkProblem:
    """Return DNA of eight letters, half of them G or C, that binds by two hidden motifs on either strand."""
    rng = np.random.default_rng([instance, 13])
    space = Space({"dna": Vector(Categorical(_LETTERS), _DNA)})
    rule = Rule(f'count(dna == "G") + count(dna == "C") == {_DNA // 2}', name="GC content")
    feasible = FeasibleSet(space, (rule,))
    rows = _rows(feasible)
    strands = (rows, 3 - rows[:, ::-1])
    bound = np.zeros(rows.shape[0])
    for length in _MOTIFS:
        energies = rng.normal(size=(length, 4))
        places = [
            energies[np.arange(length), strand[:, start : start + length]].sum(axis=1)
            for strand in strands
            for start in range(_DNA - length + 1)
        ]
        bound += rng.uniform(0.5, 1.0) * np.exp(_SHARPNESS * np.stack(places)).sum(axis=0) ** (1 / 2)
    scaled = (np.log1p(bound) - np.log1p(bound).min()) / np.ptp(np.log1p(bound))
    values = -(scaled + _OFF * rng.normal(size=scaled.size))
    return _tabled(f"motif-8-{instance}", "DNA of 8 letters with two hidden motifs", feasible, (rule,), rows, values)


def tiles(instance: int) -> BenchmarkProblem:
    """Return a made-up GPU kernel: trends in threads and tiles, steps of a forest, single settings that are special."""
    rng = np.random.default_rng([instance, 14])
    space = Space(
        {
            "block_x": [16, 32, 48, 64, 96, 128, 256],
            "block_y": [1, 2, 4, 8, 16, 32],
            "tile_x": [1, 2, 3, 4, 6, 8],
            "tile_y": [1, 2, 3, 4, 6, 8],
            "unroll": [0, 1, 2, 4],
            "shared": [False, True],
            "layout": ["row", "column", "blocked"],
        }
    )
    rules = (
        Rule("32 <= block_x * block_y <= 1024", name="threads"),
        Rule("(block_x * tile_x + 14) * (block_y * tile_y + 14) <= 24000", name="memory"),
        Rule("unroll <= tile_x * tile_y", name="unrolled"),
    )
    feasible = FeasibleSet(space, rules)
    rows = _rows(feasible)
    sizes = [np.log2(np.array(space.slots[k].variable.values, dtype=float))[rows[:, k]] for k in range(4)]
    threads, area = sizes[0] + sizes[1], sizes[2] + sizes[3]
    trend = 0.25 * (threads - rng.uniform(6, 9)) ** 2 + 0.25 * (area - rng.uniform(1, 4)) ** 2
    trend += 0.1 * (sizes[0] + sizes[2] - rng.uniform(6, 9)) ** 2
    special = np.exp(0.15 * rng.normal(size=rows.shape[0]) * (rng.random(rows.shape[0]) < 0.3))
    values = np.exp(0.3 * trend + 0.25 * _standard(_trees(rows, rng))) * special
    return _tabled(f"tiles-{instance}", "a made-up GPU kernel", feasible, rules, rows, values)


def options(instance: int) -> BenchmarkProblem:
    """Return a made-up product line: few of its options matter, some by twos, and readings are off for good."""
    rng = np.random.default_rng([instance, 17])
    groups = {"storage": 3, "cache": 4, "log": 3, "lock": 2}
    switches = [f"on{k}" for k in range(6)]
    space = Space(
        {
            **{name: [f"{name}{k}" for k in range(n)] for name, n in groups.items()},
            **{name: [False, True] for name in switches},
        }
    )
    rules = (
        Rule("not on0 or storage != 'storage1'", name="needs"),
        Rule("not on1 or on2", name="together"),
        Rule("on3 or on4 or cache == 'cache0'", name="one of both"),
    )
    feasible = FeasibleSet(space, rules)
    rows = _rows(feasible)
    seconds = np.zeros(rows.shape[0])
    for k, slot in enumerate(space.slots):
        seconds += (rng.normal(size=slot.n_levels) * rng.choice([0.1, 0.5, 1.0]))[rows[:, k]]
    for _ in range(4):
        a, b = rng.choice(len(space.slots), 2, replace=False)
        effects = 0.4 * rng.normal(size=(space.slots[a].n_levels, space.slots[b].n_levels))
        seconds += effects[rows[:, a], rows[:, b]]
    values = 100.0 * np.exp(0.2 * _standard(seconds) + _OFF * rng.normal(size=rows.shape[0]))
    return _tabled(f"options-{instance}", "a made-up product line, readings off", feasible, rules, rows, values)


def forest(instance: int) -> BenchmarkProblem:
    """Return a sum of drawn decision trees over labels and numbers, under drawn rules."""
    rng = np.random.default_rng([instance, 15])
    feasible, rules, rows = _mixed(rng)
    values = _standard(_trees(_permuted(feasible.space, rows, rng), rng))
    return _tabled(f"forest-{instance}", "a drawn forest over labels and numbers", feasible, rules, rows, values)


def network(instance: int) -> BenchmarkProblem:
    """Return a drawn neural net over labels and numbers, under drawn rules."""
    rng = np.random.default_rng([instance, 16])
    feasible, rules, rows = _mixed(rng)
    columns: list[Values] = []
    for column, slot in zip(rows.T, feasible.space.slots, strict=True):
        if slot.variable.is_ordered:
            columns.append(2.0 * column / (slot.n_levels - 1) - rng.uniform(0.3, 1.7))
        else:
            columns.extend((column == code).astype(float) for code in range(slot.n_levels))
    inputs = np.stack(columns, axis=1)
    hidden = np.tanh(inputs @ rng.normal(size=(inputs.shape[1], 16)) * 0.8 + rng.normal(size=16))
    hidden = np.tanh(hidden @ rng.normal(size=(16, 16)) * 0.5)
    values = _standard(hidden @ rng.normal(size=16))
    return _tabled(f"network-{instance}", "a drawn neural net over labels and numbers", feasible, rules, rows, values)


def _mixed(rng: Generator) -> tuple[FeasibleSet, tuple[Rule, ...], Codes]:
    """Return a space of two labels and four numbers, with rules that leave some thousand points."""
    variables: Mapping[str, Any] = {
        **{f"kind{k}": [f"{k}{letter}" for letter in "abcd"[: int(rng.integers(3, 5))]] for k in range(2)},
        **{f"size{k}": list(range(int(rng.integers(5, 7)))) for k in range(4)},
    }
    a, b, c, d = rng.permutation(4)
    label = variables["kind0"][int(rng.integers(3))]
    rules = (
        Rule(f"size{a} + size{b} <= 6", name="together"),
        Rule(f"kind0 != '{label}' or size{c} >= 2", name="needs"),
        Rule(f"abs(size{c} - size{d}) <= 2", name="near"),
    )
    feasible = FeasibleSet(Space(variables), rules)
    return feasible, rules, _rows(feasible)


def _permuted(space: Space, rows: Codes, rng: Generator) -> Codes:
    """Return rows with the codes of labels permuted."""
    columns = [
        column if slot.variable.is_ordered else rng.permutation(slot.n_levels)[column]
        for column, slot in zip(rows.T, space.slots, strict=True)
    ]
    return np.stack(columns, axis=1)


def _trees(rows: Codes, rng: Generator, n_trees: int = 20, depth: int = 4) -> Values:
    """Return a sum of decision trees that ask the same question at each depth."""
    total = np.zeros(rows.shape[0])
    for _ in range(n_trees):
        leaf = np.zeros(rows.shape[0], dtype=np.int64)
        for _ in range(depth):
            slot = int(rng.integers(rows.shape[1]))
            leaf = 2 * leaf + (rows[:, slot] > rng.integers(max(1, rows[:, slot].max())))
        total += rng.normal(size=2**depth)[leaf]
    return total


def _standard(values: Values) -> Values:
    return np.asarray((values - values.mean()) / values.std())


def _rows(feasible: FeasibleSet) -> Codes:
    return np.concatenate(list(feasible.codes.batches()))


def _tabled(
    name: str, description: str, feasible: FeasibleSet, rules: tuple[Rule, ...], rows: Codes, values: Values
) -> BenchmarkProblem:
    table = {row.tobytes(): float(value) for row, value in zip(rows, values, strict=True)}
    return BenchmarkProblem(
        name=name,
        description=description,
        space=feasible.space,
        rules=rules,
        objective=partial(_looked_up, feasible.space, table),
        optimum=float(values.min()),
        n_feasible=rows.shape[0],
        budget=_BUDGET,
    )


def _looked_up(space: Space, table: Mapping[bytes, float], point: Point) -> float:
    return table[encode(space, point).tobytes()]
