"""Equalities between reals: solved for one variable each, so that what is drawn lies on them.

`a + b == 1` keeps a set without volume, which no draw would ever hit. Where a real occurs once in it, under sums,
products and quotients, the equality is turned around to give that real from the others. The value is then moved by a
few places, if it must be, until the evaluator's own `==` holds. Linear equalities that go in a circle are solved
together (`elimination`). What cannot be turned around is refused. An equality may stand behind a guard about codes, as
in `kind == 'a' or x + y == 1`; where that holds, its real is free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import product

import numpy as np

from hedgerow.arrays import Mask, Matrix
from hedgerow.errors import RuleError
from hedgerow.expressions import Absolute, Arithmetic, Choice, Constant, Expression, Fold, Negative, Slot
from hedgerow.feasible.reals import intervals
from hedgerow.feasible.reals.elimination import LinearRule, System
from hedgerow.feasible.reals.intervals import Interval
from hedgerow.feasible.reals.reading import guarded, values_read
from hedgerow.feasible.reals.truths import Boxes, number, truth
from hedgerow.rules.resolve import slots_of
from hedgerow.space.space import Space

# A tolerance below this part of the ranges is an equality to draws.
_THIN = 1e-5
# Ways of choosing which variable each equality gives that are tried.
_MAX_WAYS = 20_000
# How many places a value is moved, either way, until the equality holds.
_NUDGES = 4


@dataclass(frozen=True, eq=False)
class Equality:
    """A rule `left == right` that gives the real at `pivot` from the other slots, wherever its guard does not hold."""

    rule: Expression
    left: Expression
    right: Expression
    pivot: int
    guard: Expression | None = None

    @property
    def needed(self) -> frozenset[int]:
        """The slots that the pivot is computed from."""
        return frozenset(slots_of(self.rule)) - {self.pivot}

    @property
    def pivots(self) -> frozenset[int]:
        """The one slot that is computed."""
        return frozenset({self.pivot})

    def applies(self, boxes: Boxes) -> tuple[Mask, Mask]:
        """Return on which boxes it surely has to hold, and on which it may have to."""
        if self.guard is None:
            return np.ones(boxes.n, dtype=np.bool_), np.ones(boxes.n, dtype=np.bool_)
        found = truth(self.guard, boxes)
        return ~found.may_hold & ~found.may_fail, found.may_not | found.may_fail

    def solved(self, boxes: Boxes) -> Interval:
        """Return what the pivot may be on each box."""
        wanted = number(self.right, boxes)
        return _inverse(self.left, self.pivot, wanted, boxes)


@dataclass(frozen=True, eq=False)
class SolvedEqualities:
    """The equalities among some rules, in an order in which their pivots can be computed; systems as one step each."""

    steps: tuple[Equality | System, ...]

    @cached_property
    def equalities(self) -> list[Equality]:
        """Every pivot with what it is; those of a system have an equality each, without other pivots in it."""
        found: list[Equality] = []
        for step in self.steps:
            if isinstance(step, Equality):
                found.append(step)
            else:
                found += [Equality(one.rule, one.slot, one.value, one.slot.position) for one in step.solved]
        return found

    @cached_property
    def solved_rules(self) -> frozenset[int]:
        """The identities of all rules that are kept by computing pivots, those that follow from others included."""
        return frozenset(
            id(rule) for step in self.steps for rule in ((step.rule,) if isinstance(step, Equality) else step.rules)
        )

    @property
    def contradicts(self) -> bool:
        """Whether it is proven that nothing keeps them."""
        return any(isinstance(step, System) and step.contradicts for step in self.steps)

    def on(self, points: Boxes) -> tuple[Boxes, Mask]:
        """Return points with their pivots computed, and which keep the equalities and the ends of the pivots."""
        values = points.low.copy()
        kept = np.ones(points.n, dtype=np.bool_)
        for step in self.steps:
            if isinstance(step, System):
                kept &= step.put_on(values)
                continue
            at = np.flatnonzero(step.applies(Boxes(points.space, values, values))[1])
            if at.size:
                own = values[at]
                kept[at] &= _put_on(step, points.space, own)
                values[at] = own
        return Boxes(points.space, values, values), kept


def solved_equalities(
    space: Space, rules: Sequence[tuple[str, Expression]], fixed: frozenset[int] = frozenset()
) -> SolvedEqualities:
    """Return the equalities among rules over reals, solved; reals that are `fixed` do not vary: none is solved for."""
    reals = set(space.reals) - fixed
    found = [_Sides(name, rule, *sides) for name, rule in rules if (sides := _sides(space, rule, reals)) is not None]
    ways = [_ways(space, one, reals) for one in found]
    steps = _first_order(ways) if all(ways) else None
    return SolvedEqualities(tuple(steps if steps is not None else _together(space, found, reals)))


@dataclass(frozen=True, eq=False)
class _Sides:
    """A rule that says that two sides are equal, but where its guard holds, or nearly."""

    name: str
    rule: Expression
    left: Expression
    right: Expression
    guard: Expression | None
    tolerance: float


def _first_order(choices: Sequence[Sequence[Equality | System]]) -> list[Equality | System] | None:
    """Return a choice of each in an order in which pivots can be computed, or None where none was found."""
    for way, _ in zip(product(*choices), range(_MAX_WAYS), strict=False):
        ordered = _ordered(way)
        if ordered is not None:
            return ordered
    return None


def _ways(space: Space, one: _Sides, reals: set[int]) -> list[Equality]:
    return [replace(way, guard=one.guard) for way in _pivots(space, one.rule, one.left, one.right, reals)]


def _together(space: Space, found: Sequence[_Sides], reals: set[int]) -> list[Equality | System]:
    """Return the linear ones without a guard as one system, and the others beside it."""
    free = frozenset(reals)
    linear = {
        id(one): rule
        for one in found
        if one.guard is None
        and (rule := LinearRule.of(one.name, one.rule, one.left, one.right, one.tolerance, free)) is not None
    }
    try:
        system = System(space, list(linear.values()), free) if linear else None
    except OverflowError:
        # Factors so far apart that floats do not hold their ratios.
        linear, system = {}, None
    choices: list[list[Equality]] = []
    for one in found:
        if id(one) not in linear:
            own = _ways(space, one, reals - (system.pivots if system else frozenset()))
            if not own:
                raise _refused(one.name, one.rule)
            choices.append(own)
    steps = _first_order([*([[system]] if system else []), *choices])
    if steps is None:
        raise RuleError(
            f"Rules {', '.join(repr(one.name) for one in found)} are equalities that cannot be solved one after the "
            "other, each for a real of its own. Solve them for single variables by hand, or give one of them a "
            "tolerance: isclose(left, right, tol=...)."
        )
    return steps


def _put_on(equality: Equality, space: Space, values: Matrix) -> Mask:
    """Put the pivots in `values` where the equality holds; return where that is between their ends."""
    slot = equality.pivot
    exact = equality.solved(Boxes(space, values, values)).low
    low, high = (float(end) for end in space.slots[slot].variable.values)
    # A pivot without a value stays so: what the rule says of that is the evaluator's.
    kept = np.isfinite(exact) & (exact >= low) & (exact <= high) & np.isfinite(values[:, slot])
    found = np.clip(np.where(np.isfinite(exact), exact, low), low, high)
    values[:, slot] = np.where(np.isfinite(values[:, slot]), found, values[:, slot])
    return np.asarray(kept & _nudged(equality, space, values))


def _nudged(equality: Equality, space: Space, values: Matrix) -> Mask:
    """Move the pivots in `values` by a few places where the equality needs it; return where it holds."""
    holds = _holds(equality, space, values)
    start = values[:, equality.pivot].copy()
    low, high = start.copy(), start.copy()
    variable = space.slots[equality.pivot].variable
    for _ in range(_NUDGES):
        low = np.maximum(np.nextafter(low, -np.inf), float(variable.values[0]))
        high = np.minimum(np.nextafter(high, np.inf), float(variable.values[-1]))
        for moved in (low, high):
            if holds.all():
                return holds
            open_ones = ~holds
            values[open_ones, equality.pivot] = moved[open_ones]
            holds |= _holds(equality, space, values)
    values[~holds, equality.pivot] = start[~holds]
    return holds


def _holds(equality: Equality, space: Space, values: Matrix) -> Mask:
    return truth(equality.rule, Boxes(space, values, values)).surely_holds


def _sides(
    space: Space, rule: Expression, reals: set[int]
) -> tuple[Expression, Expression, Expression | None, float] | None:
    """Return both sides of a rule that says that two expressions over reals are equal, its guard, and its tolerance."""
    found = guarded(rule, space.reals)
    if found is None or not values_read(found.comparison) & reals:
        return None
    left, right = found.comparison.left, found.comparison.right
    if found.comparison.operator == "==":
        is_about_reals = (_computed_from(left) | _computed_from(right)) & reals
        return (left, right, found.guard, 0.0) if is_about_reals else None
    if not (found.comparison.operator == "<=" and isinstance(left, Absolute) and isinstance(right, Constant)):
        return None
    spread = number(left.operand, Boxes.whole(space))
    width = float(spread.high[0] - spread.low[0])
    if not float(right.value) <= _THIN * width:
        return None
    return left.operand, Constant(0.0), found.guard, float(right.value)


def _computed_from(node: Expression) -> set[int]:
    """Return the slots that change the value of a node by degrees: not through conditions, counts or whole parts."""
    if isinstance(node, Slot):
        return {node.position}
    if isinstance(node, Choice):
        return _computed_from(node.yes) | _computed_from(node.no)
    is_step = isinstance(node, Arithmetic) and node.operator == "//"
    is_number = isinstance(node, Negative | Absolute | Arithmetic) or (
        isinstance(node, Fold) and node.operator in ("+", "*", "min", "max")
    )
    return set[int]().union(*map(_computed_from, node.children)) if is_number and not is_step else set()


def _pivots(space: Space, rule: Expression, left: Expression, right: Expression, reals: set[int]) -> list[Equality]:
    """Return every way to solve the equality for a real, the widest range first: its errors matter least.

    Of equal ones the last: a sum that is added up from left to right reaches its total exactly by its last term.
    """
    ways: list[Equality] = []
    for slot in sorted(values_read(rule) & reals, key=lambda slot: (-_width(space, slot), -slot)):
        for side, other in ((left, right), (right, left)):
            if slot not in slots_of(other) and _can_invert(side, slot):
                ways.append(Equality(rule, side, other, slot))
    return ways


def _width(space: Space, slot: int) -> float:
    values = space.slots[slot].variable.values
    return float(values[-1]) - float(values[0])


def _can_invert(node: Expression, slot: int) -> bool:
    """Whether the slot occurs once, under nothing but sums, products, quotients and signs."""
    if isinstance(node, Slot):
        return node.position == slot
    if not (
        isinstance(node, Negative)
        or (isinstance(node, Fold) and node.operator in ("+", "*"))
        or (isinstance(node, Arithmetic) and node.operator == "/")
    ):
        return False
    holders = [child for child in node.children if slot in slots_of(child)]
    return len(holders) == 1 and _can_invert(holders[0], slot)


def _inverse(node: Expression, slot: int, wanted: Interval, boxes: Boxes) -> Interval:
    """Return what the slot must be for the node to be what is wanted."""
    if isinstance(node, Slot):
        return wanted
    if isinstance(node, Negative):
        return _inverse(node.operand, slot, intervals.negative(wanted), boxes)
    place = next(place for place, child in enumerate(node.children) if slot in slots_of(child))
    child = node.children[place]
    others = [number(other, boxes) for k, other in enumerate(node.children) if k != place]
    if isinstance(node, Fold) and node.operator == "+":
        # What follows is taken off one by one, what comes before at once, as the evaluator adds it up.
        before = [reduce(intervals.add, others[:place])] if place else []
        for other in (*reversed(others[place:]), *before):
            wanted = intervals.add(wanted, intervals.negative(other))
        return _inverse(child, slot, wanted, boxes)
    if isinstance(node, Fold):
        return _inverse(child, slot, reduce(intervals.divide, reversed(others), wanted), boxes)
    if place == 0:
        return _inverse(child, slot, intervals.multiply(wanted, others[0]), boxes)
    return _inverse(child, slot, intervals.divide(others[0], wanted), boxes)


def _ordered(way: Sequence[Equality | System]) -> list[Equality | System] | None:
    """Return the steps so that each needs no pivot that is computed after it; None in a circle."""
    pivots = set[int]().union(*(step.pivots for step in way))
    if len(pivots) < sum(len(step.pivots) for step in way):
        return None
    left, known, ordered = list(way), set[int](), list[Equality | System]()
    while left:
        ready = [step for step in left if not (step.needed & pivots) - known]
        if not ready:
            return None
        ordered += ready
        known |= set[int]().union(*(step.pivots for step in ready))
        left = [step for step in left if step not in ready]
    return ordered


def _refused(name: str, rule: Expression) -> RuleError:
    return RuleError(
        f"Rule '{name}': '{rule}' is an equality between real numbers that cannot be solved for one of them, because "
        "each occurs more than once or under a power, a condition or a function; hardly any float would keep it. "
        "Solve it by hand, or give it a tolerance that you can accept: isclose(left, right, tol=...)."
    )
