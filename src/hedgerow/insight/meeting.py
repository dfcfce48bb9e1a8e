"""How a feasible point meets each rule: what both sides of a comparison are worth, and which rules hold it back.

A rule binds at a point where one of its inequalities has no slack, or where some step to a neighboring value breaks
this rule and no other: without the rule, that step would be free. Equations never have slack, so only steps count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hedgerow.arrays import Codes
from hedgerow.errors import RuleError
from hedgerow.expressions import Comparison, Scalar
from hedgerow.feasible import FeasibleSet
from hedgerow.feasible.explain import worth
from hedgerow.feasible.reals.scales import Scales
from hedgerow.rules import BoundRule
from hedgerow.rules.simplify import conjuncts
from hedgerow.space.encoding import slot_values
from hedgerow.space.floats import place_of
from hedgerow.space.space import Space

# Rules evaluated at neighbors of one point, and sides shown of one rule: bounds for spaces of very many variables.
_MAX_EVALUATIONS = 20_000
_MAX_SIDES = 4
_MAX_CATEGORIES = 24
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Sides:
    """A comparison at a point; `slack` is how far it is from breaking, None where that is no number."""

    left: Scalar
    operator: str
    right: Scalar
    slack: float | None

    @property
    def is_tight(self) -> bool:
        """Whether there is no slack but for rounding."""
        if self.slack is None or isinstance(self.left, str) or isinstance(self.right, str):
            return False
        return abs(self.slack) <= _ROUNDING * max(abs(self.left), abs(self.right))


@dataclass(frozen=True)
class Step:
    """A change of one slot to a neighboring value."""

    name: str
    before: Scalar
    after: Scalar


@dataclass(frozen=True)
class MetRule:
    """One rule at one point."""

    name: str
    text: str
    sides: tuple[Sides, ...]
    blocked: tuple[Step, ...]  # steps that this rule alone forbids

    @property
    def binds(self) -> bool:
        """Whether the rule holds the point back."""
        return bool(self.blocked) or any(side.is_tight for side in self.sides)

    @property
    def least_slack(self) -> float | None:
        """The smallest slack of its comparisons."""
        return min((side.slack for side in self.sides if side.slack is not None), default=None)


def meet(feasible: FeasibleSet, row: Codes) -> tuple[MetRule, ...]:
    """Return how a feasible row meets each rule, in the order of the rules."""
    values = slot_values(feasible.space, row)
    blocked = _blocked(feasible.space, feasible.rules, values, row)
    return tuple(
        MetRule(rule.name, rule.text, _sides(feasible.space, rule, values), tuple(blocked[place]))
        for place, rule in enumerate(feasible.rules)
    )


def _sides(space: Space, rule: BoundRule, values: Sequence[Scalar | None]) -> tuple[Sides, ...]:
    found: list[Sides] = []
    for part in conjuncts(rule.written):
        if len(found) < _MAX_SIDES and isinstance(part, Comparison):
            left, right = worth(space, part.left, values), worth(space, part.right, values)
            if isinstance(left, Scalar) and isinstance(right, Scalar):
                found.append(Sides(left, part.operator, right, _slack(part.operator, left, right)))
    return tuple(found)


def _slack(operator: str, left: Scalar, right: Scalar) -> float | None:
    if isinstance(left, bool | str) or isinstance(right, bool | str) or operator in ("==", "!="):
        return None
    try:
        return float(left - right if operator in (">", ">=") else right - left)
    except OverflowError:
        return None


def _blocked(
    space: Space, rules: Sequence[BoundRule], values: Sequence[Scalar | None], row: Codes
) -> defaultdict[int, list[Step]]:
    """Return for each rule, by its place, the steps that break it and no other rule."""
    reading: defaultdict[int, list[int]] = defaultdict(list)
    for place, rule in enumerate(rules):
        for slot in rule.slots:
            reading[slot].append(place)
    blocked: defaultdict[int, list[Step]] = defaultdict(list)
    n_evaluations = 0
    for slot, code in _steps(space, row):
        n_evaluations += len(reading[slot])
        if n_evaluations > _MAX_EVALUATIONS:
            break
        before, after = values[slot], space.slots[slot].variable.value_at(code)
        changed = [*values]
        changed[slot] = after
        broken = [place for place in reading[slot] if not _holds(rules[place], changed)]
        # Where only the condition of another variable is broken, that variable comes or goes: no rule is in the way.
        if len(broken) == 1 and before is not None and rules[broken[0]].condition_of is None:
            blocked[broken[0]].append(Step(space.slots[slot].name, before, after))
    return blocked


def _steps(space: Space, row: Codes) -> Iterator[tuple[int, int]]:
    """Yield slot and code of each step: one level up or down, or to any other category."""
    for slot, info in enumerate(space.slots):
        code = int(row[slot])
        if info.is_conditional and code == info.none_code:
            # It has no value to step from.
            continue
        if info.variable.is_continuous:
            yield from ((slot, near) for near in _small_steps(space, row, slot) if near != code)
            continue
        size = len(info.variable.values)
        if info.variable.is_ordered:
            yield from ((slot, near) for near in (code - 1, code + 1) if 0 <= near < size)
        else:
            yield from ((slot, other) for other in range(min(size, _MAX_CATEGORIES)) if other != code)


def _small_steps(space: Space, row: Codes, slot: int) -> list[int]:
    """Return the codes of floats a hundredth of the range below and above that of a row."""
    scales, place = Scales(space), space.reals.index(slot)
    units = np.clip(scales.units_of(row[None, :], slot) + np.array([-0.01, 0.01]), 0.0, 1.0)
    return [place_of(float(value)) for value in scales.from_unit(units[:, None], [place])[:, 0]]


def _holds(rule: BoundRule, values: Sequence[Scalar | None]) -> bool:
    try:
        return rule.holds(values)
    except RuleError:
        # A function that raises at a neighbor that nobody asked for says nothing about the point.
        return True
