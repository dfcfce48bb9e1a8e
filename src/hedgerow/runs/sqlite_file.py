"""The SQLite file of a study: made as a whole or not at all, and mended where an earlier start was cut short.

Tables and indexes are separate statements, and SQLite keeps each as soon as it is done. A process killed between
two of them would leave a file without the index that keeps the names of studies apart, and nobody makes it later. So a
new file is built in memory, written under another name, and given its own name in one step, which only one of several
processes can do. Files that were cut short before this was so are mended when they are opened: of several studies with
one name the one with the most trials keeps it; others are renamed where they hold trials, and removed where not.
"""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from pathlib import Path

import sqlalchemy
from optuna.storages import RDBStorage
from optuna.storages._rdb import models
from sqlalchemy.schema import CreateIndex

from hedgerow.runs.workers.processes import ProcessMark

_DRAFT = ".draft"
_OF_A_STUDY = ("study_directions", "study_user_attributes", "study_system_attributes")


def make_file(file: Path) -> None:
    """Make a file with all tables and indexes, unless it is there; else leave it to the opening."""
    if not file.parent.is_dir():
        return
    _remove_drafts(file)
    if file.exists():
        return
    content = _empty_storage()
    draft = file.with_name(f".{file.name}.{os.getpid()}.{uuid.uuid4().hex[:8]}{_DRAFT}")
    # A folder that cannot be written to is reported by the opening. Whoever links second finds the first one's file.
    with suppress(OSError):
        try:
            with draft.open("xb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            file.hardlink_to(draft)
        finally:
            draft.unlink(missing_ok=True)


def mend(engine: sqlalchemy.Engine) -> None:
    """Make the indexes that are missing, and give a name that several studies have to one of them."""
    with engine.begin() as connection:
        found = set(connection.scalars(sqlalchemy.text("SELECT name FROM sqlite_master WHERE type = 'index'")))
        tables = models.BaseModel.metadata.tables.values()
        missing = [index for table in tables for index in table.indexes if index.name not in found]
        if any(index.unique for index in missing):
            _tell_apart(connection)
        for index in missing:
            connection.execute(CreateIndex(index, if_not_exists=True))


def _empty_storage() -> bytes:
    """Return the file of a storage without studies."""
    engine = RDBStorage("sqlite:///:memory:").engine
    connection = engine.raw_connection()
    try:
        content: bytes = connection.driver_connection.serialize()  # type: ignore[union-attr]
    finally:
        connection.close()
        engine.dispose()
    return content


def _remove_drafts(file: Path) -> None:
    """Remove what processes left that were killed while they wrote."""
    for draft in file.parent.glob(f".{file.name}.*{_DRAFT}"):
        process = draft.name.removeprefix(f".{file.name}.").partition(".")[0]
        if process.isdigit() and not ProcessMark.of(int(process)).born:
            draft.unlink(missing_ok=True)


def _tell_apart(connection: sqlalchemy.Connection) -> None:
    """Leave each name to the study with the most trials, of equals to the oldest; no trial is lost."""
    query = (
        "SELECT study_id, study_name, (SELECT COUNT(*) FROM trials WHERE trials.study_id = studies.study_id) AS n "
        "FROM studies ORDER BY n DESC, study_id"
    )
    taken: set[str] = set()
    for study_id, name, n_trials in connection.execute(sqlalchemy.text(query)).all():
        if name not in taken:
            taken.add(name)
        elif n_trials:
            renamed = f"{name} (study {study_id})"
            update = sqlalchemy.text("UPDATE studies SET study_name = :name WHERE study_id = :id")
            connection.execute(update, {"name": renamed, "id": study_id})
        else:
            for table in (*_OF_A_STUDY, "studies"):
                connection.execute(sqlalchemy.text(f"DELETE FROM {table} WHERE study_id = :id"), {"id": study_id})
