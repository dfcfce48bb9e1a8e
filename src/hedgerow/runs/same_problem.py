"""Whether a study is about the problem at hand: the same direction always, the same space and rules until edited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from hedgerow import schema
from hedgerow.checks import ENGINES, Engine
from hedgerow.errors import StudyError
from hedgerow.outcomes.objectives import Objectives
from hedgerow.runs.growth import check_growth
from hedgerow.runs.problem import Problem


def check_same_problem(problem: Problem, directions: Sequence[str], attrs: Mapping[str, Any]) -> None:
    """Raise where a study with these directions and these user attributes is about another problem."""
    goals = problem.goals.objectives
    named = attrs.get(schema.OBJECTIVES)
    # A study that has just begun, or was begun without names, may get them: its values stay what they are.
    names = tuple(named) if isinstance(named, dict) else goals.names
    if (names, tuple(directions)) != (goals.names, goals.directions):
        is_named = isinstance(named, dict) and len(named) == len(directions)
        before = Objectives(names, tuple(directions), True) if is_named else " and ".join(directions)  # type: ignore[arg-type]
        raise StudyError(
            f"The study '{problem.study}' was started to {before}, but the file says {goals}. Change it "
            "back, or name another study in [run] or with --study."
        )
    space = problem.space.to_dict()
    stored = attrs.get(schema.SPACE, space)
    if not isinstance(stored, dict) or not isinstance(attrs.get(schema.RULES, []), list):
        raise StudyError(
            f"The study '{problem.study}' was not made by Hedgerow, or is damaged: what it says about its space and "
            "rules cannot be read. Name another study in [run] or with --study."
        )
    check_growth(problem, attrs)


def newest_rules(attrs: Mapping[str, Any]) -> Mapping[str, str] | None:
    """Return the rules that were recorded last, or None where none were."""
    recorded = attrs.get(schema.RULES) or []
    last = recorded[-1] if isinstance(recorded, list) and recorded else None
    return last.get("rules") if isinstance(last, dict) else None


def engine_again(problem: Problem, attrs: Mapping[str, Any]) -> Engine:
    """Return the engine to ask for: the file's, or the one that the study has had for these rules."""
    rules = {rule.name: rule.text for rule in problem.bound_rules}
    if problem.engine != "auto" or newest_rules(attrs) != rules:
        return problem.engine
    recorded = attrs.get(schema.ENGINE, "diagram")
    return next((engine for engine in ENGINES if engine == recorded), "auto")


def rule_changes(problem: Problem, attrs: Mapping[str, Any], n_trials: int) -> list[dict[str, Any]]:
    """Return the rules over time, each with when and after how many trials they came; new ones come now."""
    before: list[dict[str, Any]] = list(attrs.get(schema.RULES, []))
    rules = {rule.name: rule.text for rule in problem.bound_rules}
    if before and newest_rules(attrs) == rules:
        return before
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return [*before, {"since": now, "after_trials": n_trials, "rules": rules}]
