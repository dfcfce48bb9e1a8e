"""Conditions of ConfigSpace as conditions of variables, and forbidden clauses as rules."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from hedgerow.errors import ProblemFileError, RuleError
from hedgerow.expressions import Active, Comparison, Constant, Expression, Name, Scalar
from hedgerow.importers.configspace_variables import Parameter, as_scalar
from hedgerow.importers.logic import ALWAYS, NEVER, all_hold, any_holds, is_always, is_never, opposite
from hedgerow.importers.source import MAX_NESTING, entry
from hedgerow.rules import Rule, table
from hedgerow.rules.extent import check_extent
from hedgerow.space import Categorical, Ordinal, Real, Variable
from hedgerow.wording import ending

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "LT": operator.lt,
    "LE": operator.le,
    "EQ": operator.eq,
    "GT": operator.gt,
    "GE": operator.ge,
}
_SIGNS = {"LT": "<", "LE": "<=", "EQ": "==", "GT": ">", "GE": ">="}
MAX_PAIRS = 100_000


class Activity:
    """When each hyperparameter is active: `conditions` has those that are not always, in terms of their parents.

    A condition on an inactive parent does not hold, but for NEQ, which does; conditions of variables mean the same but
    for that. Those in `never` are left out, since nothing ever makes them active.
    """

    def __init__(
        self, parameters: Mapping[str, Parameter], names: Mapping[str, str], listed: list[Any], never: frozenset[str]
    ) -> None:
        self._parameters = parameters
        self._names = names
        self._never = never
        self._stated: dict[str, list[dict[str, Any]]] = {}
        for number, item in enumerate(listed, start=1):
            child = _known(entry(item, "child", str, f"condition {number}"), parameters, f"condition {number}")
            self._stated.setdefault(child, []).append(item)
        self.conditions: dict[str, Expression] = {}
        # Parents before their children, otherwise as in the file.
        self.order: list[str] = []
        self._being_read: list[str] = []
        for name in parameters:
            self.of(name)

    def of(self, name: str) -> Expression:
        """Return when the hyperparameter is active."""
        if name not in self.order:
            if name in self._being_read or len(self._being_read) > MAX_NESTING:
                raise ProblemFileError(f"Conditions: '{name}' depends on itself, or on a chain of too many others.")
            self._being_read.append(name)
            condition = all_hold(self._condition(item, name, 0) for item in self._stated.get(name, ()))
            try:
                check_extent(condition)
            except RuleError as error:
                raise ProblemFileError(f"Conditions of '{name}': {error}") from None
            if not is_always(condition):
                self.conditions[name] = condition
            self.order.append(name)
            self._being_read.pop()
        return NEVER if name in self._never else self.conditions.get(name, ALWAYS)

    def literal(self, name: str, condition: Expression) -> Expression:
        """Return that a hyperparameter is active and something holds of it."""
        active = self.of(name)
        if is_never(active):
            return NEVER
        # Any other condition reads the variable, which says that it is active.
        return Active(Name(self._names[name])) if is_always(condition) and not is_always(active) else condition

    def _condition(self, item: Any, child: str, depth: int) -> Expression:
        owner = f"a condition of '{child}'"
        kind = entry(item, "type", str, owner)
        if kind in ("AND", "OR"):
            if depth > MAX_NESTING:
                raise ProblemFileError(f"Conditions of '{child}' are nested more than {MAX_NESTING} deep.")
            inner = [self._condition(part, child, depth + 1) for part in entry(item, "conditions", list, owner)]
            return all_hold(inner) if kind == "AND" else any_holds(inner)
        parent = _known(entry(item, "parent", str, owner), self._parameters, owner)
        parameter, name = self._parameters[parent], self._names[parent]
        active = self.of(parent)
        if kind == "NEQ":
            other = opposite(_is_one_of(parameter, name, [_value(item, owner)]))
            if is_never(active):
                return ALWAYS
            return other if is_always(active) else any_holds([opposite(Active(Name(name))), other])
        return self.literal(parent, _condition_literal(kind, item, parameter, name, owner))


def _condition_literal(kind: str, item: dict[str, Any], parameter: Parameter, name: str, owner: str) -> Expression:
    if kind == "IN":
        return _is_one_of(parameter, name, [as_scalar(v) for v in entry(item, "values", list, owner)])
    if kind not in ("EQ", "LT", "GT"):
        known = ("AND", "OR", "EQ", "NEQ", "IN", "LT", "GT")
        raise ProblemFileError(f"'type' of {owner} is '{kind}'{ending(kind, known)}")
    return _compared(kind, parameter, name, _value(item, owner))


class Forbidden:
    """Turns forbidden clauses into rules that they do not hold; one about what is inactive does not apply."""

    def __init__(self, parameters: Mapping[str, Parameter], names: Mapping[str, str], activity: Activity) -> None:
        self._parameters = parameters
        self._names = names
        self._activity = activity

    def rules(self, clauses: list[Any]) -> list[Rule]:
        """Return one rule per clause."""
        rules: list[Rule] = []
        for number, clause in enumerate(clauses, start=1):
            allowed = opposite(self._clause(clause, f"forbidden clause {number}", 0))
            if not is_always(allowed):
                rules.append(Rule(allowed, f"forbidden {number}"))
        return rules

    def _clause(self, item: Any, owner: str, depth: int) -> Expression:
        kind = entry(item, "type", str, owner)
        if kind in ("AND", "OR"):
            if depth > MAX_NESTING:
                raise ProblemFileError(f"{owner} is nested more than {MAX_NESTING} deep.")
            inner = [self._clause(part, owner, depth + 1) for part in entry(item, "clauses", list, owner)]
            return all_hold(inner) if kind == "AND" else any_holds(inner)
        if kind.startswith("RELATION"):
            sign = entry(item, "lambda", str, owner) if kind == "RELATION" else kind.removeprefix("RELATION_")
            return self._relation(sign, item, owner)
        foreign = _known(entry(item, "name", str, owner), self._parameters, owner)
        parameter, name = self._parameters[foreign], self._names[foreign]
        if kind == "IN":
            literal = _is_one_of(parameter, name, [as_scalar(v) for v in entry(item, "values", list, owner)])
        elif kind == "EQUALS":
            literal = _is_one_of(parameter, name, [_value(item, owner)])
        elif kind.removeprefix("CLAUSE_") in ("LT", "LE", "GT", "GE"):
            literal = _compared(kind.removeprefix("CLAUSE_"), parameter, name, _value(item, owner))
        else:
            raise ProblemFileError(f"'type' of {owner} is '{kind}', which is not known.")
        return self._activity.literal(foreign, literal)

    def _relation(self, sign: str, item: dict[str, Any], owner: str) -> Expression:
        if sign not in _COMPARISONS:
            raise ProblemFileError(f"the relation of {owner} is '{sign}'{ending(sign, _COMPARISONS)}")
        left, right = (_known(entry(item, side, str, owner), self._parameters, owner) for side in ("left", "right"))
        related = self._related(sign, left, right, owner)
        if is_always(related):
            return all_hold(self._activity.literal(side, ALWAYS) for side in (left, right))
        return NEVER if any(is_never(self._activity.of(side)) for side in (left, right)) else related

    def _related(self, sign: str, left: str, right: str, owner: str) -> Expression:
        sides = [self._parameters[side].variable.values for side in (left, right)]
        names = [Name(self._names[side]) for side in (left, right)]
        if not any(isinstance(value, str) for values in sides for value in values):
            return Comparison(_SIGNS[sign], names[0], names[1])
        # Text is compared letter by letter here, which the rule language would not do for ordered labels.
        if len(sides[0]) * len(sides[1]) > MAX_PAIRS:
            raise ProblemFileError(f"{owner} relates too many pairs of values, more than {MAX_PAIRS:,}.")
        try:
            pairs = [(a, b) for a in sides[0] for b in sides[1] if _COMPARISONS[sign](a, b)]
        except TypeError:
            raise ProblemFileError(f"{owner} compares text with numbers: '{left}' and '{right}'.") from None
        if left == right:
            same = [a for a, b in pairs if a == b]
            return _is_one_of(self._parameters[left], self._names[left], same)
        return table(names, pairs) if pairs else NEVER


def _known(name: str, parameters: Mapping[str, Parameter], owner: str) -> str:
    if name not in parameters:
        raise ProblemFileError(f"{owner} mentions '{name}', which is not a hyperparameter{ending(name, parameters)}")
    return name


def _value(item: dict[str, Any], owner: str) -> Scalar:
    if "value" not in item:
        raise ProblemFileError(f"{owner} lacks the key 'value'.")
    return as_scalar(item["value"])


def _is_one_of(parameter: Parameter, name: str, values: list[Scalar]) -> Expression:
    """The variable has one of the values; those that it can never have are left out."""
    variable = parameter.variable
    possible = [value for value in dict.fromkeys(values) if _may_be(variable, value)]
    if not possible:
        return NEVER
    if not variable.is_continuous and len(possible) == len(variable.values):
        return ALWAYS
    return Name(name) == possible[0] if len(possible) == 1 else Name(name).is_in(possible)


def _may_be(variable: Variable, value: Scalar) -> bool:
    if isinstance(variable, Real) and variable.is_continuous:
        return isinstance(value, int | float) and variable.low <= value <= variable.high
    return value in variable.values


def _compared(kind: str, parameter: Parameter, name: str, value: Scalar) -> Expression:
    """The variable is below or above the value, in ConfigSpace's order of its values."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_increasing = parameter.order == parameter.variable.values and not isinstance(parameter.variable, Categorical)
    if is_number and is_increasing and not isinstance(parameter.variable, Ordinal):
        return Comparison(_SIGNS[kind], Name(name), Constant(value))
    if kind == "EQ":
        return _is_one_of(parameter, name, [value])
    if parameter.order is None or value not in parameter.order:
        raise ProblemFileError(f"'{name}' is compared with {value!r}, which has no place in an order of its values.")
    place = parameter.order.index(value)
    return _is_one_of(parameter, name, [v for i, v in enumerate(parameter.order) if _COMPARISONS[kind](i, place)])
