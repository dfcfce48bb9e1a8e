"""One told number: what counts as one, and what means that there is none."""

from __future__ import annotations

import math
from typing import Any

from hedgerow.errors import PointError


def as_value(value: Any) -> float | None:
    """Return a told value as a float, or None where the trial failed: None, NaN and infinity.

    Text, bytes and truth values are refused although Python would turn them into numbers: they are mistakes.
    """
    if value is None:
        return None
    if isinstance(value, str | bytes | bytearray) or _is_truth_value(value):
        raise no_number(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise no_number(value) from None
    return number if math.isfinite(number) else None


def no_number(value: Any, advice: str = "Tell a number, such as float(...) of it.") -> PointError:
    """Return the error for something that is no number."""
    return PointError(
        f"A value is a number, or None for a failed trial, but {_shortened(value)} was given, which is of type "
        f"{type(value).__name__}. {advice}"
    )


def _shortened(value: Any) -> str:
    """Return how a value looks, in at most 80 letters."""
    seen = repr(value)
    return seen if len(seen) <= 80 else seen[:77] + "..."


def _is_truth_value(value: Any) -> bool:
    return isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", None) == "b"
