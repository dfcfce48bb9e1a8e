"""The rules of a mixed space, taken apart: about codes alone, about reals, and equalities that are solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hedgerow.arrays import Mask, Matrix
from hedgerow.errors import SpaceError
from hedgerow.expressions import Expression, Scalar
from hedgerow.feasible.reals.equalities import Equality, on_equalities, solved_equalities
from hedgerow.feasible.reals.scales import Scales
from hedgerow.feasible.reals.truths import Boxes, truth
from hedgerow.rules.resolve import slots_of
from hedgerow.rules.rule import BoundRule
from hedgerow.rules.simplify import conjuncts
from hedgerow.space.space import Space


class MixedRules:
    """Rules over a space with reals.

    Rows are numbers here: floats in real slots, codes in the others. Reals that are `fixed` have one value.
    """

    def __init__(self, space: Space, rules: Sequence[BoundRule], fixed: frozenset[int] = frozenset()) -> None:
        for slot in space.reals:
            if space.slots[slot].is_conditional:
                raise SpaceError(
                    f"'{space.slots[slot].owner}' takes any real number and has a condition, which is not known yet. "
                    "Give it levels, as in Real(low, high, levels=50, when=...)."
                )
        self.space = space
        self.fixed = fixed
        self.scales = Scales(space)
        self.bound = tuple(rules)
        reals = set(space.reals)
        pieces = [(rule, piece) for rule in rules for piece in conjuncts(rule.expression)]
        about_reals = [(rule, piece) for rule, piece in pieces if reals & set(slots_of(piece))]
        self.of_codes = tuple(
            replace(rule, expression=piece) for rule, piece in pieces if not reals & set(slots_of(piece))
        )
        self.of_reals: tuple[Expression, ...] = tuple(piece for _, piece in about_reals)
        self.names = tuple(rule.name for rule, _ in about_reals)
        self.equalities: list[Equality] = solved_equalities(
            space, [(rule.name, piece) for rule, piece in about_reals], fixed
        )
        solved = {id(equality.rule) for equality in self.equalities}
        self.inequalities = tuple(piece for piece in self.of_reals if id(piece) not in solved)
        self.pivots = frozenset(equality.pivot for equality in self.equalities)
        self.free_reals = tuple(slot for slot in space.reals if slot not in self.pivots | fixed)

    def completed(self, numbers: Matrix) -> tuple[Matrix, Mask]:
        """Return rows with their pivots computed, and which of them keep the rules about reals."""
        points, kept = on_equalities(self.equalities, Boxes(self.space, numbers, numbers))
        kept &= self.keeps(points.low)
        return points.low, kept

    def keeps(self, numbers: Matrix) -> Mask:
        """Return which rows keep the rules about reals: by intervals of one number, in doubt by the evaluator."""
        points = Boxes(self.space, numbers, numbers)
        kept = np.ones(points.n, dtype=np.bool_)
        for rule in self.of_reals:
            rest = np.flatnonzero(kept)
            if not rest.size:
                break
            found = truth(rule, points.at(rest))
            kept[rest[~found.may_hold]] = False
            for row in rest[found.may_hold & ~found.surely_holds]:
                kept[row] = self._holds(rule, numbers[row])
        return kept

    def _holds(self, rule: Expression, row: Matrix) -> bool:
        return replace(self.bound[0], expression=rule).holds(self.values(row))

    def values(self, row: Matrix) -> list[Scalar | None]:
        """Return the plain value of each slot, None where it has none."""
        return [
            float(number) if slot.variable.is_continuous else slot.value_at(int(number))
            for slot, number in zip(self.space.slots, row, strict=True)
        ]

    def evaluator_keeps(self, row: Matrix) -> bool:
        """Return the evaluator's word on all rules at one row."""
        values = self.values(row)
        return all(rule.holds(values) for rule in self.bound)
