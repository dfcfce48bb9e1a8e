"""What went wrong, what changed on the way, and what is needed to do it again."""

from __future__ import annotations

import platform
import shlex
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from typing import Any

from hedgerow import __version__
from hedgerow.insight.levels import shown
from hedgerow.report.facts import Facts, TrialFact
from hedgerow.report.words import clipped, code, counted, in_line, note, pairs, section, table
from hedgerow.runs.urls import without_password
from hedgerow.space.encoding import decode
from hedgerow.web import Html, join, tag

_MAX_FAILURES = 50
_MAX_REASONS = 8
# So many trials must have failed at a value before that is worth a line.
_LEAST_FAILED = 2
_LIBRARIES = ("numpy", "scipy", "numba", "optuna")


def failures(facts: Facts) -> Html:
    """Return the failed trials with their reasons and the end of what they printed."""
    failed = [trial for trial in facts.trials if trial.state == "failed"]
    lost = sum(trial.state == "lost" for trial in facts.trials)
    if not failed:
        words = "No trial has failed." + (f" {counted(lost, 'trial')} lost with a worker came again." if lost else "")
        return section("failures", "Failures", note(words))
    says = f"{len(failed):,} of {counted(len(facts.ended), 'trial')} failed"
    says += f"; {lost:,} more were lost with their workers, and their points tried again." if lost else "."
    entries = [_failure(facts, trial) for trial in failed[-_MAX_FAILURES:]]
    latest = note(f"The latest {_MAX_FAILURES} are listed.") if len(failed) > _MAX_FAILURES else ""
    return section("failures", "Failures", tag("p", says), _reasons(failed), _by_value(facts), latest, *entries)


def _by_value(facts: Facts) -> Html:
    """Return the values at which trials failed most, with what they said; nothing where none stands out."""
    counts: dict[tuple[str, str], list[TrialFact]] = defaultdict(list)
    for trial in facts.ended:
        if trial.row is not None:
            for name, value in decode(facts.feasible.space, trial.row).items():
                counts[name, clipped(shown(value), 60)].append(trial)
    n_failed = sum(trial.state == "failed" for trial in facts.ended)
    usual = n_failed / max(1, len(facts.ended))
    rows = []
    for (name, value), tried in counts.items():
        failed = [trial for trial in tried if trial.state == "failed"]
        share = len(failed) / len(tried)
        if len(failed) >= _LEAST_FAILED and share > usual:
            said = Counter(complaint_of(trial) for trial in failed).most_common(1)[0][0]
            rows.append((share, len(failed), [code(f"{name} = {value}"), f"{len(failed)} of {len(tried)}", said]))
    if not rows:
        return Html("")
    rows.sort(key=lambda row: (-row[0], -row[1]))
    head = ["value", "failed", "what they said most"]
    return table("Failures by value, the worst first", head, [row for _, _, row in rows[:_MAX_REASONS]])


def complaint_of(trial: TrialFact) -> str:
    """Return the first line that a failed trial wrote to standard error, the last of a traceback, or its reason."""
    _, mark, complaints = trial.output.partition("--- standard error ---")
    lines = complaints.strip().splitlines() if mark else []
    if not lines:
        return clipped(trial.reason, 160)
    is_traceback = lines[0].startswith("Traceback (most recent call last)")
    return clipped(lines[-1 if is_traceback else 0].strip(), 160)


def _reasons(failed: Sequence[TrialFact]) -> Html:
    often = Counter(clipped(trial.reason, 200) for trial in failed).most_common(_MAX_REASONS)
    if len(often) == len(failed):
        return Html("")
    return table("Reasons", ["reason", "trials"], [[reason, f"{n:,}"] for reason, n in often])


def _failure(facts: Facts, trial: TrialFact) -> Html:
    point = "no whole point" if trial.row is None else in_line(decode(facts.feasible.space, trial.row))
    head = tag("summary", tag("b", f"Trial {trial.number}"), " ", clipped(trial.reason, 300))
    printed = tag("pre", trial.output) if trial.output else note("It printed nothing.")
    return tag("details", head, tag("p", code(point)), printed, class_="failure")


def changes(facts: Facts) -> Html:
    """Return how the rules, the space, the method and what measures changed; nothing where they did not."""
    others = tag("ul", *(tag("li", words) for words in facts.changes)) if facts.changes else Html("")
    if len(facts.rule_changes) < 2 and not _differs_now(facts):
        return section("changes", "Changes on the way", others) if facts.changes else Html("")
    entries = [
        tag("li", f"{_day(later)}, after {counted(int(later.get('after_trials', 0)), 'trial')}: ", _difference(a, b))
        for earlier, later in pairwise(facts.rule_changes)
        for a, b in [(_rules(earlier), _rules(later))]
    ]
    if _differs_now(facts):
        now = _difference(_rules(facts.rule_changes[-1]), _current(facts))
        entries.append(tag("li", "In the file now, and not yet used by any trial: ", now))
    words = note("What is best is judged by the rules as they are in the file now; all values are kept.")
    return section(
        "changes", "Changes on the way" if facts.changes else "Changes of the rules", words, tag("ul", *entries), others
    )


def _rules(entry: Mapping[str, Any]) -> dict[str, str]:
    return {str(name): str(text) for name, text in dict(entry.get("rules", {})).items()}


def _current(facts: Facts) -> dict[str, str]:
    return {rule.name: rule.text for rule in facts.feasible.rules}


def _differs_now(facts: Facts) -> bool:
    return bool(facts.rule_changes) and _rules(facts.rule_changes[-1]) != _current(facts)


def _day(entry: Mapping[str, Any]) -> str:
    return str(entry.get("since", "")).replace("T", " ").replace("+00:00", " UTC")


def _difference(before: Mapping[str, str], after: Mapping[str, str]) -> Html:
    parts = [
        *(join(["added ", code(f"{name}: {after[name]}")]) for name in after if name not in before),
        *(join(["dropped ", code(f"{name}: {before[name]}")]) for name in before if name not in after),
        *(
            join(["changed ", code(f"{name}: {before[name]}"), " to ", code(after[name])])
            for name in after
            if name in before and before[name] != after[name]
        ),
    ]
    return join(parts, "; ") if parts else Html("their order")


def settings(facts: Facts) -> Html:
    """Return what is needed to reproduce the study."""
    if not facts.file_name:
        return _settings_in_python(facts)
    problem = facts.problem
    entries = {
        "Study": problem.study,
        "Storage": without_password(problem.storage).partition("?")[0],
        **_goals(facts),
        "Objective": " ".join(problem.command.arguments)
        if problem.command is not None
        else problem.python or "told by hand",
        "Budget": f"{_budget(facts)}, {counted(problem.workers, 'worker')}",
        "In the file now": f"method {problem.method}, seed {problem.seed}",
        **_asked_with(facts.trials),
        "This page": f"hedgerow {__version__}, Python {platform.python_version()}, {_versions()}",
    }
    file = shlex.quote(facts.file_name)
    # As many as were asked for, whatever the file says by now; what was told by hand comes on top.
    n_asked = facts.status.n_counted_finished or problem.budget
    again = f"hedgerow run {file} --method {problem.method} --seed {problem.seed} --budget {n_asked}"
    return section(
        "settings",
        "To do it again",
        pairs({name: tag("code", words) for name, words in entries.items()}),
        tag("p", "With the problem file below, in an empty folder with what the objective needs:"),
        tag("pre", again),
        tag("details", tag("summary", tag("b", facts.file_name)), tag("pre", facts.file_text), open=""),
    )


def _budget(facts: Facts) -> str:
    """Return the budget of the file, and how many trials were asked for where that is another number."""
    said, n_asked = counted(facts.problem.budget, "trial"), facts.status.n_counted_finished
    return said if n_asked == facts.problem.budget else f"{said} in the file, {n_asked:,} asked for and ended"


def _settings_in_python(facts: Facts) -> Html:
    entries = {
        **_goals(facts),
        **(_asked_with(facts.trials) if any(trial.asked_with for trial in facts.trials) else {}),
        "This page": f"hedgerow {__version__}, Python {platform.python_version()}, {_versions()}",
    }
    text = [tag("details", tag("summary", tag("b", "Space and rules")), tag("pre", facts.file_text), open="")]
    return section(
        "settings",
        "To do it again",
        pairs({name: tag("code", words) for name, words in entries.items()}),
        *(text if facts.file_text else [note("Rules that are Python functions have no text to show.")]),
    )


def _goals(facts: Facts) -> dict[str, str]:
    """Return what trials are judged by."""
    goals = facts.goals
    if goals.is_plain:
        return {"Direction": facts.problem.direction}
    limits = {"Limits": "; ".join(f"{limit.name}: {limit.text}" for limit in goals.limits)} if goals.limits else {}
    repeats = {"Repeats": str(goals.repeats)} if goals.may_repeat else {}
    return {"Objectives": str(goals.objectives), **limits, **repeats}


def _asked_with(trials: Sequence[TrialFact]) -> dict[str, str]:
    """Return what suggested the trials, as the trials themselves say."""
    used = Counter(trial.asked_with for trial in trials if trial.asked_with)
    n_told = sum(not trial.asked_with for trial in trials)
    parts = [f"{words} ({counted(n, 'trial')})" for words, n in used.most_common()]
    if n_told:
        parts.append(f"told without being asked for, or by an older version ({counted(n_told, 'trial')})")
    return {"Trials came from": "; ".join(parts)}


def _versions() -> str:
    return ", ".join(f"{name} {_version(name)}" for name in _LIBRARIES)


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"
