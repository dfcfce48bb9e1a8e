"""Conditions under which variables exist: `when`, read against a space, and the rules that they amount to.

A condition is text in the language of rules over variables that come before. Where it holds the variable has a value,
elsewhere it has none, and points do not contain it. A condition that mentions an inactive variable does not hold
unless the rest of it decides, as in `kind == 'a' or depth > 3`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from hedgerow.errors import RuleError, SpaceError
from hedgerow.expressions import Active, Comparison, Expression, Fold, Name, Not, Scalar, Slot
from hedgerow.rules.evaluate import holds
from hedgerow.rules.inactive import settled
from hedgerow.rules.parse import parse_rule
from hedgerow.rules.resolve import resolve
from hedgerow.space.domains import Vector
from hedgerow.space.space import Space
from hedgerow.wording import suggestion


@lru_cache(maxsize=64)
def conditions_of_space(space: Space) -> Mapping[str, Expression]:
    """Return for each variable with a condition the resolved expression that is true exactly where it is active."""
    written = _read(space)
    places = {name: place for place, name in enumerate(space)}
    for name in written:
        _check_names(space, name, written, places)
    found: dict[str, Expression] = {}
    for name, expression in written.items():
        text = str(space.variables[name].when)
        try:
            resolved, remarks = resolve(expression, space, text)
        except RuleError as error:
            raise SpaceError(f"The condition of '{name}': {error}") from None
        if remarks:
            raise SpaceError(f"The condition of '{name}' ({text}) can never hold as it stands: {remarks[0]}.")
        found[name] = settled(resolved, space, if_open=False)
    return found


def cannot_be_evaluated(name: str, when: str) -> SpaceError:
    """Return the error for a condition that has no truth value at some points."""
    return SpaceError(
        f"The condition of '{name}' ({when}) cannot be evaluated at some points, for a division by zero perhaps. "
        "Write what should hold there before it, as in 'b != 0 and a / b > 2'."
    )


def inactive_in(space: Space, values: Sequence[Scalar | None]) -> list[str]:
    """Return the variables whose conditions do not hold at slot values, those of them included that have a value."""
    found = list(values)
    names: list[str] = []
    for name, condition in conditions_of_space(space).items():
        if not holds(condition, found):
            names.append(name)
            start, variable = space.first_slot[name], space.variables[name]
            n_slots = variable.length if isinstance(variable, Vector) else 1
            found[start : start + n_slots] = [None] * n_slots
    return names


def tie(space: Space, name: str, condition: Expression) -> Expression:
    """Return that a variable has a value exactly where its condition holds, all its components at once."""
    variable = space.variables[name]
    start = space.first_slot[name]
    n_slots = variable.length if isinstance(variable, Vector) else 1
    actives = [Active(Slot(start + place, space.slots[start + place].name)) for place in range(n_slots)]
    # Truth values, whatever the condition is worth: `when="depth"` may be a number.
    ties: list[Expression] = [Comparison("==", Not(actives[0]), Not(condition))]
    ties += [Comparison("==", left, right) for left, right in pairwise(actives)]
    return ties[0] if len(ties) == 1 else Fold("and", tuple(ties))


def _read(space: Space) -> dict[str, Expression]:
    written: dict[str, Expression] = {}
    for name, variable in space.variables.items():
        if variable.when is not None:
            try:
                written[name] = parse_rule(variable.when)
            except RuleError as error:
                raise SpaceError(f"The condition of '{name}': {error}") from None
    return written


def _check_names(space: Space, name: str, written: Mapping[str, Expression], places: Mapping[str, int]) -> None:
    when = space.variables[name].when
    for other in names_in(written[name]):
        if other not in places:
            near = suggestion(other, [each for each in space if each != name])
            raise SpaceError(f"The condition of '{name}' ({when}) names '{other}', which is not in the space{near}.")
        if other == name:
            raise SpaceError(f"The condition of '{name}' ({when}) names '{name}' itself. Name variables before it.")
        if places[other] > places[name]:
            circle = _circle(name, written)
            if circle:
                raise SpaceError(
                    f"Conditions run in a circle: {' needs '.join(circle)}. One of them must exist by itself."
                )
            raise SpaceError(
                f"The condition of '{name}' ({when}) names '{other}', which comes later. Put '{other}' before '{name}'."
            )


def names_in(expression: Expression) -> list[str]:
    """Return the names that an expression mentions, each once, in the order of the text."""
    found: dict[str, None] = {}
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Name):
            found[node.name] = None
        stack.extend(reversed(node.children))
    return list(found)


def _circle(start: str, written: Mapping[str, Expression]) -> list[str]:
    """Return the names along a way from a variable through conditions back to it, none where there is no such way."""
    ways = [[start]]
    seen = {start}
    while ways:
        way = ways.pop()
        for other in names_in(written[way[-1]]) if way[-1] in written else ():
            if other == start:
                return [*way, start]
            if other not in seen:
                seen.add(other)
                ways.append([*way, other])
    return []
