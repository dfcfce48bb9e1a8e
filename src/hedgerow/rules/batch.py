"""Rules about the points of a batch together: what a plate, a rack or a day in the laboratory asks for.

Each is about one variable, or a condition on one: `same(temperature)`, `distinct(solvent) <= 3`, `sum(mg) <= 500`,
`at_most(2, catalyst == 'Pd')`, `at_least(1, is_control)`. A batch is chosen point by point, so a rule says which codes
the next point may have for the rest to be possible.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from hedgerow.arrays import Mask
from hedgerow.errors import RuleError
from hedgerow.rules.evaluate import evaluate
from hedgerow.rules.parse import parse_rule
from hedgerow.rules.resolve import resolve, slots_of
from hedgerow.space.space import Space

_FORM = re.compile(
    r"\s*(?P<name>\w+)\s*\((?P<inner>.*)\)\s*(?:(?P<operator><=|>=|==|<|>)\s*(?P<limit>-?\d+(?:\.\d+)?)\s*)?", re.DOTALL
)
_FORMS = "same(x), distinct(x) <= 3, sum(x) <= 500, at_most(2, x == 'a') and at_least(2, x == 'a')"
# Sums of floats are compared with this much room, relative to the limit.
_ROOM = 1e-9


@dataclass(frozen=True, eq=False)
class BatchRule(ABC):
    """A rule about the codes that one slot has in a batch; `values` says what each code is worth to it."""

    text: str
    slot: int
    values: tuple[Any, ...]

    @abstractmethod
    def allowed(self, chosen: Sequence[int], n_left: int, usable: Mask) -> Mask:
        """Return which codes the next point may have.

        `chosen` are the codes so far, `n_left` how many points are to come, the next included, and `usable` the codes
        that feasible points have.
        """

    def fair(self, chosen: Sequence[int], n_left: int) -> Mask:
        """Return which codes take no more than the next point's share, where a rule has something to share."""
        _ = chosen, n_left
        return np.ones(len(self.values), dtype=np.bool_)

    @abstractmethod
    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether a whole batch keeps the rule."""

    def _worth(self, chosen: Sequence[int]) -> list[Any]:
        return [self.values[code] for code in chosen]


class SameValue(BatchRule):
    """All points have the same value."""

    def allowed(self, chosen: Sequence[int], n_left: int, usable: Mask) -> Mask:
        """After the first point, what is worth the same."""
        _ = n_left
        is_same = [not chosen or bool(value == self.values[chosen[0]]) for value in self.values]
        return np.asarray(usable & np.array(is_same))

    def holds(self, chosen: Sequence[int]) -> bool:
        """One value at most."""
        return len(set(self._worth(chosen))) <= 1


@dataclass(frozen=True, eq=False)
class DistinctWithin(BatchRule):
    """The number of different values lies between two limits."""

    low: int
    high: int

    def allowed(self, chosen: Sequence[int], n_left: int, usable: Mask) -> Mask:
        """New values while there may be more, old ones while enough points are left for those that are missing."""
        had = set(self._worth(chosen))
        is_old = np.array([value in had for value in self.values])
        may_be_new, may_be_old = len(had) < self.high, self.low - len(had) < n_left
        return usable & ((is_old & may_be_old) | (~is_old & may_be_new))

    def holds(self, chosen: Sequence[int]) -> bool:
        """As many values as allowed."""
        return self.low <= len(set(self._worth(chosen))) <= self.high


@dataclass(frozen=True, eq=False)
class SumWithin(BatchRule):
    """The sum of the values lies between two limits."""

    low: float
    high: float

    def allowed(self, chosen: Sequence[int], n_left: int, usable: Mask) -> Mask:
        """What leaves enough for the others, each of which takes at least the least, and at most the most."""
        if not usable.any():
            return usable
        worth = np.array(self.values, dtype=np.float64)
        so_far = float(worth[list(chosen)].sum()) + worth
        least, most = float(worth[usable].min()), float(worth[usable].max())
        fits = so_far + (n_left - 1) * least <= self.high + self._room
        return usable & fits & (so_far + (n_left - 1) * most >= self.low - self._room)

    def fair(self, chosen: Sequence[int], n_left: int) -> Mask:
        """What keeps the sum on the way to its limits: so far above the low one, so far below the high one."""
        worth = np.array(self.values, dtype=np.float64)
        so_far, share = float(worth[list(chosen)].sum()) + worth, (len(chosen) + 1) / (len(chosen) + n_left)
        high = self.high * share if np.isfinite(self.high) else np.inf
        low = self.low * share if np.isfinite(self.low) else -np.inf
        # Values come in steps: a sum that must be met exactly is met from below.
        return np.asarray((so_far <= high + self._room) & ((so_far >= low - self._room) | np.isfinite(high)))

    @property
    def _room(self) -> float:
        limits = [abs(limit) for limit in (self.low, self.high) if np.isfinite(limit)]
        return _ROOM * max(1.0, *limits)

    def holds(self, chosen: Sequence[int]) -> bool:
        """The sum is within the limits."""
        return bool(self.low - self._room <= sum(self._worth(chosen)) <= self.high + self._room)


@dataclass(frozen=True, eq=False)
class CountWithin(BatchRule):
    """The number of points that meet a condition lies between two limits."""

    low: int
    high: int

    def allowed(self, chosen: Sequence[int], n_left: int, usable: Mask) -> Mask:
        """Those that meet it while there may be more, others while enough points are left."""
        meets = np.array([bool(value) for value in self.values])
        n_met = sum(map(bool, self._worth(chosen)))
        return usable & ((meets & (n_met < self.high)) | (~meets & (self.low - n_met < n_left)))

    def holds(self, chosen: Sequence[int]) -> bool:
        """As many points as allowed."""
        return self.low <= sum(map(bool, self._worth(chosen))) <= self.high


def bind_batch_rules(space: Space, rules: Iterable[str]) -> list[BatchRule]:
    """Read rules about a batch; RuleError says which of them cannot be read, and why."""
    if isinstance(rules, str):
        raise RuleError(f"batch_rules is a list of rules, but the text {rules!r} was given. Put it in brackets.")
    return [_bound(space, rule) for rule in rules]


def _bound(space: Space, text: object) -> BatchRule:
    found = _FORM.fullmatch(text) if isinstance(text, str) else None
    if not isinstance(text, str) or found is None:
        raise RuleError(f"The batch rule {text!r} cannot be read. The forms are {_FORMS}.")
    name, inner, operator, limit = found["name"], found["inner"], found["operator"], found["limit"]
    is_compared = name in ("distinct", "sum")
    if name not in ("same", "distinct", "sum", "at_most", "at_least") or is_compared != (operator is not None):
        raise RuleError(f"The batch rule '{text}' is none of the forms {_FORMS}.")
    if name in ("at_most", "at_least"):
        number, _, inner = inner.partition(",")
        if not number.strip().isdecimal() or not inner.strip():
            raise RuleError(f"The batch rule '{text}' begins with a whole number and a condition, as in {_FORMS}.")
        limit = number.strip()
    slot, values = _measured(space, text, inner)
    if name == "same":
        return SameValue(text, slot, values)
    if name == "at_most":
        return CountWithin(text, slot, values, 0, int(limit))
    if name == "at_least":
        return CountWithin(text, slot, values, int(limit), 2**62)
    return _compared(text, slot, values, name, operator, limit)


def _compared(text: str, slot: int, values: tuple[Any, ...], name: str, operator: str, limit: str) -> BatchRule:
    number = float(limit)
    if name == "sum":
        values = tuple(0 if value is None else value for value in values)
        if not all(isinstance(value, Real) for value in values):
            raise RuleError(f"The batch rule '{text}' adds values that are no numbers.")
        if operator in ("<", ">"):
            raise RuleError(f"The batch rule '{text}' compares a sum; write <=, >= or ==.")
        low = number if operator in (">=", "==") else -np.inf
        return SumWithin(text, slot, values, low, number if operator in ("<=", "==") else np.inf)
    if number != int(number):
        raise RuleError(f"The batch rule '{text}' counts values; compare with a whole number.")
    whole = int(number)
    low_of = {">": whole + 1, ">=": whole, "==": whole}
    high_of = {"<": whole - 1, "<=": whole, "==": whole}
    return DistinctWithin(text, slot, values, low_of.get(operator, 0), high_of.get(operator, 2**62))


def _measured(space: Space, text: str, inner: str) -> tuple[int, tuple[Any, ...]]:
    """Return the slot that is read, and what each of its codes is worth."""
    try:
        expression, _ = resolve(parse_rule(inner.strip()), space, inner.strip())
    except RuleError as error:
        raise RuleError(f"The batch rule '{text}': {error}") from None
    slots = slots_of(expression)
    if len(slots) != 1:
        raise RuleError(
            f"The batch rule '{text}' is about one variable, or one component of a vector, but {len(slots)} are read."
        )
    (slot,) = slots
    if space.slots[slot].variable.is_continuous:
        raise RuleError(
            f"The batch rule '{text}' reads '{space.slots[slot].name}', which takes any float; rules about a batch "
            "read variables with levels. Give it levels, as in Real(low, high, levels=101)."
        )
    try:
        # Where a variable does not exist it has no value, meets no condition and adds nothing.
        values = [
            None if value is None else evaluate(expression, {slot: value})  # type: ignore[arg-type]
            for value in space.slots[slot].levels
        ]
    except ArithmeticError as error:
        raise RuleError(f"The batch rule '{text}' cannot be evaluated at some values: {error}.") from None
    return slot, tuple(values)
