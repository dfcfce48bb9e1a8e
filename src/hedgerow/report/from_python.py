"""`write_report`: the page of a result, an optimizer, an Optuna study or a problem, from Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from typing import TYPE_CHECKING, Any

from hedgerow import checks, schema
from hedgerow.errors import ArgumentError, HedgerowError, ProblemFileError, RuleError
from hedgerow.expressions import Opaque
from hedgerow.feasible import FeasibleSet
from hedgerow.observations import Observation
from hedgerow.optimizer import Optimizer
from hedgerow.problem_file import format_problem
from hedgerow.report.facts import Facts, gather
from hedgerow.report.of_optuna import feasible_of, is_optuna_study, told_study
from hedgerow.report.page import report_of, write_page
from hedgerow.result import Result
from hedgerow.rules import RuleLike
from hedgerow.runs.problem import Problem, load_problem
from hedgerow.runs.snapshot import snapshot_of
from hedgerow.runs.sqlite_reader import PlainTrial
from hedgerow.schema import StoredState
from hedgerow.space.encoding import encode, slot_values

if TYPE_CHECKING:
    from optuna import Study as OptunaStudy


def write_report(
    source: Any,
    path: str | PathLike[str],
    *,
    rules: Iterable[RuleLike] | Mapping[str, RuleLike] | None = None,
    title: str | None = None,
) -> None:
    """Write the page that `hedgerow report` writes: one HTML file that needs no other and no network.

    Parameters
    ----------
    source : Result, Optimizer, optuna.Study, or path
        What to show; a path is that of a problem file.
    path : path
        Where the page goes.
    rules : iterable or mapping of rules, optional
        For an Optuna study whose sampler is not Hedgerow's, the rules to judge its points by.
    title : str, optional
        What stands above the page; by default the name of the study.

    Raises
    ------
    ArgumentError
        Where the source is none of these.
    HedgerowError
        Where there are no trials yet, or the page cannot be written.

    Examples
    --------
    >>> import hedgerow as hr
    >>> import pathlib, tempfile
    >>> result = hr.minimize(lambda point: point["x"] ** 2, hr.Space({"x": hr.Integer(-3, 9)}), ["x != 0"], budget=9)
    >>> page = pathlib.Path(tempfile.mkdtemp()) / "page.html"
    >>> hr.write_report(result, page, title="Squares")
    >>> "Squares – Hedgerow report" in page.read_text()
    True
    """
    write_page(_facts(source, rules, title), path)


def _facts(source: Any, rules: Any, title: str | None) -> Facts:
    if isinstance(source, Optimizer):
        source = source.result()
    if isinstance(source, Result):
        return _of_result(source, title or "Result")
    if isinstance(source, str | PathLike):
        return report_of(load_problem(str(source)), str(source))
    if is_optuna_study(source):
        return _of_optuna(source, rules, title)
    raise ArgumentError(
        "A report is about a Result, an Optimizer, an Optuna study or a problem file, but "
        f"{checks.shown(source)} was given."
    )


def _of_result(result: Result, title: str) -> Facts:
    if result.feasible is None:
        raise HedgerowError("This result does not know its space and rules, which a report shows.")
    trials = [_trial(result, number, seen) for number, seen in enumerate(result.observations)]
    problem = _problem(result.feasible, title, "maximize" if result.is_maximized else "minimize")
    objectives = result.goals.objectives
    problem = replace(
        problem,
        objectives=dict(zip(objectives.names, objectives.directions, strict=True)) if objectives.is_named else None,
        limits={limit.name: limit.text for limit in result.goals.limits} or None,
        repeats=result.goals.repeats,
    )
    return _gathered(problem, trials, {}, result.feasible)


def _trial(result: Result, number: int, seen: Observation) -> PlainTrial:
    """Return an observation as it would be stored."""
    assert result.feasible is not None
    outcome = seen.outcome(result.goals)
    values = [outcome.numbers.get(name) for name in result.goals.objectives.names]
    known = [value for value in values if value is not None]
    is_complete = len(known) == len(values)
    readings = {schema.READINGS: list(outcome.readings)} if outcome.readings and not result.goals.is_plain else {}
    return PlainTrial(
        number,
        StoredState.COMPLETE if is_complete else StoredState.FAIL,
        known if is_complete else None,
        _by_slot(result.feasible, seen.point),
        {**({schema.DETAILS: {"reason": seen.reason}} if seen.reason else {}), **readings},
        {},
        None,
        None,
    )


def _of_optuna(study: OptunaStudy, rules: Any, title: str | None) -> Facts:
    feasible = feasible_of(study, rules)
    told = told_study(study, feasible)
    problem = told.judged(_problem(feasible, title or study.study_name, "minimize"))
    return _gathered(problem, told.trials, told.attrs, feasible)


def _gathered(problem: Problem, trials: Any, attrs: Mapping[str, Any], feasible: FeasibleSet) -> Facts:
    return gather(snapshot_of(problem, trials, attrs, feasible), "", _text(feasible), datetime.now(UTC))


def _text(feasible: FeasibleSet) -> str:
    """Return space and rules as in a problem file; nothing where a rule is a function, which has no text."""
    if any(isinstance(rule.written, Opaque) for rule in feasible.rules):
        return ""
    try:
        return format_problem(feasible.space, _given_rules(feasible))
    except (RuleError, ProblemFileError):
        return ""


def _given_rules(feasible: FeasibleSet) -> dict[str, RuleLike]:
    """Return the rules without those that belong to the space."""
    return {rule.name: rule.written for rule in feasible.rules if not rule.is_of_space}


def _problem(feasible: FeasibleSet, title: str, direction: Any) -> Problem:
    return Problem(feasible.space, _given_rules(feasible), "", title, direction=direction)


def _by_slot(feasible: FeasibleSet, point: Mapping[str, Any]) -> dict[str, Any]:
    space = feasible.space
    return {slot.name: value for slot, value in zip(space.slots, slot_values(space, encode(space, point)), strict=True)}
