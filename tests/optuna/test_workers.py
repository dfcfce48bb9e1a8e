"""Many processes on one storage, asking at once with the same seed: no point twice, none outside the rules."""

from __future__ import annotations

import multiprocessing
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

import hedgerow as hr
from research.measurements.postgres import Postgres, binaries

SPACE = hr.Space({"x": hr.Integer(0, 30), "y": hr.Integer(0, 30)})
RULES = ["x + y <= 40", "x != y"]
N_WORKERS, N_TRIALS = 4, 8

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the workers of this test are forked")


@pytest.fixture(params=["sqlite", "journal", "postgresql"], name="storage")
def storage_fixture(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/study.db"
    elif request.param == "journal":
        yield f"journal:{tmp_path}/study.log"
    else:
        pytest.importorskip("psycopg")
        if binaries() is None:
            pytest.skip("no PostgreSQL server: neither installed binaries nor the package pgserver")
        with Postgres() as server:
            yield server.url


def open_study(storage: str) -> optuna.Study:
    opened: Any = storage
    if storage.startswith("journal:"):
        opened = optuna.storages.JournalStorage(JournalFileBackend(storage.removeprefix("journal:")))
    elif storage.startswith("sqlite"):
        opened = optuna.storages.RDBStorage(storage, engine_kwargs={"connect_args": {"timeout": 60}})
    sampler = hr.HedgerowSampler(SPACE, RULES, method="random", seed=0)
    return optuna.create_study(study_name="shared", storage=opened, sampler=sampler, load_if_exists=True)


def work(storage: str, start: Any, n_trials: int) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = open_study(storage)
    start.wait()
    study.optimize(lambda trial: trial.suggest_int("x", 0, 30) + trial.suggest_int("y", 0, 30), n_trials=n_trials)


def run_workers(storage: str, n_workers: int, n_trials: int) -> list[optuna.trial.FrozenTrial]:
    """Run the workers from a common start and return the trials."""
    context = multiprocessing.get_context("fork")
    start = context.Barrier(n_workers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        workers = [context.Process(target=work, args=(storage, start, n_trials)) for _ in range(n_workers)]
        for worker in workers:
            worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * n_workers
    return open_study(storage).trials


def test_processes_asking_at_once_share_no_point(storage: str) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    open_study(storage)
    trials = run_workers(storage, N_WORKERS, N_TRIALS)
    assert len(trials) == N_WORKERS * N_TRIALS
    assert all(trial.state is TrialState.COMPLETE for trial in trials)
    feasible = hr.FeasibleSet(SPACE, RULES)
    assert all(trial.params in feasible for trial in trials)
    assert len({(trial.params["x"], trial.params["y"]) for trial in trials}) == len(trials)
