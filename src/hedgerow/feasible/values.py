"""Arrays of rule values with Python's own semantics: NumPy where it agrees with Python exactly, Python where it may
not.

Values are held as int64 (magnitudes below 2**53, where integers, floats and comparisons between them are all
exact), float64, bool, or as Python objects for everything else: text, long integers, mixtures, and UNDEFINED where
Python would raise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hedgerow.arrays import Places, Whole
from hedgerow.diagram.reduce import compress
from hedgerow.rules.evaluate import ARITHMETIC, COMPARISONS

Values = NDArray[Any]
Truths = NDArray[np.int64]  # FALSE, TRUE or UNKNOWN

_EXACT = 2**53


class _Undefined:
    """What an expression is worth where Python would raise an arithmetic error."""

    def __repr__(self) -> str:
        return "UNDEFINED"


UNDEFINED: Final = _Undefined()

# Truth values: what `and`, `or` and `not` work on.
FALSE, TRUE, UNKNOWN = 0, 1, 2


def pack(values: Sequence[Any]) -> Values:
    """Return Python values as the tightest array that keeps them exactly."""
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return np.array(values, dtype=np.bool_)
    if kinds == {int} and all(-_EXACT <= value <= _EXACT for value in values):
        return np.array(values, dtype=np.int64)
    if kinds == {float}:
        return np.array(values, dtype=np.float64)
    packed = np.empty(len(values), dtype=object)
    packed[:] = values
    return packed


def is_whole(values: Values) -> bool:
    """Whether all values are integers or booleans, held exactly."""
    return values.dtype.kind in "ib"


def distinct(values: Values) -> tuple[Values, Places]:
    """Return the different values, and for each value its place among them."""
    if values.dtype == np.int64 and values.size:
        low, high = int(values.min()), int(values.max())
        whole, places = compress(values - low, high - low + 1)
        return whole + low, places
    if values.dtype != object:
        # NaN equals nothing; telling two of them apart would only cost states.
        found, places = np.unique(values, return_inverse=True)
        return found, places.reshape(-1)
    index: dict[tuple[type, Any], int] = {}
    places = np.array([index.setdefault((type(value), value), len(index)) for value in values], dtype=np.int64)
    return pack([value for _, value in index]), places


def truth(values: Values) -> Truths:
    """Return FALSE, TRUE or UNKNOWN for each value."""
    if values.dtype != object:
        return np.asarray(values != 0).astype(np.int64)
    return np.array([UNKNOWN if value is UNDEFINED else int(bool(value)) for value in values], dtype=np.int64)


def from_truth(truths: Truths) -> Values:
    """Return Python's booleans for truth values."""
    if not (truths == UNKNOWN).any():
        return np.asarray(truths == TRUE)
    return pack([UNDEFINED if value == UNKNOWN else value == TRUE for value in truths.tolist()])


def arithmetic(symbol: str, left: Values, right: Values) -> Values:
    """Apply `+ * / // % **` elementwise."""
    fast = _fast_arithmetic(symbol, left, right)
    return elementwise(ARITHMETIC[symbol], left, right) if fast is None else fast


def compare(symbol: str, left: Values, right: Values) -> Truths:
    """Return the truth of `left symbol right` elementwise."""
    if object not in (left.dtype, right.dtype):
        # Below 2**53 a mixed comparison is exact in floating point too.
        return np.asarray(COMPARISONS[symbol](left, right)).astype(np.int64)
    return truth(elementwise(COMPARISONS[symbol], left, right))


def elementwise(function: Callable[[Any, Any], Any], left: Values, right: Values) -> Values:
    """Apply a Python function pair by pair; arithmetic errors and UNDEFINED operands give UNDEFINED."""
    return pack([_guarded(function, a, b) for a, b in zip(left.tolist(), right.tolist(), strict=True)])


def mapped(function: Callable[[Any], Any], values: Values) -> Values:
    """Apply a Python function value by value; arithmetic errors and UNDEFINED operands give UNDEFINED."""
    return pack([_guarded(lambda value, _: function(value), value, None) for value in values.tolist()])


def _guarded(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if left is UNDEFINED or right is UNDEFINED:
        return UNDEFINED
    try:
        return function(left, right)
    except ArithmeticError:
        return UNDEFINED


def _fast_arithmetic(symbol: str, left: Values, right: Values) -> Values | None:
    """NumPy's answer where it is Python's too, else None."""
    if object in (left.dtype, right.dtype) or symbol == "**":
        return None
    if is_whole(left) and is_whole(right):
        return _fast_whole(symbol, left.astype(np.int64), right.astype(np.int64))
    if symbol in ("+", "*"):
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(ARITHMETIC[symbol](left, right), dtype=np.float64)
    if symbol == "/" and bool((right != 0).all()):
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(left / right, dtype=np.float64)
    # Remainders of floats are left to Python.
    return None


def _fast_whole(symbol: str, left: Whole, right: Whole) -> Values | None:
    if symbol == "+" or (symbol == "*" and _reach(left) * _reach(right) <= _EXACT):
        result = ARITHMETIC[symbol](left, right)
        return result if _reach(result) <= _EXACT else None
    if symbol in ("/", "//", "%") and bool((right != 0).all()):
        return np.asarray(ARITHMETIC[symbol](left, right))
    return None


def _reach(values: Whole) -> int:
    return max(abs(int(values.max(initial=0))), abs(int(values.min(initial=0))))
