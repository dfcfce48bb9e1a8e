"""The nodes of a rule, and the operators that build them from `space["name"]`.

A tree means what the same text means in Python; `rules.evaluate` is the definition. Nodes are compared by
identity, because `==` builds a rule; `str(node)` gives text that parses back to the same rule.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from hedgerow.errors import RuleError

Scalar = bool | int | float | str

_LONGEST_DECIMAL_BITS = 10_000

# How tightly each construct binds, for parentheses in `str(node)`.
_CHOICE, _OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(10)
_BINDING = {
    "or": _OR,
    "and": _AND,
    "+": _SUM,
    "*": _PRODUCT,
    "/": _PRODUCT,
    "//": _PRODUCT,
    "%": _PRODUCT,
    "**": _POWER,
}


class Expression:
    """Base of all nodes: operators build larger expressions and never evaluate anything."""

    binding = _ATOM

    @property
    def children(self) -> tuple[Expression, ...]:
        """The expressions directly inside this one, in textual order."""
        return ()

    def __add__(self, other: object) -> Expression:
        return _chain("+", self, wrap(other))

    def __radd__(self, other: object) -> Expression:
        return _chain("+", wrap(other), self)

    def __sub__(self, other: object) -> Expression:
        return _chain("+", self, Negative(wrap(other)))

    def __rsub__(self, other: object) -> Expression:
        return _chain("+", wrap(other), Negative(self))

    def __mul__(self, other: object) -> Expression:
        return _chain("*", self, wrap(other))

    def __rmul__(self, other: object) -> Expression:
        return _chain("*", wrap(other), self)

    def __truediv__(self, other: object) -> Expression:
        return Arithmetic("/", self, wrap(other))

    def __rtruediv__(self, other: object) -> Expression:
        return Arithmetic("/", wrap(other), self)

    def __floordiv__(self, other: object) -> Expression:
        return Arithmetic("//", self, wrap(other))

    def __rfloordiv__(self, other: object) -> Expression:
        return Arithmetic("//", wrap(other), self)

    def __mod__(self, other: object) -> Expression:
        return Arithmetic("%", self, wrap(other))

    def __rmod__(self, other: object) -> Expression:
        return Arithmetic("%", wrap(other), self)

    def __pow__(self, other: object) -> Expression:
        return Arithmetic("**", self, wrap(other))

    def __rpow__(self, other: object) -> Expression:
        return Arithmetic("**", wrap(other), self)

    def __neg__(self) -> Expression:
        return Negative(self)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return Absolute(self)

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return Comparison("==", self, wrap(other))

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        return Comparison("!=", self, wrap(other))

    def __lt__(self, other: object) -> Expression:
        return Comparison("<", self, wrap(other))

    def __le__(self, other: object) -> Expression:
        return Comparison("<=", self, wrap(other))

    def __gt__(self, other: object) -> Expression:
        return Comparison(">", self, wrap(other))

    def __ge__(self, other: object) -> Expression:
        return Comparison(">=", self, wrap(other))

    def __and__(self, other: object) -> Expression:
        return _chain("and", self, wrap(other))

    def __rand__(self, other: object) -> Expression:
        return _chain("and", wrap(other), self)

    def __or__(self, other: object) -> Expression:
        return _chain("or", self, wrap(other))

    def __ror__(self, other: object) -> Expression:
        return _chain("or", wrap(other), self)

    def __invert__(self) -> Expression:
        return Not(self)

    def __getitem__(self, index: int | slice | str) -> Expression:
        return Item(self, index)

    def __iter__(self) -> Iterator[Expression]:
        raise RuleError(
            f"'{self}' cannot be looped over; pass it whole to sum(), count(), all_different() and the like."
        )

    def __contains__(self, _: object) -> NoReturn:
        raise RuleError(
            f"Python's 'in' cannot build a rule from '{self}'; use .is_in([...]) or write the rule as text."
        )

    def is_in(self, values: Iterable[object]) -> Expression:
        """Whether this is equal to one of `values`."""
        return Membership(self, Listing(tuple(wrap(value) for value in values)))

    def __bool__(self) -> NoReturn:
        raise RuleError(
            f"The expression '{self}' has no truth value until a point is given. "
            "Use & for and, | for or, ~ for not, and two comparisons instead of a chained one."
        )

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"<rule expression: {self}>"


# eq=False everywhere: equality builds a Comparison, it does not compare trees.
@dataclass(frozen=True, eq=False, repr=False)
class Constant(Expression):
    """A literal: a boolean, a number or a text."""

    value: Scalar

    def __str__(self) -> str:
        is_long = isinstance(self.value, int) and self.value.bit_length() > _LONGEST_DECIMAL_BITS
        # Python refuses to print very long integers in decimal, but not in hexadecimal.
        return hex(self.value) if is_long else repr(self.value)  # type: ignore[arg-type]

    @property
    def binding(self) -> int:  # type: ignore[override]
        """A negative literal binds like a sign, so that `(-2) ** 2` keeps its parentheses."""
        is_negative = str(self).startswith("-")
        return _SIGN if is_negative else _ATOM


@dataclass(frozen=True, eq=False, repr=False)
class Name(Expression):
    """A variable, or a whole vector, by name; `column` is where the text mentions it."""

    name: str
    column: int | None = None

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False, repr=False)
class Item(Expression):
    """One component `x[2]` or a part `x[1:4]` of a vector, or a share `mix['wax']`."""

    vector: Expression
    index: int | slice | str
    column: int | None = None

    @property
    def children(self) -> tuple[Expression, ...]:
        """The vector."""
        return (self.vector,)

    def __str__(self) -> str:
        if isinstance(self.index, slice):
            parts = [self.index.start, self.index.stop] + ([self.index.step] if self.index.step is not None else [])
            return f"{self.vector}[{':'.join('' if part is None else str(part) for part in parts)}]"
        return f"{self.vector}[{self.index!r}]"


@dataclass(frozen=True, eq=False, repr=False)
class Position(Expression):
    """Where an item stands in an order of items, counted from 1."""

    order: Expression
    item: str | int

    @property
    def children(self) -> tuple[Expression, ...]:
        """The order."""
        return (self.order,)

    def __str__(self) -> str:
        return f"position({self.order}, {self.item!r})"


@dataclass(frozen=True, eq=False, repr=False)
class Listing(Expression):
    """Several expressions side by side: a list in the text, or a vector once resolved."""

    items: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        """The items."""
        return self.items

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.items))}]"


@dataclass(frozen=True, eq=False, repr=False)
class Slot(Expression):
    """A scalar variable of a given space: what names become once resolved."""

    position: int
    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False, repr=False)
class Active(Expression):
    """Whether a variable with a condition has a value."""

    operand: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        """The variable."""
        return (self.operand,)

    def __str__(self) -> str:
        return f"active({self.operand})"


@dataclass(frozen=True, eq=False, repr=False)
class Rank(Expression):
    """The position of an ordinal label in its order: what makes `size >= "medium"` mean the order of sizes."""

    labels: tuple[str, ...]
    operand: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        """The label."""
        return (self.operand,)

    @property
    def binding(self) -> int:  # type: ignore[override]
        """Invisible in text."""
        return self.operand.binding

    def __str__(self) -> str:
        return str(self.operand)


@dataclass(frozen=True, eq=False, repr=False)
class Negative(Expression):
    """Minus the operand."""

    operand: Expression
    binding = _SIGN

    @property
    def children(self) -> tuple[Expression, ...]:
        """The operand."""
        return (self.operand,)

    def __str__(self) -> str:
        return f"-{_enclose(self.operand, _SIGN)}"


@dataclass(frozen=True, eq=False, repr=False)
class Not(Expression):
    """Python's `not`."""

    operand: Expression
    binding = _NOT

    @property
    def children(self) -> tuple[Expression, ...]:
        """The operand."""
        return (self.operand,)

    def __str__(self) -> str:
        return f"not {_enclose(self.operand, _NOT)}"


@dataclass(frozen=True, eq=False, repr=False)
class Absolute(Expression):
    """The absolute value."""

    operand: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        """The operand."""
        return (self.operand,)

    def __str__(self) -> str:
        return f"abs({self.operand})"


@dataclass(frozen=True, eq=False, repr=False)
class Arithmetic(Expression):
    """An operator that does not chain: `/ // % **`."""

    operator: str
    left: Expression
    right: Expression

    @property
    def children(self) -> tuple[Expression, ...]:
        """Both operands."""
        return (self.left, self.right)

    @property
    def binding(self) -> int:  # type: ignore[override]
        """That of the operator."""
        return _BINDING[self.operator]

    def __str__(self) -> str:
        if self.operator == "**":
            return f"{_enclose(self.left, _ATOM)} ** {_enclose(self.right, _ATOM)}"
        return f"{_enclose(self.left, _PRODUCT)} {self.operator} {_enclose(self.right, _SIGN)}"


@dataclass(frozen=True, eq=False, repr=False)
class Fold(Expression):
    """A chain `a + b + c`, `a * b`, `a and b`, `a or b`, or a resolved reduction `min`, `max`, `count`.

    Items are taken left to right, as Python does; a difference is a sum with a `Negative`, which is the same
    number in integers and in floating point.
    """

    operator: str
    items: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        """The items."""
        return self.items

    @property
    def binding(self) -> int:  # type: ignore[override]
        """That of the operator; a reduction reads as a call."""
        return _BINDING.get(self.operator, _ATOM)

    def __str__(self) -> str:
        if self.operator not in _BINDING:
            return f"{self.operator}({', '.join(map(str, self.items))})"
        first, *rest = self.items
        text = _enclose(first, self.binding)
        for item in rest:
            if self.operator == "+" and isinstance(item, Negative):
                text += f" - {_enclose(item.operand, _PRODUCT)}"
            else:
                text += f" {self.operator} {_enclose(item, self.binding + 1)}"
        return text


@dataclass(frozen=True, eq=False, repr=False)
class Reduction(Expression):
    """`sum`, `min`, `max`, `count`, `all`, `any` over scalars and whole vectors."""

    function: str
    items: tuple[Expression, ...]

    @property
    def children(self) -> tuple[Expression, ...]:
        """The arguments."""
        return self.items

    def __str__(self) -> str:
        # sum, all and any take one list in Python; the others take either form.
        arguments = ", ".join(map(str, self.items))
        if self.function == "strictly_increasing":
            return f"increasing({arguments}, strict=True)"
        needs_list = self.function in ("sum", "all", "any") and len(self.items) > 1
        return f"{self.function}([{arguments}])" if needs_list else f"{self.function}({arguments})"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Expression):
    """`== != < <= > >=` between two expressions."""

    operator: str
    left: Expression
    right: Expression
    column: int | None = field(default=None)
    binding = _COMPARISON

    @property
    def children(self) -> tuple[Expression, ...]:
        """Both sides."""
        return (self.left, self.right)

    def __str__(self) -> str:
        return f"{_enclose(self.left, _SUM)} {self.operator} {_enclose(self.right, _SUM)}"


@dataclass(frozen=True, eq=False, repr=False)
class Membership(Expression):
    """Python's `in`, of a list of expressions or of a text."""

    item: Expression
    container: Expression
    binding = _COMPARISON

    @property
    def children(self) -> tuple[Expression, ...]:
        """The item and the container."""
        return (self.item, self.container)

    def __str__(self) -> str:
        return f"{_enclose(self.item, _SUM)} in {_enclose(self.container, _SUM)}"


@dataclass(frozen=True, eq=False, repr=False)
class Choice(Expression):
    """`yes if condition else no`."""

    condition: Expression
    yes: Expression
    no: Expression
    binding = _CHOICE

    @property
    def children(self) -> tuple[Expression, ...]:
        """Condition, then both outcomes."""
        return (self.condition, self.yes, self.no)

    def __str__(self) -> str:
        return f"{_enclose(self.yes, _OR)} if {_enclose(self.condition, _OR)} else {_enclose(self.no, _CHOICE)}"


def wrap(value: object) -> Expression:
    """Return `value` as an expression; lists become listings."""
    if isinstance(value, Expression):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        raise RuleError(f"A rule cannot contain {value!r}: only finite numbers can be compared with.")
    if isinstance(value, bool | int | float | str):
        return Constant(value)
    if isinstance(value, list | tuple | set | frozenset):
        return Listing(tuple(wrap(item) for item in value))
    plain = _plain_number(value)
    if plain is not None:
        return Constant(plain)
    raise RuleError(
        f"A rule cannot contain {value!r} of type {type(value).__name__}; "
        "use numbers, text, booleans, or expressions built from space['name']."
    )


def _plain_number(value: Any) -> Scalar | None:
    """NumPy scalars arrive as the Python number they stand for."""
    item = getattr(value, "item", None)
    if item is None or getattr(value, "ndim", None) != 0:
        return None
    plain = item()
    return plain if isinstance(plain, bool | int | float | str) else None


def _chain(operator: str, left: Expression, right: Expression) -> Fold:
    """Append to a chain on the left: `(a + b) + c` is `a + b + c` in Python's own order."""
    if isinstance(left, Fold) and left.operator == operator:
        return Fold(operator, (*left.items, right))
    return Fold(operator, (left, right))


def _enclose(expression: Expression, at_least: int) -> str:
    """The text, in parentheses when it binds less tightly than its place asks."""
    return str(expression) if expression.binding >= at_least else f"({expression})"
