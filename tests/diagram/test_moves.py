"""Compiled moves against the plain walk."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.diagram.machine import everything
from hedgerow.diagram.moves import Moves
from hedgerow.diagram.walk import accepts, one_change, two_changes
from tests.diagram.diagrams import CodeRows, all_rows, code_rows
from tests.strategies import examples


def changed(codes: list[int], change: list[int]) -> tuple[int, ...]:
    row = list(codes)
    row[change[0]] = change[1]
    if change[2] >= 0:
        row[change[2]] = change[3]
    return tuple(row)


@examples(100)
@given(code_rows(), st.data())
def test_moves_are_those_of_the_walk_row_after_row(content: CodeRows, data: st.DataObject) -> None:
    # All edges count as many, so that pairs are found backwards; or none.
    moves = Moves(content.diagram, large=data.draw(st.sampled_from([0, 10**9])))
    for start in data.draw(st.lists(st.sampled_from(all_rows(content.sizes)), min_size=1, max_size=4)):
        codes = np.array(start, dtype=np.int64)
        for n_places, walk in ((1, one_change), (2, two_changes)):
            found = [changed(list(start), change) for change in moves.changes(codes, n_places).tolist()]
            changes = moves.changes(codes, n_places).tolist()
            assert changes == sorted(changes)
            assert sorted(found) == sorted(map(tuple, walk(content.diagram, codes).tolist()))


@examples(100)
@given(code_rows(), st.data())
def test_moves_to_allowed_codes_are_those_of_all_moves(content: CodeRows, data: st.DataObject) -> None:
    moves = Moves(content.diagram, large=data.draw(st.sampled_from([0, 10**9])))
    allowed = (
        np.random.default_rng(data.draw(st.integers(0, 99))).random((len(content.sizes), max(content.sizes))) < 0.6
    )
    codes = np.array(data.draw(st.sampled_from(all_rows(content.sizes))), dtype=np.int64)
    for n_places in (1, 2):
        everything_found = moves.changes(codes, n_places).tolist()
        expected = [
            change
            for change in everything_found
            if allowed[change[0], change[1]] and (change[2] < 0 or allowed[change[2], change[3]])
        ]
        assert moves.changes(codes, n_places, allowed).tolist() == expected


@examples(50)
@given(code_rows())
def test_rows_are_accepted_as_by_the_walk(content: CodeRows) -> None:
    rows = np.array(all_rows(content.sizes), dtype=np.int64)
    np.testing.assert_array_equal(Moves(content.diagram).accept(rows), accepts(content.diagram, rows))


def test_there_is_room_for_any_number_of_moves() -> None:
    moves = Moves(everything(range(60), [3] * 60))
    codes = np.zeros(60, dtype=np.int64)
    assert moves.changes(codes, 2).shape == (60 * 59 // 2 * 4, 4)
    assert moves.changes(codes, 1).shape == (120, 4)
