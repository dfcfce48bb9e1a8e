"""Where studies are kept: Optuna's storages, opened so that a run survives what happens to them.

A database that restarts or a network that is gone for a while makes calls wait and try again. SQLite transactions that
write take the write lock when they begin: otherwise two processes can both read a trial as running and both end it.
Those that only read take none, and wait for nobody.
"""

from __future__ import annotations

import random
import re
import sys
import threading
import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import sqlalchemy
from optuna.distributions import BaseDistribution
from optuna.exceptions import StorageInternalError, UpdateFinishedTrialError
from optuna.storages import BaseStorage, JournalStorage, RDBStorage, get_storage
from optuna.storages.journal import JournalFileBackend
from optuna.study import StudyDirection
from optuna.study._frozen import FrozenStudy
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy import exc as sql_errors

from hedgerow.errors import StudyError
from hedgerow.runs import sqlite_file
from hedgerow.runs.interrupts import GIVEN_UP
from hedgerow.runs.sqlite_reader import StudyRecord
from hedgerow.runs.urls import JOURNAL, sqlite_file_of, without_password

_T = TypeVar("_T")
# Whether the transactions that this thread begins only read, or must be on the disk when they have ended.
_transactions = threading.local()
# Databases also report as a lost connection what no waiting mends.
_LASTING = re.compile(
    r"unable to open database file|authentication failed|(database|role) \S+ does not exist|no password supplied"
    r"|translate host name|Name or service not known|resolve host"
    # A full disk stays full until somebody makes room; the spool keeps what was measured until then.
    r"|database or disk is full|No space left on device|could not extend file|disk image is malformed|not a database",
    re.IGNORECASE,
)
# What SQLite says of a file that was damaged.
_BROKEN = re.compile(r"malformed|not a database|unsupported file format|Could not decode to UTF-8", re.IGNORECASE)


@dataclass(frozen=True)
class Patience:
    """How long a storage may be out of reach before a run gives up."""

    seconds: float = 300.0
    first_pause: float = 0.05
    longest_pause: float = 5.0


def open_storage(url: str, patience: Patience | None = None) -> BaseStorage:
    """Open a storage by its URL: `sqlite:///file.db`, `postgresql://user@host/name`, `journal:file.log`."""
    patience = patience or Patience()
    try:
        return PatientStorage(get_storage(_patiently(lambda: _first_opened(url), patience)), patience)
    except sql_errors.ArgumentError:
        raise StudyError(
            f"The storage URL {without_password(url)!r} cannot be read. It looks like sqlite:///file.db, "
            "postgresql://user:password@host/database or journal:file.log."
        ) from None
    except ImportError:
        raise StudyError(
            f"The storage {without_password(url)} needs a database driver that is not installed. "
            "For PostgreSQL: pip install 'psycopg[binary]', and write postgresql+psycopg://... ."
        ) from None
    except (sql_errors.SQLAlchemyError, StorageInternalError, OSError, RuntimeError) as error:
        raise StudyError(f"The storage {without_password(url)} cannot be opened: {_first_line(error)}.") from None


def read_study(url: str, name: str) -> StudyRecord | None:
    """Return a study of any storage as it is stored, or None where the storage has none of that name."""
    storage = open_storage(url)
    try:
        study_id = storage.get_study_id_from_name(name)
    except KeyError:
        return None
    return StudyRecord(
        tuple(direction.name.lower() for direction in storage.get_study_directions(study_id)),
        storage.get_study_user_attrs(study_id),
        storage.get_all_trials(study_id, deepcopy=False),
    )


def _first_opened(url: str) -> BaseStorage:
    """Open a storage that others may be creating at this moment: whoever is second finds what the first made."""
    for pause in (0.1, 0.5, 2.0):
        try:
            return _opened(url)
        except (sql_errors.IntegrityError, sql_errors.OperationalError, sql_errors.ProgrammingError) as error:
            if _LASTING.search(str(error)):
                raise
            time.sleep(pause * random.uniform(0.5, 1.0))
    return _opened(url)


def _opened(url: str) -> BaseStorage:
    if url.startswith(JOURNAL):
        return JournalStorage(JournalFileBackend(url.removeprefix(JOURNAL)))
    if not url.startswith("sqlite"):
        return RDBStorage(url, engine_kwargs={"pool_pre_ping": True})
    file = sqlite_file_of(url)
    if file is not None:
        sqlite_file.make_file(file)
    storage = RDBStorage(url, engine_kwargs={"connect_args": {"timeout": 60}})
    _lock_at_begin(storage.engine)
    sqlite_file.mend(storage.engine)
    return storage


def _lock_at_begin(engine: sqlalchemy.Engine) -> None:
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        # With a log that is written ahead, readers wait for nobody.
        connection.execute("PRAGMA journal_mode=WAL")

    def begin(connection: sqlalchemy.Connection) -> None:
        # What is committed survives any end of a process without waiting for the disk. The end of a trial waits for it,
        # and takes all earlier transactions along, so a power cut costs what was asked for, never what was told.
        # Waiting takes 8 ms on a cloud disk, everything else 0.01 ms.
        durability = "FULL" if getattr(_transactions, "must_last", False) else "NORMAL"
        connection.exec_driver_sql(f"PRAGMA synchronous={durability}")
        connection.exec_driver_sql("BEGIN" if getattr(_transactions, "only_read", False) else "BEGIN IMMEDIATE")

    sqlalchemy.event.listen(engine, "connect", prepare)
    sqlalchemy.event.listen(engine, "begin", begin)
    engine.dispose()


class PatientStorage(BaseStorage):
    """Any storage, with calls that wait for it to come back."""

    def __init__(self, storage: BaseStorage, patience: Patience) -> None:
        self._storage = storage
        self._patience = patience

    def _call(self, function: Callable[..., _T], *arguments: Any) -> _T:
        return _patiently(lambda: function(*arguments), self._patience)

    @property
    def database(self) -> RDBStorage | None:
        """The database behind it, where it is one: for statements that many trials share."""
        behind = getattr(self._storage, "_backend", self._storage)
        return behind if isinstance(behind, RDBStorage) else None

    def transact(
        self, work: Callable[[sqlalchemy.Connection], _T], *, only_reads: bool = False, must_last: bool = False
    ) -> _T:
        """Do some work in one transaction of the database, again where the database was away.

        The work must find out for itself whether it was done already: the answer to its commit may have been lost.
        """
        database = self.database
        assert database is not None, "only databases have transactions"

        def once() -> _T:
            _transactions.only_read, _transactions.must_last = only_reads, must_last
            try:
                with database.engine.begin() as connection:
                    return work(connection)
            except sql_errors.SQLAlchemyError as error:
                # As Optuna does, so that whoever calls knows one kind of error.
                raise StorageInternalError(str(error)) from error
            finally:
                _transactions.only_read, _transactions.must_last = False, False

        return self._call(once)

    def _read(self, function: Callable[..., _T], *arguments: Any) -> _T:
        _transactions.only_read = True
        try:
            return self._call(function, *arguments)
        except (ValueError, TypeError, AttributeError, IndexError, UnicodeError) as error:
            raise StudyError(f"The storage holds something that cannot be read: {_first_line(error)}.") from error
        except sql_errors.DatabaseError as error:
            if not _BROKEN.search(str(error)):
                raise
            raise StudyError(f"The storage is damaged: {_first_line(error)}. Restore it from a copy.") from error
        finally:
            _transactions.only_read = False

    def create_new_study(self, directions: Sequence[StudyDirection], study_name: str | None = None) -> int:
        """As Optuna says, like all that follow."""
        return self._call(self._storage.create_new_study, directions, study_name)

    def delete_study(self, study_id: int) -> None:  # noqa: D102
        self._call(self._storage.delete_study, study_id)

    def set_study_user_attr(self, study_id: int, key: str, value: Any) -> None:  # noqa: D102
        self._call(self._storage.set_study_user_attr, study_id, key, value)

    def set_study_system_attr(self, study_id: int, key: str, value: Any) -> None:  # noqa: D102
        self._call(self._storage.set_study_system_attr, study_id, key, value)

    def get_study_id_from_name(self, study_name: str) -> int:  # noqa: D102
        return self._read(self._storage.get_study_id_from_name, study_name)

    def get_study_name_from_id(self, study_id: int) -> str:  # noqa: D102
        return self._read(self._storage.get_study_name_from_id, study_id)

    def get_study_directions(self, study_id: int) -> list[StudyDirection]:  # noqa: D102
        return self._read(self._storage.get_study_directions, study_id)

    def get_study_user_attrs(self, study_id: int) -> dict[str, Any]:  # noqa: D102
        return self._read(self._storage.get_study_user_attrs, study_id)

    def get_study_system_attrs(self, study_id: int) -> dict[str, Any]:  # noqa: D102
        return self._read(self._storage.get_study_system_attrs, study_id)

    def get_all_studies(self) -> list[FrozenStudy]:  # noqa: D102
        return self._read(self._storage.get_all_studies)

    def create_new_trial(self, study_id: int, template_trial: FrozenTrial | None = None) -> int:  # noqa: D102
        return self._call(self._storage.create_new_trial, study_id, template_trial)

    def set_trial_param(  # noqa: D102
        self, trial_id: int, param_name: str, param_value_internal: float, distribution: BaseDistribution
    ) -> None:
        self._call(self._storage.set_trial_param, trial_id, param_name, param_value_internal, distribution)

    def get_trial_id_from_study_id_trial_number(self, study_id: int, trial_number: int) -> int:  # noqa: D102
        return self._read(self._storage.get_trial_id_from_study_id_trial_number, study_id, trial_number)

    def set_trial_state_values(self, trial_id: int, state: TrialState, values: Sequence[float] | None = None) -> bool:
        """End or start a trial; an ending that was stored before its answer got lost is not an error."""
        _transactions.must_last = state.is_finished()
        try:
            return self._call(self._storage.set_trial_state_values, trial_id, state, values)
        except UpdateFinishedTrialError:
            stored = self.get_trial(trial_id)
            if state.is_finished() and stored.state is state and values is not None and stored.values == list(values):
                return True
            raise
        finally:
            _transactions.must_last = False

    def set_trial_intermediate_value(self, trial_id: int, step: int, intermediate_value: float) -> None:  # noqa: D102
        self._call(self._storage.set_trial_intermediate_value, trial_id, step, intermediate_value)

    def set_trial_user_attr(self, trial_id: int, key: str, value: Any) -> None:  # noqa: D102
        self._call(self._storage.set_trial_user_attr, trial_id, key, value)

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:  # noqa: D102
        self._call(self._storage.set_trial_system_attr, trial_id, key, value)

    def get_trial(self, trial_id: int) -> FrozenTrial:  # noqa: D102
        return self._read(self._storage.get_trial, trial_id)

    def get_all_trials(  # noqa: D102
        self, study_id: int, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        return self._read(self._storage.get_all_trials, study_id, deepcopy, states)

    def remove_session(self) -> None:  # noqa: D102
        self._storage.remove_session()


def _patiently(call: Callable[[], _T], patience: Patience) -> _T:
    deadline = time.monotonic() + patience.seconds
    pause = patience.first_pause
    has_complained = False
    while True:
        try:
            return call()
        except (StorageInternalError, sql_errors.SQLAlchemyError) as error:
            if not _may_pass(error) or time.monotonic() > deadline or GIVEN_UP.is_set():
                raise
            if pause >= 1.0 and not has_complained:
                print(f"hedgerow: the storage does not answer ({_first_line(error)}); trying again.", file=sys.stderr)
                has_complained = True
            # Workers that were cut off together should not come back together.
            GIVEN_UP.wait(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, patience.longest_pause)


def _may_pass(error: BaseException) -> bool:
    """Whether an error is of the kind that ends by itself: no connection, a lock that is held."""
    if _LASTING.search(f"{error} {error.__cause__}"):
        return False
    cause: BaseException | None = error
    while cause is not None:
        passing = (sql_errors.OperationalError, sql_errors.InterfaceError, sql_errors.TimeoutError)
        if isinstance(cause, passing) or getattr(cause, "connection_invalidated", False):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _first_line(error: BaseException) -> str:
    cause = error.__cause__ or error
    return (str(cause).splitlines() or [type(cause).__name__])[0].rstrip(".")
