"""Rows that older code made are made again."""

from dataclasses import replace
from pathlib import Path

from research.harness.recheck import Recheck, is_same, keep, recheck, sentence
from tests.research.harness.rows import row


def test_rows_are_the_same_whoever_made_them_and_however_long_it_took() -> None:
    assert is_same(row(), row(seconds=9.0, version="later", machine="another", date="2026-12-01"))
    assert not is_same(row(), row(invalid_rounds=(2,)))


def test_some_rows_are_made_again_and_counted(tmp_path: Path) -> None:
    rows = [*(row(seed) for seed in range(5)), row(9, seconds=1000.0)]
    found = recheck(rows, 4, 5.0, run=lambda work: replace(row(work.job.seed), n_rounds=20 + (work.job.seed == 0)))
    assert (found.n_made, found.n_same) in ((4, 4), (4, 3))
    assert sentence(tmp_path, "readings") == ""
    keep(tmp_path, "readings", Recheck("2026-11-18", 4, 3))
    assert "4 of them, drawn at random, were made again on 2026-11-18: 3 are the same." in sentence(
        tmp_path, "readings"
    )
