"""BoFire domains (JSON): inputs become a space, constraints become rules, experiments become measurements.

Continuous inputs with steps have levels. A strategy is read as its domain. What constrains several candidates at once
is listed, and so are descriptors, which say how alike categories are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
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
from hedgerow.importers.levels import range_note, real_range, stepped_range
from hedgerow.importers.source import entry, load_file, parse_json
from hedgerow.space import Categorical, Levels, Variable

_CATEGORICAL = ("CategoricalInput", "CategoricalDescriptorInput", "CategoricalMolecularInput", "TaskInput",
                "CategoricalTaskInput")  # fmt: skip


def load_bofire(path: str | Path, levels: int | None = None) -> Imported:
    """Read a domain file of BoFire.

    Parameters
    ----------
    path : str or path
        Where the file is.
    levels : int, optional
        How many levels a continuous input without a step gets; by default it stays a real number.

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
    >>> from hedgerow.importers import load_bofire
    >>> text = '{"inputs": {"features": [{"type": "DiscreteInput", "key": "x", "values": [1, 2]}]}}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "domain.json")
    ...     n_letters = path.write_text(text)
    ...     imported = load_bofire(path)
    >>> imported.space.size
    2
    """
    return load_file(path, "BoFire", partial(read_bofire, levels=levels))


def read_bofire(text: str, name: str = "problem", levels: int | None = None) -> Imported:
    """Read the text of a domain of BoFire, or of a strategy with one.

    Parameters
    ----------
    text : str
        What the file holds.
    name : str, optional
        What the problem is called where the text does not say.
    levels : int, optional
        How many levels a continuous input without a step gets; by default it stays a real number.

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
    >>> from hedgerow.importers import read_bofire
    >>> text = '{"inputs": {"features": [{"type": "DiscreteInput", "key": "x", "values": [1, 2]}]}}'
    >>> read_bofire(text).space.size
    2
    """
    data = parse_json(text)
    domain = data["domain"] if isinstance(data, dict) and isinstance(data.get("domain"), dict) else data
    draft = ExperimentDraft(name)
    for feature in _features(domain, "inputs"):
        key = entry(feature, "key", str, "an input")
        try:
            draft.variables[key] = _variable(draft, key, feature, levels)
        except (SpaceError, ProblemFileError) as error:
            raise ProblemFileError(f"Input '{key}': {error}") from None
    constraints = domain.get("constraints") or []
    if isinstance(constraints, dict):
        constraints = named(constraints, "constraints", "'constraints'")
    draft.add_rules(constraints, partial(_rule, draft))
    _read_outputs(draft, domain, data.get("experiments", domain.get("experiments")))
    return draft.imported()


def _features(domain: Any, key: str) -> list[dict[str, Any]]:
    found = entry(domain, key, dict | list, "the file") if isinstance(domain, dict) and key in domain else None
    if found is None:
        raise ProblemFileError(f"The file has no '{key}'. Write it with domain.model_dump_json().")
    listed = found if isinstance(found, list) else named(found, "features", f"'{key}'")
    return [feature for feature in listed if isinstance(feature, dict)]


def _variable(draft: ExperimentDraft, key: str, feature: dict[str, Any], levels: int | None) -> Variable:
    kind = entry(feature, "type", str, "the input")
    if kind == "ContinuousInput":
        bounds = feature.get("bounds") or [feature.get("lower_bound"), feature.get("upper_bound")]
        low, high = _pair(bounds)
        step = feature.get("stepsize")
        if step is not None:
            return stepped_range(low, high, entry(feature, "stepsize", int | float, "the input"))
        variable = real_range(low, high, levels)
        draft.notes += range_note(key, variable, low, high, False)
        return variable
    if kind in ("DiscreteInput", "ContinuousDiscreteInput"):
        return Levels(named(feature, "values", "the input"))
    if kind in _CATEGORICAL:
        if feature.get("descriptors"):
            draft.missing.append(f"the descriptors of '{key}', which say how alike its categories are")
        categories = named(feature, "categories", "the input")
        allowed = feature.get("allowed") or [True] * len(categories)
        return Categorical([label for label, is_allowed in zip(categories, allowed, strict=False) if is_allowed])
    raise ProblemFileError(f"inputs of the kind {kind} have no counterpart here.")


def _pair(bounds: Any) -> tuple[float, float]:
    are_two = isinstance(bounds, list) and len(bounds) == 2
    if not are_two or not all(isinstance(end, int | float) and not isinstance(end, bool) for end in bounds):
        raise ProblemFileError("two numbers are needed as bounds.")
    return bounds[0], bounds[1]


def _rule(draft: ExperimentDraft, constraint: dict[str, Any]) -> Sequence[str]:
    kind = constraint["type"]
    if kind in ("NonlinearEqualityConstraint", "NonlinearInequalityConstraint"):
        return [_nonlinear(draft, constraint)]
    if kind.startswith("Interpoint"):
        raise NotRepresented("it is about several candidates at once")
    if "features" not in constraint:
        raise NotRepresented("it has no counterpart here")
    names = [draft.own(feature) for feature in named(constraint, "features", "it")]
    if kind in ("LinearEqualityConstraint", "LinearInequalityConstraint"):
        total = weighted_sum(names, named(constraint, "coefficients", "it"))
        return [compared(total, "=" if "Inequality" not in kind else "<=", constraint.get("rhs"))]
    if kind == "NChooseKConstraint":
        return [_nchoosek(names, constraint)]
    if kind == "CategoricalExcludeConstraint":
        conditions = [_condition(n, c) for n, c in zip(names, named(constraint, "conditions", "it"), strict=False)]
        return [f"not ({combined(conditions, constraint.get('logical_op', 'AND'))})"]
    if kind in ("ProductEqualityConstraint", "ProductInequalityConstraint"):
        exponents = named(constraint, "exponents", "it")
        factors = " * ".join(f"{n} ** {e!r}" for n, e in zip(names, exponents, strict=True))
        sign = "-1 * " if constraint.get("sign", 1) == -1 else ""
        return [compared(f"{sign}{factors}", "=" if "Inequality" not in kind else "<=", constraint.get("rhs"))]
    raise NotRepresented("it has no counterpart here")


def _nonlinear(draft: ExperimentDraft, constraint: dict[str, Any]) -> str:
    expression = constraint.get("expression")
    if not isinstance(expression, str):
        raise NotRepresented("its expression is a function")
    if any(draft.own(foreign) != foreign for foreign in draft.variables):
        raise NotRepresented(f"'{expression}' mentions parameters that had to be renamed")
    return compared(f"({expression})", "=" if "Inequality" not in constraint["type"] else "<=", 0)


def _nchoosek(names: Sequence[str], constraint: dict[str, Any]) -> str:
    low, high = (entry(constraint, key, int, "it") for key in ("min_count", "max_count"))
    text = f"{low} <= {n_nonzero(names)} <= {high}"
    return f"{text} or {n_nonzero(names)} == 0" if constraint.get("none_also_valid") else text


def _condition(name: str, condition: Any) -> str:
    kind = condition.get("type") if isinstance(condition, dict) else None
    if kind == "ThresholdCondition":
        return compared(name, condition.get("operator"), condition.get("threshold"))
    if kind in ("SelectionCondition", "SubSelectionCondition"):
        return chosen(name, named(condition, "selection", "a condition"))
    if kind == "NonZeroCondition":
        return f"{name} != 0"
    raise NotRepresented(f"conditions of the kind {kind}")


def _read_outputs(draft: ExperimentDraft, domain: dict[str, Any], experiments: Any) -> None:
    outputs = _features(domain, "outputs") if "outputs" in domain else []
    wanted = [output for output in outputs if isinstance(output.get("objective"), dict)]
    for output in wanted[1:]:
        draft.missing.append(f"the objective of '{output.get('key')}': one is imported")
    if not wanted:
        return
    key, objective = wanted[0].get("key"), wanted[0]["objective"].get("type")
    if objective not in ("MaximizeObjective", "MinimizeObjective"):
        draft.missing.append(f"the objective of '{key}', a {objective}: measure what is to be made small or large")
    draft.direction = "maximize" if objective == "MaximizeObjective" else "minimize"
    if experiments is None:
        draft.notes.append(
            "BoFire keeps experiments apart from the domain. To bring them along: experiments.to_csv('results.csv') "
            f"with the column '{key}' renamed to 'value'; then: hedgerow tell FILE --from results.csv"
        )
    draft.measured = [_measured(row, str(key)) for row in records(experiments, "'experiments'") or []]


def _measured(row: dict[str, Any], key: str) -> tuple[dict[str, Any], float | None]:
    """Return what an experiment gave, as a row of a table or as BoFire's data model has it."""
    inputs, outputs = row.get("inputs"), row.get("outputs")
    if not isinstance(inputs, dict) or not isinstance(outputs, dict):
        return row, number_or_none(row.get(key))
    output = outputs.get(key)
    is_valid = isinstance(output, dict) and output.get("valid", True)
    return inputs, number_or_none(output.get("value")) if isinstance(output, dict) and is_valid else None
