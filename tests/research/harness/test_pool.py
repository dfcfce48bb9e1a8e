"""Runs that fail or whose process dies: the others are kept."""

import os

from research.harness.pool import run_all

FATAL_SEED = 3


def dies_with_one_seed(seed: int) -> int:
    if seed == FATAL_SEED:
        os._exit(1)
    return seed


def fails_with_one_seed(seed: int) -> int:
    if seed == FATAL_SEED:
        raise ValueError("no such luck")
    return seed


def test_a_failing_run_is_reported_and_the_others_are_kept() -> None:
    kept: list[int] = []
    troubles = run_all(range(6), 1, kept.append, fails_with_one_seed, "seed {}".format)
    assert troubles == ["seed 3: ValueError: no such luck"]
    assert sorted(kept) == [0, 1, 2, 4, 5]


def test_a_dying_worker_is_reported_and_finished_runs_are_kept() -> None:
    kept: list[int] = []
    troubles = run_all(range(6), 1, kept.append, dies_with_one_seed)
    assert len(troubles) == 1
    assert "A worker process died" in troubles[0]
    assert f"{6 - len(kept)} of 6 runs were not finished" in troubles[0]
    assert set(kept) <= {0, 1, 2}
