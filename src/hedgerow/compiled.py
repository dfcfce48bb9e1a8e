"""The one place that meets Numba, so that its missing types and its options are settled once.

Machine code is kept on disk. Numba renews it when the file of a kernel changes, and does not notice a change in another
file whose functions or numbers were compiled into it. Here it is renewed when any file changes that can be part of
compiled code: every source of this package that imports Numba or this module. They are read once per process.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import njit
from numba.core.caching import NullCache
from numba.core.event import Listener, register

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Sums may be regrouped and contracted for speed; infinities and NaNs keep their meaning, so that trouble shows.
_FASTMATH = {"contract", "reassoc", "nsz", "arcp"}
# With this variable set, vector registers are not used; see methods/catd/tensors/lanes.py.
PLAIN_LANES = "HEDGEROW_PLAIN_LANES"
# What a source says that can be part of compiled code.
_MARKS = (b"hedgerow.compiled import", b"from numba", b"import numba")


def compiled(function: _Function) -> _Function:
    """Compile a kernel on its first call and keep the machine code on disk."""
    dispatcher = njit(nogil=True, error_model="numpy", fastmath=_FASTMATH)(function)
    _keep_on_disk(dispatcher)
    return cast(_Function, dispatcher)


def inlined(function: _Function) -> _Function:
    """Compile a part of a kernel into each place that calls it: passing many arrays costs as much as a row's work."""
    return cast(_Function, njit(nogil=True, error_model="numpy", fastmath=_FASTMATH, forceinline=True)(function))


def _keep_on_disk(dispatcher: Any) -> None:
    """Have Numba keep the code, beside the source or where the user's caches are, marked with all sources.

    A mark that differs makes Numba compile again and write over what is there, so nothing piles up. Code is not kept
    where no folder can be written, nor by a version of Numba that keeps the mark elsewhere: better slow than stale.
    """
    try:
        dispatcher.enable_caching()
    except RuntimeError:
        return
    files: Any = getattr(dispatcher._cache, "_cache_file", None)
    if sources() and hasattr(files, "_source_stamp"):
        files._source_stamp = (files._source_stamp, sources(), os.environ.get(PLAIN_LANES, ""))
    else:
        dispatcher._cache = NullCache()


class FirstCompilation(Listener):
    """Says once that kernels are being compiled, which takes some seconds and looks as if nothing happened."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self.say = say
        self._has_said = False

    def on_start(self, event: object) -> None:  # noqa: ARG002 - what Numba calls
        """Say so, where it has not been said."""
        if not self._has_said:
            self._has_said = True
            self.say("compiling for the first time, which takes some seconds; the code is kept")

    def on_end(self, event: object) -> None:
        """Do nothing: what was waited for is there."""


@cache
def _first_compilation() -> FirstCompilation:
    listener = FirstCompilation(lambda _: None)
    cast(Any, register)("numba:compile", listener)
    return listener


def announce(say: Callable[[str], object]) -> None:
    """Have it said in this way when kernels are compiled; whatever the ways, it is said once in a process."""
    _first_compilation().say = say


def say_to_log(text: str) -> None:
    """Print a line for whoever reads the log."""
    print(f"hedgerow: {text}.", file=sys.stderr, flush=True)


def is_in_notebook() -> bool:
    """Whether pages are shown: IPython is loaded already where somebody works in a notebook, and is not loaded here."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


@cache
def sources() -> str:
    """Return a digest of all sources that can be part of compiled code, or nothing where there are no such files."""
    found = compilable()
    digest = hashlib.sha256()
    for path, text in found.items():
        digest.update(f"{path}\0{len(text)}\0".encode() + text)
    return digest.hexdigest() if found else ""


def compilable() -> dict[Path, bytes]:
    """Return the sources that can be part of compiled code, by their path in the package and in its order."""
    package = Path(__file__).parent
    texts = {path.relative_to(package): path.read_bytes() for path in sorted(package.rglob("*.py"))}
    return {path: text for path, text in texts.items() if any(mark in text for mark in _MARKS)}


if sys.stderr.isatty() or is_in_notebook():
    announce(say_to_log)
