"""Whether a study is about the problem of a file: the same space and direction always, the same rules until edited."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from optuna.study import StudyDirection

from hedgerow.errors import StudyError
from hedgerow.runs.opened import OpenStudy

SPACE_KEY = "hedgerow:space"
RULES_KEY = "hedgerow:rules"


def check_same_problem(opened: OpenStudy) -> None:
    """Raise where the file's problem is another one; note where its rules have changed."""
    plan = opened.plan
    wanted = StudyDirection.MAXIMIZE if plan.direction == "maximize" else StudyDirection.MINIMIZE
    if opened.study.direction is not wanted:
        raise StudyError(
            f"The study '{plan.study}' was started to {opened.study.direction.name.lower()}, but the file says "
            f"{plan.direction}. Change it back, or give the study another name in [run]."
        )
    stored = opened.storage.get_study_user_attrs(opened.study_id)
    space = plan.space.to_dict()
    if SPACE_KEY not in stored:
        opened.storage.set_study_user_attr(opened.study_id, SPACE_KEY, space)
    elif stored[SPACE_KEY] != space:
        changed = [name for name in {**space, **stored[SPACE_KEY]} if space.get(name) != stored[SPACE_KEY].get(name)]
        raise StudyError(
            f"The space of the study '{plan.study}' differs from the file's in {', '.join(changed)}. Rules "
            "may change between runs, the space may not: give the study another name in [run]."
        )
    _record_rules(opened, stored.get(RULES_KEY, []))


def rule_changes(opened: OpenStudy) -> list[dict[str, Any]]:
    """Return the rules as they were over time, each with when and after how many trials they came."""
    return list(opened.storage.get_study_user_attrs(opened.study_id).get(RULES_KEY, []))


def _record_rules(opened: OpenStudy, before: list[dict[str, Any]]) -> None:
    rules = {rule.name: rule.text for rule in opened.sampler.feasible.rules}
    if before and before[-1]["rules"] == rules:
        return
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = {"since": now, "after_trials": len(opened.trials()), "rules": rules}
    opened.storage.set_study_user_attr(opened.study_id, RULES_KEY, [*before, entry])
