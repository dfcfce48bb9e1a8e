"""What holds the rules of a space with orders of items: an `OrderSet` for each of them, another engine for the rest.

Rules about one position, and those that put one item before another, are part of an `OrderSet`; rules that read no
order go to the engine of the rest. What is left, such as that two items are next to each other or that a machine
decides which comes first, is checked beside these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np

from hedgerow.arrays import Mask
from hedgerow.checks import Engine
from hedgerow.diagram.machine import everything, extend
from hedgerow.expressions import AllDifferent, Comparison, Expression, Slot
from hedgerow.feasible.code_set import CodeSet
from hedgerow.feasible.compile import Compiled, Part
from hedgerow.feasible.engines.apart import renumbered
from hedgerow.feasible.engines.evaluate_rows import RowEvaluator
from hedgerow.feasible.engines.order_set import OrderSet
from hedgerow.feasible.engines.product import Factor, ProductSet
from hedgerow.feasible.engines.relaxed import RelaxedSet
from hedgerow.feasible.engines.solved import RuleSet
from hedgerow.rules.resolve import slots_of
from hedgerow.rules.rule import BoundRule
from hedgerow.rules.simplify import conjuncts
from hedgerow.space.space import Space


@dataclass(frozen=True, eq=False)
class Rest:
    """What holds the slots that belong to no order."""

    compiled: Compiled
    codes: CodeSet
    engine: Engine
    note: str


# How the rest of a space is held; the caller's own choice of engines.
HoldRest = Callable[[Space, Sequence[BoundRule]], Rest]


@dataclass(frozen=True, eq=False)
class HeldOrders:
    """Compiled rules, what holds them, the engine of the rest with its note, and the rules that are checked beside."""

    compiled: Compiled
    codes: CodeSet
    engine: Engine
    note: str
    outside: frozenset[int]


def hold_orders(space: Space, rules: Sequence[BoundRule], hold_rest: HoldRest) -> HeldOrders:
    """Return the set of a space with orders of items."""
    orders = [_Order(space, name) for name in space.permutations]
    pieces = [(index, piece) for index, rule in enumerate(rules) for piece in conjuncts(rule.expression)]
    owned = {slot for order in orders for slot in order.slots}
    others = [slot for slot in range(len(space.slots)) if slot not in owned]
    of_rest: list[tuple[int, Expression]] = []
    tied: list[tuple[int, Expression]] = []
    outside: set[int] = set()
    for index, piece in pieces:
        read = set(slots_of(piece))
        if not read & owned:
            of_rest.append((index, piece))
            continue
        tied.append((index, piece))
        if not any(read <= set(order.slots) and order.takes(piece) for order in orders):
            outside.add(index)
    rest = _rest_of(space, others, [piece for _, piece in of_rest], rules, hold_rest)
    compiled = _compiled(space, others, of_rest, tied, rest)
    factors = [Factor(np.array(order.slots), order.codes) for order in orders]
    if rest is not None:
        factors.append(Factor(np.array(others), rest.codes))
    codes: CodeSet = factors[0].codes if len(factors) == 1 else ProductSet(factors)
    if outside and not codes.is_empty:
        domains = [slot.levels for slot in space.slots]
        codes = RelaxedSet(codes, RuleSet(compiled.parts, compiled.order, domains))
    engine: Engine = "diagram" if rest is None else rest.engine
    return HeldOrders(compiled, codes, engine, "" if rest is None else rest.note, frozenset(outside))


def _is_step(piece: Expression) -> TypeGuard[Any]:
    """Whether a rule compares two positions, as those of most rules do."""
    is_order = isinstance(piece, Comparison) and piece.operator in ("<", ">")
    return is_order and all(isinstance(side, Slot) for side in piece.children)


class _Order:
    """One order of items, and the rules about it that an `OrderSet` holds."""

    def __init__(self, space: Space, name: str) -> None:
        n, start = space.permutations[name].length, space.first_slot[name]
        self.slots = range(start, start + n)
        self._domains = [slot.levels for slot in space.slots]
        self._allowed: Mask = np.ones((n, n), dtype=np.bool_)
        self._before: Mask = np.zeros((n, n), dtype=np.bool_)

    def takes(self, piece: Expression) -> bool:
        """Take a rule in where it is of the kind that is held; say whether it was."""
        read = slots_of(piece)
        if isinstance(piece, AllDifferent):
            # Positions of an order are different, whichever are looked at.
            return piece.ignore is None and all(isinstance(item, Slot) for item in piece.items)
        if _is_step(piece) and len(read) == 2:
            sides = (piece.left, piece.right) if piece.operator == "<" else (piece.right, piece.left)
            self._before[tuple(side.position - self.slots.start for side in sides)] = True
            return True
        if len(read) == 1:
            self._allowed[read[0] - self.slots.start] &= self._truths(piece, read).ravel()
            return True
        return len(read) == 2 and self._takes_pair(self._truths(piece, read), read[0], read[1])

    def _truths(self, piece: Expression, read: Sequence[int]) -> Mask:
        """Return whether a rule holds at each position that it reads, or pair of these."""
        n = len(self.slots)
        codes = np.indices((n,) * len(read)).reshape(len(read), -1).T
        column = {slot: codes[:, place] for place, slot in enumerate(read)}
        evaluator = RowEvaluator(piece, self._domains)
        return evaluator.holds(lambda slot: column[slot], codes.shape[0]).reshape((n,) * len(read))

    def _takes_pair(self, truths: Mask, first: int, second: int) -> bool:
        a, b = first - self.slots.start, second - self.slots.start
        sooner, later = np.triu(np.ones_like(truths), 1), np.tril(np.ones_like(truths), -1)
        is_sooner, is_later = truths[sooner], truths[later]
        if is_sooner.all() and not is_later.any():
            self._before[a, b] = True
        elif is_later.all() and not is_sooner.any():
            self._before[b, a] = True
        elif not is_sooner.any() and not is_later.any():
            self._before[a, b] = self._before[b, a] = True
        else:
            return bool(is_sooner.all() and is_later.all())
        return True

    @property
    def codes(self) -> OrderSet:
        before = self._before.copy()
        for item in range(len(self.slots)):
            before |= np.outer(before[:, item], before[item])
        return OrderSet(self._allowed, before)


def _rest_of(
    space: Space, others: Sequence[int], pieces: Sequence[Expression], rules: Sequence[BoundRule], hold_rest: HoldRest
) -> Rest | None:
    if not others:
        return None
    names = {space.slots[slot].owner for slot in others}
    part = Space({name: variable for name, variable in space.variables.items() if name in names})
    number = {slot: place for place, slot in enumerate(others)}
    renamed = [BoundRule(rules[0].name, str(piece), piece, renumbered(piece, number, {})) for piece in pieces]
    return hold_rest(part, renamed)


def _compiled(
    space: Space,
    others: Sequence[int],
    of_rest: Sequence[tuple[int, Expression]],
    tied: Sequence[tuple[int, Expression]],
    rest: Rest | None,
) -> Compiled:
    """Return all parts of the rules; those of the rest with the diagrams that they have there."""
    order = [others[slot] for slot in rest.compiled.order] if rest is not None else []
    order += [slot for slot in range(len(space.slots)) if slot not in set(others)]
    layer_of = np.argsort(order).tolist()
    sizes = tuple(space.sizes[slot] for slot in order)
    parts = [Part(index, piece, None) for index, piece in tied]
    for part in rest.compiled.parts if rest is not None else ():
        index, piece = of_rest[part.rule]
        parts.append(replace(part, rule=index, expression=piece))
    return Compiled(tuple(order), tuple(layer_of), sizes, tuple(parts), extend(everything(), sizes), ())
