"""Kernel Tuner's T1 files (JSON): tuning parameters become a space, conditions become rules.

The format is that of the FAIR benchmarking hub for auto-tuners. Only `ConfigurationSpace` is read: parameters,
whose `Values` are Python list source in a string (or a JSON list), and `Conditions`, which are Python expressions
and stay rule text.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from hedgerow.errors import ProblemFileError, RuleError, RuleWarning, SpaceError
from hedgerow.importers.imported import Imported
from hedgerow.importers.list_source import read_list
from hedgerow.rules import Rule, bind_rules
from hedgerow.space import Space


def load_t1(path: str | Path) -> Imported:
    """Read a T1 file, or raise a ProblemFileError that names the file and what is wrong in it."""
    path = Path(path)
    try:
        return read_t1(path.read_text(encoding="utf-8-sig"), path.stem)
    except OSError as error:
        raise ProblemFileError(f"The T1 file '{path}' cannot be opened: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ProblemFileError(f"The T1 file '{path}' is not text in UTF-8.") from None
    except ProblemFileError as error:
        raise ProblemFileError(f"The T1 file '{path}': {error}") from None


def read_t1(text: str, name: str = "problem") -> Imported:
    """Read the text of a T1 file; `name` serves where the file does not name its benchmark."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ProblemFileError(f"Not valid JSON: {error}.") from None
    configuration = _entry(data, "ConfigurationSpace", dict, "the file")
    parameters = _entry(configuration, "TuningParameters", list, "ConfigurationSpace")
    space = _space(parameters)
    conditions = configuration.get("Conditions", [])
    if not isinstance(conditions, list):
        raise ProblemFileError(f"'Conditions' of ConfigurationSpace should be a list, but is {_kind(conditions)}.")
    rules = tuple(
        Rule(_entry(condition, "Expression", str, f"condition {number}"))
        for number, condition in enumerate(conditions, start=1)
    )
    _check_rules(space, rules)
    return Imported(_benchmark_name(data) or name, space, rules)


def _space(parameters: list[Any]) -> Space:
    domains: dict[str, object] = {}
    for number, parameter in enumerate(parameters, start=1):
        name = _entry(parameter, "Name", str, f"tuning parameter {number}")
        if name in domains:
            raise ProblemFileError(f"Two tuning parameters are named '{name}'.")
        domains[name] = _values(parameter, f"tuning parameter '{name}'")
    try:
        return Space(domains)
    except SpaceError as error:
        raise ProblemFileError(str(error)) from None


def _values(parameter: dict[str, Any], owner: str) -> list[Any]:
    values = _entry(parameter, "Values", str | list, owner)
    if isinstance(values, list):
        return values
    try:
        return list(read_list(values))
    except ProblemFileError as error:
        raise ProblemFileError(f"'Values' of {owner}: {error}") from None


def _check_rules(space: Space, rules: tuple[Rule, ...]) -> None:
    with warnings.catch_warnings():
        # The feasible set will say it again, where the user asked for one.
        warnings.simplefilter("ignore", RuleWarning)
        try:
            bind_rules(space, rules)
        except RuleError as error:
            raise ProblemFileError(f"'Conditions' of ConfigurationSpace: {error}") from None


def _benchmark_name(data: dict[str, Any]) -> str | None:
    general = data.get("General")
    name = general.get("BenchmarkName") if isinstance(general, dict) else None
    return name if isinstance(name, str) and name else None


def _entry(table: object, key: str, kind: Any, owner: str) -> Any:
    if not isinstance(table, dict):
        raise ProblemFileError(f"{owner[0].upper()}{owner[1:]} should be an object, but is {_kind(table)}.")
    if key not in table:
        raise ProblemFileError(f"{owner[0].upper()}{owner[1:]} lacks the key '{key}'.")
    if not isinstance(table[key], kind):
        raise ProblemFileError(f"'{key}' of {owner} should be {_KINDS[kind]}, but is {_kind(table[key])}.")
    return table[key]


_KINDS: dict[Any, str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    str | list: "a list, or the text of one",
}


def _kind(value: object) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return f"the number {value!r}"
    return _KINDS.get(type(value), type(value).__name__)
