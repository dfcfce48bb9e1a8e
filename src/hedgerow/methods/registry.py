"""The short names of methods. A name is checked without loading what it stands for, which may take a second."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from hedgerow.errors import HedgerowError
from hedgerow.wording import ending

if TYPE_CHECKING:
    from hedgerow.methods.method import Method

# A new method is one line here.
METHODS = {
    "auto": "hedgerow.methods.auto.method:Auto",
    "catd": "hedgerow.methods.catd.method:CATD",
    "random": "hedgerow.methods.random:Random",
}


def check_name(name: str) -> None:
    """Raise where no method has this name."""
    if name not in METHODS:
        raise HedgerowError(f"There is no method '{name}'{ending(name, METHODS)}")


def method_named(method: str | Method) -> Method:
    """Return the settings that a short name stands for; settings are returned as they are."""
    if not isinstance(method, str):
        return method
    check_name(method)
    module, name = METHODS[method].split(":")
    settings: Method = getattr(import_module(module), name)()
    return settings
