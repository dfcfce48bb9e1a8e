"""Makes room for OR-Tools in a process that has loaded another HiGHS.

OR-Tools brings a library of HiGHS. Where the package `highspy` (which CVXPY loads) came first, the system takes that
one for both, although it is another version, and OR-Tools fails to load. Its own one by its full name, loaded
beforehand, has what is missing.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from contextlib import suppress
from pathlib import Path


def make_room() -> None:
    """Load OR-Tools' own HiGHS where another one is there already."""
    spec = importlib.util.find_spec("ortools")
    if "highspy" not in sys.modules or spec is None:
        return
    for folder in spec.submodule_search_locations or ():
        for library in sorted((Path(folder) / ".libs").glob("libhighs.so*")):
            with suppress(OSError):
                ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
