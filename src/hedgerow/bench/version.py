"""What made a row: version, a hash of the code that a proposal passes through, a rival's libraries, machine and day."""

from __future__ import annotations

import hashlib
import os
import platform
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import hedgerow

_SOURCE = Path(hedgerow.__file__).parent
# Around a run, or beside it, but not in it.
_NOT_IN_A_PROPOSAL = ("baselines", "bench", "cli", "importers", "insight", "report", "study", "web.py")
# Rivals: their own modules, and the libraries whose version matters.
_RIVALS: dict[str, tuple[str, tuple[str, ...]]] = {
    "anywhere": ("baselines/anywhere.py", ()),
    "botorch": ("baselines/botorch_list.py", ("botorch", "torch")),
    "evolution": ("baselines/evolution.py", ()),
    "local-search": ("baselines/local_search.py", ()),
    "gp": ("baselines/gaussian_process.py", ()),
    "nn-milp": ("baselines/nn_milp", ("ortools",)),
    "protes": ("baselines/protes.py", ("protes", "jax", "optax")),
    "random": ("methods/random.py", ()),
    "smac": ("baselines/smac.py", ("smac", "ConfigSpace")),
    "tpe": ("baselines/tpe.py", ("optuna",)),
}


@cache
def version_of(kind: str) -> str:
    """Return what a row by this kind of method says of its making."""
    if kind not in _RIVALS:
        return f"{hedgerow.__version__}+{_hash(_own_source())}"
    module, libraries = _RIVALS[kind]
    own = _SOURCE / module
    files = sorted(own.rglob("*.py")) if own.is_dir() else [own]
    return " ".join([f"{hedgerow.__version__}+{_hash(files)}", *(f"{name}-{_version(name)}" for name in libraries)])


def made_by(kind: str) -> dict[str, Any]:
    """Return the columns of a row that say what made it, when, and on what machine."""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return {"version": version_of(kind), "machine": machine, "date": datetime.now(UTC).date().isoformat()}


def missing_libraries(kind: str) -> list[str]:
    """Return the libraries that a method needs and that are not installed."""
    return [library for library in _RIVALS.get(kind, ("", ()))[1] if _version(library) is None]


def _own_source() -> list[Path]:
    files = (path for path in _SOURCE.rglob("*.py") if path.relative_to(_SOURCE).parts[0] not in _NOT_IN_A_PROPOSAL)
    return sorted(files)


def _hash(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.relative_to(_SOURCE).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:10]


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None
