"""Ax experiments (JSON): the search space, its constraints, and what the trials gave.

Read is what `save_experiment`, `AxClient.save_to_json_file` and `Client.save_to_json_file` write. Outcome constraints
and hierarchical parameters are listed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from hedgerow.errors import ProblemFileError, SpaceError
from hedgerow.importers.experiment import ExperimentDraft, NotRepresented, compared, named, number_or_none, weighted_sum
from hedgerow.importers.imported import Imported
from hedgerow.importers.levels import DEFAULT_LEVELS, range_note, real_range, stepped_range, whole_range
from hedgerow.importers.source import entry, load_file, optional_entry, parse_json
from hedgerow.space import Categorical, Levels, Variable
from hedgerow.space.domains import as_variable

_MAX_DEPTH = 20
# An objective of one metric, as Ax writes it since version 1.3: `loss`, `-loss`, `-1.0 * loss`.
_ONE_METRIC = re.compile(r"\s*(?P<minus>-)?\s*(\d+(\.\d+)?\s*\*\s*)?(?P<name>[A-Za-z_][\w.:/]*)\s*")


def load_ax(path: str | Path, levels: int | None = None) -> Imported:
    """Read an experiment file of Ax.

    Parameters
    ----------
    path : str or path
        Where the file is.
    levels : int, optional
        How many levels a real range gets; by default it stays a real number.

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
    >>> from hedgerow.importers import load_ax
    >>> text = '{"search_space": {"parameters": [{"__type": "FixedParameter", "name": "x", "value": 3}]}}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "experiment.json")
    ...     n_letters = path.write_text(text)
    ...     imported = load_ax(path)
    >>> imported.space.size
    1
    """
    return load_file(path, "Ax", partial(read_ax, levels=levels))


def read_ax(text: str, name: str = "problem", levels: int | None = None) -> Imported:
    """Read the text of an experiment of Ax, or of a client with one.

    Parameters
    ----------
    text : str
        What the file holds.
    name : str, optional
        What the problem is called where the text does not say.
    levels : int, optional
        How many levels a real range gets; by default it stays a real number.

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
    >>> from hedgerow.importers import read_ax
    >>> text = '{"search_space": {"parameters": [{"__type": "FixedParameter", "name": "x", "value": 3}]}}'
    >>> read_ax(text).space.size
    1
    """
    data = parse_json(text)
    inner = data.get("experiment") if isinstance(data, dict) else None
    experiment = inner if isinstance(inner, dict) else data
    space = entry(experiment, "search_space", dict, "the file")
    title = experiment.get("name")
    draft = ExperimentDraft(title if isinstance(title, str) and title else name)
    for parameter in named(space, "parameters", "the search space"):
        key = entry(parameter, "name", str, "a parameter")
        try:
            draft.variables[key] = _variable(draft, key, parameter, levels)
        except (SpaceError, ProblemFileError) as error:
            raise ProblemFileError(f"Parameter '{key}': {error}") from None
    draft.add_rules(space.get("parameter_constraints") or [], partial(_rules, draft))
    metric = _read_objective(draft, experiment.get("optimization_config"))
    _read_trials(draft, experiment, metric)
    return draft.imported()


def _variable(draft: ExperimentDraft, key: str, parameter: dict[str, Any], levels: int | None) -> Variable:
    kind = entry(parameter, "__type", str, "the parameter")
    if parameter.get("dependents"):
        draft.missing.append(f"which parameters depend on '{key}'")
    if kind == "FixedParameter":
        value: Any = parameter.get("value")
        return (
            Levels([value]) if isinstance(value, int | float) and not isinstance(value, bool) else Categorical([value])
        )
    if kind == "ChoiceParameter":
        values = named(parameter, "values", "the parameter")
        is_numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        return as_variable(values) if is_numbers and parameter.get("is_ordered") else Categorical(values)  # type: ignore[return-value]
    if kind != "RangeParameter":
        raise ProblemFileError(f"parameters of the kind {kind} have no counterpart here.")
    low, high = (entry(parameter, end, int | float, "the parameter") for end in ("lower", "upper"))
    log = bool(optional_entry(parameter, "log_scale", bool, "the parameter", False))
    step = parameter.get("step_size")
    if step is not None:
        return stepped_range(low, high, step)
    of = parameter.get("parameter_type")
    is_whole = isinstance(of, dict) and of.get("name") == "INT"
    variable = (
        whole_range(int(low), int(high), levels or DEFAULT_LEVELS, log)
        if is_whole
        else real_range(low, high, levels, log)
    )
    draft.notes += range_note(key, variable, low, high, log)
    return variable


def _rules(draft: ExperimentDraft, constraint: dict[str, Any]) -> Sequence[str]:
    kind = constraint["__type"]
    if kind == "OrderConstraint":
        return [f"{draft.own(constraint.get('lower_name'))} <= {draft.own(constraint.get('upper_name'))}"]
    if kind == "SumConstraint":
        names = [draft.own(name) for name in named(constraint, "parameter_names", "it")]
        operator = "<=" if constraint.get("is_upper_bound", True) else ">="
        return [compared(weighted_sum(names, [1] * len(names)), operator, constraint.get("bound"))]
    weights = constraint.get("constraint_dict")
    if isinstance(weights, dict) and weights:
        names = [draft.own(name) for name in weights]
        return [compared(weighted_sum(names, list(weights.values())), "<=", constraint.get("bound"))]
    written = constraint.get("inequality")
    if isinstance(written, str) and all(draft.own(foreign) == foreign for foreign in draft.variables):
        return [written]
    raise NotRepresented("it has no counterpart here")


def _read_objective(draft: ExperimentDraft, config: Any) -> str | None:
    """Read what is optimized; return the name of its metric, where there is one."""
    if not isinstance(config, dict):
        return None
    for limit in config.get("outcome_constraints") or []:
        metric = limit.get("metric") if isinstance(limit, dict) else None
        name = metric.get("name") if isinstance(metric, dict) else None
        draft.missing.append(f"a limit on the outcome {name!r}")
    objective = config.get("objective")
    found = _metric(objective) if isinstance(objective, dict) else None
    if found is None:
        draft.missing.append("the objective: one metric is imported")
        return None
    name, draft.direction = found
    return name


def _metric(objective: dict[str, Any]) -> tuple[str, str] | None:
    """Return the one metric of an objective, and its direction; None where it is made of several."""
    metric, expression = objective.get("metric"), objective.get("expression")
    if isinstance(metric, dict):
        return str(metric.get("name")), "minimize" if objective.get("minimize") else "maximize"
    written = _ONE_METRIC.fullmatch(expression) if isinstance(expression, str) else None
    # Ax makes expressions large: what is to be small has a minus.
    return None if written is None else (written["name"], "minimize" if written["minus"] else "maximize")


def _read_trials(draft: ExperimentDraft, experiment: dict[str, Any], metric: str | None) -> None:
    """Read what the arms of all trials gave; abandoned ones and those without data are passed over."""
    arms: dict[str, dict[str, Any]] = {}
    failed: set[str] = set()
    trials = experiment.get("trials")
    for trial in trials.values() if isinstance(trials, dict) else ():
        for arm in _objects(trial, "Arm"):
            name, params = arm.get("name"), arm.get("parameters") or arm.get("params")
            if isinstance(name, str) and isinstance(params, dict):
                arms[name] = params
                status = trial.get("status") if isinstance(trial, dict) else None
                if isinstance(status, dict) and status.get("name") == "FAILED":
                    failed.add(name)
    values: dict[str, float | None] = dict.fromkeys(failed)
    for frame in _objects({"a": experiment.get("data_by_trial"), "b": experiment.get("data")}, "DataFrame"):
        values.update(_means(frame.get("value"), metric))
    draft.measured = [(arms[name], value) for name, value in values.items() if name in arms]


def _objects(data: Any, kind: str, depth: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the objects of one type, however deep they lie."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(data, dict):
        if data.get("__type") == kind:
            yield data
        children = list(data.values())
    else:
        children = data if isinstance(data, list) else []
    for child in children:
        yield from _objects(child, kind, depth + 1)


def _means(table: Any, metric: str | None) -> dict[str, float | None]:
    """Return the mean of the metric by arm; tables are JSON in JSON, by column."""
    try:
        columns = json.loads(table) if isinstance(table, str) else table
        rows = columns["arm_name"]
        return {
            str(rows[row]): number_or_none(columns["mean"][row])
            for row in rows
            if metric is None or columns["metric_name"][row] == metric
        }
    except (ValueError, LookupError, TypeError):
        return {}
