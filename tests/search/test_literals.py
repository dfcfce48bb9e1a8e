"""Which codes a step looks at."""

from __future__ import annotations

import numpy as np

from hedgerow.feasible.changes import Literals
from hedgerow.search.landscape import ScoredRows
from hedgerow.search.literals import lines_around, lines_for_pairs, lines_towards

SIZES = (3, 1000, 1, 40)
ROW = np.array([1, 500, 0, 7])
EVERYTHING = Literals.all_of(SIZES)


def codes_of(lines: Literals, slot: int) -> list[int]:
    return [int(code) for code in lines.codes[lines.slots == slot]]


def test_all_codes_of_small_slots_are_looked_at_and_some_of_large_ones() -> None:
    lines = lines_around(ROW, EVERYTHING, 50, np.random.default_rng(0))
    assert codes_of(lines, 0) == [0, 1, 2]
    assert codes_of(lines, 2) == []
    assert codes_of(lines, 3) == list(range(40))
    large = codes_of(lines, 1)
    assert {499, 501, 498, 502, 496, 504, 500 - 256, 500 + 256} <= set(large)
    assert 30 <= len(large) <= 50


def test_other_codes_of_large_slots_are_drawn_anew_each_time() -> None:
    rng = np.random.default_rng(0)
    looked_at = {code for _ in range(400) for code in codes_of(lines_around(ROW, EVERYTHING, 50, rng), 1)}
    assert len(looked_at) > 990


def test_all_lines_are_kept_where_no_slot_is_large() -> None:
    assert lines_around(ROW, EVERYTHING, 1000, np.random.default_rng(0)) is EVERYTHING


def test_pairs_are_made_of_the_best_single_changes_and_of_others() -> None:
    row, everything = np.zeros(5, dtype=np.int64), Literals.all_of([40] * 5)
    vicinity = ScoredRows(lambda rows: rows.sum(axis=1).astype(np.float64)).around(row, everything)
    lines = lines_for_pairs(everything, vicinity, 100, np.random.default_rng(0))
    assert lines.n == 100
    assert (np.bincount(lines.codes, minlength=40)[30:] == 5).all()
    assert np.unique(lines.codes).size > 25
    assert lines_for_pairs(everything, vicinity, 200, np.random.default_rng(0)) is everything


def test_lines_towards_another_row_are_its_codes() -> None:
    lines = lines_towards(np.array([1, 7, 0, 39]), ROW, EVERYTHING)
    assert list(zip(lines.slots.tolist(), lines.codes.tolist(), strict=True)) == [(1, 7), (3, 39)]


def test_changes_know_their_lines() -> None:
    lines = EVERYTHING.only(np.array([0, 2, 500, 1010]))
    changes = np.array([[0, 2, -1, 0], [1, 497, 3, 7], [0, 0, 1, 497]])
    first, second = lines.of(changes)
    assert first.tolist() == [1, 2, 0]
    assert second.tolist() == [-1, 3, 2]
    assert not lines.are_all
    assert EVERYTHING.are_all
