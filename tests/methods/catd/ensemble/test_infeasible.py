"""Infeasible rows: listed or drawn, in batches that favor none."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import default_rng

import hedgerow as hr
from hedgerow.methods.catd.ensemble.infeasible import DrawnRows, ListedRows, NoRows, infeasible_rows

TRIANGLE = hr.FeasibleSet(hr.Space({"a": hr.Integer(0, 6), "b": hr.Integer(0, 4)}), ["a + b <= 4"])


def test_rows_of_a_small_space_are_listed() -> None:
    rows = infeasible_rows(TRIANGLE.codes, (7, 5))
    assert isinstance(rows, ListedRows)
    assert rows.rows.shape == (35 - TRIANGLE.count, 2)
    assert not TRIANGLE.codes.accepts(rows.rows).any()


def test_rows_of_a_large_space_are_drawn() -> None:
    rows = infeasible_rows(TRIANGLE.codes, (7, 5), list_limit=10)
    assert isinstance(rows, DrawnRows)
    assert not TRIANGLE.codes.accepts(rows.draw(100, default_rng(0))).any()


@pytest.mark.parametrize("list_limit", [1, 100])
def test_a_space_without_rules_has_no_infeasible_rows(list_limit: int) -> None:
    feasible = hr.FeasibleSet(hr.Space({"a": hr.Integer(0, 6)}), [])
    assert isinstance(infeasible_rows(feasible.codes, (7,), list_limit=list_limit), NoRows)


@pytest.mark.parametrize("list_limit", [10, 100])
def test_batches_cover_the_epochs_asked_for(list_limit: int) -> None:
    rows = infeasible_rows(TRIANGLE.codes, (7, 5), list_limit=list_limit)
    batches = list(rows.batches(4, 37, default_rng(0)))
    assert sum(batch.n_epochs for batch in batches) == 37
    for batch in batches:
        assert batch.batch_size == 4
        assert not TRIANGLE.codes.accepts(batch.rows).any()


def test_few_rows_are_taken_whole() -> None:
    rows = ListedRows(np.arange(6).reshape(3, 2))
    (batch,) = rows.batches(10, 5, default_rng(0))
    np.testing.assert_array_equal(batch.rows, rows.rows)
    assert (batch.batch_size, batch.first) == (3, 0)


def test_every_listed_row_comes_once_before_any_comes_twice() -> None:
    rows = ListedRows(np.arange(24).reshape(12, 2))
    (batch,) = rows.batches(3, 4, default_rng(0))
    taken = batch.rows[(batch.first + np.arange(12)) % 12]
    assert sorted(taken[:, 0].tolist()) == rows.rows[:, 0].tolist()


def test_batches_begin_anywhere() -> None:
    rows, rng = ListedRows(np.arange(24).reshape(12, 2)), default_rng(0)
    firsts = {batch.first for _ in range(200) for batch in rows.batches(3, 1, rng)}
    assert firsts == set(range(12))
