"""Numbers that describe labels, such as the polarity and the size of solvents: how alike two labels may be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hedgerow.errors import SpaceError
from hedgerow.expressions import Scalar
from hedgerow.wording import ending

# A descriptor by its name: a number for each label, in the order of the labels.
Descriptors = tuple[tuple[str, tuple[float, ...]], ...]


def read_descriptors(given: Any, labels: Sequence[Scalar]) -> Descriptors:
    """Return descriptors from a data frame with a row for each label, or a mapping from names to columns.

    A column is a list in the order of the labels, or a mapping from labels to numbers.
    """
    # An empty tuple is what a variable without descriptors has, and what a copy of it is given.
    if given is None or (isinstance(given, tuple) and not given):
        return ()
    if hasattr(given, "columns") and hasattr(given, "index"):
        columns = {str(name): _frame_column(given, name, labels) for name in given.columns}
    elif isinstance(given, Mapping) or _are_pairs(given):
        columns = {str(name): column for name, column in dict(given).items()}
    else:
        raise SpaceError(
            "descriptors is a data frame with a row for each label, or a dict from names to columns of numbers, but "
            f"{type(given).__name__} was given."
        )
    if not columns:
        raise SpaceError("descriptors has no columns. Leave it out where nothing describes the labels.")
    return tuple((name, _numbers(name, column, labels)) for name, column in columns.items())


def _are_pairs(given: Any) -> bool:
    """Whether descriptors are given in the form that this module returns."""
    return isinstance(given, tuple) and all(isinstance(item, tuple) and len(item) == 2 for item in given)


def _frame_column(frame: Any, name: Any, labels: Sequence[Scalar]) -> Any:
    column = frame[name]
    index = list(frame.index)
    # A frame without labels of its own counts its rows.
    if index == list(range(len(index))) and not all(label in index for label in labels):
        return list(column)
    return dict(zip(index, column, strict=True))


def _numbers(name: str, column: Any, labels: Sequence[Scalar]) -> tuple[float, ...]:
    if isinstance(column, Mapping):
        missing = [label for label in labels if label not in column]
        if missing:
            close = ending(str(missing[0]), [str(label) for label in column])
            raise SpaceError(f"The descriptor '{name}' has no number for {missing[0]!r}{close}")
        column = [column[label] for label in labels]
    if isinstance(column, str) or not isinstance(column, Iterable):
        raise SpaceError(f"The descriptor '{name}' is a list of numbers, but {column!r} was given.")
    numbers = list(column)
    if len(numbers) != len(labels):
        raise SpaceError(f"The descriptor '{name}' has {len(numbers)} numbers for {len(labels)} labels.")
    return tuple(_number(name, label, number) for label, number in zip(labels, numbers, strict=True))


def _number(name: str, label: Scalar, given: Any) -> float:
    try:
        number = float(given)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(given, str) or not math.isfinite(number):
        raise SpaceError(f"The descriptor '{name}' of {label!r} is {given!r}, which is no finite number.")
    return number
