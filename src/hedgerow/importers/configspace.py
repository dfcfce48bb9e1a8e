"""Spaces of the ConfigSpace library, as it writes them itself (JSON or YAML; versions 0.4 and later).

Hyperparameters become variables; continuous ones are discretized. In ConfigSpace a hyperparameter whose condition does
not hold is inactive and has no value. Here it is pinned to its default value by a rule, so that each configuration is
exactly one point; `Imported.original` leaves it out again. A forbidden clause holds only where the hyperparameters
that it mentions are active. Two things follow ConfigSpace to the letter: a condition `!=` on an inactive parent
holds, and relations between hyperparameters compare values, not positions in a sequence.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path

from hedgerow.errors import ProblemFileError
from hedgerow.expressions import Name
from hedgerow.importers.configspace_rules import Activity, Forbidden
from hedgerow.importers.configspace_variables import read_parameter
from hedgerow.importers.imported import Imported, assembled
from hedgerow.importers.levels import DEFAULT_LEVELS
from hedgerow.importers.naming import legal_names, renaming_notes
from hedgerow.importers.source import entry, load_file, optional_entry, parse_json
from hedgerow.importers.yaml_data import parse_yaml


def load_configspace(path: str | Path, levels: int = DEFAULT_LEVELS) -> Imported:
    """Read a file of ConfigSpace, JSON or YAML.

    Parameters
    ----------
    path : str or path
        Where the file is.
    levels : int, optional
        How many levels a continuous hyperparameter gets.

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
    >>> from hedgerow.importers import load_configspace
    >>> text = '{"hyperparameters": [{"name": "x", "type": "uniform_int", "lower": 1, "upper": 4}]}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "space.json")
    ...     n_letters = path.write_text(text)
    ...     imported = load_configspace(path)
    >>> imported.space.size
    4
    """
    return load_file(path, "ConfigSpace", partial(read_configspace, levels=levels))


def read_configspace(text: str, name: str = "problem", levels: int = DEFAULT_LEVELS) -> Imported:
    """Read the text of a file of ConfigSpace, JSON or YAML.

    Parameters
    ----------
    text : str
        What the file holds.
    name : str, optional
        What the problem is called where the text does not say.
    levels : int, optional
        How many levels a continuous hyperparameter gets.

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
    >>> from hedgerow.importers import read_configspace
    >>> text = '{"hyperparameters": [{"name": "x", "type": "uniform_int", "lower": 1, "upper": 4}]}'
    >>> read_configspace(text).space.size
    4
    """
    data = parse_json(text) if text.lstrip()[:1] in ("{", "[") else parse_yaml(text)
    listed = entry(data, "hyperparameters", list, "the file")
    foreign_names = [entry(item, "name", str, f"hyperparameter {n}") for n, item in enumerate(listed, start=1)]
    for foreign, n_times in Counter(foreign_names).items():
        if n_times > 1:
            raise ProblemFileError(f"Two hyperparameters are named '{foreign}'.")
    names = legal_names(foreign_names)
    parameters = {foreign: read_parameter(item, levels) for foreign, item in zip(foreign_names, listed, strict=True)}
    activity = Activity(parameters, names, optional_entry(data, "conditions", list, "the file", []))
    forbidden = Forbidden(parameters, names, activity)
    clauses = optional_entry(data, "forbiddens", list, "the file", [])
    rules = [*activity.rules(), *forbidden.rules(clauses)]
    notes = [note for parameter in parameters.values() for note in parameter.notes]
    title = data.get("name")
    return assembled(
        title if isinstance(title, str) and title else name,
        {names[foreign]: parameter.variable for foreign, parameter in parameters.items()},
        rules,
        [*renaming_notes(names), *notes, *activity.notes()],
        [],
        {foreign: Name(names[foreign]) for foreign in foreign_names},
        activity.conditions,
    )
