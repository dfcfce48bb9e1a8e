"""The values that users give to variables: made plain, checked, and shown in messages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from hedgerow.errors import SpaceError
from hedgerow.expressions import Scalar

# Diagram tables hold one column per level, so a domain of many thousand levels is a mistake in the model.
MAX_LEVELS = 100_000


def plain_values(values: Iterable[object], kind: str) -> list[Scalar]:
    """Return what was given as plain Python values, each of which a variable can take."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise SpaceError(f"{kind} takes a list of values, but {values!r} was given.")
    return [_checked_scalar(plain(value), kind) for value in values]


def plain(value: Any) -> Any:
    """NumPy scalars become the Python values they stand for."""
    item = getattr(value, "item", None)
    return item() if item is not None and getattr(value, "ndim", None) == 0 else value


def _checked_scalar(value: object, kind: str) -> Scalar:
    if not isinstance(value, bool | int | float | str):
        raise SpaceError(
            f"{kind} takes numbers, text and booleans, but {value!r} of type {type(value).__name__} was given."
        )
    if isinstance(value, float) and not math.isfinite(value):
        raise SpaceError(f"{kind} contains {value!r}. Every value must be a finite number that equals itself.")
    return value


def is_float(value: float) -> bool:
    """Whether a number of any size is a finite float."""
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def as_float(value: Scalar) -> float:
    """Return a level as a float, where a float can hold it."""
    if isinstance(value, str) or not is_float(value):
        raise SpaceError(f"Levels mixes floats with {shown(value)}, which no float can hold.")
    return float(value)


def shown(value: object) -> str:
    """A value in a message, without the digits of a very long number."""
    text = (
        repr(value) if not isinstance(value, int) or abs(value) < 10**30 else f"a number near 10**{len(str(value)) - 1}"
    )
    return text if len(text) <= 80 else text[:77] + "..."


def check_levels(values: Sequence[Scalar], kind: str) -> None:
    """Refuse levels that are none, too many, or equal to each other."""
    if not values:
        raise SpaceError(f"{kind} is empty. Give at least one value.")
    check_size(len(values), kind)
    seen: dict[Scalar, Scalar] = {}
    for value in values:
        if value in seen:
            same = (
                f"{value!r} twice"
                if repr(seen[value]) == repr(value)
                else f"{seen[value]!r} and {value!r}, which are equal"
            )
            raise SpaceError(f"{kind} contains {same}. Values must be different from each other.")
        seen[value] = value


def check_size(n_levels: int, kind: str) -> None:
    """Refuse more levels than the tables of a diagram should have columns."""
    if n_levels > MAX_LEVELS:
        raise SpaceError(
            f"{kind} has {n_levels:,} levels; at most {MAX_LEVELS:,} are allowed. "
            "Use a larger step, or fewer (perhaps log-spaced) levels: neighboring trials would be indistinguishable."
        )


def shorten(values: Sequence[object], limit: int = 6) -> str:
    """Return the first values of a list, as a message shows them."""
    shown = ", ".join(repr(value) for value in values[:limit])
    return f"[{shown}{', ...' if len(values) > limit else ''}]"
