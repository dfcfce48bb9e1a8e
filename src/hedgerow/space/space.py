"""A space: named variables, laid out as a flat row of scalar slots that everything below the language works on."""

from __future__ import annotations

import json
import keyword
import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from hedgerow.errors import SpaceError
from hedgerow.expressions import Name, Scalar
from hedgerow.space import toml
from hedgerow.space.domains import Vector, as_variable
from hedgerow.space.floats import NO_PLACE
from hedgerow.space.forms import variable_from_dict
from hedgerow.space.permutation import Permutation
from hedgerow.space.shares import Shares
from hedgerow.space.variable import Variable
from hedgerow.web import Html, tag
from hedgerow.wording import approximate, counted, ending

MAX_SLOTS = 1_000_000
# Levels that a slot is said to have where it has more.
_MANY = 2**62

# Variables that a notebook shows, and letters of each.
_MAX_ROWS = 40
_LONGEST_CELL = 120


@dataclass(frozen=True)
class SlotInfo:
    """One scalar of the space: a variable, or one component of a vector."""

    name: str
    variable: Variable
    owner: str
    index: int | None
    # Whether there are points without it.
    is_conditional: bool = False

    @cached_property
    def levels(self) -> tuple[Scalar | None, ...]:
        """What stands for each code: the values, and None for no value, the last code of a slot with a condition."""
        return (*self.variable.values, None) if self.is_conditional else self.variable.values

    @property
    def has_order(self) -> bool:
        """Whether all its codes are in an order, which that of no value is not."""
        return self.variable.is_ordered and not self.is_conditional

    @property
    def n_levels(self) -> int:
        """The number of codes, that of no value included."""
        return self.variable.n_levels + self.is_conditional

    @property
    def none_code(self) -> int:
        """The code of no value, for slots with a condition."""
        return NO_PLACE if self.variable.is_continuous else len(self.variable.values)

    def value_at(self, code: int) -> Scalar | None:
        """Return what a code stands for: a value, or None for no value."""
        if self.variable.is_continuous:
            return None if code == NO_PLACE else self.variable.value_at(code)
        return self.levels[code]


class Space:
    """Named variables: what may vary.

    `space["name"]` starts a rule expression; points are dicts with these names as keys. A space does not change, and
    two of the same variables in the same order are equal.

    Parameters
    ----------
    variables : mapping of str to domain
        For each name what it may be: `Integer`, `Real`, `Ordinal`, `Categorical`, `Vector`, `Shares`, `Permutation`,
        or in short a list of numbers (ordered), a list of text (unordered), or `bool`.

    Raises
    ------
    SpaceError
        Where there is no variable, a name could not stand in a rule, or a domain is not well defined.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"threads": [1, 2, 4, 8], "tile": hr.Integer(8, 64, step=8), "unroll": bool})
    >>> space.size
    64
    >>> space["threads"] * space["tile"] <= 128
    <rule expression: threads * tile <= 128>
    """

    def __init__(self, variables: Mapping[str, object]) -> None:
        if not isinstance(variables, Mapping):
            raise SpaceError(f"A space takes a dict of names and domains, but {type(variables).__name__} was given.")
        if not variables:
            raise SpaceError("A space needs at least one variable; the dict of variables is empty.")
        checked: dict[str, Variable | Vector] = {}
        for name, domain in variables.items():
            _check_name(name)
            try:
                checked[name] = as_variable(domain)
            except SpaceError as error:
                raise SpaceError(f"Variable '{name}': {error}") from None
        n_slots = sum(variable.length if isinstance(variable, Vector) else 1 for variable in checked.values())
        if n_slots > MAX_SLOTS:
            raise SpaceError(f"The space has {n_slots:,} scalars; at most {MAX_SLOTS:,} are allowed.")
        self._variables = checked

    @property
    def variables(self) -> Mapping[str, Variable | Vector]:
        """The variables by name, in the order given."""
        return MappingProxyType(self._variables)

    @cached_property
    def slots(self) -> tuple[SlotInfo, ...]:
        """The scalars of the space, vectors unrolled, in the order given."""
        slots: list[SlotInfo] = []
        for name, variable in self._variables.items():
            may_miss = variable.when is not None
            if isinstance(variable, Vector):
                components = component_names(variable)
                slots += [
                    SlotInfo(f"{name}[{c}]", variable.element, name, i, may_miss) for i, c in enumerate(components)
                ]
            else:
                slots.append(SlotInfo(name, variable, name, None, may_miss))
        return tuple(slots)

    @cached_property
    def conditional(self) -> frozenset[int]:
        """The positions of the slots that points may lack."""
        return frozenset(position for position, slot in enumerate(self.slots) if slot.is_conditional)

    @cached_property
    def first_slot(self) -> dict[str, int]:
        """Where each variable begins in the row of slots."""
        starts: dict[str, int] = {}
        for position, slot in enumerate(self.slots):
            starts.setdefault(slot.owner, position)
        return starts

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of codes of each slot: its values, and one for no value where it has a condition.

        A slot that takes any float is said to have as many as 64 bits count safely.
        """
        return tuple(min(slot.n_levels, _MANY) for slot in self.slots)

    @cached_property
    def reals(self) -> tuple[int, ...]:
        """The slots that take any float between their ends."""
        return tuple(place for place, slot in enumerate(self.slots) if slot.variable.is_continuous)

    @cached_property
    def permutations(self) -> Mapping[str, Permutation]:
        """The orders of items, by name."""
        return {name: variable for name, variable in self._variables.items() if isinstance(variable, Permutation)}

    @cached_property
    def size(self) -> int:
        """The number of points, rules aside: an exact integer of any length, in which a real counts its floats.

        With conditions it counts every variable as if it were always there, and is an upper bound;
        `FeasibleSet(space).count` counts the points.
        """
        return math.prod(
            variable.size
            if isinstance(variable, Shares | Permutation)
            else variable.element.n_levels**variable.length
            if isinstance(variable, Vector)
            else variable.n_levels
            for variable in self._variables.values()
        )

    def __getitem__(self, name: str) -> Name:
        if name not in self._variables:
            raise SpaceError(f"The space has no variable '{name}'{ending(name, self._variables)}")
        return Name(name)

    def __contains__(self, name: object) -> bool:
        return name in self._variables

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and list(self._variables.items()) == list(other._variables.items())

    def __hash__(self) -> int:
        return hash(tuple(self._variables.items()))

    def __repr__(self) -> str:
        listed = list(self._variables.items())
        shown = ", ".join(f"{name!r}: {variable!r}" for name, variable in listed[:8])
        return f"Space({{{shown}{', ...' if len(listed) > 8 else ''}}})"

    def _repr_html_(self) -> Html:
        listed = list(self._variables.items())
        rows = [
            tag("tr", tag("th", name), tag("td", tag("code", _short(variable))))
            for name, variable in listed[:_MAX_ROWS]
        ]
        if len(listed) > _MAX_ROWS:
            rows.append(tag("tr", tag("td", f"and {len(listed) - _MAX_ROWS:,} more", colspan=2)))
        most = "up to " if self.conditional else ""
        head = f"Space: {counted(len(listed), 'variable')}, {most}{approximate(self.size)} points"
        return tag("div", tag("strong", head), tag("table", *rows))

    def to_dict(self) -> dict[str, Any]:
        """Return the form that problem files use, made of plain lists, dicts and scalars.

        Returns
        -------
        dict
            A table for each variable.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Space({"a": hr.Integer(0, 3), "p": bool}).to_dict()
        {'a': {'type': 'integer', 'low': 0, 'high': 3}, 'p': {'type': 'boolean'}}
        """
        return {name: variable.to_dict() for name, variable in self._variables.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Space:
        """Read the form that problem files use.

        Parameters
        ----------
        data : mapping
            For each name a table with a `type`, or a list.

        Returns
        -------
        Space
            The same space that `to_dict` was asked of.

        Raises
        ------
        SpaceError
            Where a type or a key is not known, or a domain not well defined.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Space.from_dict({"a": {"type": "integer", "low": 0, "high": 3}}).size
        4
        """
        return cls({name: _named(name, spec) for name, spec in data.items()})

    def to_json(self) -> str:
        """Return the space as JSON.

        Returns
        -------
        str
            An object of names and tables, in one line.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Space({"p": bool}).to_json()
        '{"p": {"type": "boolean"}}'
        """
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Space:
        """Read a space from the JSON that `to_json` writes.

        Parameters
        ----------
        text : str
            An object of names and tables.

        Returns
        -------
        Space
            The same space that `to_json` was asked of.

        Raises
        ------
        SpaceError
            Where the text is no JSON, or no space.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Space.from_json('{"p": {"type": "boolean"}}').size
        2
        """
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise SpaceError(f"The space is not valid JSON: {error}.") from None
        if not isinstance(data, dict):
            raise SpaceError("The space must be a JSON object of names and domains.")
        return cls.from_dict(data)

    def to_toml(self) -> str:
        """Return the space as the `[space]` table of a problem file.

        Returns
        -------
        str
            Text with a line for each variable.

        Examples
        --------
        >>> import hedgerow as hr
        >>> print(hr.Space({"p": bool}).to_toml(), end="")
        [space]
        p = { type = "boolean" }
        """
        return toml.table("space", self.to_dict())

    @classmethod
    def from_toml(cls, text: str) -> Space:
        r"""Read a space from the `[space]` table of a problem file.

        Parameters
        ----------
        text : str
            A problem file, of which only that table is read.

        Returns
        -------
        Space
            The space of the table.

        Raises
        ------
        SpaceError
            Where there is no such table, or no well-defined space in it.
        ProblemFileError
            Where the text is no TOML.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Space.from_toml("[space]\np = {type = 'boolean'}").size
        2
        """
        data = toml.parse(text)
        if not isinstance(data.get("space"), dict):
            raise SpaceError("The text has no [space] table.")
        return cls.from_dict(data["space"])


def component_names(variable: Vector) -> Sequence[str | int]:
    """Return what stands in brackets after the name of a vector: numbers, names of shares, or items."""
    if isinstance(variable, Shares):
        return variable.names
    return variable.items if isinstance(variable, Permutation) else range(variable.length)


def _short(variable: Variable | Vector) -> str:
    text = repr(variable)
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"


def _named(name: str, spec: object) -> Variable | Vector:
    try:
        return variable_from_dict(spec)
    except SpaceError as error:
        raise SpaceError(f"Variable '{name}': {error}") from None


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise SpaceError(f"A variable's name must be text, but {name!r} was given.")
    if not name.isidentifier() or keyword.iskeyword(name):
        why = "is a word of the rule language" if keyword.iskeyword(name) else "is not a name that a rule could mention"
        raise SpaceError(f"'{name}' {why}. Use letters, digits and underscores, not starting with a digit.")
    # Rule text is normalized by Python's parser; a name that changes under it could never be mentioned.
    if unicodedata.normalize("NFKC", name) != name:
        raise SpaceError(
            f"'{name}' reads as '{unicodedata.normalize('NFKC', name)}' in rule text. Use the plain letters."
        )
