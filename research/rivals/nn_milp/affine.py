"""Weighted sums of a program's variables: what rules and networks become on their way into rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

Number = int | float


class UntranslatableError(Exception):
    """A rule, or a part of one, has no linear form here; the caller finds another way."""


@dataclass(frozen=True)
class WeightedSum:
    """A constant plus weighted variables, which all lie between 0 and 1 (so bounds need no look at the program)."""

    constant: Number = 0
    terms: Mapping[int, Number] = field(default_factory=dict)

    def __add__(self, other: WeightedSum) -> WeightedSum:
        terms = dict(self.terms)
        for index, weight in other.terms.items():
            terms[index] = terms.get(index, 0) + weight
        return WeightedSum(self.constant + other.constant, terms)

    def __sub__(self, other: WeightedSum) -> WeightedSum:
        return self + other.times(-1)

    def times(self, factor: Number) -> WeightedSum:
        """Return the product with a plain number."""
        return WeightedSum(self.constant * factor, {index: weight * factor for index, weight in self.terms.items()})

    @property
    def negated(self) -> WeightedSum:
        """One minus this: the opposite of a truth value."""
        return WeightedSum(1) - self

    @property
    def is_whole(self) -> bool:
        """Whether all numbers are integers, so that sums of them are exact."""
        return all(isinstance(number, int) for number in (self.constant, *self.terms.values()))

    @property
    def extent(self) -> Number:
        """The sum of all magnitudes."""
        return abs(self.constant) + sum(map(abs, self.terms.values()))

    @property
    def highest(self) -> Number:
        """No value is larger; one-hot groups may make all of them smaller."""
        return self.constant + sum(weight for weight in self.terms.values() if weight > 0)

    def reduced(self) -> WeightedSum:
        """Divide whole numbers by what they have in common."""
        divisor = math.gcd(*map(int, (self.constant, *self.terms.values()))) if self.is_whole else 1
        if divisor <= 1:
            return self
        return WeightedSum(self.constant // divisor, {index: weight // divisor for index, weight in self.terms.items()})


def total(parts: list[WeightedSum]) -> WeightedSum:
    """Return the sum of all parts."""
    terms: dict[int, Number] = {}
    for part in parts:
        for index, weight in part.terms.items():
            terms[index] = terms.get(index, 0) + weight
    return WeightedSum(sum(part.constant for part in parts), terms)
