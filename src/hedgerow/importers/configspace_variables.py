"""One hyperparameter of ConfigSpace as a variable, with its default value and its order."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hedgerow.errors import ProblemFileError, SpaceError
from hedgerow.expressions import Scalar
from hedgerow.importers.levels import DEFAULT_LEVELS, is_float, range_note, real_range, stepped_range, whole_range
from hedgerow.importers.source import entry, kind_of, optional_entry
from hedgerow.space import Boolean, Categorical, Levels, Ordinal, Real, Variable
from hedgerow.wording import ending


@dataclass(frozen=True)
class Parameter:
    """A hyperparameter; `order` lists the values as ConfigSpace orders them, or is None where it does not."""

    name: str
    variable: Variable
    default: Scalar
    order: tuple[Scalar, ...] | None
    notes: tuple[str, ...] = ()


def read_parameter(item: dict[str, Any], levels: int | None) -> Parameter:
    """Read one entry of `hyperparameters`."""
    name = item["name"]
    owner = f"hyperparameter '{name}'"
    kind = entry(item, "type", str, owner)
    if kind not in _READERS:
        raise ProblemFileError(f"'type' of {owner} is '{kind}'{ending(kind, _READERS)}")
    try:
        return _READERS[kind](name, item, levels)
    except (SpaceError, ProblemFileError) as error:
        raise ProblemFileError(f"{owner[0].upper()}{owner[1:]}: {error}") from None


def _number(name: str, item: dict[str, Any], levels: int | None) -> Parameter:
    is_whole = item["type"].endswith("int")
    low, high, notes = _bounds(item, is_whole)
    log = optional_entry(item, "log", bool, "the entry", False)
    step = optional_entry(item, "q", int | float, "the entry", None)
    if step is not None and not (is_whole and step == 1):
        variable = stepped_range(low, high, step)
    elif is_whole:
        variable = whole_range(low, high, levels or DEFAULT_LEVELS, log)
        notes += range_note(name, variable, low, high, log)
    else:
        variable = real_range(low, high, levels, log)
        notes += range_note(name, variable, low, high, log)
    if not item["type"].startswith("uniform"):
        notes.append(f"of the distribution of '{name}' ({item['type']}) only the range is used.")
    default = _default(item, None)
    nearest = _middle(variable) if default is None else _nearest(variable, default)
    return Parameter(name, variable, nearest, variable.values, tuple(notes))


def _bounds(item: dict[str, Any], is_whole: bool) -> tuple[Any, Any, list[str]]:
    kind: Any = int if is_whole else int | float
    if item.get("lower") is not None and item.get("upper") is not None:
        low, high = (_whole(item[key]) if is_whole else item[key] for key in ("lower", "upper"))
        return entry({"lower": low}, "lower", kind, "the entry"), entry({"upper": high}, "upper", kind, "the entry"), []
    # Before version 1 a normal distribution could be without bounds.
    mean, deviation = (entry(item, key, int | float, "the entry") for key in ("mu", "sigma"))
    if not (is_float(mean) and is_float(deviation)):
        raise ProblemFileError("its mean and deviation are not numbers that a float can hold.")
    low, high = mean - 3.0 * deviation, mean + 3.0 * deviation
    if not (is_float(low) and is_float(high)):
        raise ProblemFileError("three standard deviations around its mean are not finite.")
    if item.get("log"):
        raise ProblemFileError("it has no bounds but a logarithmic scale. Give 'lower' and 'upper'.")
    note = f"'{item['name']}' has no bounds; taken are three standard deviations around its mean."
    return (math.floor(low), math.ceil(high), [note]) if is_whole else (low, high, [note])


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _default(item: dict[str, Any], otherwise: Any) -> Any:
    """Return the default value, under either of the names that ConfigSpace has given it."""
    for key in ("default_value", "default"):
        if item.get(key) is not None:
            return item[key]
    return otherwise


def _middle(variable: Variable) -> Scalar:
    if isinstance(variable, Real) and variable.is_continuous:
        return math.sqrt(variable.low * variable.high) if variable.log else (variable.low + variable.high) / 2
    return variable.values[len(variable.values) // 2]


def _nearest(variable: Variable, value: Any) -> Scalar:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ProblemFileError(f"its default should be a number, but is {kind_of(value)}.")
    if not is_float(value):
        raise ProblemFileError("its default is not a number that a float can hold.")
    if isinstance(variable, Real) and variable.is_continuous:
        return min(max(float(value), variable.low), variable.high)
    return min(variable.values, key=lambda level: abs(level - value))  # type: ignore[operator]


def _categorical(name: str, item: dict[str, Any], _levels: int | None) -> Parameter:
    notes: list[str] = []
    choices = _scalars(name, entry(item, "choices", list, "the entry"), notes)
    is_truth = len(choices) == 2 and all(isinstance(choice, bool) for choice in choices)
    weights = optional_entry(item, "weights", list, "the entry", []) or item.get("probabilities") or []
    if isinstance(weights, list) and any(weight != weights[0] for weight in weights):
        notes.append(f"the weights of '{name}' are not used.")
    variable = Boolean() if is_truth else Categorical(choices)
    return Parameter(name, variable, _listed_default(item, variable, choices[0]), None, tuple(notes))


def _ordinal(name: str, item: dict[str, Any], _levels: int | None) -> Parameter:
    notes: list[str] = []
    sequence = _scalars(name, entry(item, "sequence", list, "the entry"), notes)
    variable: Variable
    if all(isinstance(value, str) for value in sequence):
        variable = Ordinal([str(value) for value in sequence])
    elif any(isinstance(value, str | bool) for value in sequence):
        variable = Categorical(sequence)
    else:
        variable = Levels(sequence)  # type: ignore[arg-type]
        if list(variable.values) not in (sequence, sequence[::-1]):
            variable = Categorical(sequence)
    if isinstance(variable, Categorical):
        notes.append(f"the order of '{name}' is used in conditions, but not kept as an order of its values.")
    return Parameter(name, variable, _listed_default(item, variable, sequence[0]), tuple(sequence), tuple(notes))


def _constant(name: str, item: dict[str, Any], _levels: int | None) -> Parameter:
    notes: list[str] = []
    (value,) = _scalars(name, [item.get("value")], notes)
    return Parameter(name, Categorical([value]), value, None, tuple(notes))


def _scalars(name: str, values: list[Any], notes: list[str]) -> list[Scalar]:
    """Return the values as scalars: null becomes the text 'None', which no other value may be."""
    if not values:
        raise ProblemFileError("it has no values.")
    if None in values:
        if "None" in values:
            raise ProblemFileError("it has both null and the text 'None' as values.")
        notes.append(f"the value null of '{name}' is the text 'None'.")
    return [as_scalar(value) for value in values]


def as_scalar(value: Any) -> Scalar:
    """Return a value of the file as one that a variable can have."""
    if value is None:
        return "None"
    if not isinstance(value, bool | int | float | str):
        raise ProblemFileError(f"a value should be a number, text, true or false, but is {kind_of(value)}.")
    return value


def _listed_default(item: dict[str, Any], variable: Variable, otherwise: Scalar) -> Scalar:
    default = as_scalar(_default(item, otherwise))
    if default not in variable.values:
        raise ProblemFileError(f"its default {default!r} is not one of its values.")
    return default


_READERS: dict[str, Callable[[str, dict[str, Any], int | None], Parameter]] = {
    **{f"{shape}_{kind}": _number for shape in ("uniform", "normal", "beta") for kind in ("int", "float")},
    "categorical": _categorical,
    "ordinal": _ordinal,
    "constant": _constant,
    "unparametrized": _constant,
}
