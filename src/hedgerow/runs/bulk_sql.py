"""Many trials in one transaction, by statements of our own on Optuna's tables: PostgreSQL and SQLite.

A trial made here has the rows that Optuna writes for it, and the locks are Optuna's: whoever makes trials holds the row
of the study, so that numbers follow each other and of two trials the later one sees the earlier; whoever ends one holds
its row, so that it ends once.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy
from optuna.distributions import BaseDistribution, distribution_to_json
from optuna.exceptions import UpdateFinishedTrialError
from optuna.storages import BaseStorage
from optuna.storages._rdb import models
from sqlalchemy import Connection, Table
from sqlalchemy.dialects import sqlite

from hedgerow import schema
from hedgerow.errors import StudyError
from hedgerow.runs.bulk import Bulk, Ending, NewTrial, OneByOne, StudyPlace, by_mark, is_as_told
from hedgerow.runs.sqlite_reader import PlainTrial, distribution_said, external_value
from hedgerow.runs.storage import PatientStorage
from hedgerow.schema import FINISHED, StoredState

# The tables as they are known here, with what PostgreSQL calls the types of the columns.
_COLUMNS: dict[str, dict[str, str]] = {
    "trials": {
        "trial_id": "int",
        "number": "int",
        "study_id": "int",
        "state": "trialstate",
        "datetime_start": "timestamp",
        "datetime_complete": "timestamp",
    },
    "trial_params": {
        "param_id": "int",
        "trial_id": "int",
        "param_name": "text",
        "param_value": "float8",
        "distribution_json": "text",
    },
    "trial_values": {
        "trial_value_id": "int",
        "trial_id": "int",
        "objective": "int",
        "value": "float8",
        "value_type": "trialvaluetype",
    },
    "trial_user_attributes": {
        "trial_user_attribute_id": "int",
        "trial_id": "int",
        "key": "text",
        "value_json": "text",
    },
    "trial_system_attributes": {
        "trial_system_attribute_id": "int",
        "trial_id": "int",
        "key": "text",
        "value_json": "text",
    },
}
_TABLES: dict[str, Table] = {
    model.__tablename__: model.__table__
    for model in (
        models.TrialModel,
        models.TrialParamModel,
        models.TrialValueModel,
        models.TrialUserAttributeModel,
        models.TrialSystemAttributeModel,
    )
}
_PARAM = ("trial_id", "param_name", "param_value", "distribution_json")
_DIALECTS = ("postgresql", "sqlite")
# Ids in one statement, where they are listed one by one.
_MOST_LISTED = 500


def knows(storage: BaseStorage) -> bool:
    """Whether a storage is a database whose tables are known here."""
    database = storage.database if isinstance(storage, PatientStorage) else None
    if database is None or database.engine.dialect.name not in _DIALECTS:
        return False
    return {name: set(table.columns.keys()) for name, table in _TABLES.items()} == {
        name: set(columns) for name, columns in _COLUMNS.items()
    }


def bulk_of(place: StudyPlace) -> Bulk:
    """Return the fastest way that the storage of a study allows."""
    return BulkSql(place) if knows(place.storage) else OneByOne(place)


class BulkSql:
    """Trials of a study in a database, a group at a time; see `Bulk`."""

    def __init__(self, place: StudyPlace) -> None:
        assert isinstance(place.storage, PatientStorage)
        assert place.storage.database is not None
        self._place = place
        self._storage = place.storage
        self._study = place.study_id
        self._is_postgres = place.storage.database.engine.dialect.name == "postgresql"
        self._written = {name: distribution_to_json(each) for name, each in place.distributions.items()}
        # How many trials there are up to an id, so that nobody counts all of them each time.
        self._counted = (-1, 0)
        self._said: dict[str, tuple[str, Sequence[Any]]] = {}

    def create(self, trials: Sequence[NewTrial], mark: str | None = None) -> list[tuple[int, int]]:
        """As `Bulk` says, like all that follow."""
        is_again = False

        def work(connection: Connection) -> list[tuple[int, int]]:
            nonlocal is_again
            self._lock_study(connection)
            if is_again and mark is not None and (found := self._marked(connection, mark)):
                return found
            is_again = True
            return self._create(connection, trials, mark)

        made = self._storage.transact(work)
        self._counted = (made[-1][0], made[-1][1] + 1)
        return made

    def _create(self, connection: Connection, trials: Sequence[NewTrial], mark: str | None) -> list[tuple[int, int]]:
        last, n_before = self._counted
        query = "SELECT COUNT(*), MAX(trial_id) FROM trials WHERE study_id = :study AND trial_id > :last"
        n_new, newest = connection.execute(sqlalchemy.text(query), {"study": self._study, "last": last}).one()
        first = n_before + n_new
        numbers = range(first, first + len(trials))
        now = stored_moment()
        rows = [(number, self._study, "RUNNING", now) for number in numbers]
        self._insert(connection, "trials", ("number", "study_id", "state", "datetime_start"), rows)
        query = "SELECT trial_id, number FROM trials WHERE study_id = :study AND trial_id > :last ORDER BY trial_id"
        newest = last if newest is None else newest
        found = connection.execute(sqlalchemy.text(query), {"study": self._study, "last": newest}).all()
        made = [(trial_id, number) for trial_id, number in found]
        assert [number for _, number in made] == list(numbers), "the study is locked: nobody else makes trials"
        params = [
            (trial_id, *param)
            for (trial_id, _), trial in zip(made, trials, strict=True)
            for param in self._params(trial.claim)
        ]
        self._insert(connection, "trial_params", _PARAM, params)
        attrs = [
            (trial_id, key, json.dumps(value))
            for (trial_id, _), trial in zip(made, trials, strict=True)
            for key, value in {**trial.attrs, **by_mark(mark)}.items()
        ]
        self._insert(connection, "trial_system_attributes", ("trial_id", "key", "value_json"), attrs)
        return made

    def _params(self, claim: Mapping[str, Any]) -> Iterable[tuple[str, float, str]]:
        place = self._place
        for name, value in place.parameters(claim).items():
            distribution: BaseDistribution = place.distributions[name]
            yield place.names[name], float(distribution.to_internal_repr(value)), self._written[name]

    def _marked(self, connection: Connection, mark: str) -> list[tuple[int, int]]:
        query = (
            "SELECT trial_id, number FROM trials JOIN trial_system_attributes USING (trial_id) "
            "WHERE study_id = :study AND trial_id > :last AND key = :key AND value_json = :mark ORDER BY trial_id"
        )
        known = {"study": self._study, "last": self._counted[0], "key": schema.BY_HAND, "mark": json.dumps(mark)}
        return [(trial_id, number) for trial_id, number in connection.execute(sqlalchemy.text(query), known)]

    def _lock_study(self, connection: Connection) -> None:
        """Let nobody else make a trial until the transaction ends; in SQLite it has the whole file."""
        query = f"SELECT 1 FROM studies WHERE study_id = :study{' FOR UPDATE' if self._is_postgres else ''}"
        if connection.execute(sqlalchemy.text(query), {"study": self._study}).first() is None:
            raise StudyError("The study is not in its storage any more: somebody has deleted it. Run it again anew.")

    def give(self, trial_id: int, claim: Mapping[str, Any]) -> None:  # noqa: D102
        def work(connection: Connection) -> None:
            if not self._running(connection, [trial_id]):
                raise UpdateFinishedTrialError(f"The trial with the id {trial_id} has ended before.")
            params = [(trial_id, *param) for param in self._params(claim)]
            self._insert(connection, "trial_params", _PARAM, params, ("trial_id", "param_name"))

        self._storage.transact(work)

    def _running(self, connection: Connection, ids: Sequence[int]) -> list[int]:
        """Return those of the trials that run, and let nobody else end them until the transaction ends."""
        lock = " FOR UPDATE" if self._is_postgres else ""
        query = "SELECT trial_id, state FROM trials WHERE trial_id"
        # In one order, so that two who lock several of the same trials do not wait for each other.
        states = self._by_id(connection, query, ids, f" ORDER BY trial_id{lock}")
        return [trial_id for trial_id, state in states if state == StoredState.RUNNING.name]

    def end(self, endings: Mapping[int, Ending]) -> dict[int, datetime | None]:  # noqa: D102
        ids = sorted(endings)

        def work(connection: Connection) -> dict[int, datetime | None]:
            running = self._running(connection, ids)
            now = stored_moment()
            for state in {endings[trial_id].state for trial_id in running}:
                self._set_state(connection, state, now, [i for i in running if endings[i].state == state])
            self._add_to(connection, {trial_id: endings[trial_id] for trial_id in running})
            ended: dict[int, datetime | None] = dict.fromkeys(running, now)
            left = [trial_id for trial_id in ids if trial_id not in ended]
            before = self._read(connection, left) if left else {}
            return ended | {i: None for i, trial in before.items() if is_as_told(trial, endings[i])}

        return self._storage.transact(work, must_last=True)

    def _set_state(self, connection: Connection, state: StoredState, now: datetime, ids: Sequence[int]) -> None:
        table = _TABLES["trials"]
        for some in _parts(ids):
            change = sqlalchemy.update(table).where(table.c.trial_id.in_(some))
            connection.execute(change.values(state=state.name, datetime_complete=now))

    def _add_to(self, connection: Connection, endings: Mapping[int, Ending]) -> None:
        values = [
            (trial_id, place, *_stored_value(value))
            for trial_id, ending in endings.items()
            for place, value in enumerate(ending.values)
        ]
        columns = ("trial_id", "objective", "value", "value_type")
        self._insert(connection, "trial_values", columns, values, ("trial_id", "objective"))
        for kind in ("user", "system"):
            attrs = [
                (trial_id, key, json.dumps(value))
                for trial_id, ending in endings.items()
                for key, value in (ending.user_attrs if kind == "user" else ending.system_attrs).items()
            ]
            table = f"trial_{kind}_attributes"
            self._insert(connection, table, ("trial_id", "key", "value_json"), attrs, ("trial_id", "key"))

    def read(  # noqa: D102
        self, after: int, besides: Iterable[int] = (), without: Container[int] = frozenset()
    ) -> dict[int, PlainTrial]:
        wanted = set(besides)

        def work(connection: Connection) -> dict[int, PlainTrial]:
            query = "SELECT trial_id FROM trials WHERE study_id = :study AND trial_id > :after"
            new = connection.execute(sqlalchemy.text(query), {"study": self._study, "after": after})
            return self._read(connection, sorted(wanted.union(i for (i,) in new if i not in without)))

        return self._storage.transact(work, only_reads=True)

    def finished(self, ids: Iterable[int]) -> set[int]:  # noqa: D102
        wanted = sorted(ids)
        states = [state.name for state in FINISHED]

        def work(connection: Connection) -> set[int]:
            found = self._by_id(connection, "SELECT trial_id, state FROM trials WHERE trial_id", wanted)
            return {trial_id for trial_id, state in found if state in states}

        return self._storage.transact(work, only_reads=True)

    def _read(self, connection: Connection, ids: Sequence[int]) -> dict[int, PlainTrial]:
        if not ids:
            return {}
        # States first: in PostgreSQL each statement sees what was committed before it, and a trial that is finished has
        # all that it will ever have, while one that ends in between is read as running and is read again.
        query = "SELECT trial_id, number, state, datetime_start, datetime_complete FROM trials WHERE trial_id"
        found = self._by_id(connection, query, ids, " ORDER BY trial_id")
        params: dict[int, dict[str, Any]] = defaultdict(dict)
        query = "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params WHERE trial_id"
        for trial_id, name, value, text in self._by_id(connection, query, ids, " ORDER BY param_id"):
            if text not in self._said:
                self._said[text] = distribution_said(text)
            params[trial_id][name] = external_value(value, *self._said[text])
        values: dict[int, list[float]] = defaultdict(list)
        query = "SELECT trial_id, value, value_type FROM trial_values WHERE trial_id"
        for trial_id, value, kind in self._by_id(connection, query, ids, " ORDER BY objective"):
            values[trial_id].append({"INF_POS": math.inf, "INF_NEG": -math.inf}.get(kind, value))
        attrs = {kind: self._attrs(connection, kind, ids) for kind in ("user", "system")}
        return {
            trial_id: PlainTrial(
                number,
                StoredState[state],
                values.get(trial_id),
                params.get(trial_id, {}),
                attrs["user"].get(trial_id, {}),
                attrs["system"].get(trial_id, {}),
                _moment(start),
                _moment(complete),
            )
            for trial_id, number, state, start, complete in found
        }

    def _attrs(self, connection: Connection, kind: str, ids: Sequence[int]) -> dict[int, dict[str, Any]]:
        found: dict[int, dict[str, Any]] = defaultdict(dict)
        query = f"SELECT trial_id, key, value_json FROM trial_{kind}_attributes WHERE trial_id"
        for trial_id, key, value in self._by_id(connection, query, ids):
            found[trial_id][key] = json.loads(value)
        return found

    def _by_id(self, connection: Connection, query: str, ids: Sequence[int], rest: str = "") -> list[Any]:
        """Return what a query finds for trials by their ids."""
        if self._is_postgres:
            return list(connection.execute(sqlalchemy.text(f"{query} = ANY(:ids){rest}"), {"ids": list(ids)}))
        listed: sqlalchemy.BindParameter[Any] = sqlalchemy.bindparam("ids", expanding=True)
        statement = sqlalchemy.text(f"{query} IN :ids{rest}").bindparams(listed)
        return [row for some in _parts(ids) for row in connection.execute(statement, {"ids": some})]

    def _insert(
        self,
        connection: Connection,
        table: str,
        columns: Sequence[str],
        rows: Sequence[tuple[Any, ...]],
        unique: Sequence[str] = (),
    ) -> None:
        """Add rows; where one with the same unique columns is there, its others are replaced."""
        if not rows:
            return
        if not self._is_postgres:
            statement = sqlite.insert(_TABLES[table])
            if unique:
                others = {name: statement.excluded[name] for name in columns if name not in unique}
                statement = statement.on_conflict_do_update(index_elements=list(unique), set_=others)
            connection.execute(statement, [dict(zip(columns, row, strict=True)) for row in rows])
            return
        # One array per column: a statement of constant length, which takes the server 2 microseconds a row.
        kinds = [_COLUMNS[table][name] for name in columns]
        arrays = ", ".join(
            f"CAST(CAST(:{name} AS text[]) AS {kind}[])" if kind.startswith("trial") else f"CAST(:{name} AS {kind}[])"
            for name, kind in zip(columns, kinds, strict=True)
        )
        query = f"INSERT INTO {table} ({', '.join(columns)}) SELECT * FROM unnest({arrays})"
        if unique:
            replaced = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in unique)
            query += f" ON CONFLICT ({', '.join(unique)}) DO UPDATE SET {replaced}"
        connection.execute(sqlalchemy.text(query), dict(zip(columns, map(list, zip(*rows, strict=True)), strict=True)))


def _parts(ids: Sequence[int]) -> Iterable[list[int]]:
    return (list(ids[start : start + _MOST_LISTED]) for start in range(0, len(ids), _MOST_LISTED))


def stored_moment() -> datetime:
    """Return this moment as Optuna stores it, which one version does by the local clock and another by UTC."""
    trial = models.TrialModel(datetime_complete=datetime.now())
    column = sqlalchemy.inspect(models.TrialModel).get_property_by_column(_TABLES["trials"].c.datetime_complete)
    moment = getattr(trial, column.key)
    assert isinstance(moment, datetime)
    return moment


def _moment(stored: Any) -> datetime | None:
    """Return a stored moment; SQLite keeps text."""
    return datetime.fromisoformat(stored) if isinstance(stored, str) else stored


def _stored_value(value: float) -> tuple[float | None, str]:
    stored, kind = models.TrialValueModel.value_to_stored_repr(value)
    return stored, kind.name
