"""Why a point breaks the rules: which rules, and what their parts are worth there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from hedgerow.errors import RuleError
from hedgerow.expressions import (
    Comparison,
    Constant,
    Expression,
    Listing,
    LongestRun,
    Name,
    Reduction,
    Scalar,
)
from hedgerow.rules.evaluate import evaluate
from hedgerow.rules.inactive import settled
from hedgerow.rules.resolve import resolve
from hedgerow.rules.rule import BoundRule
from hedgerow.rules.simplify import conjuncts
from hedgerow.space.space import Space
from hedgerow.web import Html, tag
from hedgerow.wording import counted, quoted

_MAX_SHOWN = 8


@dataclass(frozen=True)
class BrokenRule:
    """One broken rule: the values it reads, what its parts are worth, and why it fails."""

    name: str
    text: str
    values: dict[str, Any]
    parts: dict[str, Any]
    reason: str

    def __str__(self) -> str:
        title = f"'{self.name}'" if self.name == self.text else f"'{self.name}' ({self.text})"
        lines = [f"breaks {title}: {self.reason}"]
        if self.parts:
            lines.append("    " + ", ".join(f"{part} = {value!r}" for part, value in self.parts.items()))
        lines.append(f"    with {self.shown()}")
        return "\n".join(lines)

    def shown(self) -> str:
        """Return the values that the rule reads, the first few of many."""
        listed = [f"{name} inactive" if value is None else f"{name} = {value!r}" for name, value in self.values.items()]
        more = f" and {len(listed) - _MAX_SHOWN} more" if len(listed) > _MAX_SHOWN else ""
        return ", ".join(listed[:_MAX_SHOWN]) + more


@dataclass(frozen=True)
class Explanation:
    """The rules that a point breaks; empty when it is feasible."""

    broken: tuple[BrokenRule, ...]

    @property
    def is_feasible(self) -> bool:
        """Whether no rule is broken."""
        return not self.broken

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {"feasible": self.is_feasible, "broken": [asdict(rule) for rule in self.broken]}

    def __iter__(self) -> Iterator[BrokenRule]:
        return iter(self.broken)

    def __len__(self) -> int:
        return len(self.broken)

    def __repr__(self) -> str:
        broken = quoted(rule.name for rule in self.broken)
        return f"<Explanation: {'every rule is kept' if self.is_feasible else f'breaks {broken}'}>"

    def _repr_html_(self) -> Html:
        if self.is_feasible:
            return tag("div", str(self))
        rows = [
            tag(
                "tr",
                tag("th", rule.name),
                tag("td", rule.reason),
                tag("td", rule.shown()),
                tag("td", ", ".join(f"{part} = {value!r}" for part, value in rule.parts.items())),
                tag("td", tag("code", rule.text) if rule.text != rule.name else ""),
            )
            for rule in self.broken
        ]
        head = tag("tr", *(tag("th", words) for words in ("rule", "why", "with", "there", "as written")))
        return tag("div", tag("strong", f"The point breaks {counted(len(rows), 'rule')}."), tag("table", head, *rows))

    def __str__(self) -> str:
        if self.is_feasible:
            return "The point satisfies every rule."
        return "The point " + "\nand ".join(str(rule) for rule in self.broken)


def explain(space: Space, rules: Sequence[BoundRule], values: Sequence[Scalar | None]) -> Explanation:
    """Explain the slot values of a point."""
    return Explanation(tuple(_broken(space, rule, values) for rule in rules if not rule.holds(values)))


def _broken(space: Space, rule: BoundRule, values: Sequence[Scalar | None]) -> BrokenRule:
    read = {space.slots[slot].name: values[slot] for slot in rule.slots}
    if rule.condition_of is not None:
        return BrokenRule(rule.name, rule.text, read, {}, _presence(space, rule.condition_of, rule.slots, values))
    parts: dict[str, Any] = {}
    for failing in _failing_conjuncts(space, rule.written, values):
        for part in _informative_parts(failing):
            value = worth(space, part, values)
            if value is not None:
                parts[str(part)] = value
    return BrokenRule(rule.name, rule.text, read, parts, _reason(space, rule, values))


def _reason(space: Space, rule: BoundRule, values: Sequence[Scalar | None]) -> str:
    try:
        evaluate(rule.expression, values)
    except ArithmeticError as error:
        return f"it cannot be evaluated ({error})"
    if len(conjuncts(rule.written)) == 1:
        return "it is false"
    failing = _failing_conjuncts(space, rule.written, values)
    listed = " and ".join(f"'{part}'" for part in failing)
    return f"{listed} {'is' if len(failing) == 1 else 'are'} false"


def _presence(space: Space, name: str, slots: Sequence[int], values: Sequence[Scalar | None]) -> str:
    """Return why a variable should have a value and has none, or the other way round."""
    own = [slot for slot in slots if space.slots[slot].owner == name]
    reasons = [
        f"{space.slots[slot].name} is {'inactive' if values[slot] is None else repr(values[slot])}"
        for slot in slots
        if slot not in own
    ]
    more = f" and {len(reasons) - _MAX_SHOWN} more" if len(reasons) > _MAX_SHOWN else ""
    because = " and ".join(reasons[:_MAX_SHOWN]) + more
    is_missing = [values[slot] is None for slot in own]
    if all(is_missing):
        return f"{name} is active because {because}, but has no value"
    if any(is_missing):
        return f"{name} has values for some of its components alone"
    given = repr(values[own[0]]) if len(own) == 1 else "values"
    return f"{name} is inactive because {because}, but has {'the value ' if len(own) == 1 else ''}{given}"


def _failing_conjuncts(space: Space, written: Expression, values: Sequence[Scalar | None]) -> list[Expression]:
    return [part for part in conjuncts(written) if not _part_holds(space, part, values)]


def _part_holds(space: Space, written: Expression, values: Sequence[Scalar | None]) -> bool:
    try:
        resolved, _ = resolve(written, space, str(written))
        return bool(evaluate(settled(resolved, space, if_open=True), values))
    except (ArithmeticError, RuleError):
        return False


def _informative_parts(expression: Expression) -> Iterator[Expression]:
    """Yield the computed sides of comparisons: what a reader would work out by hand."""
    stack = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, Comparison):
            yield from (side for side in node.children if not isinstance(side, Constant | Name | Listing))
        elif isinstance(node, Reduction | LongestRun):
            yield node
        else:
            stack.extend(reversed(node.children))


def worth(space: Space, written: Expression, values: Sequence[Scalar | None]) -> Any:
    """Return the value of a part as written, or None where it has none by itself."""
    try:
        resolved, _ = resolve(written, space, str(written))
        return evaluate(resolved, values)
    except (ArithmeticError, RuleError):
        return None
