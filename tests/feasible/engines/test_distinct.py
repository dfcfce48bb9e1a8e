"""Changes of rows under all different, against looking at every changed row."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow import FeasibleSet, Integer, Space, Vector
from hedgerow.feasible.changes import changed_rows
from hedgerow.feasible.engines.solved import SolvedSet


@pytest.mark.parametrize(
    "rule", ["all_different(x)", "all_different(x, ignore=2)", "all_different([x[0], x[3], y, x[1]])"]
)
def test_changes_are_those_of_the_rows_that_are_accepted(rule: str) -> None:
    # Values that are equal across kinds count as equal.
    space = Space({"x": Vector(Integer(0, 4), 4), "y": [1.0, 2.5, 3.0, 7.0], "z": [0, 1]})
    # Nothing fits the diagram, so that the rule is asked itself.
    codes = FeasibleSet(space, [rule, "x[0] + z != 3"], node_budget=1).codes
    assert isinstance(codes, SolvedSet)
    rng = np.random.default_rng(0)
    starts = [*codes.draw(3, rng), *rng.integers(0, space.sizes, size=(6, len(space.sizes)))]
    sizes = space.sizes
    for row in starts:
        singles = [(s, c, -1, 0) for s in range(6) for c in range(sizes[s]) if c != row[s]]
        pairs = [(*a[:2], *b[:2]) for a in singles for b in singles if a[0] < b[0]]
        for n_slots, possible in ((1, singles), (2, pairs)):
            every = np.array(possible)
            kept = every[codes.accepts(changed_rows(row, every))]
            found = codes.changes(row, n_slots)
            assert sorted(map(tuple, found.tolist())) == sorted(map(tuple, kept.tolist()))


def test_where_only_swaps_keep_a_row_different_these_are_found() -> None:
    space = Space({"x": Vector(Integer(1, 5), 5), "z": Vector([0, 1], 2)})
    codes = FeasibleSet(space, ["all_different(x)", "x[0] + z[0] != 3", "x[2] < 5 or z[1] == 1"], node_budget=1).codes
    assert isinstance(codes, SolvedSet)
    for row in codes.draw(4, np.random.default_rng(1)):
        singles = [(s, c, -1, 0) for s in range(7) for c in range(space.sizes[s]) if c != row[s]]
        pairs = [(*a[:2], *b[:2]) for a in singles for b in singles if a[0] < b[0]]
        for n_slots, possible in ((1, singles), (2, pairs)):
            every = np.array(possible)
            kept = every[codes.accepts(changed_rows(row, every))]
            assert sorted(map(tuple, codes.changes(row, n_slots).tolist())) == sorted(map(tuple, kept.tolist()))
