"""The one place that meets Numba, so that its missing types and its options are settled once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Sums may be regrouped and contracted for speed; infinities and NaNs keep their meaning, so that trouble shows.
_FASTMATH = {"contract", "reassoc", "nsz", "arcp"}


def compiled(function: _Function) -> _Function:
    """Compile a kernel on its first call and keep the machine code on disk."""
    return cast(_Function, njit(cache=True, nogil=True, error_model="numpy", fastmath=_FASTMATH)(function))


def inlined(function: _Function) -> _Function:
    """Compile a part of a kernel into each place that calls it: passing many arrays costs as much as a row's work.

    The machine code on disk is renewed when the file of the kernel changes, not when that of such a part does: remove
    the `__pycache__` of this folder after changing one.
    """
    return cast(_Function, njit(nogil=True, error_model="numpy", fastmath=_FASTMATH, forceinline=True)(function))
