"""Several linear equalities over reals at once: eliminated exactly, then settled in floats.

`a + b == 1` and `a - b == 0.2` cannot be solved one after the other. Gaussian elimination in rational numbers, which
the constants of rules are, gives some of the reals, the pivots, from the others; it drops what follows from the rest
and proves what contradicts it. Floats know only so many numbers, so a pivot that is right in exact arithmetic may break
the evaluator's `==` by a rounding. Then what is left of each difference is taken off again, pivots are moved by a few
places together, and as a last resort the free reals are rounded to a coarser lattice, on which sums are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from hedgerow.arrays import Codes, Mask, Matrix, Places
from hedgerow.expressions import Arithmetic, Constant, Expression, Fold, Negative, Slot
from hedgerow.feasible.reals.reading import values_read
from hedgerow.feasible.reals.truths import Boxes, number, truth
from hedgerow.space.floats import floats_at, places_of
from hedgerow.space.space import Space

# Rounds in which what is left of the differences is taken off, and in which pivots are moved.
_ROUNDS = 3
# How many places pivots are moved together, either way, by their number; more of them are moved one at a time, farther.
_NEAR = {2: 3, 3: 2, 4: 1, 5: 1}
_FAR = 4
# Rows of a draw that are moved.
_MOST_MOVED = 512
# Rows that are looked at together.
_AT_ONCE = 2**14
# Parts of a range to which free reals are rounded where nothing else helps, as powers of two.
_LATTICES = (-42, -30)
# The unit roundoff, and a factor by which bounds of rounding errors are on the safe side.
_ROUNDOFF = Fraction(1, 2**53)
_SAFE = 4


@dataclass(frozen=True, eq=False)
class LinearForm:
    """A sum of reals times constants, of terms without reals times constants, and of a constant."""

    reals: dict[int, Fraction]
    terms: dict[str, tuple[Fraction, Expression]]
    constant: Fraction

    def times(self, factor: Fraction) -> LinearForm:
        """Return a multiple of it."""
        return LinearForm(
            {slot: factor * own for slot, own in self.reals.items()},
            {key: (factor * own, term) for key, (own, term) in self.terms.items()},
            factor * self.constant,
        )

    def plus(self, other: LinearForm) -> LinearForm:
        """Return the sum; what cancels is gone."""
        reals = {
            slot: self.reals.get(slot, _ZERO) + other.reals.get(slot, _ZERO) for slot in {**self.reals, **other.reals}
        }
        terms = dict(self.terms)
        for key, (own, term) in other.terms.items():
            terms[key] = (own + (terms[key][0] if key in terms else _ZERO), term)
        return LinearForm(
            {slot: own for slot, own in reals.items() if own},
            {key: both for key, both in terms.items() if both[0]},
            self.constant + other.constant,
        )


_ZERO = Fraction(0)
_NOTHING = LinearForm({}, {}, _ZERO)


def affine(node: Expression, reals: frozenset[int]) -> LinearForm | None:
    """Return an expression as a sum of multiples of reals; None where it is none, or its constants are no numbers."""
    if not values_read(node) & reals:
        return _without_reals(node)
    if isinstance(node, Slot):
        return LinearForm({node.position: Fraction(1)}, {}, _ZERO)
    if isinstance(node, Negative):
        inner = affine(node.operand, reals)
        return None if inner is None else inner.times(Fraction(-1))
    if isinstance(node, Fold) and node.operator == "+":
        total = _NOTHING
        for item in node.items:
            part = affine(item, reals)
            if part is None:
                return None
            total = total.plus(part)
        return total
    factor, rest = _factor(node)
    inner = None if rest is None else affine(rest, reals)
    return None if inner is None else inner.times(factor)


def _without_reals(node: Expression) -> LinearForm | None:
    if isinstance(node, Constant):
        value = node.value
        is_number = isinstance(value, int | float) and np.isfinite(float(value))
        return LinearForm({}, {}, Fraction(value)) if is_number else None
    return LinearForm({}, {str(node): (Fraction(1), node)}, _ZERO)


def _factor(node: Expression) -> tuple[Fraction, Expression | None]:
    """Return a product or a quotient as a constant times one expression; None where it is not of that kind."""
    if isinstance(node, Fold) and node.operator == "*":
        rest = [item for item in node.items if not isinstance(item, Constant)]
        known = [_without_reals(item) for item in node.items if isinstance(item, Constant)]
        if len(rest) != 1 or any(one is None for one in known):
            return _ZERO, None
        factor = Fraction(1)
        for one in known:
            factor *= one.constant if one is not None else 1
        return factor, rest[0]
    if isinstance(node, Arithmetic) and node.operator == "/" and isinstance(node.right, Constant):
        below = _without_reals(node.right)
        return (_ZERO, None) if below is None or not below.constant else (1 / below.constant, node.left)
    return _ZERO, None


@dataclass(frozen=True, eq=False)
class LinearRule:
    """A rule that says that two sides, whose difference is affine, are equal or nearly."""

    name: str
    rule: Expression
    left: Expression
    right: Expression
    difference: LinearForm
    tolerance: float

    @classmethod
    def of(
        cls, name: str, rule: Expression, left: Expression, right: Expression, tolerance: float, reals: frozenset[int]
    ) -> LinearRule | None:
        """Return it, or None where a side is not affine."""
        a, b = affine(left, reals), affine(right, reals)
        if a is None or b is None:
            return None
        return cls(name, rule, left, right, a.plus(b.times(Fraction(-1))), tolerance)


@dataclass(frozen=True, eq=False)
class Solved:
    """One pivot of a system: the rule that it is taken from, and what it is, from slots that are no pivots."""

    slot: Slot
    rule: Expression
    value: Expression


class System:
    """Linear equalities, eliminated; `contradicts` says that no floats keep them all."""

    def __init__(self, space: Space, rules: Sequence[LinearRule], reals: frozenset[int]) -> None:
        self._space = space
        self._rules = tuple(rules)
        self._widths = {slot: _width(space, slot) for slot in reals}
        self._eliminate()
        self.pivots = frozenset(solved.slot.position for solved in self.solved)
        read = frozenset[int]().union(*(values_read(one.rule) for one in rules))
        self.needed = read - self.pivots
        # Reals that may be rounded.
        self._free = sorted(self.needed & reals)

    @property
    def rules(self) -> tuple[Expression, ...]:
        """The rules that are solved together."""
        return tuple(one.rule for one in self._rules)

    def _eliminate(self) -> None:
        """Solve for as many reals as there are independent rules, the one that matters most in each step."""
        left = {place: rule.difference for place, rule in enumerate(self._rules)}
        # By how much of each original rule a row has become what it is.
        shares = {place: {place: Fraction(1)} for place in left}
        taken: list[tuple[int, int]] = []
        while True:
            choices = [
                (weight, slot, -place)
                for place, row in left.items()
                if place not in {one for one, _ in taken}
                for slot, weight in self._weights(row).items()
            ]
            if not choices:
                break
            _, slot, minus_place = max(choices)
            place = -minus_place
            scale = 1 / left[place].reals[slot]
            left[place] = left[place].times(scale)
            shares[place] = {key: scale * own for key, own in shares[place].items()}
            taken.append((place, slot))
            for other, row in left.items():
                factor = row.reals.get(slot, _ZERO)
                if other != place and factor:
                    left[other] = row.plus(left[place].times(-factor))
                    for key, own in shares[place].items():
                        shares[other][key] = shares[other].get(key, _ZERO) - factor * own
        slots = {node.position: node for one in self._rules for node in _slots(one.rule)}
        self.solved = tuple(
            Solved(slots[slot], self._rules[place].rule, _expression(left[place], slot, slots)) for place, slot in taken
        )
        # What a difference that is left in each rule asks of each pivot.
        self._corrections = np.array(
            [[float(shares[place].get(key, _ZERO)) for key in range(len(self._rules))] for place, _ in taken]
        ).reshape(len(taken), len(self._rules))
        idle = [place for place in left if place not in {one for one, _ in taken}]
        self.contradicts = any(
            not left[place].terms and self._is_beyond_rounding(left[place].constant, shares[place]) for place in idle
        )

    def _weights(self, row: LinearForm) -> dict[int, float]:
        """Return what part of a row each real in it can decide: the one that decides most is the one to solve for."""
        sizes = {slot: abs(float(own)) * self._widths[slot] for slot, own in row.reals.items()}
        total = sum(sizes.values()) or 1.0
        return {slot: size / total for slot, size in sizes.items()}

    def _is_beyond_rounding(self, constant: Fraction, shares: dict[int, Fraction]) -> bool:
        """Whether a sum of multiples of rules that is a constant, not 0, is more than rounding and tolerances allow."""
        allowed = _ZERO
        for place, share in shares.items():
            allowed += abs(share) * self._error(self._rules[place])
        return abs(constant) > _SAFE * allowed

    def _error(self, rule: LinearRule) -> Fraction:
        """Return a bound of how far apart the sides of a rule may be, exactly, where the evaluator finds them equal."""
        whole = Boxes.whole(self._space)
        size, n = _ZERO, 1
        # Each node is off by a rounding of its own, which the factors around it make larger or smaller.
        stack = [(rule.left, Fraction(1)), (rule.right, Fraction(1))]
        while stack:
            node, factor = stack.pop()
            n += 1
            found = number(node, whole)
            most = max(abs(float(found.low[0])), abs(float(found.high[0])))
            if not np.isfinite(most):
                return Fraction(10**400)
            size += factor * Fraction(most)
            if values_read(node) & self._widths.keys():
                own, rest = _factor(node)
                stack += [(node_, factor) for node_ in node.children] if rest is None else [(rest, factor * abs(own))]
        return n * _ROUNDOFF * size + Fraction(rule.tolerance)

    # --- in floats ---

    def put_on(self, values: Matrix) -> Mask:
        """Put the pivots in `values` where all rules hold; return where that is so, between their ends.

        Of many rows that need moving the first are moved, and all that follow are given up, those that would do
        included: none is preferred.
        """
        inside = self._computed(values)
        kept = np.asarray(inside & (self._n_kept(values) == len(self._rules)))
        open_rows = np.flatnonzero(inside & ~kept)
        if open_rows.size > _MOST_MOVED:
            kept[open_rows[_MOST_MOVED] :] = False
            open_rows = open_rows[:_MOST_MOVED]
        for lattice in (None, *(_LATTICES if self._free else ())):
            if not open_rows.size:
                break
            own = values[open_rows]
            if lattice is not None:
                self._round(own, lattice)
            done = self._computed(own)
            places = np.flatnonzero(done)
            moved = own[places]
            done[places] = self._moved(moved)
            values[open_rows[places]] = np.where(done[places, None], moved, values[open_rows[places]])
            kept[open_rows[done]] = True
            open_rows = open_rows[~done]
        return kept

    def _round(self, values: Matrix, exponent: int) -> None:
        """Round free reals to a lattice, a power of two apart, inside their ends."""
        for slot in self._free:
            low, high = (float(end) for end in self._space.slots[slot].variable.values)
            step = 2.0 ** (np.floor(np.log2(high - low)) + exponent)
            rounded = np.rint(values[:, slot] / step) * step
            values[:, slot] = np.where((rounded >= low) & (rounded <= high), rounded, values[:, slot])

    def _computed(self, values: Matrix) -> Mask:
        """Compute the pivots in `values` as well as floats allow; return where they lie between their ends."""
        points = Boxes(self._space, values, values)
        slots = [solved.slot.position for solved in self.solved]
        for solved in self.solved:
            values[:, solved.slot.position] = number(solved.value, points).low
        for _ in range(_ROUNDS):
            sides = [(number(one.left, points).low, number(one.right, points).low) for one in self._rules]
            with np.errstate(all="ignore"):
                apart = np.nan_to_num(np.stack([left - right for left, right in sides], axis=1))
                if not apart.any():
                    break
                values[:, slots] -= apart @ self._corrections.T
        return self._clip(values)

    def _clip(self, values: Matrix) -> Mask:
        """Put pivots between their ends; return where they were, but for rounding."""
        inside = np.ones(values.shape[0], dtype=np.bool_)
        for solved in self.solved:
            slot = solved.slot.position
            low, high = (float(end) for end in self._space.slots[slot].variable.values)
            margin = 4 * np.spacing(max(abs(low), abs(high)))
            found = values[:, slot]
            inside &= np.isfinite(found) & (found >= low - margin) & (found <= high + margin)
            values[:, slot] = np.clip(np.where(np.isfinite(found), found, low), low, high) + 0.0
        return inside

    def _n_kept(self, values: Matrix) -> Places:
        """Return how many rules hold in each row."""
        points = Boxes(self._space, values, values)
        return np.asarray(np.sum([truth(one.rule, points).surely_holds for one in self._rules], axis=0), np.int64)

    def _moved(self, values: Matrix) -> Mask:
        """Move pivots in `values` by a few places until all rules hold; return where they do."""
        n, n_kept = len(self._rules), self._n_kept(values)
        slots, moves = [solved.slot.position for solved in self.solved], self._moves
        low, high = (np.array([float(self._space.slots[slot].variable.values[k]) for slot in slots]) for k in (0, -1))
        open_rows = np.flatnonzero(n_kept < n)
        for _ in range(_ROUNDS):
            if not open_rows.size or not len(moves):
                break
            still_open = []
            for rows in np.array_split(open_rows, -(-open_rows.size * len(moves) // _AT_ONCE) or 1):
                tried = np.repeat(values[rows], len(moves), axis=0)
                places = places_of(tried[:, slots]) + np.tile(moves, (rows.size, 1))
                tried[:, slots] = np.clip(floats_at(places), low, high)
                found = self._n_kept(tried).reshape(rows.size, len(moves))
                best = found.argmax(axis=1)
                better = found.max(axis=1) > n_kept[rows]
                chosen = tried.reshape(rows.size, len(moves), -1)[np.arange(rows.size), best]
                values[rows[better]], n_kept[rows[better]] = chosen[better], found.max(axis=1)[better]
                still_open.append(rows[better & (n_kept[rows] < n)])
            open_rows = np.concatenate(still_open)
        return np.asarray(n_kept == n)

    @cached_property
    def _moves(self) -> Codes:
        """Places by which pivots are moved, (n, n_pivots): one at a time, and where they are few together."""
        n = len(self.solved)
        alone = [sign * k * row for k in range(1, _FAR + 1) for row in np.eye(n, dtype=np.int64) for sign in (-1, 1)]
        near = _NEAR.get(n, 0)
        steps = sorted(product(range(-near, near + 1), repeat=n if near else 0), key=lambda step: sum(map(abs, step)))
        return np.array([*alone, *(step for step in steps if step)], dtype=np.int64).reshape(-1, n)


def _expression(row: LinearForm, pivot: int, slots: dict[int, Slot]) -> Expression:
    """Return what a pivot, whose factor is 1, is worth, from the rest of a row that is 0."""
    parts: list[Expression] = [Constant(float(-row.constant))]
    for slot, own in row.reals.items():
        if slot != pivot:
            parts.append(Fold("*", (Constant(float(-own)), slots[slot])))
    parts += [Fold("*", (Constant(float(-own)), term)) for own, term in row.terms.values()]
    return parts[0] if len(parts) == 1 else Fold("+", tuple(parts))


def _slots(expression: Expression) -> list[Slot]:
    found: list[Slot] = []
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Slot):
            found.append(node)
        stack.extend(node.children)
    return found


def _width(space: Space, slot: int) -> float:
    values = space.slots[slot].variable.values
    return float(values[-1]) - float(values[0])
