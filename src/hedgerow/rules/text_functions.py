"""The functions of the rule language as text calls them: how many arguments each takes, and how it is built."""

from __future__ import annotations

from collections.abc import Callable

from hedgerow.errors import RuleError
from hedgerow.expressions import Absolute, Active, AllDifferent, Constant, Expression, Listing, Scalar
from hedgerow.rules.catalog import (
    all_of,
    any_of,
    at_least,
    at_most,
    contains,
    count,
    exactly,
    iff,
    implies,
    increasing,
    isclose,
    longest_run,
    max_of,
    min_of,
    sum_of,
    table,
    xor,
)
from hedgerow.rules.orders import adjacent, before, position


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


def _plain_item(expression: Expression) -> str | int:
    value = _plain(expression)
    if isinstance(value, bool | float):
        raise RuleError(f"takes an item, text or a whole number, but {value!r} was given.")
    return value


# For each function: the fewest and most positional arguments, the keywords it takes, and how to build it.
Builder = Callable[..., Expression]
MANY = 1_000_000
TEXT_FUNCTIONS: dict[str, tuple[int, int, tuple[str, ...], Builder]] = {
    "abs": (1, 1, (), Absolute),
    "active": (1, 1, (), Active),
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
    "isclose": (
        2,
        2,
        ("tol",),
        lambda left, right, tol=None: isclose(left, right, _plain(tol) if tol is not None else 1e-9),
    ),
    "position": (2, 2, (), lambda order, item: position(order, _plain_item(item))),
    "before": (3, MANY, (), lambda order, *items: before(order, *map(_plain_item, items))),
    "adjacent": (3, 3, (), lambda order, first, second: adjacent(order, _plain_item(first), _plain_item(second))),
    "table": (2, 2, (), lambda items, rows: table(items, _plain_rows(rows))),
    "contains": (2, 2, (), lambda sequence, motif: contains(sequence, _plain_motif(motif))),
    "longest_run": (1, 2, (), lambda sequence, value=None: longest_run(sequence, _optional(value))),
}
