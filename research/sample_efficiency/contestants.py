"""The methods by name, whether they can run here, and a fingerprint of the code that makes their proposals.

A stored run counts only while that code is the same: for our own methods every source file that a proposal passes
through, for a rival its own module and the versions of the libraries it calls.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import hedgerow
from hedgerow.errors import HedgerowError
from hedgerow.methods import CATD, Auto, Method, Random
from hedgerow.wording import suggestion
from research.rivals import BotorchList, Evolution

DEFAULT = ("auto", "botorch", "evolution", "random")
_SOURCE = Path(hedgerow.__file__).parent
# Around a run, or beside it, but not in it.
_NOT_IN_A_PROPOSAL = ("cli", "runs", "optuna", "plots", "report")
# Rivals: their own module, and the libraries whose version matters.
_RIVALS: dict[str, tuple[str, tuple[str, ...]]] = {
    "botorch": ("../../research/rivals/botorch_list.py", ("botorch", "gpytorch", "torch")),
    "evolution": ("../../research/rivals/evolution.py", ()),
    "random": ("methods/random.py", ()),
}


def contestants() -> dict[str, Callable[[], Method]]:
    """Return what makes the settings of each method."""
    known: dict[str, Callable[[], Method]] = {
        "auto": Auto,
        "botorch": BotorchList,
        "evolution": Evolution,
        "random": Random,
    }
    known["catd-auto"] = lambda: CATD("auto", None)
    for form in ("cp", "tr", "tt"):
        for rank in range(2, 7):
            known[f"catd-{form}-{rank}"] = lambda form=form, rank=rank: CATD(form, rank)  # type: ignore[misc]
    return known


def contestant(name: str) -> Method:
    """Return the settings of a method."""
    known = contestants()
    if name not in known:
        raise HedgerowError(f"There is no method '{name}' in this benchmark{suggestion(name, known) or '.'}")
    return known[name]()


def missing_libraries(name: str) -> list[str]:
    """Return the libraries that a method needs and that are not installed."""
    return [library for library in _RIVALS.get(name, ("", ()))[1] if _version(library) is None]


@cache
def fingerprint(name: str) -> str:
    """Return a short hash of what makes a method's proposals, independent of where it is installed."""
    if name not in _RIVALS:
        return _hash(_own_source(), ())
    module, libraries = _RIVALS[name]
    return _hash([_SOURCE / module], [f"{library} {_version(library)}" for library in libraries])


def _own_source() -> list[Path]:
    files = (path for path in _SOURCE.rglob("*.py") if path.relative_to(_SOURCE).parts[0] not in _NOT_IN_A_PROPOSAL)
    return sorted(files)


def _hash(files: Iterable[Path], words: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    for word in words:
        digest.update(word.encode() + b"\0")
    return digest.hexdigest()[:12]


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None
