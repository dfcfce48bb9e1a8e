"""Packages that only rivals need, loaded at the first need; what is missing is named with the extra that has it."""

from __future__ import annotations

import importlib
from typing import Any

from hedgerow.errors import HedgerowError


def package(name: str, method: str) -> Any:
    """Return a module of an optional package."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise HedgerowError(
            f"The method {method} needs {name.partition('.')[0]}, which is missing. "
            "Install the extra: pip install 'hedgerow[research]'"
        ) from None
