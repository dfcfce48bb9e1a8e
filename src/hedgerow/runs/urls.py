"""The URLs of storages, read without loading what opens them."""

from __future__ import annotations

import os
import re
from pathlib import Path

JOURNAL = "journal:"
# Names that end so are files of SQLite.
_DATABASES = (".db", ".sqlite", ".sqlite3")
_SQLITE = re.compile(r"sqlite(?:\+\w+)?:///(?P<file>[^?]*)")


def as_url(storage: str | os.PathLike[str]) -> str:
    """Return the URL of a storage; the name of a database file, such as `study.db`, is one of SQLite."""
    if isinstance(storage, str) and ("://" in storage or not storage.endswith(_DATABASES)):
        return storage
    name = os.fspath(storage)
    return f"{JOURNAL}{name}" if name.endswith(".log") else f"sqlite:///{Path(name).absolute()}"


def file_of(url: str) -> Path | None:
    """Return the file that a storage is kept in, or None where it is kept in something else."""
    if url.startswith(JOURNAL):
        return Path(url.removeprefix(JOURNAL))
    return sqlite_file_of(url)


def sqlite_file_of(url: str) -> Path | None:
    """Return the file of a SQLite URL, or None where the URL says more than the name of a file."""
    match = _SQLITE.fullmatch(url)
    name = "" if match is None else match["file"]
    if "%" in name:
        # Versions differ in what they make of it, so the one that opens the file is asked.
        from sqlalchemy.engine import make_url  # noqa: PLC0415 - takes a while to load

        name = make_url(url).database or ""
    # Optuna fills in a template, and SQLite reads options behind `file:`; neither is the name of a file.
    is_plain = name not in ("", ":memory:") and not name.startswith("file:") and "{" not in name
    return Path(name) if is_plain else None


def without_password(url: str) -> str:
    """Return a storage URL that may be shown."""
    return re.sub(r"(://[^:/@]*):[^@/]*@", r"\1:***@", url)
