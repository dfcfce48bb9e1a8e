"""Membership and changed sequences, against every sequence of the set."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.diagram.machine import everything
from hedgerow.diagram.walk import accepts, one_change, two_changes
from tests.diagram.diagrams import CodeRows, Row, all_rows, code_rows
from tests.strategies import examples


def differing(content: CodeRows, start: Row, n_places: int) -> list[Row]:
    return sorted(row for row in content.rows if sum(a != b for a, b in zip(row, start, strict=True)) == n_places)


@examples(150)
@given(code_rows(), st.data())
def test_changed_sequences_are_exactly_the_accepted_ones(content: CodeRows, data: st.DataObject) -> None:
    start = data.draw(st.sampled_from(all_rows(content.sizes)))
    codes = np.array(start, dtype=np.int64)
    assert sorted(map(tuple, one_change(content.diagram, codes).tolist())) == differing(content, start, 1)
    assert sorted(map(tuple, two_changes(content.diagram, codes).tolist())) == differing(content, start, 2)


def test_membership_of_no_rows_is_no_answer() -> None:
    assert accepts(everything((0, 1), (2, 2)), np.zeros((0, 2), dtype=np.int64)).shape == (0,)


def test_a_long_sequence_has_its_neighbors() -> None:
    diagram = everything(range(500), [3] * 500)
    assert one_change(diagram, np.zeros(500, dtype=np.int64)).shape == (1000, 500)
