"""What a rule means where it mentions variables that are inactive, written as a rule that never reads them.

A comparison, or any other part that has no parts with truth values of their own, is *open* where it would read an
inactive variable: neither true nor false. `and`, `or`, `not`, `if`, `all`, `any`, `count` and `all_different` carry
that on as far as the other parts do not decide (Kleene's logic). A rule is broken only where it is false, so that a
rule about nothing but inactive variables holds; a condition holds only where it is true.

Both readings are spelled out in the language itself: `settled(rule, ..., True)` is `rule` with true in place of what is
open, and `active(x)` before whatever reads `x`. Whatever evaluates or compiles rules needs to know no more than that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from hedgerow.expressions import (
    Absolute,
    Active,
    AllDifferent,
    AllowedTuples,
    Arithmetic,
    Choice,
    Comparison,
    Constant,
    Contains,
    Expression,
    Fold,
    Listing,
    LongestRun,
    Membership,
    Negative,
    Not,
    Opaque,
    Rank,
    Slot,
)
from hedgerow.rules.simplify import conditions_of, every
from hedgerow.space.space import Space

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def settled(expression: Expression, space: Space, if_open: bool) -> Expression:
    """Return a resolved expression with `if_open` as the truth of what inactive variables leave open."""
    return _Settler(space).truth(expression, if_open) if space.conditional else expression


class _Settler:
    def __init__(self, space: Space) -> None:
        self._space = space
        self._may_be_open: dict[Expression, bool] = {}
        self._truths: dict[tuple[Expression, bool], Expression] = {}
        self._filled: dict[Expression, Expression] = {}

    def may_be_open(self, node: Expression) -> bool:
        """Return whether a part reads a variable that may be inactive."""
        if node not in self._may_be_open:
            self._may_be_open[node] = (
                node.position in self._space.conditional
                if isinstance(node, Slot)
                else not isinstance(node, Active) and any(self.may_be_open(child) for child in node.children)
            )
        return self._may_be_open[node]

    # --- truth ---

    def truth(self, node: Expression, if_open: bool) -> Expression:
        if not self.may_be_open(node):
            return node
        if (node, if_open) not in self._truths:
            self._truths[node, if_open] = self._truth(node, if_open)
        return self._truths[node, if_open]

    def _truth(self, node: Expression, if_open: bool) -> Expression:
        if isinstance(node, Not):
            return Not(self.truth(node.operand, not if_open))
        if isinstance(node, Fold) and node.operator in ("and", "or"):
            return replace(node, items=self._truths_of(node.items, if_open))
        if isinstance(node, Choice):
            return self._choice(node, if_open)
        if isinstance(node, AllDifferent):
            return self._all_different(node, if_open)
        if isinstance(node, Opaque):
            return replace(node, function=_WhereActive(node.function, if_open))
        if isinstance(node, Comparison):
            conditions = conditions_of(node)
            if conditions is not None:
                return every(self._truths_of(conditions, if_open))
            if _is_count(node.left) and not self.may_be_open(node.right):
                return self._counted(node.operator, node.left, node.right, if_open)
            if _is_count(node.right) and not self.may_be_open(node.left):
                return self._counted(_MIRRORED[node.operator], node.right, node.left, if_open)
        return self._part(node, if_open)

    def _truths_of(self, nodes: Sequence[Expression], if_open: bool) -> tuple[Expression, ...]:
        return tuple(self.truth(node, if_open) for node in nodes)

    def _choice(self, node: Choice, if_open: bool) -> Expression:
        yes, no = self.truth(node.yes, if_open), self.truth(node.no, if_open)
        if not self.may_be_open(node.condition):
            return Choice(node.condition, yes, no)
        is_true, is_not_false = self.truth(node.condition, False), self.truth(node.condition, True)
        return Choice(is_true, yes, Choice(is_not_false, Constant(if_open), no))

    def _all_different(self, node: AllDifferent, if_open: bool) -> Expression:
        """Pairs, since two equal values are equal whatever else is inactive."""
        always = tuple(item for item in node.items if not self.may_be_open(item))
        pairs: list[Expression] = []
        for left, right in combinations(node.items, 2):
            if self.may_be_open(left) or self.may_be_open(right):
                pair: Expression = Comparison("!=", left, right)
                if node.ignore is not None:
                    pair = Fold("or", (pair, Comparison("==", left, Constant(node.ignore))))
                pairs.append(self._part(pair, if_open))
        together = [AllDifferent(always, node.ignore)] if len(always) > 1 else []
        return every([*together, *pairs]) if together or pairs else self._part(node, if_open)

    def _counted(self, operator: str, counted: Expression, limit: Expression, if_open: bool) -> Expression:
        """Compare how many hold with a number: what is open may count, or not."""
        assert isinstance(counted, Fold)
        most, least = (Fold("count", self._truths_of(counted.items, open_)) for open_ in (True, False))
        if operator == "!=":
            return Not(self._counted("==", counted, limit, not if_open))
        if operator == "==":
            lower, upper = (most, least) if if_open else (least, most)
            return Fold("and", (Comparison(">=", lower, limit), Comparison("<=", upper, limit)))
        takes_most = if_open == (operator in (">", ">="))
        return Comparison(operator, most if takes_most else least, limit)

    def _part(self, node: Expression, if_open: bool) -> Expression:
        """A part without parts that are true or false: open wherever Python would read what is inactive."""
        known = self._known(node)
        filled = self._with_stand_ins(node)
        if known is None:
            return filled
        return Fold("or", (Not(known), filled)) if if_open else Fold("and", (known, filled))

    # --- what a part reads ---

    def _known(self, node: Expression) -> Expression | None:
        """Return that everything is active that Python would read; None where it always is."""
        if not self.may_be_open(node):
            return None
        if isinstance(node, Slot):
            # A vector's components are active together.
            slot = self._space.slots[node.position]
            return Active(Slot(self._space.first_slot[slot.owner], slot.owner))
        if isinstance(node, Choice):
            yes, no = self._known(node.yes), self._known(node.no)
            chosen = Choice(self._with_stand_ins(node.condition), _or_true(yes), _or_true(no))
            return _both(self._known(node.condition), chosen)
        if isinstance(node, Fold) and node.operator in ("and", "or"):
            return self._known_in_turn(node.operator, node.items)
        found: dict[str, Expression] = {}
        for child in node.children:
            known = self._known(child)
            if known is not None:
                found.setdefault(str(known), known)
        return _all(list(found.values()))

    def _known_in_turn(self, operator: str, items: Sequence[Expression]) -> Expression | None:
        first, *rest = items
        if not rest:
            return self._known(first)
        later = self._known_in_turn(operator, rest)
        if later is not None:
            goes_on = self._with_stand_ins(first)
            later = Fold("or", (Not(goes_on) if operator == "and" else goes_on, later))
        return _both(self._known(first), later)

    def _with_stand_ins(self, node: Expression) -> Expression:
        """Return a part that reads the first level of what is inactive, where it is of no account."""
        if not self.may_be_open(node):
            return node
        if node not in self._filled:
            if isinstance(node, Slot):
                stand_in = Constant(self._space.slots[node.position].variable.values[0])
                self._filled[node] = Choice(Active(node), node, stand_in)
            else:
                children = [self._with_stand_ins(child) for child in node.children]
                self._filled[node] = _REBUILT[type(node)](node, children)
        return self._filled[node]


class _WhereActive:
    """A function as a rule that is asked only where all its arguments have a value."""

    def __init__(self, function: Callable[..., object], if_open: bool) -> None:
        self._function = function
        self._if_open = if_open
        self.__name__ = getattr(function, "__name__", repr(function))

    def __call__(self, **arguments: Any) -> object:
        for value in arguments.values():
            if value is None or (isinstance(value, list) and None in value):
                return self._if_open
        return self._function(**arguments)


def _is_count(node: Expression) -> bool:
    return isinstance(node, Fold) and node.operator == "count"


def _or_true(condition: Expression | None) -> Expression:
    return Constant(True) if condition is None else condition


def _both(left: Expression | None, right: Expression | None) -> Expression | None:
    return _all([side for side in (left, right) if side is not None])


def _all(conditions: Sequence[Expression]) -> Expression | None:
    if len(conditions) <= 1:
        return conditions[0] if conditions else None
    return Fold("and", tuple(conditions))


# How each kind of node is made again with other children.
_REBUILT: dict[type[Expression], Callable[[Any, list[Expression]], Expression]] = {
    Rank: lambda node, children: Rank(node.labels, children[0]),
    Negative: lambda _, children: Negative(children[0]),
    Not: lambda _, children: Not(children[0]),
    Absolute: lambda _, children: Absolute(children[0]),
    Arithmetic: lambda node, children: Arithmetic(node.operator, children[0], children[1]),
    Fold: lambda node, children: Fold(node.operator, tuple(children)),
    Comparison: lambda node, children: Comparison(node.operator, children[0], children[1], node.column),
    Membership: lambda _, children: Membership(children[0], children[1]),
    Choice: lambda _, children: Choice(children[0], children[1], children[2]),
    Listing: lambda _, children: Listing(tuple(children)),
    AllDifferent: lambda node, children: AllDifferent(tuple(children), node.ignore),
    AllowedTuples: lambda node, children: AllowedTuples(tuple(children), node.tuples),
    Contains: lambda node, children: Contains(tuple(children), node.motif),
    LongestRun: lambda node, children: LongestRun(tuple(children), node.value),
    Opaque: lambda node, children: Opaque(node.function, tuple(children), node.names),
}
