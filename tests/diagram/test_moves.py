"""Compiled moves against the plain walk."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.diagram.machine import everything
from hedgerow.diagram.moves import Moves
from hedgerow.diagram.walk import one_change, two_changes
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


def test_there_is_room_for_any_number_of_moves() -> None:
    moves = Moves(everything(range(60), [3] * 60))
    codes = np.zeros(60, dtype=np.int64)
    assert moves.changes(codes, 2).shape == (60 * 59 // 2 * 4, 4)
    assert moves.changes(codes, 1).shape == (120, 4)
