"""The functions of the rule language, as Python code calls them.

Each returns an expression. Arguments are expressions, plain values, vectors, or lists of these; whole vectors are
unrolled once the space is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hedgerow.errors import RuleError
from hedgerow.expressions import (
    AllDifferent,
    AllowedTuples,
    Comparison,
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
    """If the condition holds, so does the consequence.

    Parameters
    ----------
    condition : expression
        What may hold.
    consequence : expression
        What holds then.

    Returns
    -------
    Expression
        A condition; `not condition or consequence` in text.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"a": [0, 1, 2], "b": [0, 1, 2]})
    >>> hr.FeasibleSet(space, [hr.rules.implies(space["a"] > 0, space["b"] > 0)]).count
    7
    """
    return Fold("or", (Not(wrap(condition)), wrap(consequence)))


def iff(left: object, right: object) -> Expression:
    """Both hold, or neither.

    Parameters
    ----------
    left : expression
        A condition.
    right : expression
        Another.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"a": [0, 1, 2], "b": [0, 1, 2]})
    >>> hr.FeasibleSet(space, [hr.rules.iff(space["a"] > 0, space["b"] > 0)]).count
    5
    """
    return Comparison("==", Not(wrap(left)), Not(wrap(right)))


def xor(left: object, right: object) -> Expression:
    """Exactly one of the two holds.

    Parameters
    ----------
    left : expression
        A condition.
    right : expression
        Another.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"a": [0, 1, 2], "b": [0, 1, 2]})
    >>> hr.FeasibleSet(space, [hr.rules.xor(space["a"] > 0, space["b"] > 0)]).count
    4
    """
    return Comparison("!=", Not(wrap(left)), Not(wrap(right)))


def count(*conditions: object) -> Expression:
    """How many of the conditions hold, as in `count(x == "G")` for a vector x.

    Parameters
    ----------
    *conditions : expression or sequence of these
        Conditions; a vector of them counts as many.

    Returns
    -------
    Expression
        A number.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector([0, 1, 2], 3)})
    >>> hr.FeasibleSet(space, [hr.rules.count(space["x"] == 1) == 2]).count
    6
    """
    return Reduction("count", _wrapped(conditions))


def at_least(n: object, *conditions: object) -> Expression:
    """`n` or more of the conditions hold.

    Parameters
    ----------
    n : expression or int
        A number.
    *conditions : expression or sequence of these
        Conditions; a vector of them counts as many.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector([0, 1, 2], 3)})
    >>> hr.FeasibleSet(space, [hr.rules.at_least(2, space["x"] == 1)]).count
    7
    """
    return Comparison(">=", count(*conditions), wrap(n))


def at_most(n: object, *conditions: object) -> Expression:
    """`n` or fewer of the conditions hold.

    Parameters
    ----------
    n : expression or int
        A number.
    *conditions : expression or sequence of these
        Conditions; a vector of them counts as many.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector([0, 1, 2], 3)})
    >>> hr.FeasibleSet(space, [hr.rules.at_most(1, space["x"] == 1)]).count
    20
    """
    return Comparison("<=", count(*conditions), wrap(n))


def exactly(n: object, *conditions: object) -> Expression:
    """`n` of the conditions hold, no more and no fewer.

    Parameters
    ----------
    n : expression or int
        A number.
    *conditions : expression or sequence of these
        Conditions; a vector of them counts as many.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector([0, 1, 2], 3)})
    >>> hr.FeasibleSet(space, [hr.rules.exactly(1, space["x"] == 1)]).count
    12
    """
    return Comparison("==", count(*conditions), wrap(n))


def sum_of(*items: object) -> Expression:
    """The sum, added up from left to right; `sum` in text.

    Parameters
    ----------
    *items : expression or sequence of these
        Numbers, or whole vectors of them.

    Returns
    -------
    Expression
        A number.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector([0, 1, 2], 3)})
    >>> hr.FeasibleSet(space, [hr.rules.sum_of(space["x"]) == 5]).count
    3
    """
    return Reduction("sum", _wrapped(items))


def min_of(*items: object) -> Expression:
    """The smallest; `min` in text.

    Parameters
    ----------
    *items : expression or sequence of these
        Numbers, or whole vectors of them.

    Returns
    -------
    Expression
        A number.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector([0, 1, 2], 3)})
    >>> hr.FeasibleSet(space, [hr.rules.min_of(space["x"]) == 2]).count
    1
    """
    return Reduction("min", _wrapped(items))


def max_of(*items: object) -> Expression:
    """The largest; `max` in text.

    Parameters
    ----------
    *items : expression or sequence of these
        Numbers, or whole vectors of them.

    Returns
    -------
    Expression
        A number.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector([0, 1, 2], 3)})
    >>> hr.FeasibleSet(space, [hr.rules.max_of(space["x"]) <= 1]).count
    8
    """
    return Reduction("max", _wrapped(items))


def all_of(*conditions: object) -> Expression:
    """Every condition holds; `all` in text.

    Parameters
    ----------
    *conditions : expression or sequence of these
        Conditions; a vector of them counts as many.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector([0, 1, 2], 3)})
    >>> hr.FeasibleSet(space, [hr.rules.all_of(space["x"] > 0)]).count
    8
    """
    return Reduction("all", _wrapped(conditions))


def any_of(*conditions: object) -> Expression:
    """At least one condition holds; `any` in text.

    Parameters
    ----------
    *conditions : expression or sequence of these
        Conditions; a vector of them counts as many.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector([0, 1, 2], 3)})
    >>> hr.FeasibleSet(space, [hr.rules.any_of(space["x"] > 0)]).count
    26
    """
    return Reduction("any", _wrapped(conditions))


def increasing(*items: object, strict: bool = False) -> Expression:
    """Each item is at least the one before it.

    Parameters
    ----------
    *items : expression or sequence of these
        Numbers, or whole vectors of them.
    strict : bool, optional
        Whether each is above the one before it.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector([0, 1, 2], 3)})
    >>> hr.FeasibleSet(space, [hr.rules.increasing(space["x"])]).count
    10
    >>> list(hr.FeasibleSet(space, [hr.rules.increasing(space["x"], strict=True)]))
    [{'x': [0, 1, 2]}]
    """
    return Reduction("strictly_increasing" if strict else "increasing", _wrapped(items))


def isclose(left: object, right: object, tol: Scalar = 1e-9) -> Expression:
    """The two numbers differ by at most `tol`: what `==` cannot say of floats, where 0.1 + 0.2 is not 0.3.

    Parameters
    ----------
    left : expression or float
        A number.
    right : expression or float
        Another.
    tol : float, optional
        The largest difference, an absolute one.

    Returns
    -------
    Expression
        A condition; `abs(left - right) <= tol` in text.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule, or `tol` is no number of at least 0.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector(hr.Real(0.0, 1.0, levels=11), 4)})
    >>> hr.FeasibleSet(space, [hr.rules.isclose(hr.rules.sum_of(space["x"]), 1)]).count
    286
    """
    if isinstance(tol, bool | str) or not isinstance(tol, int | float) or not tol >= 0:
        raise RuleError(f"isclose() takes a number of at least 0 as tol, but {tol!r} was given.")
    return Comparison("<=", abs(wrap(left) - wrap(right)), wrap(tol))


def all_different(*items: object, ignore: Scalar | None = None) -> Expression:
    """No two items are equal.

    Parameters
    ----------
    *items : expression or sequence of these
        What is compared, whole vectors included.
    ignore : bool, int, float or str, optional
        A value that may repeat.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector([0, 1, 2], 3)})
    >>> hr.FeasibleSet(space, [hr.rules.all_different(space["x"])]).count
    6
    >>> hr.FeasibleSet(space, [hr.rules.all_different(space["x"], ignore=0)]).count
    13
    """
    return AllDifferent(_wrapped(items), ignore)


def table(items: object, tuples: Iterable[Sequence[Scalar]]) -> Expression:
    """The items, taken together, are one of the tuples; `~table(...)` forbids them.

    Parameters
    ----------
    items : expression or sequence of these
        What is looked up.
    tuples : iterable of sequences
        Plain values, one for each item.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where a tuple holds something else than plain values, or not one for each item.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"a": [0, 1, 2], "b": [0, 1, 2]})
    >>> list(hr.FeasibleSet(space, [hr.rules.table([space["a"], space["b"]], [(0, 2), (1, 1)])]))
    [{'a': 0, 'b': 2}, {'a': 1, 'b': 1}]
    """
    wrapped = (
        items.items if isinstance(items, Listing) else _wrapped(items if isinstance(items, list | tuple) else (items,))
    )
    rows = frozenset(_row(row) for row in tuples)
    return AllowedTuples(tuple(wrapped), rows)


def contains(sequence: object, motif: str | Sequence[Scalar]) -> Expression:
    """The sequence has the motif as consecutive elements.

    Parameters
    ----------
    sequence : expression
        A vector, or a part of one.
    motif : str or sequence
        Letters, or plain values.

    Returns
    -------
    Expression
        A condition.

    Raises
    ------
    RuleError
        Where the motif is empty.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"dna": hr.Vector(list("ACGT"), 6)})
    >>> hr.FeasibleSet(space, [hr.rules.contains(space["dna"], "GAATTC")]).count
    1
    """
    elements = tuple(motif)
    if not elements:
        raise RuleError("contains() needs a motif of at least one element.")
    return Contains((wrap(sequence),), elements)


def longest_run(sequence: object, value: Scalar | None = None) -> Expression:
    """The length of the longest run of equal elements.

    Parameters
    ----------
    sequence : expression
        A vector, or a part of one.
    value : bool, int, float or str, optional
        The one value whose runs count.

    Returns
    -------
    Expression
        A number.

    Raises
    ------
    RuleError
        Where an argument cannot be part of a rule.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Vector([0, 1, 2], 3)})
    >>> hr.FeasibleSet(space, [hr.rules.longest_run(space["x"]) <= 2]).count
    24
    >>> hr.FeasibleSet(space, [hr.rules.longest_run(space["x"], 0) >= 2]).count
    5
    """
    return LongestRun((wrap(sequence),), value)


def _wrapped(items: Iterable[object]) -> tuple[Expression, ...]:
    return tuple(wrap(item) for item in items)


def _row(row: object) -> tuple[Scalar, ...]:
    values = row if isinstance(row, list | tuple) else (row,)
    for value in values:
        if not isinstance(value, bool | int | float | str):
            raise RuleError(f"A table holds plain values, but a row contains {value!r} of type {type(value).__name__}.")
    return tuple(values)
