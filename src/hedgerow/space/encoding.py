"""Points (dicts of plain values) to integer codes and back; the only place where the two meet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import PointError
from hedgerow.expressions import Scalar
from hedgerow.space.domains import Vector
from hedgerow.space.floats import NO_PLACE, place_of
from hedgerow.space.labels import Boolean, Categorical
from hedgerow.space.numeric import Levels, Real
from hedgerow.space.permutation import Permutation, in_order, positions_of
from hedgerow.space.shares import Shares, listed_shares
from hedgerow.space.space import Space
from hedgerow.space.variable import Variable
from hedgerow.wording import ending

Point = dict[str, Any]

# A level typed by hand may differ from the computed one in its last digits.
_RELATIVE_TOLERANCE = 1e-9


def encode(space: Space, point: Mapping[str, Any]) -> Codes:
    """Return the codes of one point, or say what does not fit.

    What has a condition may be left out, or None. Whether its condition agrees is a matter of the rules of the space.
    """
    check_names(space, point)
    missing = [name for name, variable in space.variables.items() if name not in point and variable.when is None]
    if missing:
        raise PointError(f"The point lacks {_listed(missing)}. Give a value for every variable of the space.")
    codes: list[int] = []
    for name, variable in space.variables.items():
        if variable.when is not None and point.get(name) is None:
            codes += codes_of_none(variable)
        elif isinstance(variable, Vector):
            codes += encode_vector(name, variable, point[name])
        else:
            codes.append(encode_value(name, variable, point[name]))
    return np.array(codes, dtype=np.int64)


def encode_many(space: Space, points: Iterable[Mapping[str, Any]]) -> Codes:
    """Return the codes of several points, one row each."""
    rows = [encode(space, point) for point in points]
    return np.array(rows, dtype=np.int64).reshape(len(rows), len(space.slots))


def decode(space: Space, codes: Sequence[int] | Codes) -> Point:
    """Return the point that a row of codes stands for, without the variables that have no value there."""
    if space.permutations:
        return _decoded(space, codes)
    values = slot_values(space, codes)
    point: Point = {}
    for name, variable in space.variables.items():
        start = space.first_slot[name]
        if values[start] is not None:
            point[name] = together(variable, values, start)
    return point


def _decoded(space: Space, codes: Sequence[int] | Codes) -> Point:
    """Return the same variable by variable: an order of hundreds of items is sorted at once."""
    point: Point = {}
    for name, variable in space.variables.items():
        start = space.first_slot[name]
        own = codes[start : start + (variable.length if isinstance(variable, Vector) else 1)]
        if isinstance(variable, Permutation):
            point[name] = in_order(variable, own)
            continue
        slots = space.slots[start : start + len(own)]
        values = [slot.value_at(int(code)) for slot, code in zip(slots, own, strict=True)]
        if values[0] is not None:
            point[name] = together(variable, values, 0)
    return point


def codes_of_none(variable: Variable | Vector) -> list[int]:
    """Return the codes of a variable with a condition where it has no value."""
    element, length = (variable.element, variable.length) if isinstance(variable, Vector) else (variable, 1)
    return [NO_PLACE if element.is_continuous else len(element.values)] * length


def together(variable: Variable | Vector, of_slots: Sequence[Any], start: int) -> Any:
    """Return what belongs to the slots of a variable as its values are written: one alone, a list, or a dict."""
    if not isinstance(variable, Vector):
        return of_slots[start]
    part = list(of_slots[start : start + variable.length])
    if isinstance(variable, Permutation):
        return in_order(variable, part)
    return dict(zip(variable.names, part, strict=True)) if isinstance(variable, Shares) else part


def slot_values(space: Space, codes: Sequence[int] | Codes) -> list[Scalar | None]:
    """Return the plain value of each slot, None where it has none."""
    return [slot.value_at(int(code)) for slot, code in zip(space.slots, codes, strict=True)]


def encode_value(name: str, variable: Variable, value: Any) -> int:
    """Return the code of one value of one variable."""
    item = getattr(value, "item", None)
    plain = item() if item is not None and getattr(value, "ndim", None) == 0 else value
    code = _code_of(variable, plain)
    if code is None:
        raise PointError(f"{name} = {value!r} is not in its domain {_described(variable, plain)}.")
    return code


def encode_vector(name: str, variable: Vector, values: Any) -> list[int]:
    """Return the codes of a vector's components; a text serves where every value is one letter."""
    if isinstance(variable, Shares):
        shares = zip(variable.names, listed_shares(variable, name, values), strict=True)
        return [encode_value(f"{name}[{share!r}]", variable.element, value) for share, value in shares]
    if isinstance(variable, Permutation):
        return [position - 1 for position in positions_of(variable, name, values)]
    if isinstance(values, Mapping | set) or not isinstance(values, Iterable):
        raise PointError(f"{name} is a vector of {variable.length} values, but {values!r} was given. Give a list.")
    listed = list(values)
    if len(listed) != variable.length:
        raise PointError(f"{name} is a vector of {variable.length} values, but {len(listed)} were given.")
    return [encode_value(f"{name}[{i}]", variable.element, value) for i, value in enumerate(listed)]


def encode_known_shares(name: str, variable: Shares, given: Any) -> list[tuple[int, int]]:
    """Return places and codes of the shares that are given; what is left out, or None, is free."""
    is_dict = isinstance(given, Mapping)
    shares = listed_shares(variable, name, {**dict.fromkeys(variable.names), **given} if is_dict else given)
    return [
        (place, encode_value(f"{name}[{variable.names[place]!r}]", variable.element, share))
        for place, share in enumerate(shares)
        if share is not None
    ]


def check_names(space: Space, point: Mapping[str, Any]) -> None:
    """Refuse what is not a dict, and names that the space does not have."""
    if not isinstance(point, Mapping):
        raise PointError(f"A point is a dict of names and values, but {type(point).__name__} was given: {point!r}.")
    for name in point:
        if name not in space:
            raise PointError(
                f"The point has a value for '{name}', which is not in the space{ending(str(name), list(space))}"
            )


@lru_cache(maxsize=4096)
def _codes_by_value(variable: Variable) -> dict[Scalar, int]:
    return {value: code for code, value in enumerate(variable.values)}


def _code_of(variable: Variable, value: object) -> int | None:
    if not isinstance(value, bool | int | float | str):
        return None
    # True equals 1 in Python, but where numbers are expected it is a slip.
    if isinstance(value, bool) and not isinstance(variable, Boolean | Categorical):
        return None
    if isinstance(variable, Real) and variable.is_continuous:
        is_inside = not isinstance(value, str) and variable.low <= value <= variable.high
        return place_of(float(value)) if is_inside else None
    lookup = _codes_by_value(variable)
    if value in lookup:
        return lookup[value]
    if isinstance(value, float) and isinstance(variable, Levels | Real):
        return _near_level(variable.values, value)
    return None


def _near_level(levels: Sequence[Scalar], value: float) -> int | None:
    """Return the nearest of real levels if it is the same number but for its last digits."""
    floats = [level for level in levels if isinstance(level, float)]
    if len(floats) < len(levels) or not math.isfinite(value):
        return None
    code = min(range(len(floats)), key=lambda i: abs(floats[i] - value))
    return code if math.isclose(floats[code], value, rel_tol=_RELATIVE_TOLERANCE) else None


def _described(variable: Variable, value: object) -> str:
    values = variable.values
    if variable.is_continuous:
        return f"of numbers from {values[0]!r} to {values[-1]!r}"
    if len(values) <= 12:
        return f"[{', '.join(map(repr, values))}]"
    text = f"of {len(values):,} values from {values[0]!r} to {values[-1]!r}"
    numbers = [level for level in values if not isinstance(level, str)]
    is_finite = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    if is_finite and not isinstance(value, bool) and len(numbers) == len(values):
        # Fractions compare numbers of any size exactly.
        wanted = Fraction(value)  # type: ignore[call-overload]
        nearest = min(numbers, key=lambda level: abs(Fraction(level) - wanted))
        text += f" (nearest is {nearest!r})"
    return text


def _listed(names: Sequence[str], limit: int = 5) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "")
