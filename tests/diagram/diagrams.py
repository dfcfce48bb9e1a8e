"""Sets of code sequences as diagrams, made without the compiler, and what can be said of them in plain Python."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from hedgerow.diagram.machine import Diagram
from hedgerow.diagram.reduce import reduce_diagram

Row = tuple[int, ...]


def all_rows(sizes: Sequence[int]) -> list[Row]:
    """All sequences of codes, in lexicographic order."""
    return list(itertools.product(*map(range, sizes)))


def diagram_of(rows: Iterable[Row], sizes: Sequence[int], layers: Sequence[int] | None = None) -> Diagram:
    """Return the reduced diagram of a set of sequences: a tree of prefixes, merged from the end."""
    kept = set(rows)
    prefixes: list[Row] = [()]
    tables = []
    for length, size in enumerate(sizes, start=1):
        longer = [(*prefix, code) for prefix in prefixes for code in range(size)]
        alive = sorted({row[:length] for row in kept})
        place = {prefix: index for index, prefix in enumerate(alive)}
        # One more state for prefixes that lead nowhere, carried along as the last.
        targets = [place.get(prefix, len(alive)) for prefix in longer]
        tables.append(np.array(targets, dtype=np.int32).reshape(len(prefixes), size))
        prefixes = [*alive, (-1,) * length]
    is_true = np.array([True] * (len(prefixes) - 1) + [False])
    return reduce_diagram(tuple(layers or range(len(sizes))), tables, is_true, start=0)


@dataclass(frozen=True)
class CodeRows:
    """A set of sequences over layers of some sizes."""

    sizes: tuple[int, ...]
    rows: tuple[Row, ...]

    @property
    def diagram(self) -> Diagram:
        return diagram_of(self.rows, self.sizes)


@st.composite
def code_rows(draw: st.DrawFn, max_layers: int = 4, max_size: int = 4) -> CodeRows:
    """A random set of sequences, sparse or dense, now and then empty or full."""
    sizes = tuple(draw(st.lists(st.integers(1, max_size), min_size=1, max_size=max_layers)))
    density = draw(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]))
    source = random.Random(draw(st.integers(0, 2**32)))
    return CodeRows(sizes, tuple(row for row in all_rows(sizes) if source.random() < density))


def large_diagram(seed: int, sizes: Sequence[int], width: int) -> Diagram:
    """Return a random diagram with so many nodes per layer: far too many sequences to list."""
    rng = np.random.default_rng(seed)
    widths = [2, *[width] * (len(sizes) - 1), 2]
    tables = []
    for k, size in enumerate(sizes):
        # One code in five leads nowhere, but never the first.
        table = rng.integers(1, widths[k + 1], size=(widths[k], size)).astype(np.int32)
        table[:, 1:][rng.random((widths[k], size - 1)) < 0.2] = 0
        table[0] = 0
        tables.append(table)
    return reduce_diagram(tuple(range(len(sizes))), tables, np.array([False, True]), start=1)


def plain_counts(diagram: Diagram, to_false: bool = False) -> list[list[int]]:
    """Return for each layer and node the number of completions, with Python's integers."""
    layers = [[1, 0] if to_false else [0, 1]]
    for table in reversed(diagram.tables):
        layers.append([sum(layers[-1][child] for child in row) for row in table.tolist()])
    layers.reverse()
    return layers


def plain_unrank(diagram: Diagram, counts: list[list[int]], rank: int) -> Row:
    """Return the sequence of a rank, code by code."""
    node, codes = diagram.root, []
    for k, table in enumerate(diagram.tables):
        children = table[node].tolist()
        code = 0
        while rank >= counts[k + 1][children[code]]:
            rank -= counts[k + 1][children[code]]
            code += 1
        codes.append(code)
        node = children[code]
    return tuple(codes)
