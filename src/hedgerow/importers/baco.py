"""BaCO and HyperMapper scenarios (JSON): input parameters become a space, their constraints become rules.

Real parameters are discretized. A permutation of n elements becomes a vector of the numbers 0 to n - 1, all different;
constraints may say `p_2` for the element in place 2 and `p_i2` for the place of element 2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from hedgerow.errors import ProblemFileError, SpaceError
from hedgerow.expressions import Name
from hedgerow.importers.array_text import NotInRuleLanguage, rule_text
from hedgerow.importers.imported import Imported, assembled
from hedgerow.importers.levels import DEFAULT_LEVELS, MAX_WHOLE, range_note, real_range, whole_range
from hedgerow.importers.naming import legal_names, renaming_notes
from hedgerow.importers.source import entry, kind_of, load_file, optional_entry, parse_json
from hedgerow.rules import Rule
from hedgerow.space import Categorical, Integer, Variable, Vector
from hedgerow.space.domains import as_variable
from hedgerow.wording import ending

# The place of an element is a sum over all places, so long permutations would make rules too long to read.
MAX_PERMUTATION = 60


def load_baco(path: str | Path, levels: int = DEFAULT_LEVELS) -> Imported:
    """Read a scenario file of BaCO or HyperMapper.

    Parameters
    ----------
    path : str or path
        Where the file is.
    levels : int, optional
        How many levels a real parameter gets.

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
    >>> from hedgerow.importers import load_baco
    >>> text = '{"input_parameters": {"x": {"parameter_type": "integer", "values": [1, 4]}}}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scenario.json")
    ...     n_letters = path.write_text(text)
    ...     imported = load_baco(path)
    >>> imported.space.size
    4
    """
    return load_file(path, "BaCO", partial(read_baco, levels=levels))


def read_baco(text: str, name: str = "problem", levels: int = DEFAULT_LEVELS) -> Imported:
    """Read the text of a scenario file of BaCO or HyperMapper.

    Parameters
    ----------
    text : str
        What the file holds.
    name : str, optional
        What the problem is called where the text does not say.
    levels : int, optional
        How many levels a real parameter gets.

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
    >>> from hedgerow.importers import read_baco
    >>> text = '{"input_parameters": {"x": {"parameter_type": "integer", "values": [1, 4]}}}'
    >>> read_baco(text).space.size
    4
    """
    data = parse_json(text)
    parameters = entry(data, "input_parameters", dict, "the file")
    names = legal_names(parameters)
    reader = _ParameterReader(levels)
    variables = {names[foreign]: reader.variable(foreign, spec) for foreign, spec in parameters.items()}
    permutations = {name: variable.length for name, variable in variables.items() if isinstance(variable, Vector)}
    rules = [Rule(f"all_different({name})", f"{name} is a permutation") for name in permutations]
    for foreign, spec in parameters.items():
        rules += reader.constraints(foreign, spec, permutations)
    application = data.get("application_name")
    title = application if isinstance(application, str) and application else name
    meanings = {foreign: Name(own) for foreign, own in names.items()}
    return assembled(title, variables, rules, [*renaming_notes(names), *reader.notes], reader.missing, meanings)


class _ParameterReader:
    """Reads one parameter after the other, and remembers what to tell."""

    def __init__(self, levels: int) -> None:
        self.levels = levels
        self.notes: list[str] = []
        self.missing: list[str] = []

    def variable(self, name: str, spec: Any) -> Variable | Vector:
        owner = f"parameter '{name}'"
        kind = entry(spec, "parameter_type", str, owner)
        values = entry(spec, "values", list, owner)
        kinds: dict[str, Callable[[str, dict[str, Any], list[Any]], Variable | Vector]] = {
            "ordinal": lambda _name, _spec, given: as_variable(given),
            "categorical": lambda _name, _spec, given: Categorical(given),
            "integer": self._integer,
            "real": self._real,
            "permutation": _permutation,
        }
        if kind not in kinds:
            raise ProblemFileError(f"'parameter_type' of {owner} is '{kind}'{ending(kind, kinds)}")
        if spec.get("prior") not in (None, "uniform") or "probability_distribution" in spec:
            self.notes.append(f"the prior of '{name}' is not used.")
        try:
            return kinds[kind](name, spec, values)
        except (SpaceError, ProblemFileError) as error:
            raise ProblemFileError(f"'values' of {owner}: {error}") from None

    def _integer(self, name: str, spec: dict[str, Any], values: list[Any]) -> Variable:
        low, high = _bounds(values, int)
        # The transform is how BaCO models a parameter, not which values it has; it matters only where some must go.
        log = spec.get("transform") == "log" and high - low >= MAX_WHOLE
        variable = whole_range(low, high, self.levels, log)
        self.notes += range_note(name, variable, low, high, log)
        return variable

    def _real(self, name: str, spec: dict[str, Any], values: list[Any]) -> Variable:
        low, high = _bounds(values, int | float)
        log = spec.get("transform") == "log"
        variable = real_range(low, high, self.levels, log)
        self.notes += range_note(name, variable, low, high, log)
        return variable

    def constraints(self, name: str, spec: dict[str, Any], permutations: dict[str, int]) -> list[Rule]:
        rules: list[Rule] = []
        texts = optional_entry(spec, "constraints", list, f"parameter '{name}'", [])
        for number, text in enumerate(texts, start=1):
            place = f"constraint {number} of parameter '{name}'"
            if not isinstance(text, str):
                raise ProblemFileError(f"{place} should be text, but is {kind_of(text)}.")
            try:
                rules.append(Rule(rule_text(text, permutations), f"{name} {number}"))
            except NotInRuleLanguage as reason:
                self.missing.append(f"{place}, '{text}': {reason}")
            except ProblemFileError as error:
                raise ProblemFileError(f"{place}: {error}") from None
        return rules


def _bounds(values: list[Any], kind: Any) -> tuple[Any, Any]:
    if len(values) != 2 or not all(isinstance(value, kind) and not isinstance(value, bool) for value in values):
        wanted = "whole numbers" if kind is int else "numbers"
        raise ProblemFileError(f"two {wanted} are needed, the lowest and the highest.")
    return values[0], values[1]


def _permutation(_name: str, _spec: dict[str, Any], values: list[Any]) -> Vector:
    if len(values) != 1 or isinstance(values[0], bool) or not isinstance(values[0], int):
        raise ProblemFileError("one whole number is needed, how many elements are permuted.")
    if not 1 <= values[0] <= MAX_PERMUTATION:
        raise ProblemFileError(f"{values[0]} elements cannot be permuted here; 1 to {MAX_PERMUTATION} can.")
    return Vector(Integer(0, values[0] - 1), values[0])
