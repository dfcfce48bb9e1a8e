"""What has been tried is found again in long lists of rows as in short ones."""

from __future__ import annotations

import numpy as np

from hedgerow.methods.history import History, found_among

N_SLOTS = 5


def test_long_lists_are_looked_up_like_single_rows() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 4, (2_000, N_SLOTS))
    history = History(rows[::7], np.zeros(rows[::7].shape[0]), rows[3:9])

    found = history.is_seen(rows)

    assert found.tolist() == [bool(history.is_seen(row[None, :])[0]) for row in rows]
    assert found.any() and not found.all()


def test_rows_that_share_their_number_are_told_apart() -> None:
    # Numbers of rows rule others out; what shares one is still compared byte by byte.
    rows = np.zeros((1_000, N_SLOTS), dtype=np.int64)
    assert not found_among(rows, set(), rows).any()


def test_nothing_is_found_before_the_first_trial() -> None:
    assert not History.empty(N_SLOTS).is_seen(np.zeros((1_000, N_SLOTS), dtype=np.int64)).any()
