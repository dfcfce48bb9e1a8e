"""What the importers of planned experiments share: terms of rules, and measurements that fit the space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hedgerow.errors import PointError, ProblemFileError
from hedgerow.expressions import Name
from hedgerow.importers.imported import Imported, Measurement, assembled
from hedgerow.importers.naming import legal_names, renaming_notes
from hedgerow.importers.source import entry, kind_of, shortened
from hedgerow.rules import Rule
from hedgerow.space import Space, Variable
from hedgerow.space.encoding import decode, encode

# How far from equal a sum of real numbers may be; what BoFire allows, and finer than any level that is written.
TOLERANCE = 1e-6


class NotRepresented(Exception):  # noqa: N818 - says what was found, and is always caught
    """A constraint that rules about one point have no words for."""


@dataclass
class ExperimentDraft:
    """A problem as it is read: variables by their foreign names, then rules, then measurements."""

    name: str
    variables: dict[str, Variable] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    direction: str = "minimize"
    # Points by foreign names, each with its value.
    measured: list[tuple[Mapping[str, Any], float | None]] = field(default_factory=list)

    def own(self, foreign: object) -> str:
        """Return the name that rules call a variable by."""
        if not isinstance(foreign, str) or foreign not in self.variables:
            raise ProblemFileError(f"There is no parameter {shortened(repr(foreign))}.")
        return legal_names(self.variables)[foreign]

    def add_rules(self, constraints: Iterable[Any], text_of: Callable[[dict[str, Any]], Sequence[str]]) -> None:
        """Add the rules that constraints become; those that rules have no words for are listed."""
        for number, constraint in enumerate(constraints, start=1):
            kind = constraint.get("type") or constraint.get("__type") if isinstance(constraint, dict) else None
            if not isinstance(kind, str):
                raise ProblemFileError(
                    f"Constraint {number} should be an object with a type, but is {kind_of(constraint)}."
                )
            place = f"constraint {len(self.rules) + 1} ({kind})"
            try:
                texts = text_of(constraint)
            except NotRepresented as reason:
                self.missing.append(f"{place}: {reason}")
            except ProblemFileError as error:
                raise ProblemFileError(f"{place}: {error}") from None
            else:
                self.rules += [Rule(text, f"{kind} {len(self.rules) + 1 + more}") for more, text in enumerate(texts)]

    def imported(self) -> Imported:
        """Return the whole, with the measurements that are points of the space."""
        names = legal_names(self.variables)
        variables = {names[foreign]: variable for foreign, variable in self.variables.items()}
        measurements, n_outside = _fitting(Space(variables), names, self.measured) if variables else ([], 0)
        missing = list(self.missing)
        if n_outside:
            missing.append(f"{n_outside} of {len(self.measured)} measurements, whose values are not in the space")
        return assembled(
            self.name,
            variables,
            self.rules,
            [*renaming_notes(names), *self.notes],
            missing,
            {foreign: Name(own) for foreign, own in names.items()},
            direction=self.direction,
            measurements=measurements,
        )


def _fitting(
    space: Space, names: Mapping[str, str], measured: Iterable[tuple[Mapping[str, Any], float | None]]
) -> tuple[list[Measurement], int]:
    """Return the measurements at points of the space, and how many others there are."""
    fitting: list[Measurement] = []
    n_outside = 0
    for point, value in measured:
        try:
            row = encode(space, {own: point[foreign] for foreign, own in names.items()})
        except (PointError, KeyError):
            n_outside += 1
        else:
            fitting.append((decode(space, row), value))
    return fitting, n_outside


def weighted_sum(names: Sequence[str], weights: Sequence[Any]) -> str:
    """Return the text of a sum with coefficients."""
    if len(names) != len(weights) or not names:
        raise ProblemFileError("it needs as many coefficients as parameters.")
    return " + ".join(f"{_number(weight)} * {name}" for name, weight in zip(names, weights, strict=True))


def compared(text: str, operator: object, bound: Any, tolerance: Any = None) -> str:
    """Return the text of a comparison; equality of real numbers has a tolerance."""
    limit = _number(bound)
    near = TOLERANCE if tolerance is None else tolerance
    if operator in ("=", "=="):
        return f"abs({text} - {limit}) <= {_number(near)}"
    if operator == "!=":
        return f"abs({text} - {limit}) > {_number(near)}"
    if operator not in ("<", "<=", ">", ">="):
        raise ProblemFileError(f"the operator {shortened(repr(operator))} is not known.")
    return f"{text} {operator} {limit}"


def chosen(name: str, selection: Sequence[Any]) -> str:
    """Return the text that says a variable is one of some values."""
    if not all(isinstance(value, bool | int | float | str) for value in selection):
        raise ProblemFileError("a selection should list numbers and texts.")
    return f"{name} in {list(selection)!r}" if selection else "False"


def n_nonzero(names: Sequence[str]) -> str:
    """Return the text of how many variables are not zero."""
    return f"count({', '.join(f'abs({name}) > {TOLERANCE}' for name in names)})"


def combined(conditions: Sequence[str], how: object) -> str:
    """Return the text of conditions that hold together."""
    if how in ("AND", "OR"):
        return f" {str(how).lower()} ".join(f"({condition})" for condition in conditions)
    if how != "XOR" or not conditions:
        raise ProblemFileError(f"the combiner {shortened(repr(how))} is not known.")
    text = conditions[0]
    for condition in conditions[1:]:
        text = f"xor({text}, {condition})"
    return text


def records(frame: object, owner: str) -> list[dict[str, Any]] | None:
    """Return the rows of a table that was written as plain data; None where it is a pickle, which is never opened."""
    if isinstance(frame, dict):
        frame = next((frame[key] for key in ("data", "rows") if isinstance(frame.get(key), list)), frame)
    if isinstance(frame, list):
        return [row for row in frame if isinstance(row, dict)]
    if frame is None or frame == "":
        return []
    if isinstance(frame, str):
        return None
    raise ProblemFileError(f"{owner} should be a table, but is {kind_of(frame)}.")


def number_or_none(value: object) -> float | None:
    """Return a measured value, or None where there is none."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value == value else None  # noqa: PLR0124


def named(owner: dict[str, Any], key: str, what: str) -> list[Any]:
    """Return a list of names in an object."""
    listed: list[Any] = entry(owner, key, list, what)
    return listed


def _number(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e300 < value < 1e300:
        raise ProblemFileError(f"a number is needed, not {kind_of(value)}.")
    return repr(value) if value >= 0 else f"({value!r})"
