"""Nodes that relate many variables at once: all different, tables, sequence patterns, opaque functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hedgerow.expressions.nodes import Expression, Scalar


@dataclass(frozen=True, eq=False, repr=False)
class AllDifferent(Expression):
    """No two items are equal; items equal to `ignore` may repeat."""

    items: tuple[Expression, ...]
    ignore: Scalar | None = None

    @property
    def children(self) -> tuple[Expression, ...]:
        """The items."""
        return self.items

    def __str__(self) -> str:
        suffix = "" if self.ignore is None else f", ignore={self.ignore!r}"
        return f"all_different({_joined(self.items)}{suffix})"


@dataclass(frozen=True, eq=False, repr=False)
class AllowedTuples(Expression):
    """The items, taken together, are one of the listed tuples."""

    items: tuple[Expression, ...]
    tuples: frozenset[tuple[Scalar, ...]]

    @property
    def children(self) -> tuple[Expression, ...]:
        """The items."""
        return self.items

    def __str__(self) -> str:
        rows = ", ".join(repr(row) for row in sorted(self.tuples, key=repr))
        return f"table([{_joined(self.items)}], [{rows}])"


@dataclass(frozen=True, eq=False, repr=False)
class Contains(Expression):
    """The items, read as a sequence, contain the motif as consecutive elements."""

    items: tuple[Expression, ...]
    motif: tuple[Scalar, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        """The sequence."""
        return self.items

    def __str__(self) -> str:
        letters = all(isinstance(value, str) and len(value) == 1 for value in self.motif)
        motif = repr("".join(map(str, self.motif))) if letters else repr(list(self.motif))
        return f"contains({_sequence(self.items)}, {motif})"


@dataclass(frozen=True, eq=False, repr=False)
class LongestRun(Expression):
    """The length of the longest run of equal elements, or of elements equal to `value`."""

    items: tuple[Expression, ...]
    value: Scalar | None = None

    @property
    def children(self) -> tuple[Expression, ...]:
        """The sequence."""
        return self.items

    def __str__(self) -> str:
        suffix = "" if self.value is None else f", {self.value!r}"
        return f"longest_run({_sequence(self.items)}{suffix})"


@dataclass(frozen=True, eq=False, repr=False)
class Opaque(Expression):
    """A Python function of some variables: only its values are known, so it is tabulated over them."""

    function: Callable[..., object]
    arguments: tuple[Expression, ...]
    names: tuple[str, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        """The variables it reads, in the order of its arguments."""
        return self.arguments

    def __str__(self) -> str:
        name = getattr(self.function, "__name__", "function")
        return f"{'function' if name == '<lambda>' else name}({', '.join(self.names)})"


def _joined(items: tuple[Expression, ...]) -> str:
    return ", ".join(map(str, items))


def _sequence(items: tuple[Expression, ...]) -> str:
    return str(items[0]) if len(items) == 1 else f"[{_joined(items)}]"
