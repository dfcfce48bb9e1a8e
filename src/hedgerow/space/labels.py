"""Variables whose values have names: switches, ordered and unordered labels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from hedgerow.errors import SpaceError
from hedgerow.expressions import Scalar
from hedgerow.space.descriptors import Descriptors, read_descriptors
from hedgerow.space.scalars import check_levels, plain_values
from hedgerow.space.variable import Variable


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
        plain = plain_values(labels, "Ordinal")
        for value in plain:
            if not isinstance(value, str):
                raise SpaceError(f"Ordinal takes text labels, but {value!r} was given. For numbers, pass a plain list.")
        check_levels(plain, "Ordinal")
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
        plain = plain_values(categories, "Categorical")
        check_levels(plain, "Categorical")
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
