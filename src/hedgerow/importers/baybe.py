"""BayBE campaigns and search spaces (JSON): parameters become a space, constraints become rules.

BayBE writes its tables as pickles of pandas, which can run code when they are opened and therefore are not:
measurements stored so are listed, with how to bring them along.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from hedgerow.errors import ProblemFileError, SpaceError
from hedgerow.importers.experiment import (
    ExperimentDraft,
    NotRepresented,
    chosen,
    combined,
    compared,
    n_nonzero,
    named,
    number_or_none,
    records,
    weighted_sum,
)
from hedgerow.importers.imported import Imported
from hedgerow.importers.levels import range_note, real_range
from hedgerow.importers.source import entry, load_file, parse_json
from hedgerow.space import Categorical, Levels, Variable

_LINEAR = ("constraints_lin_eq", "constraints_lin_ineq")
_MEASUREMENTS = ("measurements", "measurements_exp", "_measurements_exp")


def load_baybe(path: str | Path, levels: int | None = None) -> Imported:
    """Read a file of BayBE's `campaign.to_json()`.

    Parameters
    ----------
    path : str or path
        Where the file is.
    levels : int, optional
        How many levels a continuous parameter gets; by default it stays a real number.

    Returns
    -------
    Imported
        A space, its rules, what was measured, and what could not be represented.

    Raises
    ------
    ProblemFileError
        Where the file cannot be read, is malformed or not what the format allows; the message says where.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from hedgerow.importers import load_baybe
    >>> text = '{"parameters": [{"type": "NumericalDiscreteParameter", "name": "x", "values": [1, 2]}]}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "campaign.json")
    ...     n_letters = path.write_text(text)
    ...     imported = load_baybe(path)
    >>> imported.space.size
    2
    """
    return load_file(path, "BayBE", partial(read_baybe, levels=levels))


def read_baybe(text: str, name: str = "problem", levels: int | None = None) -> Imported:
    """Read the text of a campaign of BayBE, of its configuration, or of a search space.

    Parameters
    ----------
    text : str
        What the file holds.
    name : str, optional
        What the problem is called where the text does not say.
    levels : int, optional
        How many levels a continuous parameter gets; by default it stays a real number.

    Returns
    -------
    Imported
        A space, its rules, what was measured, and what could not be represented.

    Raises
    ------
    ProblemFileError
        Where the text is malformed or not what the format allows; the message says where.

    Examples
    --------
    >>> from hedgerow.importers import read_baybe
    >>> text = '{"parameters": [{"type": "NumericalDiscreteParameter", "name": "x", "values": [1, 2]}]}'
    >>> read_baybe(text).space.size
    2
    """
    data = parse_json(text)
    if not isinstance(data, dict):
        raise ProblemFileError("The file should be an object: what campaign.to_json() writes.")
    space = data["searchspace"] if isinstance(data.get("searchspace"), dict) else data
    parts = [part for part in (space, space.get("discrete"), _typed(space.get("continuous"))) if isinstance(part, dict)]
    draft = ExperimentDraft(name)
    for parameter in _all(parts, ("parameters",)):
        key = entry(parameter, "name", str, "a parameter")
        try:
            draft.variables[key] = _variable(draft, key, parameter, levels)
        except (SpaceError, ProblemFileError) as error:
            raise ProblemFileError(f"Parameter '{key}': {error}") from None
    if not draft.variables:
        raise ProblemFileError("The file has no parameters. Write it with campaign.to_json().")
    keys = ("constraints", *_LINEAR, "constraints_nonlin")
    draft.add_rules(_all(parts, keys), partial(_rules, draft))
    _read_objective(draft, data)
    return draft.imported()


def _typed(continuous: Any) -> Any:
    """Return the continuous part of a search space with the types that BayBE leaves out there."""
    if not isinstance(continuous, dict):
        return None
    types = {"parameters": "NumericalContinuousParameter", **dict.fromkeys(_LINEAR, "ContinuousLinearConstraint")}
    return {
        key: [{"type": types[key], **item} if isinstance(item, dict) else item for item in listed]
        if key in types and isinstance(listed, list)
        else listed
        for key, listed in continuous.items()
    }


def _all(parts: Sequence[dict[str, Any]], keys: Sequence[str]) -> list[Any]:
    return [item for part in parts for key in keys if part.get(key) for item in named(part, key, "the search space")]


def _variable(draft: ExperimentDraft, key: str, parameter: dict[str, Any], levels: int | None) -> Variable:
    kind = entry(parameter, "type", str, "the parameter")
    if kind == "NumericalContinuousParameter":
        bounds = parameter.get("bounds")
        ends = [bounds.get("lower"), bounds.get("upper")] if isinstance(bounds, dict) else bounds
        if not isinstance(ends, list) or len(ends) != 2 or not all(isinstance(end, int | float) for end in ends):
            raise ProblemFileError("its bounds should be two numbers.")
        variable = real_range(ends[0], ends[1], levels)
        draft.notes += range_note(key, variable, ends[0], ends[1], False)
        return variable
    if kind == "NumericalDiscreteParameter":
        return Levels(named(parameter, "values" if "values" in parameter else "_values", "the parameter"))
    labels = parameter.get("active_values") or parameter.get("values") or parameter.get("_values")
    data = parameter.get("data")
    if labels is None and isinstance(data, dict):
        labels = list(data)
    if not isinstance(labels, list):
        raise ProblemFileError("its labels are in a pickled table, which is not opened; add 'active_values' to it.")
    if data is not None or parameter.get("encoding") not in (None, "OHE", "INT"):
        draft.missing.append(f"the encoding of '{key}', which says how alike its labels are")
    return Categorical(labels)


def _rules(draft: ExperimentDraft, constraint: dict[str, Any]) -> Sequence[str]:
    kind = constraint["type"]
    names = [draft.own(name) for name in named(constraint, "parameters", "it")]
    if kind in ("DiscreteSumConstraint", "DiscreteProductConstraint"):
        return [_condition((" + " if "Sum" in kind else " * ").join(names), constraint.get("condition"))]
    if kind == "DiscreteExcludeConstraint":
        conditions = [_condition(n, c) for n, c in zip(names, named(constraint, "conditions", "it"), strict=False)]
        return [f"not ({combined(conditions, constraint.get('combiner', 'AND'))})"]
    if kind == "DiscreteNoLabelDuplicatesConstraint":
        return [f"all_different({', '.join(names)})"]
    if kind == "DiscreteLinkedParametersConstraint":
        return [f"{names[0]} == {other}" for other in names[1:]]
    if kind == "DiscretePermutationInvarianceConstraint":
        return _one_of_each_permutation(draft, names, constraint)
    if kind == "DiscreteDependenciesConstraint":
        return _dependencies(draft, names, constraint)
    if kind in ("DiscreteCardinalityConstraint", "ContinuousCardinalityConstraint"):
        low, high = constraint.get("min_cardinality", 0), constraint.get("max_cardinality")
        return [f"{low} <= {n_nonzero(names)} <= {len(names) if high is None else high}"]
    if kind.startswith("ContinuousLinear"):
        if constraint.get("interpoint"):
            raise NotRepresented("it is about several points at once")
        operator = constraint.get("operator") or ("=" if "Equality" in kind else ">=")
        weights = constraint.get("coefficients") or [1] * len(names)
        return [compared(weighted_sum(names, weights), operator, constraint.get("rhs", 0))]
    raise NotRepresented("it has no counterpart here")


def _condition(text: str, condition: Any) -> str:
    kind = condition.get("type") if isinstance(condition, dict) else None
    if kind == "SubSelectionCondition":
        return chosen(text, named(condition, "selection", "a condition"))
    if kind not in ("ThresholdCondition", None) or not isinstance(condition, dict):
        raise NotRepresented(f"conditions of the kind {kind}")
    return compared(text, condition.get("operator"), condition.get("threshold"), condition.get("tolerance"))


def _one_of_each_permutation(draft: ExperimentDraft, names: list[str], constraint: dict[str, Any]) -> list[str]:
    """Keep one order of the labels, the alphabetical one; BayBE keeps the one it meets first, which is as good."""
    if constraint.get("dependencies"):
        raise NotRepresented("an invariance with dependencies")
    variables = [draft.variables[foreign] for foreign in constraint["parameters"]]
    if len({frozenset(variable.values) for variable in variables}) > 1:
        raise NotRepresented("an invariance between parameters with different values")
    # Labels compare by their place in one list, so that numbers and texts may be mixed.
    labels = list(variables[0].values)
    pairs = [(a, b) for place, a in enumerate(labels) for b in labels[place + 1 :]]
    listed = ", ".join(repr(pair) for pair in pairs)
    return [f"table([{a}, {b}], [{listed}])" for a, b in pairwise(names)]


def _dependencies(draft: ExperimentDraft, names: list[str], constraint: dict[str, Any]) -> list[str]:
    """Where a condition does not hold, what depends on it means nothing, and has its first value."""
    rules: list[str] = []
    conditions, affected = (named(constraint, key, "it") for key in ("conditions", "affected_parameters"))
    for name, condition, group in zip(names, conditions, affected, strict=False):
        for foreign in group:
            first = draft.variables[foreign].values[0] if foreign in draft.variables else None
            rules.append(f"({_condition(name, condition)}) or {draft.own(foreign)} == {first!r}")
    return rules


def _read_objective(draft: ExperimentDraft, data: dict[str, Any]) -> None:
    objective = data.get("objective")
    if not isinstance(objective, dict):
        return
    target = objective.get("target") or objective.get("_target")
    if not isinstance(target, dict):
        draft.missing.append(f"the objective, a {objective.get('type')}: one target is imported")
        return
    mode = target.get("mode") or ("MIN" if target.get("minimize") else "MAX")
    if mode not in ("MIN", "MAX"):
        draft.missing.append(f"the target '{target.get('name')}' in mode {mode}: measure what is to be small or large")
    draft.direction = "maximize" if mode == "MAX" else "minimize"
    frame = next((data[key] for key in _MEASUREMENTS if data.get(key)), None)
    rows = records(frame, "'measurements'")
    if rows is None:
        draft.missing.append(
            "the measurements, a pickle that is not opened. In BayBE: campaign.measurements.to_csv('results.csv') with "
            f"the column '{target.get('name')}' renamed to 'value'; then: hedgerow tell FILE --from results.csv"
        )
    draft.measured = [(row, number_or_none(row.get(str(target.get("name"))))) for row in rows or []]
