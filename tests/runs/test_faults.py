"""A small fault drill; the whole one is `python -m research faults`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import optuna
import pytest

from research.measurements.faults import Drill, run_drill
from research.measurements.postgres import Postgres, binaries

SMALL = Drill(n_workers=2, n_trials=24, kill_every=0.2, min_progress=3)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the workers of the drill are forked")


@pytest.fixture(autouse=True)
def _quiet() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)


def test_nothing_is_lost_on_sqlite_when_workers_are_killed(tmp_path: Path) -> None:
    report = run_drill(tmp_path, f"sqlite:///{tmp_path}/drill.db", SMALL)
    assert report.is_clean, report
    assert report.n_kills >= 3


@pytest.mark.parametrize(
    "drill",
    [
        replace(SMALL, repeats=3, kind="several"),
        replace(SMALL, n_trials=14, method="auto", repeats="auto", kind="orders"),
    ],
    ids=["several outcomes, each three times", "orders, measured again where the method says so"],
)
def test_nothing_is_lost_or_repeated_unmeant(drill: Drill, tmp_path: Path) -> None:
    report = run_drill(tmp_path, f"sqlite:///{tmp_path}/drill.db", drill)
    assert report.is_clean, report
    assert report.n_kills >= 2
    assert report.n_again > 0


def test_nothing_is_lost_on_postgresql_when_it_restarts(tmp_path: Path) -> None:
    pytest.importorskip("psycopg")
    if binaries() is None:
        pytest.skip("no PostgreSQL server: neither installed binaries nor the package pgserver")
    with Postgres() as server:
        report = run_drill(tmp_path, server.url, SMALL, server)
    assert report.is_clean, report
    assert report.n_restarts == 1
    assert report.n_kills >= 2
