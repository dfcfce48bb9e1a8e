"""An order of items: a vector with a component for each item, its position, all of them different.

A point holds the items as a plain list. A row holds where each of them stands, since that is what rules ask:
`position(x, 'a')` is one slot, and `before(x, 'a', 'b')` compares two. That no two items share a position is a rule
that belongs to the space (`rules.rule.rules_of_space`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import PointError, SpaceError
from hedgerow.space.domains import Vector
from hedgerow.space.numeric import Integer
from hedgerow.wording import ending

Item = str | int

# Tables of pairs of items are kept.
MAX_ITEMS = 500
# These would make a component's name hard to tell from what stands around it in rules and commands.
_RESERVED = set("[]{}'\"\\")


@dataclass(frozen=True, repr=False)
class Permutation(Vector):
    """An order of items: a list in points, `before(x, 'a', 'b')`, `position(x, 'a') <= 3` in rules.

    Positions count from 1. Schedules, routes and rankings are of this kind.

    Parameters
    ----------
    items : iterable of str or int
        What is put in order, 2 to 500 of them.
    when : None, optional
        Other kinds of variable may have a condition; an order is always there.

    Raises
    ------
    SpaceError
        Where an item is neither text nor a whole number, or there twice, or there are too few or too many.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"jobs": hr.Permutation(["wash", "cut", "glue", "dry"])})
    >>> space.size
    24
    >>> feasible = hr.FeasibleSet(space, ["before(jobs, 'glue', 'dry')", "position(jobs, 'wash') == 1"])
    >>> for point in feasible:
    ...     print(point)
    {'jobs': ['wash', 'cut', 'glue', 'dry']}
    {'jobs': ['wash', 'glue', 'cut', 'dry']}
    {'jobs': ['wash', 'glue', 'dry', 'cut']}
    """

    type_name: ClassVar[str] = "permutation"
    items: tuple[Item, ...]

    def __init__(self, items: Iterable[Item], *, when: object = None) -> None:
        if when is not None:
            raise SpaceError("A permutation has no condition (when): an order of items is always there.")
        checked = _checked_items(items)
        super().__init__(Integer(1, len(checked)), len(checked))
        object.__setattr__(self, "items", checked)

    @property
    def size(self) -> int:
        """The number of orders."""
        return math.factorial(self.length)

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use."""
        return {"type": self.type_name, "items": list(self.items)}

    def __repr__(self) -> str:
        return f"Permutation({list(self.items)!r})"


def in_order(variable: Permutation, positions: Sequence[Any] | Codes) -> list[Item]:
    """Return the items by their positions."""
    return [variable.items[place] for place in np.argsort(np.asarray(positions), kind="stable").tolist()]


def positions_of(variable: Permutation, name: str, given: object) -> list[int]:
    """Return the position of each item in a list of all of them, or say what does not fit."""
    listed = _as_list(variable, name, given)
    positions: dict[Item, int] = {}
    for position, item in enumerate(listed, start=1):
        known = _known_item(variable, name, item)
        if known in positions:
            raise PointError(
                f"{name} holds {known!r} twice, at {positions[known]} and {position}. Give each item once."
            )
        positions[known] = position
    return [positions[item] for item in variable.items]


def known_positions(variable: Permutation, name: str, given: object) -> list[tuple[int, int]]:
    """Return places among the items and positions of what is known: a list with None, or a dict of positions."""
    if isinstance(given, Mapping):
        found = []
        for item, position in given.items():
            known = _known_item(variable, name, item)
            is_whole = isinstance(position, int) and not isinstance(position, bool)
            if not is_whole or not 1 <= position <= variable.length:
                raise PointError(f"{name} has positions from 1 to {variable.length}, but {known!r} is at {position!r}.")
            found.append((variable.items.index(known), position))
        return found
    listed = _as_list(variable, name, given)
    return [
        (variable.items.index(_known_item(variable, name, item)), position)
        for position, item in enumerate(listed, start=1)
        if item is not None
    ]


def by_item(variable: Permutation, name: str, given: object) -> list[Any]:
    """Return what a dict says of each item, nothing where it says nothing."""
    if not isinstance(given, Mapping):
        raise PointError(f"The scores of '{name}' must be a dict of items and dicts, but {given!r} was given.")
    listed = {_known_item(variable, name, item): table for item, table in given.items()}
    return [listed.get(item, {}) for item in variable.items]


def _as_list(variable: Permutation, name: str, given: object) -> list[Any]:
    if isinstance(given, str | Mapping | set | frozenset) or not isinstance(given, Iterable):
        raise PointError(f"{name} is an order of {variable.length} items, but {given!r} was given. Give a list.")
    listed = [item.item() if hasattr(item, "item") and getattr(item, "ndim", None) == 0 else item for item in given]
    if len(listed) != variable.length:
        raise PointError(f"{name} is an order of {variable.length} items, but {len(listed)} were given.")
    return listed


def _known_item(variable: Permutation, name: str, item: object) -> Item:
    if isinstance(item, str | int) and not isinstance(item, bool) and item in variable.items:
        return item
    near = ending(str(item), [str(one) for one in variable.items])
    raise PointError(f"{name} has no item {item!r}{near}")


def _checked_items(items: object) -> tuple[Item, ...]:
    if isinstance(items, str | Mapping | set | frozenset) or not isinstance(items, Iterable):
        raise SpaceError(f"Permutation takes a list of items, but {items!r} was given.")
    listed = [item.item() if hasattr(item, "item") and getattr(item, "ndim", None) == 0 else item for item in items]
    for item in listed:
        if isinstance(item, bool) or not isinstance(item, str | int):
            raise SpaceError(f"Permutation takes text or whole numbers as items, but {item!r} was given.")
        if isinstance(item, str) and (not item.strip() or not item.isprintable() or _RESERVED & set(item)):
            raise SpaceError(f"Permutation takes items without brackets and quotes, but {item!r} was given.")
    if len({str(item) for item in listed}) < len(listed):
        twice = next(item for item in listed if sum(str(item) == str(other) for other in listed) > 1)
        raise SpaceError(f"Permutation has the item {twice!r} twice. Give each item a name of its own.")
    if not 2 <= len(listed) <= MAX_ITEMS:
        raise SpaceError(f"Permutation takes 2 to {MAX_ITEMS:,} items, but {len(listed):,} were given.")
    return tuple(listed)
