"""What a feasible set does differently where variables take any real number: its engine, repair, and the doctor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np

from hedgerow.arrays import Codes, Column, Matrix
from hedgerow.checks import Engine
from hedgerow.errors import EffortExceeded, RuleWarning, SpaceError, warn_user
from hedgerow.expressions import Expression, Scalar
from hedgerow.feasible.doctor import Diagnosis
from hedgerow.feasible.engines.choice import hold_rules
from hedgerow.feasible.engines.mixed import MixedSet
from hedgerow.feasible.reals.inside import nearest_inside
from hedgerow.feasible.reals.mixed_rules import MixedRules
from hedgerow.feasible.reals.truths import Boxes, truth
from hedgerow.rules.conditions import cannot_be_evaluated, conditions_of_space
from hedgerow.rules.evaluate import evaluate
from hedgerow.rules.resolve import slots_of
from hedgerow.rules.rule import BoundRule
from hedgerow.space.domains import Vector
from hedgerow.space.floats import NO_PLACE
from hedgerow.space.numeric import Levels
from hedgerow.space.space import Space
from hedgerow.space.variable import Variable

# Rows of codes that a repair looks at, nearest first.
_MAX_REPAIRED = 40
# Rows of codes from which no way inside is found before a repair draws instead.
_MAX_FAILED = 4
# Where a condition is tried: codes of each slot that it reads, and rows with each of them.
_MAX_TRIED_CODES = 256
_N_TRIES = 8


def mixed_engine(
    space: Space, rules: Sequence[BoundRule], node_budget: int | None, engine: Engine = "auto"
) -> tuple[MixedSet, Engine]:
    """Return the rows of a space with reals that keep the rules, and the engine that holds those about codes."""
    mixed = MixedRules(space, rules)
    held = hold_rules(without_reals(space), mixed.of_codes, node_budget, engine=engine)
    found = MixedSet(mixed, held.codes)
    of_space = [rule for rule in rules if rule.is_of_space]
    if of_space and len(of_space) < len(rules):
        # Rows that are no points are neither feasible nor infeasible.
        found.points = mixed_engine(space, of_space, node_budget)[0]
    elif of_space:
        _check_computable(mixed)
        _check_conditions(space, found)
    return found, held.engine


def _check_computable(rules: MixedRules) -> None:
    """Refuse conditions that cannot be evaluated somewhere: no point would be there, with the variable or without."""
    space = rules.space
    for name, condition in conditions_of_space(space).items():
        may_fail = truth(condition, Boxes.whole(space)).may_fail[0]
        if may_fail and any(_fails(condition, rules.values(row)) for row in _tries(rules, condition)):
            raise cannot_be_evaluated(name, str(space.variables[name].when))


def _tries(rules: MixedRules, condition: Expression) -> Matrix:
    """Return rows at which a condition is tried: codes of what it reads one by one, everything else at random."""
    rng = np.random.default_rng(20)
    scales, slots = rules.scales, rules.space.slots
    n_codes = np.array([1 if slot.variable.is_continuous else slot.n_levels for slot in slots])
    found = [np.zeros((0, n_codes.size))]
    for slot in sorted(slots_of(condition)):
        rows = np.floor(rng.random((min(int(n_codes[slot]), _MAX_TRIED_CODES) * _N_TRIES, n_codes.size)) * n_codes)
        rows[:, slot] = np.arange(rows.shape[0]) // _N_TRIES
        rows[:, scales.reals] = scales.from_unit(rng.random((rows.shape[0], scales.reals.size)))
        found.append(rows)
    return np.concatenate(found)


def _fails(condition: Expression, values: Sequence[Scalar | None]) -> bool:
    try:
        evaluate(condition, values)
    except ArithmeticError:
        return True
    return False


def _check_conditions(space: Space, points: MixedSet) -> None:
    """Refuse conditions that can never hold, as far as boxes and the diagram prove it, and remark on those that do."""
    if not space.conditional or points.is_empty or not points.discrete.is_exact:
        return
    usage = points.discrete.usage()
    for name, variable in space.variables.items():
        if variable.when is None:
            continue
        slot = space.first_slot[name]
        domain = space.slots[slot].variable
        last = float(domain.values[-1]) if domain.is_continuous else len(domain.values) - 1.0
        boxes = points.cover.boxes
        if not any(usage[slot][:-1]) or not (boxes.low[:, slot] <= last).any():
            raise SpaceError(
                f"The condition of '{name}' ({variable.when}) can never hold: '{name}' would never have a value."
            )
        if not usage[slot][-1] or not (boxes.high[:, slot] > last).any():
            message = f"The condition of '{name}' ({variable.when}) always holds; it has no effect."
            warn_user(message, RuleWarning)


def without_reals(space: Space) -> Space:
    """Return the same space with one level in every real slot, besides that for no value: what the diagram is for."""

    def bare(variable: Variable | Vector) -> object:
        element = variable.element if isinstance(variable, Vector) else variable
        if not element.is_continuous:
            return variable
        level = [float(element.values[0])]
        if isinstance(variable, Vector):
            return Vector(Levels(level), variable.length, when=variable.when)
        return Levels(level, when=variable.when)

    return Space({name: bare(variable) for name, variable in space.variables.items()})


def repaired(feasible: MixedSet, codes: Codes) -> Codes:
    """Return a nearest feasible row: distances are parts of the ranges, 1 for another label, squared and added up."""
    if feasible.accepts(codes[None, :])[0]:
        return codes
    rules = feasible.rules
    given = rules.scales.numbers(codes[None, :])[0]
    best, least, n_failed = None, np.inf, 0
    for row in islice(feasible.discrete.best(_distances(rules.space, codes), _MAX_REPAIRED), _MAX_REPAIRED):
        start = _with_codes(rules, row, given)
        by_codes = _distance(rules, start, given)
        if by_codes >= least or n_failed >= _MAX_FAILED:
            break
        if not feasible.may_have_codes(row):
            continue
        for beginning in (start, *(_with_codes(rules, row, anchor) for anchor in feasible.anchors[:2])):
            found = nearest_inside(rules, beginning, start)
            if found is not None and rules.evaluator_keeps(found):
                if _distance(rules, found, given) < least:
                    best, least = found, _distance(rules, found, given)
                break
        else:
            n_failed += 1
    if best is None:
        # What a search does not reach, a draw may; from there it goes back toward the point.
        drawn = rules.scales.numbers(feasible.draw(64, np.random.default_rng(0)))
        near = min(drawn, key=lambda row: _distance(rules, row, given))
        back = nearest_inside(
            rules, near, _with_codes(rules, feasible.of_codes(rules.scales.codes(near[None, :]))[0], given)
        )
        is_better = back is not None and _distance(rules, back, given) < _distance(rules, near, given)
        best = back if back is not None and is_better and rules.evaluator_keeps(back) else near
    return np.asarray(rules.scales.codes(best[None, :])[0])


def _with_codes(rules: MixedRules, codes: Codes, row: Column) -> Column:
    """Return a row with other codes of the diagram; a real that has a value there and had none gets the middle."""
    result = codes.astype(np.float64)
    reals = rules.scales.reals
    middle = rules.scales.from_unit(np.full((1, reals.size), 0.5))[0]
    values = np.where(np.isinf(row[reals]), middle, row[reals])
    result[reals] = np.where(codes[reals] > 0, np.inf, values)
    return result


def _distances(space: Space, codes: Codes) -> list[Column]:
    """Return minus the squared distance of each code of each slot, nothing for reals."""
    scores: list[Column] = []
    for slot, info in enumerate(space.slots):
        if info.variable.is_continuous:
            has_none = codes[slot] == NO_PLACE
            scores.append(-np.array([has_none, not has_none], dtype=np.float64)[: 1 + info.is_conditional])
            continue
        places = np.arange(info.n_levels)
        scale = max(1, places.size - 1) if info.variable.is_ordered else 1
        apart = np.abs(places - codes[slot]) / scale
        scores.append(-((apart if info.variable.is_ordered else (apart > 0).astype(np.float64)) ** 2))
    return scores


def _distance(rules: MixedRules, row: Column, other: Column) -> float:
    reals = np.stack([row, other])[:, rules.scales.reals]
    units, has_none = rules.scales.to_unit(reals), np.isinf(reals)
    apart = np.where(has_none[0] | has_none[1], has_none[0] != has_none[1], units[0] - units[1])
    total = float((apart**2).sum())
    for slot, info in enumerate(rules.space.slots):
        if not info.variable.is_continuous and row[slot] != other[slot]:
            last = max(1, len(info.variable.values) - 1)
            total += ((row[slot] - other[slot]) / last) ** 2 if info.variable.is_ordered else 1.0
    return total


class MixedDoctor:
    """Examines the rules of a space with reals."""

    def __init__(self, space: Space, rules: Sequence[BoundRule], codes: MixedSet, node_budget: int | None) -> None:
        self._space = space
        self._rules = rules
        self._codes = codes
        self._node_budget = node_budget

    def diagnosis(self) -> Diagnosis:
        """Return what there is to know; which rules are redundant is not looked for."""
        dead, forced = self._dead_and_forced()
        whole = Boxes.whole(self._space)
        undefined = {
            name
            for name, rule in zip(self._codes.rules.names, self._codes.rules.of_reals, strict=True)
            if truth(rule, whole).may_fail[0]
        }
        return Diagnosis(
            space_size=self._space.size,
            count=None,
            density=None,
            dead_values=dead,
            forced_values=forced,
            always_true_rules=self.always_true_rules(),
            redundant_rules=(),
            undecided_rules=(),
            contradiction=self.contradiction() if self._codes.is_empty else (),
            residual_rules=(),
            undefined_rules=tuple(rule.name for rule in self._rules if rule.name in undefined),
            rounded_rules={},
            rule_densities={},
            n_nodes=self._codes.n_nodes,
            memory_bytes=self._codes.n_bytes,
            listing_bytes=None,
            engine=f"{self._codes.description}, {self._codes.sampling} draws",
            volume=self._codes.volume,
        )

    def always_true_rules(self) -> tuple[str, ...]:
        """Return the rules that hold at every point, as far as intervals can tell."""
        whole = Boxes.whole(self._space)
        return tuple(
            rule.name
            for rule in self._rules
            if not rule.is_of_space and bool(truth(rule.expression, whole).surely_holds[0])
        )

    def rounded_rules(self, _: Sequence[str]) -> Mapping[str, object]:
        """Return nothing: equalities between reals are solved, and hold in floats."""
        return {}

    def contradiction(self) -> tuple[str, ...]:
        """Return rules that no point keeps together; leaving out any one of them, that is not proven any more."""
        kept = list(self._rules)
        for rule in self._rules:
            rest = [other for other in kept if other is not rule]
            try:
                is_empty = mixed_engine(self._space, rest, self._node_budget)[0].is_empty
            except EffortExceeded:
                is_empty = False
            if is_empty:
                kept = rest
        return tuple(rule.name for rule in kept)

    def _dead_and_forced(self) -> tuple[dict[str, list[Scalar | None]], dict[str, Scalar | None]]:
        """Return levels that no box holds, and those that all do."""
        dead: dict[str, list[Scalar | None]] = {}
        forced: dict[str, Scalar | None] = {}
        if self._codes.is_empty:
            return dead, forced
        boxes = self._codes.cover.boxes
        usage = self._codes.discrete.usage() if self._codes.discrete.is_exact else None
        for place, slot in enumerate(self._space.slots):
            if slot.variable.is_continuous:
                continue
            codes = np.arange(slot.n_levels)
            ranges = np.unique(np.stack([boxes.low[:, place], boxes.high[:, place]], axis=1), axis=0)
            is_used = np.asarray(((codes >= ranges[:, :1]) & (codes <= ranges[:, 1:])).any(axis=0))
            if usage is not None:
                is_used &= np.array([count > 0 for count in usage[place]])
            values = slot.levels
            used = [value for value, ok in zip(values, is_used, strict=True) if ok]
            if len(used) == 1 and len(values) > 1:
                forced[slot.name] = used[0]
            elif len(used) < len(values):
                dead[slot.name] = [value for value, ok in zip(values, is_used, strict=True) if not ok]
        return dead, forced
