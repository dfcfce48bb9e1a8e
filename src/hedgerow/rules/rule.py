"""Rules as users give them (text, expressions, functions, with or without names), and bound to a space."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hedgerow.errors import RuleError, RuleWarning, warn_user
from hedgerow.expressions import AllDifferent, Expression, Name, Opaque, Scalar, Slot
from hedgerow.rules.conditions import conditions_of_space, tie
from hedgerow.rules.evaluate import holds
from hedgerow.rules.extent import check_extent
from hedgerow.rules.inactive import settled
from hedgerow.rules.parse import parse_rule
from hedgerow.rules.resolve import resolve, slots_of
from hedgerow.space.permutation import Permutation, in_order
from hedgerow.space.shares import Shares
from hedgerow.space.space import Space
from hedgerow.web import Html, tag
from hedgerow.wording import suggestion

_NAME_LIMIT = 60


@dataclass(frozen=True)
class Rule:
    """A rule with a name, which all messages use.

    Parameters
    ----------
    content : str, expression or callable
        What must hold: text in the rule language, an expression built from `space["name"]`, or a function whose
        arguments are named after variables.
    name : str, optional
        What messages call it; without one the text itself is its name.

    Raises
    ------
    RuleError
        Not here, but where the rule meets a space that it cannot be read against.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": [1, 2, 4], "y": [1, 2, 4]})
    >>> rules = [hr.Rule("x * y <= 8", name="threads"), hr.Rule(lambda x, y: x >= y, name="wide")]
    >>> [rule.name for rule in hr.FeasibleSet(space, rules).explain({"x": 2, "y": 4})]
    ['wide']
    """

    content: str | Expression | Callable[..., object]
    name: str | None = None

    def __repr__(self) -> str:
        return f"Rule({self.content!r}{f', name={self.name!r}' if self.name else ''})"

    def _repr_html_(self) -> Html:
        content = str(self.content) if isinstance(self.content, str | Expression) else _function_name(self.content)
        return tag("div", *([tag("strong", self.name), ": "] if self.name else []), tag("code", content))


RuleLike = str | Expression | Callable[..., object] | Rule


@dataclass(frozen=True)
class BoundRule:
    """A rule whose names have been looked up in a space.

    Parameters
    ----------
    name : str
        What messages call it.
    text : str
        What it says.
    written : Expression
        The rule as given.
    expression : Expression
        The same over scalar slots, true where inactive variables leave it open.
    is_of_space : bool, optional
        Whether nobody gave it: it says which rows are points at all, as that shares add up to 1.
    condition_of : str, optional
        The variable that has a value exactly where it should, if that is what the rule says.

    Examples
    --------
    >>> import hedgerow as hr
    >>> (rule,) = hr.rules.bind_rules(hr.Space({"a": [1, 2], "b": [1, 2]}), {"order": "a < b"})
    >>> rule.name, rule.slots
    ('order', (0, 1))
    """

    name: str
    text: str
    written: Expression
    expression: Expression
    is_of_space: bool = False
    condition_of: str | None = None

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """The positions of the slots it reads."""
        return slots_of(self.expression)

    def holds(self, values: Sequence[Scalar | None]) -> bool:
        """Return whether a point satisfies the rule.

        Parameters
        ----------
        values : sequence
            The value of each slot of the space.

        Returns
        -------
        bool
            False also where the rule cannot be evaluated.

        Raises
        ------
        RuleError
            Where a function that is a rule raises anything but an arithmetic error.

        Examples
        --------
        >>> import hedgerow as hr
        >>> (rule,) = hr.rules.bind_rules(hr.Space({"a": [0, 1], "b": [0, 1]}), ["a / b >= 1"])
        >>> rule.holds([1, 1]), rule.holds([1, 0])
        (True, False)
        """
        return holds(self.expression, values)


def bind_rules(space: Space, rules: Iterable[RuleLike] | Mapping[str, RuleLike]) -> tuple[BoundRule, ...]:
    """Read all rules against a space.

    Parameters
    ----------
    space : Space
        Where names are looked up.
    rules : iterable or mapping of rules
        Text, expressions, functions or `Rule` objects; a mapping names them.

    Returns
    -------
    tuple of BoundRule
        The rules in the order given, each with a name of its own; then those that belong to the space itself.

    Raises
    ------
    RuleError
        At the first rule that cannot be read, with its name.

    Examples
    --------
    >>> import hedgerow as hr
    >>> [rule.text for rule in hr.rules.bind_rules(hr.Space({"a": [1, 2]}), ["a   <  2"])]
    ['a < 2']
    """
    if isinstance(rules, str | Expression | Rule) or callable(rules):
        raise RuleError("Rules come as a list, or as a dict of names and rules; wrap a single rule in [ ].")
    if not isinstance(rules, Iterable):
        raise RuleError(f"Rules come as a list, or as a dict of names and rules, but {rules!r} was given.")
    listed: list[RuleLike] = (
        [Rule(_content(rule), name) for name, rule in rules.items()] if isinstance(rules, Mapping) else list(rules)
    )
    bound: list[BoundRule] = []
    taken: set[str] = set()
    for position, rule in enumerate(listed, start=1):
        bound.append(_bind(space, rule, position, taken))
        taken.add(bound[-1].name)
    for position, rule in enumerate(_shares_add_up(space), start=len(listed) + 1):
        bound.append(replace(_bind(space, rule, position, taken), is_of_space=True))
        taken.add(bound[-1].name)
    for name in space.permutations:
        bound.append(_order_rule(space, name, len(bound) + 1, taken))
        taken.add(bound[-1].name)
    for name, condition in conditions_of_space(space).items():
        bound.append(_condition_rule(space, name, condition, len(bound) + 1, taken))
        taken.add(bound[-1].name)
    return tuple(bound)


def rules_of_space(space: Space) -> tuple[BoundRule, ...]:
    """Return the rules that make rows of slots points of the space."""
    return bind_rules(space, ())


def _shares_add_up(space: Space) -> list[Rule]:
    return [
        Rule(f"isclose(sum({name}), 1)", f"{name} adds up to 1")
        for name, variable in space.variables.items()
        if isinstance(variable, Shares)
    ]


def _order_rule(space: Space, name: str, position: int, taken: set[str]) -> BoundRule:
    """Return the rule that no two items of an order stand at the same position."""
    start, n_items = space.first_slot[name], space.permutations[name].length
    slots = tuple(Slot(place, space.slots[place].name) for place in range(start, start + n_items))
    label = f"{name} holds each item once"
    differ = AllDifferent(slots)
    return BoundRule(_unique(label, position, taken), label, differ, differ, is_of_space=True)


def _condition_rule(space: Space, name: str, condition: Expression, position: int, taken: set[str]) -> BoundRule:
    """Return the rule that a variable has a value exactly where its condition holds."""
    text = str(space.variables[name].when)
    label = f"{name} exists when {text}"
    title = _unique(label if len(label) <= _NAME_LIMIT else f"{name} exists", position, taken)
    expression = tie(space, name, condition)
    return BoundRule(title, label, expression, expression, is_of_space=True, condition_of=name)


def _function_name(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", repr(function))


def _content(rule: RuleLike) -> str | Expression | Callable[..., object]:
    return rule.content if isinstance(rule, Rule) else rule


def _bind(space: Space, rule: RuleLike, position: int, taken: set[str]) -> BoundRule:
    content = _content(rule)
    given_name = rule.name if isinstance(rule, Rule) else None
    label = f"Rule '{given_name}'" if given_name else f"Rule {position}"
    try:
        expression = _read(space, content)
        check_extent(expression)
        text = " ".join(content.split()) if isinstance(content, str) else str(expression)
        source = content if isinstance(content, str) else text
        resolved, remarks = resolve(expression, space, source)
    except RuleError as error:
        raise RuleError(f"{label}: {error}") from error.__cause__
    name = _unique(given_name or (text if len(text) <= _NAME_LIMIT else f"rule {position}"), position, taken)
    for remark in remarks:
        warn_user(f"Rule '{name}': {remark}", RuleWarning)
    return BoundRule(name, text, expression, settled(resolved, space, if_open=True))


def _read(space: Space, content: object) -> Expression:
    if isinstance(content, str):
        return parse_rule(content)
    if isinstance(content, Expression):
        return content
    if callable(content):
        return _function(space, content)
    if isinstance(content, bool):
        raise RuleError(
            f"is the plain value {content}, not a rule. Python compared two things before the rule could see them; "
            "build it from space['name'] or write it as text."
        )
    raise RuleError(f"must be text, an expression or a function, but {type(content).__name__} was given: {content!r}.")


def _function(space: Space, function: Callable[..., object]) -> Opaque:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise RuleError(f"the arguments of {function!r} cannot be read. Wrap it: lambda x, y: f(x, y).") from None
    names: list[str] = []
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise RuleError(f"the function must name its variables; '{parameter}' does not. Write lambda x, y: ...")
        if parameter.name in space:
            names.append(parameter.name)
        elif parameter.default is parameter.empty:
            raise RuleError(
                f"the function's argument '{parameter.name}' is not a variable{suggestion(parameter.name, list(space))}"
            )
    whole = {name: variable for name in names if isinstance(variable := space.variables[name], Shares | Permutation)}
    if not names:
        raise RuleError("the function reads no variable of the space. Name its arguments after variables.")
    called = _WithWhole(function, whole) if whole else function
    return Opaque(called, tuple(Name(name) for name in names), tuple(names))


class _WithWhole:
    """A function that is called with shares and orders as points hold them."""

    def __init__(self, function: Callable[..., object], whole: Mapping[str, Shares | Permutation]) -> None:
        self._function = function
        self._whole = whole
        self.__name__ = _function_name(function)

    def __call__(self, **values: Any) -> object:
        whole = {
            name: in_order(kind, values[name])
            if isinstance(kind, Permutation)
            else dict(zip(kind.names, values[name], strict=True))
            for name, kind in self._whole.items()
        }
        return self._function(**{**values, **whole})


def _unique(name: str, position: int, taken: set[str]) -> str:
    return f"{name} (rule {position})" if name in taken else name
