"""Parallel coordinates: an axis per slot, and a line per observation through its levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.arrays import Codes, Column, Places
from hedgerow.feasible.reals.scales import Scales
from hedgerow.insight.levels import shown
from hedgerow.insight.scale import Tick
from hedgerow.space.floats import NO_PLACE
from hedgerow.space.space import Space

_MAX_LINES = 800
_MAX_TICKS = 8
# Room beyond the first and the last level, and how wide the lines through one level are fanned out, best on top:
# otherwise the lines through a few levels would hide each other.
_MARGIN = 0.06
_FAN = 0.07


@dataclass(frozen=True)
class Axis:
    """A slot's axis."""

    slot: int
    name: str
    ticks: tuple[Tick, ...]


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Lines, the worst first so that the best are drawn over the others."""

    axes: tuple[Axis, ...]
    places: Column  # (n_lines, n_axes), from 0 to 1
    goodness: Column  # (n_lines,), 0 for the worst and 1 for the best
    chosen: Places  # which observations the lines stand for
    n_left_out: int


def coordinates_of(space: Space, codes: Codes, values: Column, is_maximized: bool, slots: Sequence[int]) -> Coordinates:
    """Return lines through these slots; of very many observations the better half of what is shown is complete."""
    order = np.argsort(values if is_maximized else -values, kind="stable")
    n = order.size
    distinct, rank = np.unique(values if is_maximized else -values, return_inverse=True)
    goodness = rank / (distinct.size - 1) if distinct.size > 1 else np.ones(n)
    if n > _MAX_LINES:
        others = order[: n - _MAX_LINES // 2]
        spread = np.linspace(0, others.size - 1, _MAX_LINES // 2).astype(np.int64)
        order = np.concatenate([others[spread], order[n - _MAX_LINES // 2 :]])
    axes = tuple(_axis(space, slot) for slot in slots)
    # A real needs no fan: hardly any two lines meet in it.
    sizes = [1 if slot in space.reals else space.sizes[slot] for slot in slots]
    last = np.maximum(1, np.array(sizes) - 1)
    is_code = np.array([slot not in space.reals for slot in slots])
    fan = is_code * np.minimum(_FAN, 0.3 / last) * (goodness[order] - 0.5)[:, None]
    shares = codes[order][:, list(slots)] / last
    scales = Scales(space)
    for column in np.flatnonzero(~is_code):
        slot = slots[int(column)]
        units = scales.units_of(codes[order], slot) * _part_of_values(space, slot)
        shares[:, column] = np.where(codes[order][:, slot] == NO_PLACE, 1.0, units)
    places = _inside(shares) + fan
    return Coordinates(axes, places, goodness[order], order, n - order.size)


def _axis(space: Space, slot: int) -> Axis:
    info = space.slots[slot]
    if info.variable.is_continuous:
        units = np.linspace(0.0, 1.0, 5)
        numbers = Scales(space).from_unit(units[:, None], [space.reals.index(slot)])[:, 0]
        places = units * _part_of_values(space, slot)
        marks = [
            (float(_inside(float(place))), float(f"{number:.3g}"))
            for place, number in zip(places, numbers, strict=True)
        ]
        none = [Tick(float(_inside(1.0)), shown(None))] if info.is_conditional else []
        return Axis(slot, info.name, (*(Tick(place, shown(number)) for place, number in marks), *none))
    values = info.levels
    last = len(values) - 1
    marked = range(last + 1) if last < _MAX_TICKS else sorted({0, last // 4, last // 2, 3 * last // 4, last})
    ticks = tuple(Tick(float(_inside(code / max(1, last))), shown(values[code])) for code in marked)
    return Axis(slot, info.name, ticks)


def _part_of_values(space: Space, slot: int) -> float:
    """Return how far up the axis of a real its values reach; no value stands at the end of it."""
    return 0.85 if space.slots[slot].is_conditional else 1.0


def _inside(places: Column | float) -> Any:
    return _MARGIN + (1 - 2 * _MARGIN) * places
