"""Scores per slot and code: those a user gives by value, and those that make the best point the nearest one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, SupportsFloat

import numpy as np

from hedgerow.arrays import Codes, Column
from hedgerow.errors import PointError
from hedgerow.space.domains import Vector
from hedgerow.space.encoding import check_names, encode_value
from hedgerow.space.permutation import Permutation, by_item
from hedgerow.space.shares import Shares, listed_shares
from hedgerow.space.space import Space


def slot_scores(space: Space, scores: Mapping[str, Any]) -> list[Column]:
    """Return one array of scores per slot from dicts of values; a vector takes one dict per component."""
    check_names(space, scores)
    arrays = [np.zeros(size) for size in space.sizes]
    for name, given in scores.items():
        variable = space.variables[name]
        length = variable.length if isinstance(variable, Vector) else 1
        if isinstance(variable, Shares):
            tables = listed_shares(variable, name, {share: {} for share in variable.names} | _as_dict(name, given))
        elif isinstance(variable, Permutation):
            tables = by_item(variable, name, given)
        else:
            is_list = isinstance(variable, Vector) and not isinstance(given, Mapping)
            tables = list(given) if is_list else [given] * length
        if len(tables) != length:
            raise PointError(
                f"The scores of '{name}' need {length} dicts, one per component, but {len(tables)} were given."
            )
        for slot, table in enumerate(tables, start=space.first_slot[name]):
            _fill(space, slot, table, arrays[slot])
    return arrays


def _as_dict(name: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise PointError(f"The scores of '{name}' must be a dict of names and dicts, but {given!r} was given.")
    return dict(given)


def _fill(space: Space, slot: int, table: Any, array: Column) -> None:
    info = space.slots[slot]
    if not isinstance(table, Mapping):
        raise PointError(f"The scores of '{info.name}' must be a dict of values and numbers, but {table!r} was given.")
    for value, score in table.items():
        if isinstance(score, str) or not isinstance(score, SupportsFloat):
            raise PointError(f"The score of {info.name} = {value!r} must be a number, but {score!r} was given.")
        number = float(score)
        if math.isnan(number) or number == math.inf:
            raise PointError(
                f"The score of {info.name} = {value!r} is {score!r}; use finite numbers, or -inf to forbid a value."
            )
        is_missing = value is None and info.is_conditional
        array[-1 if is_missing else encode_value(info.name, info.variable, value)] = number


def repair_scores(space: Space, codes: Codes) -> list[Column]:
    """Return scores whose best sum belongs to the nearest point: changes weigh more than all distances together."""
    change = 1 + sum(size - 1 for size in space.sizes)
    arrays: list[Column] = []
    for slot, size in zip(space.slots, space.sizes, strict=True):
        code = int(codes[len(arrays)])
        distance = (
            np.abs(np.arange(size) - code) if slot.variable.is_ordered else (np.arange(size) != code).astype(np.int64)
        )
        if slot.is_conditional:
            # To appear or to vanish is a change, and no distance besides.
            distance = np.zeros_like(distance) if code == size - 1 else np.append(distance[:-1], 0)
        arrays.append(-(change * (np.arange(size) != code) + distance).astype(np.float64))
    return arrays
