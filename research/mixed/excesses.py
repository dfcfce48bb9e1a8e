"""How far a design breaks each rule: what those who cannot be told the rules are told instead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import hedgerow as hr
from hedgerow.expressions import Expression
from hedgerow.feasible.reals.slacks import Slacks
from hedgerow.rules.evaluate import evaluate
from hedgerow.space.encoding import encode, slot_values
from research.problems.engineering import Design

# What each trial of a contestant gives: infinity where a rule is broken.
Values = Iterator[float]


def excesses(design: Design, feasible: hr.FeasibleSet, point: Any) -> list[float]:
    """Return how far each rule is broken, relative to the sides that it compares: above 0 where it is."""
    values = slot_values(design.space, encode(design.space, point))
    at = Slacks(values, design.space.reals)
    found = []
    for rule in feasible.rules:
        slack = at.of(rule.expression).value / _size_of(rule.expression, values)
        found.append(-slack if (slack >= 0) == rule.holds(values) else (-1e-9 if rule.holds(values) else 1e-9))
    return found


def _size_of(rule: Expression, values: Any) -> float:
    try:
        return max(1e-6, *(abs(float(evaluate(side, values))) for side in rule.children))
    except (ArithmeticError, TypeError, ValueError):
        return 1.0
