"""The rules of a mixed space, taken apart: about codes alone, about reals, and equalities that are solved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hedgerow.arrays import Mask, Matrix
from hedgerow.expressions import Expression, Scalar
from hedgerow.feasible.reals.equalities import Equality, solved_equalities
from hedgerow.feasible.reals.reading import values_read
from hedgerow.feasible.reals.scales import Scales
from hedgerow.feasible.reals.truths import Boxes, truth
from hedgerow.rules.rule import BoundRule
from hedgerow.rules.simplify import conjuncts
from hedgerow.space.shares import Shares
from hedgerow.space.space import Space


class MixedRules:
    """Rules over a space with reals.

    Rows are numbers here: floats in real slots, infinity where a real has no value, codes in the others. Reals that are
    `fixed` have one value.
    """

    def __init__(self, space: Space, rules: Sequence[BoundRule], fixed: frozenset[int] = frozenset()) -> None:
        self.space = space
        self.fixed = fixed
        self.scales = Scales(space)
        self.bound = tuple(rules)
        reals = set(space.reals)
        pieces = [(rule, piece) for rule in rules for piece in conjuncts(rule.expression)]
        about_reals = [(rule, piece) for rule, piece in pieces if reals & values_read(piece)]
        self.of_codes = tuple(
            replace(rule, expression=piece) for rule, piece in pieces if not reals & values_read(piece)
        )
        self.of_reals: tuple[Expression, ...] = tuple(piece for _, piece in about_reals)
        self.names = tuple(rule.name for rule, _ in about_reals)
        self.solution = solved_equalities(space, [(rule.name, piece) for rule, piece in about_reals], fixed)
        self.equalities: list[Equality] = self.solution.equalities
        self.inequalities = tuple(piece for piece in self.of_reals if id(piece) not in self.solution.solved_rules)
        self.pivots = frozenset(equality.pivot for equality in self.equalities)
        # Those that never vary by themselves.
        self.always_pivots = frozenset(equality.pivot for equality in self.equalities if equality.guard is None)
        # The slots of real shares, variable by variable.
        self.mixtures = tuple(
            tuple(range(space.first_slot[name], space.first_slot[name] + variable.length))
            for name, variable in space.variables.items()
            if isinstance(variable, Shares) and variable.step is None
        )
        self.free_reals = tuple(slot for slot in space.reals if slot not in self.pivots | fixed)

    def completed(self, numbers: Matrix) -> tuple[Matrix, Mask]:
        """Return rows with their pivots computed, and which of them keep the rules about reals."""
        points, kept = self.solution.on(Boxes(self.space, numbers, numbers))
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
            (float(number) if number < np.inf else None) if slot.variable.is_continuous else slot.value_at(int(number))
            for slot, number in zip(self.space.slots, row, strict=True)
        ]

    def evaluator_keeps(self, row: Matrix) -> bool:
        """Return the evaluator's word on all rules at one row."""
        values = self.values(row)
        return all(rule.holds(values) for rule in self.bound)
