"""One thread for linear algebra while a method thinks.

The matrices of an ask are small: threads cost more than they give, and on a busy machine many times more. Their
number would also change how sums are rounded, and with it which of two nearly equal rows is suggested.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]


def one_thread() -> AbstractContextManager[object]:
    """Return a context in which BLAS works on one thread."""
    limits: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return limits


@cache
def _controller() -> ThreadpoolController:
    # Looking for the loaded libraries takes milliseconds; NumPy's and SciPy's are there once methods are imported.
    import scipy.linalg  # type: ignore[import-untyped] # noqa: F401, PLC0415

    return ThreadpoolController()
