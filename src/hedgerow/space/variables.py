"""The kinds of variable. Each is a frozen value that checks itself and lists its levels once.

`values` holds the plain Python values in the order of their integer codes; `is_ordered` says whether that order
means anything (so that neighboring codes are similar). `when` is the condition under which a variable exists; what it
means is said in `rules.conditions`, since it is written in the language of rules.
A `Real` without levels takes any float between its ends: the code of a float is its place among all floats (`floats`),
so that a row of codes holds it exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

from hedgerow.errors import SpaceError
from hedgerow.expressions import Expression, Scalar
from hedgerow.space import floats
from hedgerow.space.descriptors import Descriptors, read_descriptors

# Diagram tables hold one column per level, so a domain of many thousand levels is a mistake in the model.
MAX_LEVELS = 100_000
# A line of a file must not stand for more scalars than memory holds.
MAX_LENGTH = 100_000


@dataclass(frozen=True, repr=False)
class Conditional:
    """What variables and vectors have in common: each may exist only where a condition holds.

    `when` is text in the language of rules, over variables that come before.
    """

    when: str | None = field(default=None, kw_only=True)

    def _set_when(self, when: object) -> None:
        object.__setattr__(self, "when", condition_text(when))

    def _with_when(self, form: dict[str, Any]) -> dict[str, Any]:
        return form if self.when is None else {**form, "when": self.when}

    def __repr__(self) -> str:
        shown = [each.name for each in fields(self) if each.name != "when" and getattr(self, each.name) != ()]
        given = [f"{name}={getattr(self, name)!r}" for name in shown]
        return f"{type(self).__name__}({', '.join([*given, *self._shown_when()])})"

    def _shown_when(self) -> list[str]:
        return [] if self.when is None else [f"when={self.when!r}"]


def condition_text(when: object) -> str | None:
    """Return a condition as text: given as text or as an expression."""
    if when is None:
        return None
    text = str(when) if isinstance(when, Expression) else when
    if not isinstance(text, str):
        raise SpaceError(f"when takes a condition as text, as in when=\"kind == 'tiled'\", but {when!r} was given.")
    if not text.strip():
        raise SpaceError("when is empty. Give a condition, as in when=\"kind == 'tiled'\", or leave it out.")
    return " ".join(text.split())


@dataclass(frozen=True, repr=False)
class Variable(Conditional):
    """Base of all scalar variables."""

    type_name: ClassVar[str]
    is_ordered: ClassVar[bool] = True

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The values it can take, in the order of their codes."""
        raise NotImplementedError

    @property
    def is_continuous(self) -> bool:
        """Whether it takes any float between its ends; then `values` holds the ends, and a code is a place."""
        return False

    @property
    def n_levels(self) -> int:
        """How many values it can take."""
        return len(self.values)

    def value_at(self, code: int) -> Scalar:
        """Return the value that a code stands for."""
        return self.values[code]

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use.

        Returns
        -------
        dict
            Plain data with a `type`.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Integer(0, 3).to_dict()
        {'type': 'integer', 'low': 0, 'high': 3}
        """
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class Levels(Variable):
    """Numbers in increasing order; what a plain list of numbers in a space means.

    When one of them is a float all are, so that a level has one type.

    Parameters
    ----------
    levels : iterable of float
        The numbers, in any order.
    when : str, optional
        The condition under which it exists, in the language of rules, over variables that come before it.

    Raises
    ------
    SpaceError
        Where a level is no finite number, or there twice, or there is none.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"kind": ["tiled", "naive"], "tile": hr.Levels([16, 64], when="kind == 'tiled'")})
    >>> list(hr.FeasibleSet(space))
    [{'kind': 'tiled', 'tile': 16}, {'kind': 'tiled', 'tile': 64}, {'kind': 'naive'}]
    """

    type_name: ClassVar[str] = "levels"
    levels: tuple[int | float, ...]

    def __init__(self, levels: Iterable[int | float], *, when: object = None) -> None:
        self._set_when(when)
        plain = _plain_values(levels, "Levels")
        for value in plain:
            if isinstance(value, bool | str):
                raise SpaceError(
                    f"Levels takes numbers, but {value!r} was given. Use Categorical for unordered values of any type."
                )
        numbers = [_as_float(value) for value in plain] if any(isinstance(v, float) for v in plain) else plain
        _check_domain(numbers, "Levels")
        object.__setattr__(self, "levels", tuple(sorted(numbers)))

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The numbers, smallest first."""
        return self.levels

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use."""
        return self._with_when({"type": self.type_name, "values": list(self.levels)})


@dataclass(frozen=True, repr=False)
class Integer(Variable):
    """Whole numbers from `low` to `high`, both included.

    Parameters
    ----------
    low : int
        The smallest.
    high : int
        The largest that may occur; where `step` does not lead to it, the last one below it is.
    step : int, optional
        How far one is from the next.
    when : str, optional
        The condition under which it exists, in the language of rules, over variables that come before it.

    Raises
    ------
    SpaceError
        Where an argument is no whole number, the range is empty, or it has more than 100,000 levels.

    Examples
    --------
    >>> import hedgerow as hr
    >>> hr.Integer(16, 64, step=16).values
    (16, 32, 48, 64)
    """

    type_name: ClassVar[str] = "integer"
    low: int
    high: int
    step: int = 1

    def __post_init__(self) -> None:
        self._set_when(self.when)
        for name in ("low", "high", "step"):
            value = _plain(getattr(self, name))
            if isinstance(value, bool) or not isinstance(value, int):
                raise SpaceError(f"Integer takes whole numbers, but {name} is {value!r}. Use Real for other numbers.")
            object.__setattr__(self, name, value)
        if self.step < 1:
            raise SpaceError(f"Integer needs a step of at least 1, but step is {self.step}.")
        if self.high < self.low:
            raise SpaceError(
                f"Integer({self.low}, {self.high}) is empty: high is below low. Swap them or widen the range."
            )
        _check_size(
            (self.high - self.low) // self.step + 1,
            f"Integer({self.low}, {self.high}, step={self.step})",
        )

    @cached_property
    def _values(self) -> tuple[int, ...]:
        return tuple(range(self.low, self.high + 1, self.step))

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The whole numbers, smallest first."""
        return self._values

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use."""
        step = {} if self.step == 1 else {"step": self.step}
        return self._with_when({"type": self.type_name, "low": self.low, "high": self.high, **step})


@dataclass(frozen=True, repr=False)
class Real(Variable):
    """Numbers from `low` to `high`: any float between them, or some that are evenly spaced.

    Levels are rounded to 12 significant digits, so that the third tenth is 0.3 and not 0.30000000000000004.

    Parameters
    ----------
    low : float
        The smallest.
    high : float
        The largest.
    levels : int, optional
        How many, both ends included; without it, every float between the ends.
    log : bool, optional
        Whether equal factors count as equal distances, instead of equal differences.
    when : str, optional
        The condition under which it exists, in the language of rules, over variables that come before it.

    Raises
    ------
    SpaceError
        Where an argument is no finite number, the range is empty, fewer than 2 levels are wanted, or `log` meets a
        `low` that is not above 0.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"rate": hr.Real(1e-5, 1e-1, log=True), "depth": hr.Integer(2, 12)})
    >>> point = hr.FeasibleSet(space, ["rate * depth <= 0.2"]).sample(1, seed=0)[0]
    >>> 1e-5 <= point["rate"] <= 1e-1
    True
    >>> hr.Real(0.0, 1.0, levels=5).values
    (0.0, 0.25, 0.5, 0.75, 1.0)
    >>> hr.Real(0.001, 10, levels=5, log=True).values
    (0.001, 0.01, 0.1, 1.0, 10.0)
    """

    type_name: ClassVar[str] = "real"
    low: float
    high: float
    levels: int | None = None
    log: bool = False

    def __post_init__(self) -> None:
        self._set_when(self.when)
        for name in ("low", "high"):
            value = _plain(getattr(self, name))
            if isinstance(value, bool | str) or not isinstance(value, int | float) or not _is_float(value):
                raise SpaceError(f"Real takes finite numbers, but {name} is {_shown(value)}.")
            # Minus zero is zero: they are equal, and a point has one form.
            object.__setattr__(self, name, float(value) + 0.0)
        levels = _plain(self.levels)
        if levels is not None and (isinstance(levels, bool) or not isinstance(levels, int) or levels < 2):
            raise SpaceError(f"Real needs at least 2 levels as a whole number, but levels is {levels!r}.")
        object.__setattr__(self, "levels", levels)
        if not isinstance(self.log, bool):
            raise SpaceError(f"log is True or False, but {_shown(self.log)} was given to Real.")
        if self.high < self.low:
            raise SpaceError(f"Real({self.low}, {self.high}) is empty: high must be above low. Swap them.")
        if self.high == self.low:
            raise SpaceError(
                f"Real({self.low}, {self.high}) is empty but for its ends, which are equal: high must be above low. "
                f"Write [{self.low}] for a single value."
            )
        if self.log and self.low <= 0:
            raise SpaceError(f"Real with log=True needs a positive low, but low is {self.low}.")
        if not math.isfinite(self.high - self.low):
            raise SpaceError(f"Real({self.low}, {self.high}) is wider than the largest float. Use log=True, or less.")
        if levels is not None:
            _check_size(levels, f"Real({self.low}, {self.high})")
            _check_domain(self._values, f"Real({self.low}, {self.high}, levels={levels})")

    @cached_property
    def _values(self) -> tuple[float, ...]:
        if self.levels is None:
            return (self.low, self.high)
        shares = [i / (self.levels - 1) for i in range(1, self.levels - 1)]
        if self.log:
            low, high = math.log(self.low), math.log(self.high)
            inner = [math.exp(low * (1 - share) + high * share) for share in shares]
        else:
            inner = [self.low * (1 - share) + self.high * share for share in shares]
        rounded = [float(f"{value:.12g}") for value in inner]
        # Where the bounds agree in 12 digits, rounding would put levels outside them or on top of each other.
        is_fine = all(a < b for a, b in pairwise([self.low, *rounded, self.high]))
        return (self.low, *(rounded if is_fine else inner), self.high)

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The levels, smallest first; the two ends where there are none."""
        return self._values

    @property
    def is_continuous(self) -> bool:
        """Whether it takes any float between its ends."""
        return self.levels is None

    @property
    def n_levels(self) -> int:
        """How many values it can take: without levels, as many as there are floats between the ends."""
        return floats.place_of(self.high) - floats.place_of(self.low) + 1 if self.levels is None else self.levels

    def value_at(self, code: int) -> Scalar:
        """Return the value that a code stands for."""
        return floats.float_at(code) if self.levels is None else self._values[code]

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use."""
        levels = {} if self.levels is None else {"levels": self.levels}
        log = {"log": True} if self.log else {}
        form = {"type": self.type_name, "low": self.low, "high": self.high, **levels, **log}
        return self._with_when(form)


@dataclass(frozen=True, repr=False)
class Boolean(Variable):
    """False or True; `bool` in a space means the same.

    Parameters
    ----------
    when : str, optional
        The condition under which it exists, in the language of rules, over variables that come before it.

    Raises
    ------
    SpaceError
        Where `when` is no text.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"kind": ["tiled", "naive"], "unroll": hr.Boolean(when="kind == 'tiled'")})
    >>> list(hr.FeasibleSet(space))
    [{'kind': 'tiled', 'unroll': False}, {'kind': 'tiled', 'unroll': True}, {'kind': 'naive'}]
    """

    type_name: ClassVar[str] = "boolean"

    def __post_init__(self) -> None:
        self._set_when(self.when)

    @property
    def values(self) -> tuple[Scalar, ...]:
        """False, then True."""
        return (False, True)

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use."""
        return self._with_when({"type": self.type_name})


@dataclass(frozen=True, repr=False)
class Ordinal(Variable):
    """Text labels whose order means something: rules may compare them with `<`, and neighbors are similar.

    Parameters
    ----------
    labels : iterable of str
        The labels, lowest first.
    when : str, optional
        The condition under which it exists, in the language of rules, over variables that come before it.

    Raises
    ------
    SpaceError
        Where a label is no text, or there twice, or there is none.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"size": hr.Ordinal(["small", "medium", "large"])})
    >>> list(hr.FeasibleSet(space, ["size >= 'medium'"]))
    [{'size': 'medium'}, {'size': 'large'}]
    """

    type_name: ClassVar[str] = "ordinal"
    labels: tuple[str, ...]

    def __init__(self, labels: Iterable[str], *, when: object = None) -> None:
        self._set_when(when)
        plain = _plain_values(labels, "Ordinal")
        for value in plain:
            if not isinstance(value, str):
                raise SpaceError(f"Ordinal takes text labels, but {value!r} was given. For numbers, pass a plain list.")
        _check_domain(plain, "Ordinal")
        object.__setattr__(self, "labels", tuple(plain))

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The labels, lowest first."""
        return self.labels

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use."""
        return self._with_when({"type": self.type_name, "values": list(self.labels)})


@dataclass(frozen=True, repr=False)
class Categorical(Variable):
    """Values without order: text, numbers or booleans. A plain list of text in a space means the same.

    Parameters
    ----------
    categories : iterable of str, float or bool
        The values.
    descriptors : data frame or mapping, optional
        Numbers that describe the values, such as the polarity of solvents: a frame with a row for each value, or a
        dict from names to lists of numbers. Values that are alike inform each other, as far as trials bear it out.
    when : str, optional
        The condition under which it exists, in the language of rules, over variables that come before it.

    Raises
    ------
    SpaceError
        Where a value is of another type, or there twice, or there is none; where a descriptor has no finite number
        for each value.

    Examples
    --------
    >>> import hedgerow as hr
    >>> hr.Space({"kind": hr.Categorical(["tiled", "naive"])}) == hr.Space({"kind": ["tiled", "naive"]})
    True
    >>> hr.Categorical(["water", "ethanol", "hexane"], descriptors={"polarity": [1.0, 0.65, 0.01]}).descriptors
    (('polarity', (1.0, 0.65, 0.01)),)
    """

    type_name: ClassVar[str] = "categorical"
    is_ordered: ClassVar[bool] = False
    categories: tuple[Scalar, ...]
    descriptors: Descriptors = ()

    def __init__(self, categories: Iterable[Scalar], *, descriptors: Any = None, when: object = None) -> None:
        self._set_when(when)
        plain = _plain_values(categories, "Categorical")
        _check_domain(plain, "Categorical")
        object.__setattr__(self, "categories", tuple(plain))
        object.__setattr__(self, "descriptors", read_descriptors(descriptors, plain))

    @property
    def values(self) -> tuple[Scalar, ...]:
        """The categories as given."""
        return self.categories

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use."""
        described = {"descriptors": {name: list(numbers) for name, numbers in self.descriptors}}
        return self._with_when(
            {"type": self.type_name, "values": list(self.categories), **(described if self.descriptors else {})}
        )


@dataclass(frozen=True, repr=False)
class Vector(Conditional):
    """Variables of one kind under one name: `x[0]`, `x[1:3]`, `sum(x)` in rules, a list in points.

    Parameters
    ----------
    element : Variable, list or bool
        What each component may be, in any form that a space takes, but no vector.
    length : int
        How many components there are.
    when : str, optional
        The condition under which it exists, in the language of rules, over variables that come before it.

    Raises
    ------
    SpaceError
        Where `element` is no domain, or `length` no whole number from 1 to 100,000.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"dna": hr.Vector(list("ACGT"), 8)})
    >>> hr.FeasibleSet(space, ["contains(dna, 'GATTACA')"]).count
    8
    """

    type_name: ClassVar[str] = "vector"
    element: Variable
    length: int

    def __init__(self, element: object, length: int, *, when: object = None) -> None:
        self._set_when(when)
        plain_length = _plain(length)
        if isinstance(plain_length, bool) or not isinstance(plain_length, int) or plain_length < 1:
            raise SpaceError(f"Vector needs a length of at least 1 as a whole number, but length is {plain_length!r}.")
        if plain_length > MAX_LENGTH:
            raise SpaceError(f"Vector has a length of {_shown(plain_length)}; at most {MAX_LENGTH:,} are allowed.")
        variable = as_variable(element)
        if isinstance(variable, Vector):
            raise SpaceError("A Vector cannot hold vectors. Flatten it into one vector of the total length.")
        if variable.when is not None:
            raise SpaceError(
                f"The components of a Vector exist together: write Vector(..., {plain_length}, when={variable.when!r}) "
                "or, where each has its condition, variables of their own."
            )
        object.__setattr__(self, "element", variable)
        object.__setattr__(self, "length", plain_length)

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use.

        Returns
        -------
        dict
            Plain data with a `type`.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Vector(bool, 3).to_dict()
        {'type': 'vector', 'length': 3, 'of': {'type': 'boolean'}}
        """
        return self._with_when({"type": self.type_name, "length": self.length, "of": self.element.to_dict()})


def as_variable(domain: object) -> Variable | Vector:
    """Read the short forms: a list of numbers is ordered levels, a list of text is unordered, `bool` is `bool`."""
    if isinstance(domain, Variable | Vector):
        return domain
    if domain is bool:
        return Boolean()
    if isinstance(domain, range):
        _check_size(max(0, (domain.stop - domain.start) // domain.step), "The range")
        return Levels(domain)
    if isinstance(domain, str) or not isinstance(domain, Iterable) or isinstance(domain, dict | set | frozenset):
        raise SpaceError(
            f"A domain cannot be {domain!r}. Give a list of values, bool, Integer(low, high), Real(low, high), "
            "Categorical([...]), Ordinal([...]), Vector(domain, length), Shares(names, step) or Permutation(items)."
        )
    values = _plain_values(domain, "A list")
    if not values:
        raise SpaceError("The list of values is empty. Give at least one value.")
    _check_no_range(domain, values)
    if all(isinstance(value, bool) for value in values) and len(values) == 2 and values[0] != values[1]:
        return Boolean()
    if all(isinstance(value, str | bool) for value in values):
        return Categorical(values)
    if any(isinstance(value, str | bool) for value in values):
        raise SpaceError(
            f"The list {_shorten(values)} mixes numbers with text or booleans, so its order is unclear. "
            "Say Categorical([...]) if it has none."
        )
    return Levels(values)  # type: ignore[arg-type]


def _check_no_range(domain: object, values: Sequence[Scalar]) -> None:
    """Refuse a pair of numbers in round brackets: elsewhere it means a range, and here it would mean two levels."""
    if not isinstance(domain, tuple) or len(values) != 2 or any(isinstance(value, bool | str) for value in values):
        return
    low, high = values
    are_whole = all(isinstance(value, int) for value in values)
    all_between = f"Integer({low!r}, {high!r})" if are_whole else f"Real({low!r}, {high!r})"
    raise SpaceError(
        f"({low!r}, {high!r}) could mean two values or a range. Write [{low!r}, {high!r}] for just these two, or "
        f"{all_between} for what lies between them."
    )


def _plain_values(values: Iterable[object], kind: str) -> list[Scalar]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise SpaceError(f"{kind} takes a list of values, but {values!r} was given.")
    return [_checked_scalar(_plain(value), kind) for value in values]


def _plain(value: Any) -> Any:
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


def _is_float(value: float) -> bool:
    """Whether a number of any size is a finite float."""
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _as_float(value: Scalar) -> float:
    if isinstance(value, str) or not _is_float(value):
        raise SpaceError(f"Levels mixes floats with {_shown(value)}, which no float can hold.")
    return float(value)


def _shown(value: object) -> str:
    """A value in a message, without the digits of a very long number."""
    text = (
        repr(value) if not isinstance(value, int) or abs(value) < 10**30 else f"a number near 10**{len(str(value)) - 1}"
    )
    return text if len(text) <= 80 else text[:77] + "..."


def _check_domain(values: Sequence[Scalar], kind: str) -> None:
    if not values:
        raise SpaceError(f"{kind} is empty. Give at least one value.")
    _check_size(len(values), kind)
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


def _check_size(n_levels: int, kind: str) -> None:
    if n_levels > MAX_LEVELS:
        raise SpaceError(
            f"{kind} has {n_levels:,} levels; at most {MAX_LEVELS:,} are allowed. "
            "Use a larger step, or fewer (perhaps log-spaced) levels: neighboring trials would be indistinguishable."
        )


def _shorten(values: Sequence[object], limit: int = 6) -> str:
    shown = ", ".join(repr(value) for value in values[:limit])
    return f"[{shown}{', ...' if len(values) > limit else ''}]"
