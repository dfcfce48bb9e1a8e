"""The short names of methods. A name is checked without loading what it stands for, which may take a second."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from hedgerow.errors import HedgerowError
from hedgerow.wording import ending, quoted

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
    """Return the method that a short name stands for; a method is returned as it is, if it is one.

    Parameters
    ----------
    method : str or Method
        "auto", "catd" or "random", or an object that fits `Method`.

    Returns
    -------
    Method
        The method.

    Raises
    ------
    HedgerowError
        Where there is no such name, or the object does not fit.

    Examples
    --------
    >>> from hedgerow.methods import method_named
    >>> method_named("random")
    Random()
    """
    if not isinstance(method, str):
        check_method(method)
        return method
    check_name(method)
    module, name = METHODS[method].split(":")
    found: Method = getattr(import_module(module), name)()
    return found


def check_method(method: object) -> None:
    """Raise, with what is missing, where an object given as a method is none."""
    if isinstance(method, type):
        raise HedgerowError(
            f"method is an object, but the class {method.__name__} was given; write {method.__name__}()."
        )
    missing = []
    if not callable(getattr(method, "start", None)):
        missing.append("start(problem), which returns an object with suggest(history, seed)")
    if not isinstance(getattr(method, "may_break_rules", None), bool):
        missing.append("may_break_rules, which is False or True")
    if missing:
        raise HedgerowError(
            f"method is one of {quoted(METHODS)} or an object that fits hedgerow.methods.Method, but {method!r} has no "
            f"{' and no '.join(missing)}."
        )
