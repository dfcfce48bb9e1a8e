"""The form of a variable in problem files: a list, or a table with a `type` and the arguments of that kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hedgerow.errors import SpaceError
from hedgerow.space.domains import Vector, as_variable
from hedgerow.space.labels import Boolean, Categorical, Ordinal
from hedgerow.space.numeric import Integer, Levels, Real
from hedgerow.space.permutation import Permutation
from hedgerow.space.shares import Shares
from hedgerow.space.variable import Variable
from hedgerow.wording import ending


def variable_from_dict(spec: object) -> Variable | Vector:
    """Read one variable of a problem file: a list, or a table with a `type`."""
    if not isinstance(spec, Mapping):
        return as_variable(spec)
    if "type" not in spec:
        raise SpaceError(f"The key 'type' is missing; it is one of {', '.join(_READERS)}.")
    kind = spec["type"]
    if not isinstance(kind, str) or kind not in _READERS:
        raise SpaceError(f"There is no type {kind!r}{ending(str(kind), list(_READERS))}")
    build, required, optional = _READERS[kind]
    arguments = {key: value for key, value in spec.items() if key != "type"}
    for key in arguments:
        if key not in (*required, *optional, "when"):
            raise SpaceError(f"The type '{kind}' has no key '{key}'{ending(key, (*required, *optional, 'when'))}")
    for key in required:
        if key not in arguments:
            raise SpaceError(f"The type '{kind}' needs the key '{key}'.")
    return build(**arguments)


def _from_values(build: Callable[..., Variable]) -> Callable[..., Variable]:
    def read(values: object, when: object = None) -> Variable:
        return build(values, when=when)

    return read


# For each type in a problem file: how to build it, the keys it needs, and the keys it may have besides `when`.
_READERS: dict[str, tuple[Callable[..., Variable | Vector], tuple[str, ...], tuple[str, ...]]] = {
    "integer": (Integer, ("low", "high"), ("step",)),
    "real": (Real, ("low", "high"), ("levels", "log")),
    "boolean": (Boolean, (), ()),
    "categorical": (
        lambda values, descriptors=None, when=None: Categorical(values, descriptors=descriptors, when=when),
        ("values",),
        ("descriptors",),
    ),
    "ordinal": (_from_values(Ordinal), ("values",), ()),
    "levels": (_from_values(Levels), ("values",), ()),
    "shares": (Shares, ("names",), ("step",)),
    "permutation": (Permutation, ("items",), ()),
    "vector": (lambda of, length, when=None: Vector(variable_from_dict(of), length, when=when), ("of", "length"), ()),
}
