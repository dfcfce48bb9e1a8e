"""Which codes a step looks at."""

from __future__ import annotations

import numpy as np

from hedgerow.feasible.changes import Literals
from hedgerow.search.landscape import ScoredRows
from hedgerow.search.literals import literals_for_pairs, literals_near, literals_toward

SIZES = (3, 1000, 1, 40)
ROW = np.array([1, 500, 0, 7])
EVERYTHING = Literals.all_of(SIZES)


def codes_of(literals: Literals, slot: int) -> list[int]:
    return [int(code) for code in literals.codes[literals.slots == slot]]


def test_all_codes_of_small_slots_are_looked_at_and_some_of_large_ones() -> None:
    literals = literals_near(ROW, EVERYTHING, 50, np.random.default_rng(0))
    assert codes_of(literals, 0) == [0, 1, 2]
    assert codes_of(literals, 2) == []
    assert codes_of(literals, 3) == list(range(40))
    large = codes_of(literals, 1)
    assert {499, 501, 498, 502, 496, 504, 500 - 256, 500 + 256} <= set(large)
    assert 30 <= len(large) <= 50


def test_other_codes_of_large_slots_are_drawn_anew_each_time() -> None:
    rng = np.random.default_rng(0)
    looked_at = {code for _ in range(400) for code in codes_of(literals_near(ROW, EVERYTHING, 50, rng), 1)}
    assert len(looked_at) > 990


def test_all_literals_are_kept_where_no_slot_is_large() -> None:
    assert literals_near(ROW, EVERYTHING, 1000, np.random.default_rng(0)) is EVERYTHING


def test_pairs_are_made_of_the_best_single_changes_and_of_others() -> None:
    row, everything = np.zeros(5, dtype=np.int64), Literals.all_of([40] * 5)
    neighborhood = ScoredRows(lambda rows: rows.sum(axis=1).astype(np.float64)).neighborhood(row, everything)
    literals = literals_for_pairs(everything, neighborhood, 100, np.random.default_rng(0))
    assert literals.n == 100
    assert (np.bincount(literals.codes, minlength=40)[30:] == 5).all()
    assert np.unique(literals.codes).size > 25
    assert literals_for_pairs(everything, neighborhood, 200, np.random.default_rng(0)) is everything


def test_literals_toward_another_row_are_its_codes() -> None:
    literals = literals_toward(np.array([1, 7, 0, 39]), ROW, EVERYTHING)
    assert list(zip(literals.slots.tolist(), literals.codes.tolist(), strict=True)) == [(1, 7), (3, 39)]


def test_changes_know_their_literals() -> None:
    literals = EVERYTHING.only(np.array([0, 2, 500, 1010]))
    changes = np.array([[0, 2, -1, 0], [1, 497, 3, 7], [0, 0, 1, 497]])
    first, second = literals.of(changes)
    assert first.tolist() == [1, 2, 0]
    assert second.tolist() == [-1, 3, 2]
    assert not literals.are_all
    assert EVERYTHING.are_all
