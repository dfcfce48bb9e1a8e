"""Merging: distinct keys, distinct rows (also when hashes collide), and reduced machines and diagrams."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hedgerow.diagram import reduce
from hedgerow.diagram.machine import Machine
from hedgerow.diagram.reduce import compress, reduce_machine, unique_rows
from hedgerow.diagram.walk import accepts
from tests.diagram.diagrams import CodeRows, all_rows, code_rows
from tests.strategies import examples


@examples(100)
@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=30),
    st.sampled_from([41, 2**13, 2**40]),
    st.booleans(),
)
def test_compress_lists_distinct_keys_in_order(keys: list[int], upper: int, keep_zero: bool) -> None:
    distinct, places = compress(np.array(keys), upper, keep_zero)
    expected = sorted({*keys, 0}) if keep_zero else sorted(set(keys))
    assert distinct.tolist() == expected
    assert [expected[place] for place in places.tolist()] == keys


def check_kinds(rows: NDArray[np.int32]) -> None:
    first, kinds = unique_rows(rows)
    listed = [tuple(row) for row in rows.tolist()]
    assert sorted(listed[index] for index in first.tolist()) == sorted(set(listed))
    assert [listed[int(first[kind])] for kind in kinds.tolist()] == listed


SHAPES = [(0, 3), (1, 3), (2, 1), (40, 3), (49, 3), (300, 2), (300, 5), (60, 200), (500, 1)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n_values", [1, 2, 50])
def test_unique_rows_finds_every_kind_once(shape: tuple[int, int], n_values: int) -> None:
    rows = np.random.default_rng(sum(shape)).integers(0, n_values, size=shape).astype(np.int32)
    check_kinds(rows)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("collide", ["all", "first column"])
def test_unique_rows_survives_colliding_hashes(
    shape: tuple[int, int], collide: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def poor_hashes(rows: NDArray[np.int32]) -> NDArray[np.uint64]:
        return (rows[:, 0] * (collide == "first column")).astype(np.uint64)

    monkeypatch.setattr(reduce, "_row_hashes", poor_hashes)
    rows = np.random.default_rng(sum(shape)).integers(0, 3, size=shape).astype(np.int32)
    check_kinds(rows)


def test_unique_rows_tells_permuted_columns_apart() -> None:
    rows = np.array([[a, b, c] for a in range(5) for b in range(5) for c in range(5)], dtype=np.int32)
    first, _ = unique_rows(np.concatenate([rows, rows[::-1]]))
    assert first.size == 125


@examples(60)
@given(code_rows())
def test_a_reduced_diagram_has_no_equal_nodes_and_no_dead_ones(content: CodeRows) -> None:
    diagram = content.diagram
    for table in diagram.tables:
        assert not table[0].any()
        assert table[1:].any(axis=1).all()
        assert len({tuple(row) for row in table.tolist()}) == table.shape[0]
    rows = np.array(all_rows(content.sizes))
    assert accepts(diagram, rows).tolist() == [tuple(row) in set(content.rows) for row in rows.tolist()]


def test_equal_sets_have_equal_diagrams() -> None:
    left = CodeRows((2, 3), ((0, 1), (1, 2))).diagram
    right = CodeRows((2, 3), ((1, 2), (0, 1))).diagram
    assert [table.tolist() for table in left.tables] == [table.tolist() for table in right.tables]


def test_a_machine_merges_states_with_equal_labels() -> None:
    tables = (np.array([[0, 1, 2]], dtype=np.int32), np.array([[0, 1], [2, 3], [1, 0]], dtype=np.int32))
    machine = reduce_machine(Machine((0, 1), tables, 4), np.array([0, 1, 0, 1]))
    assert machine.n_outputs == 2
    assert machine.tables[1].shape[0] == 2
    outputs = [[machine.tables[1][machine.tables[0][0, a], b] for b in range(2)] for a in range(3)]
    assert outputs == [[0, 1], [0, 1], [1, 0]]
