"""The lowest point of a function inside the rules, by its gradient: along borders, and back inside where one was left.

Sequential quadratic programming follows the slacks of the rules; what it finds may lie a hair's breadth outside, and is
then drawn toward a point that is known to be inside, as far as the evaluator asks for.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from hedgerow.arrays import Column, Matrix
from hedgerow.feasible.reals.mixed_rules import MixedRules
from hedgerow.feasible.reals.slacks import Dual, Slacks
from hedgerow.feasible.reals.truths import Boxes

# A function of where the reals lie between their ends, with its gradient.
Function = Callable[[Column], tuple[float, Column]]

# How far inside a border is aimed at, in parts of the ranges; and halvings on the way back inside.
_MARGINS = (1e-10, 1e-7, 1e-4)
_HALVINGS = 50
# A rule that is broken by more than this part of a range is out of reach.
_FAR = 1e-4


def lowest_inside(
    rules: MixedRules, row: Matrix, function: Function, is_inside: bool, max_steps: int = 60, tolerance: float = 1e-12
) -> Matrix | None:
    """Return a row inside the rules where the function is low, with the codes of `row` and reals found from its own.

    `is_inside` says whether the row itself keeps the rules; then there always is one, perhaps the row itself.
    """
    for margin in _MARGINS:
        found = _stepped(rules, row, function, margin, max_steps, tolerance)
        if found is None:
            break
        completed, kept = rules.completed(found[None, :])
        if kept[0]:
            return np.asarray(completed[0])
        if is_inside:
            return _drawn_inside(rules, found, row)
        if _Borders(rules, found, rules.scales.to_unit(found[None, rules.scales.reals])[0]).are_far:
            break
    return row if is_inside else None


def nearest_inside(rules: MixedRules, row: Matrix, target: Matrix | None = None) -> Matrix | None:
    """Return a row inside the rules near the row, or near a target with the same codes; None where none is found."""
    units = rules.scales.to_unit((row if target is None else target)[None, rules.scales.reals])[0]

    def distance(place: Column) -> tuple[float, Column]:
        return float(((place - units) ** 2).sum()), 2.0 * (place - units)

    return lowest_inside(rules, row, distance, is_inside=False)


def _stepped(
    rules: MixedRules, row: Matrix, function: Function, margin: float, max_steps: int, tolerance: float
) -> Matrix | None:
    from scipy.optimize import minimize  # type: ignore[import-untyped]  # noqa: PLC0415 - on demand, it is large

    scales, reals = rules.scales, rules.scales.reals
    start = scales.to_unit(row[None, reals])[0]
    border = _Borders(rules, row, start)
    constraints = []
    if rules.inequalities:
        constraints.append(
            {"type": "ineq", "fun": lambda u: border.slacks(u)[0] - margin, "jac": lambda u: border.slacks(u)[1]}
        )
    if border.equalities:
        constraints.append(
            {"type": "eq", "fun": lambda u: border.differences(u)[0], "jac": lambda u: border.differences(u)[1]}
        )
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = minimize(
                function,
                start,
                jac=True,
                method="SLSQP",
                bounds=[(0.0, 1.0)] * reals.size,
                constraints=constraints,
                options={"maxiter": max_steps, "ftol": tolerance},
            )
        except (ArithmeticError, ValueError):
            return None
    if not np.isfinite(result.x).all():
        return None
    return np.asarray(scales.placed(row[None, :], np.clip(result.x, 0.0, 1.0)[None, :])[0])


class _Borders:
    """Slacks and differences as functions of where the reals lie, each scaled to a slope of 1 where it begins."""

    def __init__(self, rules: MixedRules, row: Matrix, start: Column) -> None:
        self._rules = rules
        self._row = row
        self._start = start
        self._slack_scales = np.ones(len(rules.inequalities))
        at = Boxes(rules.space, row[None, :], row[None, :])
        # Guards are about codes, which do not change here.
        self.equalities = [equality for equality in rules.equalities if equality.applies(at)[1][0]]
        self._difference_scales = np.ones(len(self.equalities))
        # A step asks for values, then for slopes, at the same place.
        self._last: dict[str, tuple[bytes, list[Dual], Column]] = {}
        self._slack_scales = _scales_of(self.slacks(start)[1])
        self._difference_scales = _scales_of(self.differences(start)[1])

    @property
    def are_far(self) -> bool:
        """Whether a rule is broken by more than rounding explains, where this begins."""
        slacks, differences = self.slacks(self._start)[0], self.differences(self._start)[0]
        return bool((slacks < -_FAR).any() or (np.abs(differences) > _FAR).any())

    def slacks(self, units: Column) -> tuple[Column, Matrix]:
        """Return the scaled slacks and their derivatives."""
        duals, by_unit = self._known("slacks", units, lambda at: [at.of(rule) for rule in self._rules.inequalities])
        return _scaled(duals, by_unit, self._slack_scales)

    def differences(self, units: Column) -> tuple[Column, Matrix]:
        """Return the scaled differences of equalities and their derivatives."""
        sides = [(equality.left, equality.right) for equality in self.equalities]
        duals, by_unit = self._known("differences", units, lambda at: [at.difference(*both) for both in sides])
        return _scaled(duals, by_unit, self._difference_scales)

    def _known(self, what: str, units: Column, compute: Callable[[Slacks], list[Dual]]) -> tuple[list[Dual], Column]:
        key = units.tobytes()
        if what not in self._last or self._last[what][0] != key:
            at, by_unit = self._at(units)
            self._last[what] = (key, compute(at), by_unit)
        return self._last[what][1:]

    def _at(self, units: Column) -> tuple[Slacks, Column]:
        scales, reals = self._rules.scales, self._rules.scales.reals
        row = scales.placed(self._row[None, :], np.clip(units, 0.0, 1.0)[None, :])[0]
        return Slacks(self._rules.values(row), self._rules.space.reals), scales.by_unit(row[reals])


def _scaled(duals: list[Dual], by_unit: Column, scales: Column) -> tuple[Column, Matrix]:
    values = np.array([dual.value for dual in duals]).reshape(-1)
    slopes = np.array([dual.gradient * by_unit for dual in duals]).reshape(len(duals), by_unit.size)
    values, slopes = np.nan_to_num(values, posinf=1e9, neginf=-1e9), np.nan_to_num(slopes, posinf=1e9, neginf=-1e9)
    return values * scales, slopes * scales[:, None]


def _scales_of(slopes: Matrix) -> Column:
    size = np.sqrt((slopes**2).sum(axis=1))
    return np.where(size > 0, 1.0 / np.maximum(size, 1e-12), 1.0)


def _drawn_inside(rules: MixedRules, outside: Matrix, inside: Matrix) -> Matrix:
    """Return a row inside the rules on the way from one that is not to one that is, near the first."""
    scales, reals = rules.scales, rules.scales.reals
    ends = scales.to_unit(np.stack([outside[reals], inside[reals]]))
    best, low, high = inside, 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        row = scales.placed(inside[None, :], (ends[0] * (1 - middle) + ends[1] * middle)[None, :])[0]
        completed, kept = rules.completed(row[None, :])
        if kept[0]:
            best, high = completed[0], middle
        else:
            low = middle
    return np.asarray(best)
