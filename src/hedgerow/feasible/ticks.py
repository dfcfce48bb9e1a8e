"""Sums of decimal levels in whole ticks: 0.15 is three ticks of 0.05.

A float is read as the decimal that it stands for (12 significant digits), and all terms of a sum get one common tick.
That serves two ends. Where no sum of ticks comes near the number it is compared with, the rounding of floats cannot
turn the answer, so whole numbers give what Python's floats give, with fewer states: this is how `isclose` and shares
compile. And where rounding does turn the answer, the exact one tells the doctor what is lost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hedgerow.feasible.valued import Valued, relabeled
from hedgerow.feasible.values import is_whole

# Sums of ticks are held as integers that floats hold too.
_MAX_REACH = 2**53
# Finer ticks than this are no decimals that somebody wrote.
_MAX_TICKS = 10**12
_UNIT = Fraction(1, 2**52)


@dataclass(frozen=True)
class TickSum:
    """A sum of whole ticks and a constant; the same sum in floats differs from it by less than `rounding`."""

    items: list[Valued]
    ticks: int  # in one
    constant: Fraction
    rounding: Fraction

    def limits(self, symbol: str, limit: Fraction) -> tuple[int | None, int | None]:
        """Return the least and the most ticks of the items at which `sum symbol limit` holds exactly."""
        bound = (limit - self.constant) * self.ticks
        if symbol == "==":
            return math.ceil(bound), math.floor(bound)
        if symbol in ("<", "<="):
            return None, math.ceil(bound) - 1 if symbol == "<" else math.floor(bound)
        return math.floor(bound) + 1 if symbol == ">" else math.ceil(bound), None

    def is_clear_of(self, limit: Fraction) -> bool:
        """Whether no sum of ticks is so near the limit that rounding could put it on the other side."""
        bound = (limit - self.constant) * self.ticks
        gap = min(bound - math.floor(bound), math.ceil(bound) - bound)
        return bound.denominator > 1 and gap > self.rounding * self.ticks


def in_ticks(terms: Sequence[tuple[int, Valued]]) -> TickSum | None:
    """Return a weighted sum in ticks, or None where its terms are not decimals of a common tick."""
    if any(term.values.dtype == object for _, term in terms) or all(is_whole(term.values) for _, term in terms):
        return None
    if not all(np.isfinite(term.values).all() for _, term in terms):
        return None
    exact = [(weight, term, [_decimal(value) for value in term.values.tolist()]) for weight, term in terms]
    ticks = 1
    for _, term, values in exact:
        for value in values if term.layers else ():
            ticks = math.lcm(ticks, value.denominator)
            if ticks > _MAX_TICKS:
                return None
    reach = sum(abs(weight) * max(map(abs, values)) for weight, _, values in exact)
    if reach * ticks >= _MAX_REACH:
        return None
    # Reading as a decimal, multiplying and adding each round once, by at most a unit of the largest sum.
    apart = sum(
        abs(weight) * max(abs(Fraction(a) - b) for a, b in zip(term.values.tolist(), values, strict=True))
        for weight, term, values in exact
    )
    rounding = apart + (2 * len(terms) + 2) * _UNIT * reach
    items = [_in_whole(weight * ticks, term, values) for weight, term, values in exact if term.layers]
    constant = sum((weight * values[0] for weight, term, values in exact if not term.layers), Fraction(0))
    return TickSum(items, ticks, constant, rounding)


def _decimal(value: float) -> Fraction:
    return Fraction(value) if isinstance(value, int) else Fraction(f"{value:.12g}")


def _in_whole(factor: int, term: Valued, values: Sequence[Fraction]) -> Valued:
    return relabeled(term.machine, np.array([int(factor * value) for value in values], dtype=np.int64))
