"""Packages that only rivals need, loaded at the first need; what is missing is named with the extra that has it."""

from __future__ import annotations

import importlib
from typing import Any

from hedgerow.errors import HedgerowError

# Not in the extra: its bounds on other packages leave pip no solution.
_ALONE = {"protes": "pip install --no-deps 'protes>=0.3.12,<0.4'"}


def package(name: str, method: str) -> Any:
    """Return a module of an optional package."""
    try:
        return importlib.import_module(name)
    except ImportError:
        needed = name.partition(".")[0]
        remedy = (
            f"Install it: {_ALONE[needed]}"
            if needed in _ALONE
            else "Install the extra: pip install 'hedgerow[research]'"
        )
        raise HedgerowError(f"The method {method} needs {needed}, which is missing. {remedy}") from None
