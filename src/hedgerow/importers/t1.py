"""Kernel Tuner's T1 files (JSON): tuning parameters become a space, conditions become rules.

The format is that of the FAIR benchmarking hub for auto-tuners. Only `ConfigurationSpace` is read: parameters,
whose `Values` are Python list source in a string (or a JSON list), and `Conditions`, which are Python expressions
and stay rule text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedgerow.errors import ProblemFileError
from hedgerow.importers.imported import Imported, assembled
from hedgerow.importers.list_source import read_list
from hedgerow.importers.source import entry, load_file, optional_entry, parse_json
from hedgerow.problem_file import MAX_TOTAL_LEVELS
from hedgerow.rules import Rule


def load_t1(path: str | Path) -> Imported:
    """Read a T1 file of Kernel Tuner.

    Parameters
    ----------
    path : str or path
        Where the file is.

    Returns
    -------
    Imported
        A space, its rules, and what was changed on the way.

    Raises
    ------
    ProblemFileError
        Where the file cannot be read, is malformed or not what the format allows; the message says where.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hedgerow.importers import load_t1
    >>> text = (
    ...     '{"ConfigurationSpace": {"TuningParameters": [{"Name": "x", "Type": "int", '
    ...     '"Values": "[1, 2, 4]"}]}}'
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "t1.json")
    ...     n_letters = path.write_text(text)
    ...     imported = load_t1(path)
    >>> imported.space.size
    3
    """
    return load_file(path, "T1", read_t1)


def read_t1(text: str, name: str = "problem") -> Imported:
    """Read the text of a T1 file of Kernel Tuner.

    Parameters
    ----------
    text : str
        What the file holds.
    name : str, optional
        What the problem is called where the text does not say.

    Returns
    -------
    Imported
        A space, its rules, and what was changed on the way.

    Raises
    ------
    ProblemFileError
        Where the text is malformed or not what the format allows; the message says where.

    Examples
    --------
    >>> from hedgerow.importers import read_t1
    >>> text = (
    ...     '{"ConfigurationSpace": {"TuningParameters": [{"Name": "x", "Type": "int", '
    ...     '"Values": "[1, 2, 4]"}]}}'
    ... )
    >>> read_t1(text).space.size
    3
    """
    data = parse_json(text)
    configuration = entry(data, "ConfigurationSpace", dict, "the file")
    parameters = entry(configuration, "TuningParameters", list, "ConfigurationSpace")
    conditions = optional_entry(configuration, "Conditions", list, "ConfigurationSpace", [])
    rules = [
        Rule(entry(condition, "Expression", str, f"condition {number}"))
        for number, condition in enumerate(conditions, start=1)
    ]
    return assembled(_benchmark_name(data) or name, _domains(parameters), rules)


def _domains(parameters: list[Any]) -> dict[str, object]:
    domains: dict[str, object] = {}
    n_values = 0
    for number, parameter in enumerate(parameters, start=1):
        name = entry(parameter, "Name", str, f"tuning parameter {number}")
        if name in domains:
            raise ProblemFileError(f"Two tuning parameters are named '{name}'.")
        values = _values(parameter, f"tuning parameter '{name}'")
        n_values += len(values)
        if n_values > MAX_TOTAL_LEVELS:
            raise ProblemFileError(
                f"All parameters up to '{name}' have more than {MAX_TOTAL_LEVELS:,} values together."
            )
        domains[name] = values
    return domains


def _values(parameter: dict[str, Any], owner: str) -> list[Any]:
    values = entry(parameter, "Values", str | list, owner)
    if isinstance(values, list):
        return values
    try:
        return list(read_list(values))
    except ProblemFileError as error:
        raise ProblemFileError(f"'Values' of {owner}: {error}") from None


def _benchmark_name(data: dict[str, Any]) -> str | None:
    general = data.get("General")
    name = general.get("BenchmarkName") if isinstance(general, dict) else None
    return name if isinstance(name, str) and name else None
