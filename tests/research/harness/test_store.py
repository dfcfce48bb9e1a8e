"""Rows survive: in texts, in a journal that a crash cut off, in a table."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hedgerow as hr
from research.harness.row import from_texts, to_texts
from research.harness.store import Store, read_table, write_table
from tests.research.harness.rows import row


@given(
    st.lists(st.integers(1, 500), unique=True).map(sorted),
    st.lists(st.tuples(st.integers(1, 500), st.floats(allow_nan=False, allow_infinity=False))),
)
def test_texts_say_a_row_exactly(invalid: list[int], improvements: list[tuple[int, float]]) -> None:
    one = row(invalid_rounds=tuple(invalid), improvements=tuple(improvements), series={"loss": [1.0, 0.25]})
    assert from_texts(to_texts(one)) == one


def test_a_line_that_was_cut_off_is_no_row_and_swallows_none(tmp_path: Path) -> None:
    store = Store(tmp_path / "journals" / "x.jsonl", tmp_path / "x.csv.gz")
    store.append(row(seed=0))
    with store.journal.open("a") as file:
        file.write('{"task": "gap-a", "cel')
    store.append(row(seed=1))
    assert sorted(job.seed for job in store.read()) == [0, 1]


def test_the_same_rows_make_the_same_table(tmp_path: Path) -> None:
    rows = [row(seed=seed) for seed in range(4)]
    write_table(tmp_path / "a.csv.gz", rows)
    write_table(tmp_path / "b.csv.gz", reversed(rows))
    assert (tmp_path / "a.csv.gz").read_bytes() == (tmp_path / "b.csv.gz").read_bytes()
    assert read_table(tmp_path / "a.csv.gz") == rows


def test_a_later_row_replaces_an_earlier_one(tmp_path: Path) -> None:
    store = Store(tmp_path / "x.jsonl", tmp_path / "x.csv.gz")
    write_table(store.table, [row(best=3.0)])
    store.append(row(best=2.0))
    assert [one.best for one in store.read().values()] == [2.0]


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"task,cell\nonly,two\n"))
    with pytest.raises(hr.HedgerowError, match="not a table of runs"):
        read_table(path)
