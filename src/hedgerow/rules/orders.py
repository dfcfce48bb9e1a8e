"""The functions of the rule language that read orders of items (`Permutation`), as Python code calls them."""

from __future__ import annotations

from itertools import pairwise

from hedgerow.errors import RuleError
from hedgerow.expressions import Comparison, Constant, Expression, Fold, Position
from hedgerow.expressions.nodes import wrap


def position(order: object, item: str | int) -> Expression:
    """Where an item stands in an order of items (`Permutation`); the first is at 1.

    Parameters
    ----------
    order : expression
        A permutation.
    item : str or int
        One of its items.

    Returns
    -------
    Expression
        A whole number.

    Raises
    ------
    RuleError
        Where the item is neither text nor a whole number.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"jobs": hr.Permutation(["wash", "cut", "glue", "dry"])})
    >>> hr.FeasibleSet(space, [hr.rules.position(space["jobs"], "cut") <= 2]).count
    12
    """
    plain = item.value if isinstance(item, Constant) else item
    if isinstance(plain, bool) or not isinstance(plain, str | int):
        raise RuleError(f"position() takes an item, text or a whole number, but '{item}' was given.")
    return Position(wrap(order), plain)


def before(order: object, *items: str | int) -> Expression:
    """The items stand in this order, not always next to each other, in an order of items (`Permutation`).

    Parameters
    ----------
    order : expression
        A permutation.
    *items : str or int
        Two of its items or more.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where there are fewer than two items, or one is neither text nor a whole number.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"jobs": hr.Permutation(["wash", "cut", "glue", "dry"])})
    >>> hr.FeasibleSet(space, [hr.rules.before(space["jobs"], "glue", "dry")]).count
    12
    """
    if len(items) < 2:
        raise RuleError("before() takes an order and at least two items, as in before(jobs, 'glue', 'dry').")
    places = [position(order, item) for item in items]
    steps = tuple(Comparison("<", left, right) for left, right in pairwise(places))
    return steps[0] if len(steps) == 1 else Fold("and", steps)


def adjacent(order: object, first: str | int, second: str | int) -> Expression:
    """The two items stand next to each other, whichever comes first, in an order of items (`Permutation`).

    Parameters
    ----------
    order : expression
        A permutation.
    first : str or int
        One of its items.
    second : str or int
        Another.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where an item is neither text nor a whole number.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"jobs": hr.Permutation(["wash", "cut", "glue", "dry"])})
    >>> feasible = hr.FeasibleSet(space, [hr.rules.adjacent(space["jobs"], "glue", "dry")])
    >>> {"jobs": ["cut", "dry", "glue", "wash"]} in feasible
    True
    """
    return Comparison("==", abs(position(order, first) - position(order, second)), Constant(1))
