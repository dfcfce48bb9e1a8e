"""Problem files: a space, its rules, and how to run it, as TOML that people write by hand.

Everything in the file is data. Errors name the file, the line and the key.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.errors import HedgerowError, ProblemFileError, RuleError, RuleWarning
from hedgerow.expressions import AllowedTuples, Expression, Name, Not, Scalar
from hedgerow.outcomes.limits import read_limits
from hedgerow.outcomes.objectives import UNNAMED, Objectives
from hedgerow.rules.catalog import table as table_rule
from hedgerow.rules.parse import MAX_TEXT
from hedgerow.rules.rule import Rule, RuleLike, bind_rules
from hedgerow.space import toml
from hedgerow.space.encoding import encode
from hedgerow.space.forms import variable_from_dict
from hedgerow.space.space import Space
from hedgerow.wording import ending, quoted

# Each level takes memory, and a few lines can ask for many; far more than any diagram could use are refused.
MAX_TOTAL_LEVELS = 5_000_000

_SECTIONS = ("space", "rules", "objective", "objectives", "limits", "run", "before", "removed")
_KEYS = {
    "objective": ("command", "python", "direction", "timeout", "unit"),
    "run": (
        *("budget", "seed", "workers", "storage", "study", "method", "lease", "max_lost", "max_losses", "executor"),
        "exclusive",
        *("engine", "repeats", "reference", "stop", "least_gain", "prior", "batch_rules"),
    ),
}


@dataclass(frozen=True)
class ProblemFile:
    """What a problem file says; all but space and rules are kept as written."""

    space: Space
    rules: dict[str, RuleLike]
    objective: Mapping[str, Any] = field(default_factory=dict)
    run: Mapping[str, Any] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)
    objectives: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    removed: Mapping[str, Any] = field(default_factory=dict)


def read_problem_file(path: str | Path) -> ProblemFile:
    """Read a problem file."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ProblemFileError(f"There is no file {file}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ProblemFileError(f"The file {file} cannot be read: {error}.") from None
    return parse_problem(text, name=file.name)


def parse_problem(text: str, name: str = "problem") -> ProblemFile:
    """Read the text of a problem file; `name` is what messages call it."""
    return _ProblemReader(text, name).read()


def format_problem(space: Space, rules: Mapping[str, RuleLike]) -> str:
    """Return a problem file with this space and these rules; functions have no text and are refused."""
    entries = {name: _rule_entry(name, rule) for name, rule in rules.items()}
    return space.to_toml() + "\n" + toml.table("rules", entries)


class _ProblemReader:
    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name

    def read(self) -> ProblemFile:
        try:
            data = toml.parse(self.text)
        except ProblemFileError as error:
            raise ProblemFileError(f"{self.name}: {error}") from None
        for section in data:
            if section not in _SECTIONS:
                self._fail(section, None, f"There is no section [{section}]{ending(section, _SECTIONS)}")
        for section in _SECTIONS:
            if not isinstance(data.get(section, {}), dict):
                self._fail(section, None, f"[{section}] must be a table of keys and values.")
        for section, keys in _KEYS.items():
            for key in data.get(section, {}):
                if key not in keys:
                    self._fail(section, key, f"[{section}] has no key '{key}'{ending(key, keys)}")
        if not data.get("space"):
            raise ProblemFileError(f"{self.name}: the file has no [space] with at least one variable.")
        space = self._space(data["space"])
        rules = {name: self._rule(space, name, content) for name, content in data.get("rules", {}).items()}
        self._check_changes(space, data)
        self._check_outcomes(data)
        self._check_unit(data)
        if "objectives" in data and "direction" in data.get("objective", {}):
            self._fail("objective", "direction", "[objectives] gives each its own direction; take this one out.")
        return ProblemFile(
            space,
            rules,
            data.get("objective", {}),
            data.get("run", {}),
            data.get("before", {}),
            data.get("objectives", {}),
            data.get("limits", {}),
            data.get("removed", {}),
        )

    def _check_outcomes(self, data: dict[str, Any]) -> None:
        """Read objectives and limits one by one, so that an error names its line."""
        entries = [(section, *item) for section in ("objectives", "limits") for item in data.get(section, {}).items()]
        for section, key, content in entries:
            try:
                if section == "objectives":
                    Objectives.of(None, {key: content})
                else:
                    read_limits({key: content})
            except HedgerowError as error:
                self._fail(section, key, str(error))

    def _check_unit(self, data: dict[str, Any]) -> None:
        """Raise where it is not clear what is measured in which unit."""
        unit = data.get("objective", {}).get("unit", "")
        objectives = list(data.get("objectives", {})) or [UNNAMED]
        if isinstance(unit, str):
            if unit and len(objectives) > 1:
                example = ", ".join(f"{name} = {toml.value(unit)}" for name in objectives)
                self._fail(
                    "objective",
                    "unit",
                    f"One unit was given for the objectives {quoted(objectives)}. Say which has which, as in "
                    f"unit = {{ {example} }}.",
                )
            return
        if not isinstance(unit, dict) or not all(isinstance(text, str) for text in unit.values()):
            said = 'text, or a table with a text for each outcome, as in unit = { time = "ms", energy = "J" }'
            self._fail("objective", "unit", f"A unit is {said}, not {unit!r}.")
        limits = read_limits(data.get("limits"))
        names = list(dict.fromkeys([*objectives, *(name for limit in limits for name in limit.outcomes)]))
        for name in unit:
            if name not in names:
                message = f"No objective and no limit is about '{name}'{ending(name, names)}"
                self._fail("objective", "unit", message)

    def _check_changes(self, space: Space, data: dict[str, Any]) -> None:
        """Read what is said of variables that came and went."""
        for name, value in data.get("before", {}).items():
            self._check_before(space, name, value)
        for name in data.get("removed", {}):
            if name in space:
                self._fail("removed", name, f"'{name}' is in [space]; say here what variables had that are not.")

    def _check_before(self, space: Space, name: str, value: object) -> None:
        """Raise where [before] is about no variable, or says what is none of its values."""
        if name not in space:
            self._fail("before", name, f"There is no variable '{name}' in [space]{ending(name, list(space))}")
        try:
            encode(Space({name: space.variables[name]}), {name: value})
        except HedgerowError as error:
            self._fail("before", name, str(error))

    def _space(self, data: dict[str, Any]) -> Space:
        variables: dict[str, Any] = {}
        n_levels = 0
        for name, spec in data.items():
            try:
                variables[name] = variable_from_dict(spec)
                own = Space({name: variables[name]})
                n_levels += 0 if own.reals else max(own.sizes[:1])
            except HedgerowError as error:
                self._fail("space", name, str(error))
            if n_levels > MAX_TOTAL_LEVELS:
                self._fail("space", name, f"All variables together have more than {MAX_TOTAL_LEVELS:,} levels.")
        try:
            return Space(variables)
        except HedgerowError as error:
            raise ProblemFileError(f"{self.name}: {error}") from None

    def _rule(self, space: Space, name: str, content: object) -> RuleLike:
        try:
            rule = self._rule_content(content)
            with warnings.catch_warnings():
                # The remarks come once more, and visibly, when the feasible set is made.
                warnings.simplefilter("ignore", RuleWarning)
                bind_rules(space, {name: rule})
        except RuleError as error:
            self._fail("rules", name, str(error).removeprefix(f"Rule '{name}': "))
        return rule

    def _rule_content(self, content: object) -> str | Expression:
        if isinstance(content, str):
            return content
        if not isinstance(content, dict):
            raise RuleError("A rule is text, or a table with 'variables' and 'allowed' or 'forbidden' rows.")
        for key in content:
            if key not in ("variables", "allowed", "forbidden"):
                raise RuleError(f"A table rule has no key '{key}'{ending(key, ('variables', 'allowed', 'forbidden'))}")
        if "variables" not in content or ("allowed" in content) == ("forbidden" in content):
            raise RuleError("A table rule needs 'variables', and either 'allowed' or 'forbidden' rows.")
        names = content["variables"]
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise RuleError("'variables' must be a list of names.")
        rows = content.get("allowed", content.get("forbidden"))
        if not isinstance(rows, list):
            raise RuleError("The rows of a table rule must be a list of lists.")
        listed = table_rule([Name(name) for name in names], rows)
        return listed if "allowed" in content else Not(listed)

    def _fail(self, section: str, key: str | None, message: str) -> None:
        line = _line_of(self.text, section, key)
        place = f", line {line}" if line else ""
        what = f", key '{key}' in [{section}]" if key else ""
        raise ProblemFileError(f"{self.name}{place}{what}: {message}")


def _line_of(text: str, section: str, key: str | None) -> int | None:
    """Return the line that holds a key, or a section's head."""
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        # Plain splitting: a pattern with optional spaces in several places takes hours on a line of spaces.
        stripped = line.strip()
        if stripped.startswith("[") and "]" in stripped:
            head = stripped.lstrip("[").partition("]")[0].strip()
            current = head.replace('"', "").replace("'", "")
            if current == (section if key is None else f"{section}.{key}"):
                return number
        name, equals, _ = stripped.partition("=")
        if equals and (current, name.strip().strip("\"'")) in (
            (section, key),
            ("", section if key is None else f"{section}.{key}"),
        ):
            return number
    return None


def _rule_entry(name: str, rule: RuleLike) -> str | dict[str, Any]:
    """A rule as the file holds it: rows where it is a table of variables, text otherwise."""
    content = rule.content if isinstance(rule, Rule) else rule
    if not isinstance(content, str | Expression):
        raise RuleError(f"Rule '{name}' is a Python function, which a problem file cannot hold. Write it as text.")
    listed = content.operand if isinstance(content, Not) else content
    if isinstance(listed, AllowedTuples) and all(isinstance(item, Name) for item in listed.items):
        key = "forbidden" if isinstance(content, Not) else "allowed"
        return {"variables": [str(item) for item in listed.items], key: _sorted_rows(listed)}
    text = str(content)
    if len(text) > MAX_TEXT:
        raise RuleError(
            f"Rule '{name}' is {len(text):,} characters long; a problem file holds at most {MAX_TEXT:,} per rule. "
            "Split it into several rules."
        )
    return text


def _sorted_rows(listed: AllowedTuples) -> list[list[Scalar]]:
    try:
        rows = sorted(listed.tuples)
    except TypeError:
        # Text and numbers in one column have no order of their own.
        rows = sorted(listed.tuples, key=repr)
    return [list(row) for row in rows]
