"""The health of rules about orders of items, for which there are counts instead of diagrams."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from hedgerow.expressions import Scalar
from hedgerow.feasible.code_set import CodeSet
from hedgerow.feasible.doctor import Doctor
from hedgerow.feasible.engines.choice import hold_rules
from hedgerow.rules.rule import BoundRule

# Rules up to this number are counted alone, and left out one after the other.
_MAX_RULES = 40


class OrderDoctor(Doctor):
    """Examines rules of a space with orders."""

    def always_true_rules(self) -> tuple[str, ...]:
        """Return the rules that hold at every point, as far as counts can tell."""
        if self._n_given > _MAX_RULES:
            return ()
        return tuple(
            rule.name
            for rule in self._given
            if self._alone[rule.name] is not None and self._alone[rule.name] == self._n_points
        )

    def _redundant_rules(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if self._codes.is_empty or not self._codes.is_exact or self._n_given > _MAX_RULES:
            return (), ()
        without = {
            rule.name: _count_of(self._held([other for other in self._rules if other is not rule]))
            for rule in self._given
        }
        return tuple(name for name, count in without.items() if count == self._codes.count), ()

    def _rule_densities(self) -> dict[str, float]:
        if self._n_given > _MAX_RULES:
            return {}
        return {name: count / self._n_points for name, count in self._alone.items() if count is not None}

    def _dead_and_forced(self) -> tuple[dict[str, list[Scalar | None]], dict[str, Scalar | None]]:
        """Return them without the positions that an item never has: every rule about an order leaves some."""
        dead, forced = super()._dead_and_forced()
        return {
            name: values for name, values in dead.items() if self._owner[name] not in self._space.permutations
        }, forced

    @cached_property
    def _owner(self) -> dict[str, str]:
        return {slot.name: slot.owner for slot in self._space.slots}

    @cached_property
    def _given(self) -> list[BoundRule]:
        return [rule for rule in self._rules if not rule.is_of_space]

    @property
    def _n_given(self) -> int:
        return len(self._given)

    @cached_property
    def _alone(self) -> dict[str, int | None]:
        of_space = [rule for rule in self._rules if rule.is_of_space]
        return {rule.name: _count_of(self._held([rule, *of_space])) for rule in self._given}

    def _held(self, rules: Sequence[BoundRule]) -> CodeSet:
        return hold_rules(self._space, rules, self._node_budget).codes


def _count_of(codes: CodeSet) -> int | None:
    return codes.count if codes.is_exact else None
