"""What every importer returns: a foreign file as a space with rules, and an account of what was changed on the way."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hedgerow.errors import ProblemFileError, RuleError, RuleWarning, SpaceError
from hedgerow.expressions import Expression, Name
from hedgerow.importers.naming import unused
from hedgerow.problem_file import format_problem, parse_problem
from hedgerow.rules import Rule, bind_rules
from hedgerow.rules.evaluate import evaluate
from hedgerow.rules.resolve import resolve
from hedgerow.space import Point, Space, toml
from hedgerow.space.encoding import decode, encode, slot_values

# A point of the space with what was measured there; None where the trial failed.
Measurement = tuple[Point, float | None]


@dataclass(frozen=True)
class Imported:
    r"""A named space and its rules, and what became of the file.

    Parameters
    ----------
    name : str
        What the problem is called.
    space : Space
        What may vary.
    rules : tuple of Rule
        What must hold.
    notes : tuple of str, optional
        What was renamed, folded or discretized.
    missing : tuple of str, optional
        What the file says and the rules do not.
    meanings : mapping of str to Expression, optional
        Foreign names as expressions of the variables, where the two differ.
    conditions : mapping of str to Expression, optional
        Where a foreign name has a value at all, if not everywhere.
    direction : str, optional
        Which values are good, "minimize" or "maximize".
    measurements : tuple of (dict, float or None), optional
        Points with what was measured there, where the file has some; None where the trial failed.

    Examples
    --------
    >>> import hedgerow as hr
    >>> from hedgerow.importers import read_csv
    >>> imported = read_csv("a,b\n1,2\n3,4\n")
    >>> list(hr.FeasibleSet(imported.space, imported.rules))
    [{'a': 1, 'b': 2}, {'a': 3, 'b': 4}]
    """

    name: str
    space: Space
    rules: tuple[Rule, ...]
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    meanings: Mapping[str, Expression] = field(default_factory=dict)
    conditions: Mapping[str, Expression] = field(default_factory=dict)
    direction: str = "minimize"
    measurements: tuple[Measurement, ...] = ()

    def to_toml(self) -> str:
        r"""Return the problem file, with everything to know about the import as comments at its head.

        Returns
        -------
        str
            TOML that `hedgerow` reads.

        Raises
        ------
        ProblemFileError
            Where a text or a rule of the foreign file cannot be written so that it reads back the same.

        Examples
        --------
        >>> from hedgerow.importers import read_dimacs
        >>> print(read_dimacs("p cnf 2 1\n1 2 0\n").to_toml().splitlines()[0])
        # problem, imported by Hedgerow
        """
        names = _rule_names(self.rules)
        try:
            body = format_problem(self.space, dict(zip(names, self.rules, strict=True)))
            if self.direction != "minimize":
                body += "\n" + toml.table("objective", {"direction": self.direction})
            text = "".join(f"# {_one_line(line)}\n" for line in self._header()) + "\n" + body
            text.encode()
            # What cannot be read back must fail here, where the foreign file is at hand, and not in a later run.
            parse_problem(text, "the problem file")
        except UnicodeEncodeError:
            raise ProblemFileError("A text in the file is not valid Unicode, so no problem file can hold it.") from None
        except RuleError as error:
            raise ProblemFileError(str(error)) from None
        return text

    def _header(self) -> list[str]:
        notes = [f"Note: {note}" for note in self.notes]
        missing = [f"NOT REPRESENTED: {item}" for item in self.missing]
        return [f"{self.name}, imported by Hedgerow", *missing, *notes]

    def original(self, point: Mapping[str, Any]) -> dict[str, Any]:
        r"""Return a point in the names and values of the foreign file, without what is inactive there.

        Parameters
        ----------
        point : mapping
            A value for every variable of the space.

        Returns
        -------
        dict
            Foreign names and their values.

        Raises
        ------
        PointError
            Where the point does not fit the space.

        Examples
        --------
        >>> from hedgerow.importers import read_uvl
        >>> imported = read_uvl("features\n    car\n        optional\n            radio\n")
        >>> imported.original({"radio": True})
        {'car': True, 'radio': True}
        """
        codes = encode(self.space, point)
        plain, values = decode(self.space, codes), slot_values(self.space, codes)
        if not self.meanings:
            return plain
        meanings, conditions = self._resolved
        return {
            name: plain[written.name] if isinstance(written, Name) else evaluate(meanings[name], values)
            for name, written in self.meanings.items()
            if name not in conditions or evaluate(conditions[name], values)
            if not isinstance(written, Name) or written.name in plain
        }

    @cached_property
    def _resolved(self) -> tuple[dict[str, Expression], dict[str, Expression]]:
        """Meanings and conditions over the slots of the space; a plain name needs none, and may be a whole vector."""
        compound = {name: meaning for name, meaning in self.meanings.items() if not isinstance(meaning, Name)}
        meanings, conditions = (
            {name: resolve(expression, self.space, str(expression))[0] for name, expression in table.items()}
            for table in (compound, self.conditions)
        )
        return meanings, conditions


def assembled(
    name: str,
    variables: Mapping[str, object],
    rules: Iterable[Rule],
    notes: Iterable[str] = (),
    missing: Iterable[str] = (),
    meanings: Mapping[str, Expression] | None = None,
    conditions: Mapping[str, Expression] | None = None,
    *,
    direction: str = "minimize",
    measurements: Iterable[Measurement] = (),
) -> Imported:
    """Check that variables and rules fit together; what does not raises a ProblemFileError."""
    listed = tuple(rules)
    try:
        space = Space(variables)
        with warnings.catch_warnings():
            # The feasible set will say it again, where the user asked for one.
            warnings.simplefilter("ignore", RuleWarning)
            bind_rules(space, listed)
    except (SpaceError, RuleError) as error:
        raise ProblemFileError(str(error)) from None
    return Imported(
        name,
        space,
        listed,
        tuple(notes),
        tuple(missing),
        meanings or {},
        conditions or {},
        direction,
        tuple(measurements),
    )


def _rule_names(rules: tuple[Rule, ...]) -> list[str]:
    """Return the given names, numbers for rules without one, and no name twice."""
    names: list[str] = []
    taken: set[str] = set()
    for number, rule in enumerate(rules, start=1):
        names.append(unused(rule.name or f"rule_{number}", taken))
        taken.add(names[-1])
    return names


def _one_line(text: str) -> str:
    """A comment ends with its line, and TOML allows no control characters in it."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))
