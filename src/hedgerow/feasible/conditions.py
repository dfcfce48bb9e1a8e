"""What can be told of conditions once they are compiled: those that never hold, always hold, or cannot be evaluated."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.errors import RuleWarning, SpaceError, warn_user
from hedgerow.feasible.code_set import CodeSet
from hedgerow.feasible.compile import Compiled, compile_rules
from hedgerow.feasible.engines.diagram import DiagramSet
from hedgerow.feasible.mixed import without_reals
from hedgerow.feasible.reals.mixed_rules import MixedRules
from hedgerow.rules.conditions import cannot_be_evaluated
from hedgerow.rules.rule import BoundRule, rules_of_space
from hedgerow.space.space import Space


def check_conditions(space: Space, rules: Sequence[BoundRule], compiled: Compiled, points: CodeSet) -> None:
    """Refuse conditions that can never hold or cannot be evaluated everywhere, and remark on those that always do."""
    if not space.conditional:
        return
    for index, rule in enumerate(rules):
        if rule.condition_of is not None and any(part.can_fail_to_evaluate for part in compiled.parts_of[index]):
            raise cannot_be_evaluated(rule.condition_of, str(space.variables[rule.condition_of].when))
    if not points.is_exact or points.is_empty:
        return
    usage = points.usage()
    for name, variable in space.variables.items():
        if variable.when is None:
            continue
        counts = usage[space.first_slot[name]]
        if not any(counts[:-1]):
            raise SpaceError(
                f"The condition of '{name}' ({variable.when}) can never hold: '{name}' would never have a value."
            )
        if not counts[-1]:
            warn_user(f"The condition of '{name}' ({variable.when}) always holds; it has no effect.", RuleWarning)


def never_active(space: Space) -> list[str]:
    """Return the variables whose conditions can never hold, as far as a diagram tells."""
    if not space.conditional:
        return []
    conditions = [rule for rule in rules_of_space(space) if rule.condition_of is not None]
    if space.reals:
        # What reads values of reals is left open.
        conditions = list(MixedRules(space, conditions).of_codes)
        space = without_reals(space)
    compiled = compile_rules(space, conditions)
    if not compiled.is_exact:
        return []
    usage = DiagramSet(compiled.diagram, compiled.order).usage()
    return [
        name
        for name, variable in space.variables.items()
        if variable.when is not None and not any(usage[space.first_slot[name]][:-1])
    ]
