"""The functions of the rule language, for Python code and for text alike.

Each returns an expression. Arguments are expressions, plain values, vectors, or lists of these; whole vectors are
unrolled once the space is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hedgerow.errors import RuleError
from hedgerow.expressions import (
    Absolute,
    AllDifferent,
    AllowedTuples,
    Comparison,
    Constant,
    Contains,
    Expression,
    Fold,
    Listing,
    LongestRun,
    Not,
    Reduction,
    Scalar,
)
from hedgerow.expressions.nodes import wrap


def implies(condition: object, consequence: object) -> Expression:
    """If the condition holds, so does the consequence."""
    return Fold("or", (Not(wrap(condition)), wrap(consequence)))


def iff(left: object, right: object) -> Expression:
    """Both hold, or neither."""
    return Comparison("==", Not(wrap(left)), Not(wrap(right)))


def xor(left: object, right: object) -> Expression:
    """Exactly one of the two holds."""
    return Comparison("!=", Not(wrap(left)), Not(wrap(right)))


def count(*conditions: object) -> Expression:
    """Return how many of the conditions hold, as in `count(x == "G")` for a vector x."""
    return Reduction("count", _wrapped(conditions))


def at_least(n: object, *conditions: object) -> Expression:
    """`n` or more of the conditions hold."""
    return Comparison(">=", count(*conditions), wrap(n))


def at_most(n: object, *conditions: object) -> Expression:
    """`n` or fewer of the conditions hold."""
    return Comparison("<=", count(*conditions), wrap(n))


def exactly(n: object, *conditions: object) -> Expression:
    """`n` of the conditions hold, no more and no fewer."""
    return Comparison("==", count(*conditions), wrap(n))


def sum_of(*items: object) -> Expression:
    """Return the sum, added up from left to right."""
    return Reduction("sum", _wrapped(items))


def min_of(*items: object) -> Expression:
    """Return the smallest."""
    return Reduction("min", _wrapped(items))


def max_of(*items: object) -> Expression:
    """Return the largest."""
    return Reduction("max", _wrapped(items))


def all_of(*conditions: object) -> Expression:
    """Every condition holds."""
    return Reduction("all", _wrapped(conditions))


def any_of(*conditions: object) -> Expression:
    """At least one condition holds."""
    return Reduction("any", _wrapped(conditions))


def increasing(*items: object, strict: bool = False) -> Expression:
    """Each item is at least the one before it, or above it with `strict=True`."""
    return Reduction("strictly_increasing" if strict else "increasing", _wrapped(items))


def all_different(*items: object, ignore: Scalar | None = None) -> Expression:
    """No two items are equal; the value `ignore` may repeat."""
    return AllDifferent(_wrapped(items), ignore)


def table(items: object, tuples: Iterable[Sequence[Scalar]]) -> Expression:
    """The items, taken together, are one of the tuples; `~table(...)` forbids them."""
    wrapped = (
        items.items if isinstance(items, Listing) else _wrapped(items if isinstance(items, list | tuple) else (items,))
    )
    rows = frozenset(_row(row) for row in tuples)
    return AllowedTuples(tuple(wrapped), rows)


def contains(sequence: object, motif: str | Sequence[Scalar]) -> Expression:
    """The sequence has the motif as consecutive elements: `contains(dna, "GAATTC")`."""
    elements = tuple(motif)
    if not elements:
        raise RuleError("contains() needs a motif of at least one element.")
    return Contains((wrap(sequence),), elements)


def longest_run(sequence: object, value: Scalar | None = None) -> Expression:
    """Return the length of the longest run of equal elements (equal to `value`, when given)."""
    return LongestRun((wrap(sequence),), value)


def _wrapped(items: Iterable[object]) -> tuple[Expression, ...]:
    return tuple(wrap(item) for item in items)


def _row(row: object) -> tuple[Scalar, ...]:
    values = row if isinstance(row, list | tuple) else (row,)
    for value in values:
        if not isinstance(value, bool | int | float | str):
            raise RuleError(f"A table holds plain values, but a row contains {value!r} of type {type(value).__name__}.")
    return tuple(values)


# --- the same functions as rule text calls them -------------------------------------------------------------------


def _plain(expression: Expression) -> Scalar:
    if not isinstance(expression, Constant):
        raise RuleError(f"takes a plain value where '{expression}' stands.")
    return expression.value


def _optional(expression: Expression | None) -> Scalar | None:
    return None if expression is None else _plain(expression)


def _plain_rows(expression: Expression) -> list[tuple[Scalar, ...]]:
    if not isinstance(expression, Listing):
        raise RuleError("takes a list of tuples as its second argument, as in table([a, b], [(1, 2), (3, 4)]).")
    return [
        tuple(_plain(value) for value in row.items) if isinstance(row, Listing) else (_plain(row),)
        for row in expression.items
    ]


def _plain_motif(expression: Expression) -> tuple[Scalar, ...]:
    if isinstance(expression, Listing):
        return tuple(_plain(value) for value in expression.items)
    value = _plain(expression)
    return tuple(value) if isinstance(value, str) else (value,)


# For each function: the fewest and most positional arguments, the keywords it takes, and how to build it.
Builder = Callable[..., Expression]
MANY = 1_000_000
TEXT_FUNCTIONS: dict[str, tuple[int, int, tuple[str, ...], Builder]] = {
    "abs": (1, 1, (), Absolute),
    "sum": (1, MANY, (), sum_of),
    "min": (1, MANY, (), min_of),
    "max": (1, MANY, (), max_of),
    "all": (1, MANY, (), all_of),
    "any": (1, MANY, (), any_of),
    "implies": (2, 2, (), implies),
    "iff": (2, 2, (), iff),
    "xor": (2, 2, (), xor),
    "count": (1, MANY, (), count),
    "at_least": (2, MANY, (), at_least),
    "at_most": (2, MANY, (), at_most),
    "exactly": (2, MANY, (), exactly),
    "all_different": (
        1,
        MANY,
        ("ignore",),
        lambda *items, ignore=None: AllDifferent(items, _optional(ignore)),
    ),
    "increasing": (
        1,
        MANY,
        ("strict",),
        lambda *items, strict=None: increasing(*items, strict=bool(_optional(strict))),
    ),
    "table": (2, 2, (), lambda items, rows: table(items, _plain_rows(rows))),
    "contains": (2, 2, (), lambda sequence, motif: contains(sequence, _plain_motif(motif))),
    "longest_run": (1, 2, (), lambda sequence, value=None: longest_run(sequence, _optional(value))),
}
