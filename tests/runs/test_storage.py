"""Storages that go away for a while, and SQLite that lets one transaction after the other in."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import optuna
import pytest
import sqlalchemy
from optuna.exceptions import StorageInternalError, UpdateFinishedTrialError
from optuna.storages import BaseStorage, InMemoryStorage
from optuna.trial import TrialState
from sqlalchemy import exc

import hedgerow as hr
from hedgerow.runs.interrupts import GIVEN_UP, Interrupts
from hedgerow.runs.storage import Patience, PatientStorage, open_storage
from hedgerow.runs.urls import without_password

QUICK = Patience(seconds=0.5, first_pause=0.001, longest_pause=0.01)


class Flaky:
    """A storage whose calls fail a number of times, before or after they have been done."""

    def __init__(self, storage: BaseStorage, n_failures: int, is_done: bool, error: type[exc.DBAPIError]) -> None:
        self._storage, self._n, self._is_done, self._error = storage, n_failures, is_done, error

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._storage, name)

        def call(*arguments: Any) -> Any:
            if self._n:
                self._n -= 1
                if self._is_done:
                    method(*arguments)
                raise StorageInternalError("gone") from self._error("statement", {}, Exception("no connection"))
            return method(*arguments)

        return call


def patient(n_failures: int, is_done: bool = False, error: type[exc.DBAPIError] = exc.OperationalError) -> Any:
    inner = InMemoryStorage()
    study = inner.create_new_study([optuna.study.StudyDirection.MINIMIZE])
    trial = inner.create_new_trial(study)
    flaky: Any = Flaky(inner, n_failures, is_done, error)
    return PatientStorage(flaky, QUICK), inner, trial


def test_calls_wait_for_a_storage_to_come_back() -> None:
    storage, inner, trial = patient(5)
    storage.set_trial_user_attr(trial, "a", 1)
    assert inner.get_trial(trial).user_attrs == {"a": 1}


def test_nobody_waits_for_a_storage_after_a_second_interrupt() -> None:
    storage, _, trial = patient(10**6)
    storage._patience = Patience(seconds=300.0, first_pause=0.001, longest_pause=60.0)
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGTERM)
        assert not GIVEN_UP.is_set()
        again = threading.Timer(0.2, lambda: interrupts._wish(signal.SIGTERM, None))
        again.start()
        start = time.monotonic()
        with pytest.raises(StorageInternalError):
            storage.set_trial_user_attr(trial, "a", 1)
        assert time.monotonic() - start < 30
    assert not GIVEN_UP.is_set()


def test_a_storage_that_stays_away_is_an_error_in_the_end() -> None:
    storage, _, trial = patient(10**6)
    with pytest.raises(StorageInternalError):
        storage.get_trial(trial)


def test_errors_that_do_not_pass_are_raised_at_once() -> None:
    storage, inner, trial = patient(1, error=exc.DataError)
    with pytest.raises(StorageInternalError):
        storage.set_trial_user_attr(trial, "a", 1)
    assert inner.get_trial(trial).user_attrs == {}


def test_a_value_whose_answer_got_lost_is_stored_once() -> None:
    storage, inner, trial = patient(1, is_done=True)
    assert storage.set_trial_state_values(trial, TrialState.COMPLETE, [1.5])
    assert inner.get_trial(trial).value == 1.5
    with pytest.raises(UpdateFinishedTrialError):
        storage.set_trial_state_values(trial, TrialState.COMPLETE, [2.5])
    with pytest.raises(UpdateFinishedTrialError):
        storage.set_trial_state_values(trial, TrialState.FAIL)


def test_one_of_many_ends_a_trial_on_sqlite(tmp_path: Path) -> None:
    storages = [open_storage(f"sqlite:///{tmp_path}/s.db") for _ in range(3)]
    study = storages[0].create_new_study([optuna.study.StudyDirection.MINIMIZE])
    for _ in range(10):
        trial = storages[0].create_new_trial(study)
        start = threading.Barrier(3)
        ended: list[float] = []

        def end(storage: BaseStorage, value: float, trial: int = trial, start: Any = start, ended: Any = ended) -> None:
            start.wait()
            try:
                storage.set_trial_state_values(trial, TrialState.COMPLETE, [value])
                ended.append(value)
            except UpdateFinishedTrialError:
                pass

        threads = [threading.Thread(target=end, args=(storage, i)) for i, storage in enumerate(storages)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [storages[0].get_trial(trial).value] == ended


def test_the_end_of_a_trial_waits_for_the_disk_and_nothing_else_does(tmp_path: Path) -> None:
    storage: Any = open_storage(f"sqlite:///{tmp_path}/s.db")
    statements: list[str] = []
    engine = storage._storage._backend.engine
    sqlalchemy.event.listen(engine, "before_cursor_execute", lambda *event: statements.append(event[2]))
    study = storage.create_new_study([optuna.study.StudyDirection.MINIMIZE])
    trial = storage.create_new_trial(study)
    storage.set_trial_user_attr(trial, "a", 1)
    assert "PRAGMA synchronous=NORMAL" in statements
    assert "PRAGMA synchronous=FULL" not in statements
    storage.set_trial_state_values(trial, TrialState.COMPLETE, [1.0])
    assert statements.count("PRAGMA synchronous=FULL") == 1
    storage.set_study_user_attr(study, "a", 1)
    assert statements.count("PRAGMA synchronous=FULL") == 1


def test_several_may_create_a_storage_at_once(tmp_path: Path) -> None:
    opened: list[BaseStorage] = []
    threads = [
        threading.Thread(target=lambda: opened.append(open_storage(f"sqlite:///{tmp_path}/new.db"))) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 3


def test_passwords_are_not_shown() -> None:
    assert "secret" not in without_password("postgresql://me:secret@host/db")
    with pytest.raises(hr.StudyError) as caught:
        open_storage("nosuchdialect://me:secret@host/db", QUICK)
    assert "secret" not in str(caught.value)
