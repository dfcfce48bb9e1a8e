"""What two arrays of truth values or outcomes make together, as far as Python would look at them."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.feasible.values import FALSE, TRUE, UNDEFINED, UNKNOWN, Values, pack


def conjoined(left: Values, right: Values) -> Values:
    """Python's `and` on truth values: the first that is not true, else the last."""
    return np.where(left == TRUE, right, left)


def disjoined(left: Values, right: Values) -> Values:
    """Python's `or` on truth values: the first that is not false, else the last."""
    return np.where(left == FALSE, right, left)


def either(left: Values, right: Values) -> Values:
    """Membership evaluates all members first, so one that cannot be evaluated spoils the whole."""
    return np.maximum(left, right)


def every(left: Values, right: Values) -> Values:
    """Whether both hold, after a look at both."""
    return np.where((left == UNKNOWN) | (right == UNKNOWN), UNKNOWN, np.minimum(left, right))


def python_logic(left: Values, right: Values, stops_at: bool) -> Values:
    """Python's `or` (which stops at what is true) or `and` on values of any kind."""

    def choose(a: Any, b: Any) -> Any:
        return a if a is UNDEFINED or bool(a) is stops_at else b

    return pack([choose(a, b) for a, b in zip(left.tolist(), right.tolist(), strict=True)])


class _Waiting:
    """Stands where a condition was false and the other outcome is still to be read."""


_WAITING = _Waiting()


def when_true(condition: Values, yes: Values) -> Values:
    """The first outcome of a choice where its condition holds, and a placeholder where it does not."""

    def choose(holds: int, value: Any) -> Any:
        return value if holds == TRUE else _WAITING if holds == FALSE else UNDEFINED

    return pack([choose(holds, value) for holds, value in zip(condition.tolist(), yes.tolist(), strict=True)])


def otherwise(chosen: Values, no: Values) -> Values:
    """The other outcome in place of what `when_true` left open."""
    return pack([b if a is _WAITING else a for a, b in zip(chosen.tolist(), no.tolist(), strict=True)])
