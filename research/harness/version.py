"""What made a row: version, a hash of the code that suggestions pass through, libraries of a rival, machine and day."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import hedgerow

_HOUSE = Path(hedgerow.__file__).parent
_LABORATORY = Path(__file__).parents[1]
# The rooms that a suggestion of an experiment passes through: the rest is around a run, or beside it.
_IN_A_SUGGESTION = (
    "compiled.py",
    "diagram",
    "expressions",
    "feasible",
    "methods",
    "rules",
    "search",
    "space",
)
# Methods do not know each other: what one kind does not pass through.
_NOT_OF = {
    "auto": ("methods/catd", "methods/random.py"),
    "catd": ("methods/auto", "methods/borders.py", "methods/random.py"),
}
# Rivals: their own modules, and the libraries whose version matters.
_RIVALS: dict[str, tuple[str, tuple[str, ...]]] = {
    "anywhere": ("rivals/anywhere.py", ()),
    "baybe": ("rivals/baybe_list.py", ("baybe", "botorch", "torch")),
    "botorch": ("rivals/botorch_list.py", ("botorch", "torch")),
    "evolution": ("rivals/evolution.py", ()),
    "kernel-tuner": ("harness/kernel_tuner.py", ("kernel-tuner",)),
    "local-search": ("rivals/local_search.py", ()),
    "gp": ("rivals/gaussian_process", ("scikit-learn",)),
    "nn-milp": ("rivals/nn_milp", ("ortools",)),
    "optuna-gp": ("rivals/optuna_gp.py", ("optuna", "torch")),
    "protes": ("rivals/protes.py", ("protes", "jax", "optax")),
    "random": ("methods/random.py", ()),
    "smac": ("rivals/smac.py", ("smac", "ConfigSpace")),
    "tpe": ("rivals/tpe.py", ("optuna",)),
}


@cache
def version_of(kind: str) -> str:
    """Return what a row by this kind of method says of its making."""
    if kind == "kernel-tuner":
        # It runs itself: nothing of ours makes its suggestions.
        return f"{kind}-{_version(kind)}"
    if kind not in _RIVALS:
        return f"{hedgerow.__version__}+{_hash(_own_source(kind))}"
    module, libraries = _RIVALS[kind]
    own = (_HOUSE if module.startswith("methods") else _LABORATORY) / module
    files = sorted(own.rglob("*.py")) if own.is_dir() else [own]
    return f"{hedgerow.__version__}+{_hash(files)} {libraries_with(libraries)}".rstrip()


def libraries_with(names: Sequence[str]) -> str:
    """Return libraries with their versions."""
    return " ".join(f"{name}-{_version(name)}" for name in names)


def made_by(kind: str) -> dict[str, Any]:
    """Return the columns of a row that say what made it, when, and on what machine."""
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    return {"version": version_of(kind), "machine": machine, "date": datetime.now(UTC).date().isoformat()}


def missing_libraries(kind: str) -> list[str]:
    """Return the libraries that a method needs and that are not installed."""
    return [library for library in _RIVALS.get(kind, ("", ()))[1] if _version(library) is None]


def _own_source(kind: str) -> list[Path]:
    files = (path for path in _HOUSE.rglob("*.py") if path.relative_to(_HOUSE).parts[0] in _IN_A_SUGGESTION)
    left_out = _NOT_OF.get(kind, ())
    return sorted(path for path in files if not path.relative_to(_HOUSE).as_posix().startswith(left_out))


def _hash(files: list[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        root = _HOUSE if file.is_relative_to(_HOUSE) else _LABORATORY
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:10]


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None
