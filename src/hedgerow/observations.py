"""What goes out and what comes back: a suggestion is a point to try, an observation what was told of one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hedgerow.errors import PointError
from hedgerow.space import Point


@dataclass(frozen=True)
class Suggestion:
    """A point to try, with what the method knows about it.

    Attributes
    ----------
    point : dict
        The point, as `ask` gives it.
    is_exact : bool
        Whether no untried feasible point scores higher with the method, which is so where all of them were looked at.
        Points that were drawn, as the first one is, and points that a search found, are not exact.
    reason : str
        Why it was chosen, a sentence; one of `hedgerow.methods.Reason` where the method is one of Hedgerow's own.

    Examples
    --------
    >>> import hedgerow as hr
    >>> suggestion = hr.Optimizer(hr.Space({"x": [1, 2, 3]})).suggest()
    >>> suggestion.is_exact
    False
    >>> print(suggestion.reason)
    Drawn at random: there is too little to learn from yet.
    """

    point: Point
    is_exact: bool
    reason: str


@dataclass(frozen=True)
class Observation:
    """A point with what was told of it.

    Attributes
    ----------
    point : dict
        The point.
    value : float or None
        Its value; None when the trial failed.
    is_feasible : bool
        Whether the point keeps every rule. One may tell points that do not; they inform, and are never the best.

    Examples
    --------
    >>> import hedgerow as hr
    >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}))
    >>> optimizer.tell({"x": 2}, 0.5)
    >>> optimizer.observations
    (Observation(point={'x': 2}, value=0.5, is_feasible=True),)
    """

    point: Point
    value: float | None
    is_feasible: bool = True

    @property
    def failed(self) -> bool:
        """Whether the trial gave no value."""
        return self.value is None


def as_value(value: Any) -> float | None:
    """Return a told value as a float, or None where the trial failed: None, NaN and infinity.

    Text, bytes and truth values are refused although Python would turn them into numbers: they are mistakes.
    """
    if value is None:
        return None
    if isinstance(value, str | bytes | bytearray) or _is_truth_value(value):
        raise _no_number(value)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise _no_number(value) from None
    return number if math.isfinite(number) else None


def _is_truth_value(value: Any) -> bool:
    return isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", None) == "b"


def _no_number(value: Any) -> PointError:
    seen = repr(value)
    seen = seen if len(seen) <= 80 else seen[:77] + "..."
    return PointError(
        f"A value is a number, or None for a failed trial, but {seen} was given, which is of type "
        f"{type(value).__name__}. Tell a number, such as float(...) of it."
    )
