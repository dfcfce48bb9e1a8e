"""The trials of a study in a SQLite file, read without Optuna, which takes a second to load.

Only tables of the layout that is known here are read, and only parameters of the kinds that Hedgerow writes; everything
else is left to Optuna. The file is opened for reading alone, so a study that others work on is not disturbed.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hedgerow.schema import StoredState

# Optuna's name for the layout of its tables; the same in Optuna 4.9 and 5.
_LAYOUTS = ("v3.2.0.a",)
# Kinds of parameters, with the names that Optuna 2 had for them.
_WHOLE = ("IntDistribution", "IntUniformDistribution", "IntLogUniformDistribution")
_REAL = ("FloatDistribution", "UniformDistribution", "LogUniformDistribution", "DiscreteUniformDistribution")
_TIMEOUT = 60.0  # seconds


class UnknownLayout(Exception):  # noqa: N818 - not an error: somebody else can read it
    """The file holds something that only Optuna can read."""


@dataclass(frozen=True)
class PlainTrial:
    """A trial as it was read. Moments are as the file holds them: good for an order, not for a clock."""

    number: int
    state: StoredState
    values: Sequence[float] | None
    params: Mapping[str, Any]
    user_attrs: Mapping[str, Any]
    system_attrs: Mapping[str, Any]
    datetime_start: datetime | None
    datetime_complete: datetime | None


@dataclass(frozen=True)
class StudyRecord:
    """A study as it is stored: the directions of its objectives, its user attributes, its trials."""

    directions: Sequence[str]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    trials: Sequence[Any] = ()


def read_study(file: Path, name: str) -> StudyRecord | None:
    """Return a study of a SQLite file, or None where the file has none of that name."""
    address = f"file:{quote(str(file.resolve()))}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=_TIMEOUT, isolation_level=None)) as connection:
            # One transaction, so that what is read belongs to one moment.
            connection.execute("BEGIN")
            return _read(connection, name)
    except (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError) as error:
        # Damaged, or made by somebody else: Optuna says what is wrong with it.
        raise UnknownLayout(str(error)) from error


def _read(connection: sqlite3.Connection, name: str) -> StudyRecord | None:
    layout = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    if layout is None or layout[0] not in _LAYOUTS:
        raise UnknownLayout(f"layout {layout}")
    # Where a start that was cut short left several studies of one name, the trials are with one of them.
    query = (
        "SELECT study_id FROM studies WHERE study_name = ? ORDER BY "
        "(SELECT COUNT(*) FROM trials WHERE trials.study_id = studies.study_id) DESC, study_id"
    )
    found = connection.execute(query, (name,)).fetchone()
    if found is None:
        return None
    (study_id,) = found
    query = "SELECT direction FROM study_directions WHERE study_id = ? ORDER BY objective"
    directions = connection.execute(query, found).fetchall()
    attrs = connection.execute("SELECT key, value_json FROM study_user_attributes WHERE study_id = ?", found)
    return StudyRecord(
        tuple(str(direction).lower() for (direction,) in directions),
        {key: json.loads(value) for key, value in attrs},
        list(_trials(connection, study_id)),
    )


def _trials(connection: sqlite3.Connection, study_id: int) -> Iterator[PlainTrial]:
    params = _params(connection, study_id)
    user, system = (_attrs(connection, study_id, table) for table in ("user", "system"))
    values: dict[int, list[float]] = defaultdict(list)
    query = "SELECT trial_id, value, value_type FROM trial_values JOIN trials USING (trial_id) WHERE study_id = ?"
    for trial_id, value, kind in connection.execute(f"{query} ORDER BY objective", (study_id,)):
        values[trial_id].append({"INF_POS": math.inf, "INF_NEG": -math.inf}.get(kind, value))
    query = "SELECT trial_id, number, state, datetime_start, datetime_complete FROM trials WHERE study_id = ?"
    for trial_id, number, state, start, complete in connection.execute(f"{query} ORDER BY trial_id", (study_id,)):
        yield PlainTrial(
            number,
            StoredState[state],
            values.get(trial_id),
            params.get(trial_id, {}),
            user.get(trial_id, {}),
            system.get(trial_id, {}),
            None if start is None else datetime.fromisoformat(start),
            None if complete is None else datetime.fromisoformat(complete),
        )


def _attrs(connection: sqlite3.Connection, study_id: int, kind: str) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = defaultdict(dict)
    table = f"trial_{kind}_attributes"
    query = f"SELECT trial_id, key, value_json FROM {table} JOIN trials USING (trial_id) WHERE study_id = ?"
    for trial_id, key, value in connection.execute(query, (study_id,)):
        found[trial_id][key] = json.loads(value)
    return found


def _params(connection: sqlite3.Connection, study_id: int) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = defaultdict(dict)
    # Each distribution is the same text in every trial.
    known: dict[str, tuple[str, Sequence[Any]]] = {}
    query = (
        "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params JOIN trials USING (trial_id) "
        "WHERE study_id = ? ORDER BY param_id"
    )
    for trial_id, name, value, text in connection.execute(query, (study_id,)):
        if text not in known:
            known[text] = distribution_said(text)
        found[trial_id][name] = external_value(value, *known[text])
    return found


def distribution_said(text: str) -> tuple[str, Sequence[Any]]:
    """Return the kind of a stored distribution, and its choices."""
    said = json.loads(text)
    return str(said["name"]), said["attributes"].get("choices", ())


def external_value(value: float, kind: str, choices: Sequence[Any]) -> Any:
    """Return a parameter's value as users see it; the file holds a number, for choices their place."""
    if kind == "CategoricalDistribution":
        return choices[int(value)]
    if kind in _WHOLE:
        return int(value)
    if kind in _REAL:
        return float(value)
    raise UnknownLayout(f"parameters of the kind {kind}")
