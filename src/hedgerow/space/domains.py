"""What a user writes for a variable, read: vectors of one kind, and the short forms such as a list or `bool`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hedgerow.errors import SpaceError
from hedgerow.expressions import Scalar
from hedgerow.space.labels import Boolean, Categorical
from hedgerow.space.numeric import Levels
from hedgerow.space.scalars import check_size, plain, plain_values, shorten, shown
from hedgerow.space.variable import Conditional, Variable

# A line of a file must not stand for more scalars than memory holds.
MAX_LENGTH = 100_000


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
        plain_length = plain(length)
        if isinstance(plain_length, bool) or not isinstance(plain_length, int) or plain_length < 1:
            raise SpaceError(f"Vector needs a length of at least 1 as a whole number, but length is {plain_length!r}.")
        if plain_length > MAX_LENGTH:
            raise SpaceError(f"Vector has a length of {shown(plain_length)}; at most {MAX_LENGTH:,} are allowed.")
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
        check_size(max(0, (domain.stop - domain.start) // domain.step), "The range")
        return Levels(domain)
    if isinstance(domain, str) or not isinstance(domain, Iterable) or isinstance(domain, dict | set | frozenset):
        example = f"[{domain}]" if type(domain) in (int, float) else "a list such as [1, 2, 4]"
        raise SpaceError(
            f"A domain cannot be {domain!r}. Give a list of values, bool, Integer(low, high), Real(low, high), "
            "Categorical([...]), Ordinal([...]), Vector(domain, length), Shares(names, step) or Permutation(items); in "
            f'a problem file {example}, or a table such as {{ type = "integer", low = 1, high = 8 }}.'
        )
    values = plain_values(domain, "A list")
    if not values:
        raise SpaceError("The list of values is empty. Give at least one value.")
    _check_no_range(domain, values)
    if all(isinstance(value, bool) for value in values) and len(values) == 2 and values[0] != values[1]:
        return Boolean()
    if all(isinstance(value, str | bool) for value in values):
        return Categorical(values)
    if any(isinstance(value, str | bool) for value in values):
        raise SpaceError(
            f"The list {shorten(values)} mixes numbers with text or booleans, so its order is unclear. "
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
