"""Methods: settings objects that turn a problem and a history into the next row to try.

`method=` takes `"auto"` or one of these objects. They are loaded at their first use: a problem file names its method
without loading Numba.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hedgerow.methods.auto.method import Auto
    from hedgerow.methods.catd.method import CATD
    from hedgerow.methods.method import Method
    from hedgerow.methods.random import Random
    from hedgerow.methods.registry import method_named

_LAZY = {
    "Auto": "hedgerow.methods.auto.method",
    "CATD": "hedgerow.methods.catd.method",
    "Method": "hedgerow.methods.method",
    "Random": "hedgerow.methods.random",
    "method_named": "hedgerow.methods.registry",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'hedgerow.methods' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = ["CATD", "Auto", "Method", "Random", "method_named"]
