"""Conditions and forbidden clauses of ConfigSpace as rules."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hedgerow.errors import ProblemFileError, RuleError
from hedgerow.expressions import Comparison, Constant, Expression, Name, Scalar
from hedgerow.importers.configspace_variables import Parameter, as_scalar
from hedgerow.importers.logic import ALWAYS, NEVER, all_hold, any_holds, is_always, opposite
from hedgerow.importers.source import MAX_NESTING, entry
from hedgerow.rules import Rule, table
from hedgerow.rules.extent import check_extent
from hedgerow.space import Categorical, Ordinal
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
    """When each hyperparameter is active; `conditions` has those that are not always."""

    def __init__(self, parameters: Mapping[str, Parameter], names: Mapping[str, str], listed: list[Any]) -> None:
        self._parameters = parameters
        self._names = names
        self._stated: dict[str, list[dict[str, Any]]] = {}
        for number, item in enumerate(listed, start=1):
            child = _known(entry(item, "child", str, f"condition {number}"), parameters, f"condition {number}")
            self._stated.setdefault(child, []).append(item)
        self.conditions: dict[str, Expression] = {}
        self._being_read: list[str] = []
        for child in parameters:
            if child in self._stated:
                self.of(child)

    def of(self, name: str) -> Expression:
        """Return when the hyperparameter is active."""
        if name not in self._stated:
            return ALWAYS
        if name not in self.conditions:
            if name in self._being_read or len(self._being_read) > MAX_NESTING:
                raise ProblemFileError(f"Conditions: '{name}' depends on itself, or on a chain of too many others.")
            self._being_read.append(name)
            condition = all_hold(self._condition(item, name, 0) for item in self._stated[name])
            # Conditions that refer to conditions can grow without bound; this refuses the first that is too long.
            try:
                check_extent(condition)
            except RuleError as error:
                raise ProblemFileError(f"Conditions of '{name}', with those of its parents: {error}") from None
            self.conditions[name] = condition
            self._being_read.pop()
        return self.conditions[name]

    def rules(self) -> list[Rule]:
        """Return what pins inactive hyperparameters to their default values."""
        rules: list[Rule] = []
        for name, condition in self.conditions.items():
            pinned = any_holds([condition, Name(self._names[name]) == self._parameters[name].default])
            if not is_always(pinned):
                rules.append(Rule(pinned, f"{name} where inactive"))
        return rules

    def notes(self) -> list[str]:
        """Return what to know about inactive hyperparameters."""
        if not self.conditions:
            return []
        listed = ", ".join(
            f"{self._names[name]} = {self._parameters[name].default!r}" for name in list(self.conditions)[:12]
        )
        more = f" and {len(self.conditions) - 12} more" if len(self.conditions) > 12 else ""
        return [f"inactive hyperparameters are pinned to their default values: {listed}{more}."]

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
            same = _is_one_of(parameter, name, [_value(item, owner)])
            return opposite(_where_active(same, active))
        return _where_active(_condition_literal(kind, item, parameter, name, owner), active)


def _condition_literal(kind: str, item: dict[str, Any], parameter: Parameter, name: str, owner: str) -> _Literal:
    if kind == "IN":
        return _is_one_of(parameter, name, [as_scalar(v) for v in entry(item, "values", list, owner)])
    if kind not in ("EQ", "LT", "GT"):
        known = ("AND", "OR", "EQ", "NEQ", "IN", "LT", "GT")
        raise ProblemFileError(f"'type' of {owner} is '{kind}'{ending(kind, known)}")
    return _compared(kind, parameter, name, _value(item, owner))


class Forbidden:
    """Turns forbidden clauses into rules that they do not hold."""

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
        return _where_active(literal, self._activity.of(foreign))

    def _relation(self, sign: str, item: dict[str, Any], owner: str) -> Expression:
        if sign not in _COMPARISONS:
            raise ProblemFileError(f"the relation of {owner} is '{sign}'{ending(sign, _COMPARISONS)}")
        left, right = (_known(entry(item, side, str, owner), self._parameters, owner) for side in ("left", "right"))
        active = [self._activity.of(left), self._activity.of(right)]
        return all_hold([*active, self._related(sign, left, right, owner)])

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
            return _is_one_of(self._parameters[left], self._names[left], same).condition
        return table(names, pairs) if pairs else NEVER


def _known(name: str, parameters: Mapping[str, Parameter], owner: str) -> str:
    if name not in parameters:
        raise ProblemFileError(f"{owner} mentions '{name}', which is not a hyperparameter{ending(name, parameters)}")
    return name


def _value(item: dict[str, Any], owner: str) -> Scalar:
    if "value" not in item:
        raise ProblemFileError(f"{owner} lacks the key 'value'.")
    return as_scalar(item["value"])


class _Literal(NamedTuple):
    """A condition on one hyperparameter, and whether its default value meets it."""

    condition: Expression
    holds_at_default: bool


def _where_active(literal: _Literal, active: Expression) -> Expression:
    """The literal holds and its hyperparameter is active; pinned to a default that fails, it is active anyway."""
    return all_hold([active, literal.condition]) if literal.holds_at_default else literal.condition


def _is_one_of(parameter: Parameter, name: str, values: list[Scalar]) -> _Literal:
    """The variable has one of the values; those that it can never have are left out."""
    possible = [value for value in dict.fromkeys(values) if value in parameter.variable.values]
    if not possible:
        return _Literal(NEVER, False)
    if len(possible) == len(parameter.variable.values):
        return _Literal(ALWAYS, True)
    condition = Name(name) == possible[0] if len(possible) == 1 else Name(name).is_in(possible)
    return _Literal(condition, parameter.default in possible)


def _compared(kind: str, parameter: Parameter, name: str, value: Scalar) -> _Literal:
    """The variable is below or above the value, in ConfigSpace's order of its values."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_increasing = parameter.order == parameter.variable.values and not isinstance(parameter.variable, Categorical)
    if is_number and is_increasing and not isinstance(parameter.variable, Ordinal):
        return _Literal(
            Comparison(_SIGNS[kind], Name(name), Constant(value)), _COMPARISONS[kind](parameter.default, value)
        )
    if kind == "EQ":
        return _is_one_of(parameter, name, [value])
    if parameter.order is None or value not in parameter.order:
        raise ProblemFileError(f"'{name}' is compared with {value!r}, which has no place in an order of its values.")
    place = parameter.order.index(value)
    return _is_one_of(parameter, name, [v for i, v in enumerate(parameter.order) if _COMPARISONS[kind](i, place)])
