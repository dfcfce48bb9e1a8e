"""Spaces of the ConfigSpace library, as it writes them itself (JSON or YAML; versions 0.4 and later).

Hyperparameters become variables; continuous ones are discretized. Conditions become conditions of variables, so that
each configuration is exactly one point; parents come before their children. A forbidden clause does not apply where a
hyperparameter that it mentions is inactive, which is what a rule means anyway. Two things follow ConfigSpace to the
letter: a condition `!=` on an inactive parent holds, and relations between hyperparameters compare values, not
positions in a sequence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from hedgerow.errors import ProblemFileError, SpaceError
from hedgerow.expressions import Name
from hedgerow.feasible.conditions import never_active
from hedgerow.importers.configspace_rules import Activity, Forbidden
from hedgerow.importers.configspace_variables import Parameter, read_parameter
from hedgerow.importers.imported import Imported, assembled
from hedgerow.importers.naming import legal_names, renaming_notes
from hedgerow.importers.source import entry, load_file, optional_entry, parse_json
from hedgerow.importers.yaml_data import parse_yaml
from hedgerow.space import Space, Variable
from hedgerow.space.variable import condition_text


def load_configspace(path: str | Path, levels: int | None = None) -> Imported:
    """Read a file of ConfigSpace, JSON or YAML.

    Parameters
    ----------
    path : str or path
        Where the file is.
    levels : int, optional
        How many levels a continuous hyperparameter gets; by default it stays a real number.

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


def read_configspace(text: str, name: str = "problem", levels: int | None = None) -> Imported:
    """Read the text of a file of ConfigSpace, JSON or YAML.

    Parameters
    ----------
    text : str
        What the file holds.
    name : str, optional
        What the problem is called where the text does not say.
    levels : int, optional
        How many levels a continuous hyperparameter gets; by default it stays a real number.

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
    activity, variables = _conditional(parameters, names, optional_entry(data, "conditions", list, "the file", []))
    rules = Forbidden(parameters, names, activity).rules(optional_entry(data, "forbiddens", list, "the file", []))
    notes = [note for parameter in parameters.values() for note in parameter.notes]
    notes += [f"'{foreign}' can never be active and is left out." for foreign in names if foreign not in variables]
    title = data.get("name")
    return assembled(
        title if isinstance(title, str) and title else name,
        {names[foreign]: variable for foreign, variable in variables.items()},
        rules,
        [*renaming_notes(names), *notes],
        [],
        {foreign: Name(names[foreign]) for foreign in foreign_names if foreign in variables},
    )


def _conditional(
    parameters: Mapping[str, Parameter], names: Mapping[str, str], conditions: list[Any]
) -> tuple[Activity, dict[str, Variable]]:
    """Return the hyperparameters with their conditions, parents first, without those that can never be active."""
    never: frozenset[str] = frozenset()
    while True:
        activity = Activity(parameters, names, conditions, never)
        variables = {
            foreign: replace(parameters[foreign].variable, when=condition_text(activity.conditions.get(foreign)))
            for foreign in activity.order
            if foreign not in never
        }
        try:
            found = never_active(Space({names[foreign]: variable for foreign, variable in variables.items()}))
        except SpaceError as error:
            raise ProblemFileError(str(error)) from None
        if not found:
            return activity, variables
        never |= {foreign for foreign in variables if names[foreign] in found}
