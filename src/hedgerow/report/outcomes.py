"""What trials gave besides one number: the front as a picture, limits with their margins, readings and noise."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations

import numpy as np

from hedgerow.insight.scale import Scale, scale_of
from hedgerow.report.chart import chart, dot, legend, steps
from hedgerow.report.facts import Facts, TrialFact
from hedgerow.report.words import clipped, code, counted, in_line, note, section, table
from hedgerow.space.encoding import decode
from hedgerow.web import Html, join, tag
from hedgerow.wording import quoted, readable_number

_MAX_PAIRS = 3
_MAX_POINTS = 12


def front(facts: Facts) -> Html:
    """Return all trials over two objectives, with the front; nothing where there is one objective."""
    judged = facts.status.judged
    if judged is None or not facts.goals.objectives.are_several:
        return Html("")
    if not judged.front:
        return section("front", "The front", note(_why_empty(facts)))
    pairs = list(combinations(range(len(facts.goals.objectives.names)), 2))[:_MAX_PAIRS]
    pictures = [_picture(facts, first, second) for first, second in pairs]
    words = (
        f"{counted(len(judged.front), 'point')} of {judged.n_points:,} measured that no other dominates: none is at "
        "least as good in every objective and better in one. They keep the rules and the limits, as these are now."
    )
    entries = [("found", "on the front"), ("trial", "dominated")]
    if any(not trial.is_able for trial in facts.trials if trial.state == "measured"):
        entries.append(("outside", "breaks a rule, or is beyond a limit"))
    shown = pictures[0] if len(pictures) == 1 else tag("div", *pictures, class_="two")
    return section("front", "The front", note(words), shown, legend(entries))


def _why_empty(facts: Facts) -> str:
    judged = facts.status.judged
    lacking = () if judged is None else judged.never_given
    if lacking:
        return f"No trial has given {quoted(lacking)} yet."
    return "No trial within the rules and limits has given every objective yet."


def _picture(facts: Facts, first: int, second: int) -> Html:
    goals = facts.goals.objectives
    names = goals.names[first], goals.names[second]
    x_name, y_name = (facts.measured_in(name) for name in names)
    judged = facts.status.judged
    assert judged is not None
    known = [
        trial for trial in facts.trials if trial.state == "measured" and all(name in trial.numbers for name in names)
    ]
    x, y = (scale_of(trial.numbers[name] for trial in known) for name in names)
    marks = [_dot(trial, names, x, y) for trial in known]
    ends = [(point.seen.outcomes[names[0]], point.seen.outcomes[names[1]]) for point in judged.front]
    if len(goals.names) == 2:
        marks.append(steps(_stairs(ends, goals.signs[0], x, y), "best"))
    for point in judged.front:
        said = ", ".join(f"{name} {readable_number(number)}" for name, number in point.seen.outcomes.items())
        place = x.place(point.seen.outcomes[names[0]]), y.place(point.seen.outcomes[names[1]])
        marks.append(dot(*place, "found", f"trial {point.numbers[0]}: {said}"))
    arrows = ["←" if direction == "minimize" else "→" for direction in goals.directions]
    return chart(
        marks,
        f"{names[0]} and {names[1]} of {counted(len(known), 'trial')}, {len(judged.front)} points on the front.",
        x_ticks=x.ticks(),
        y_ticks=y.ticks(),
        x_title=f"{x_name} ({goals.directions[first]} {arrows[first]})" + (", logarithmic" if x.is_log else ""),
        y_title=f"{y_name} ({goals.directions[second]})" + (", logarithmic" if y.is_log else ""),
        kind="high",
    )


def _stairs(ends: list[tuple[float, float]], sign: float, x: Scale, y: Scale) -> list[tuple[float, float]]:
    """Return the front from its best end in the first objective on; between two points it keeps the first's height."""
    ordered = sorted(ends, key=lambda end: sign * end[0])
    return [(x.place(first), y.place(second)) for first, second in ordered]


def _dot(trial: TrialFact, names: tuple[str, str], x: Scale, y: Scale) -> Html:
    kind = "trial" if trial.is_able else "outside"
    said = ", ".join(f"{name} {readable_number(number)}" for name, number in trial.numbers.items())
    return dot(
        x.place(trial.numbers[names[0]]), y.place(trial.numbers[names[1]]), kind, f"trial {trial.number}: {said}"
    )


def limits(facts: Facts) -> Html:
    """Return each limit with how many trials keep it, and how much the best leave; nothing without limits."""
    judged = facts.status.judged
    if judged is None or not facts.goals.limits:
        return Html("")
    rows = []
    kept = facts.kept
    for limit in facts.goals.limits:
        slacks = [slack for trial in kept if not math.isnan(slack := limit.slack(trial.numbers))]
        n_within = sum(limit.holds(trial.numbers) for trial in kept)
        best = [slack for point in facts.best if (slack := point.slacks.get(limit.name, math.nan)) == slack]
        rows.append(
            [
                join(
                    [
                        tag("span", clipped(limit.name, 80), class_="rule-name"),
                        tag("br"),
                        code(clipped(limit.text, 200)),
                    ]
                ),
                f"{n_within:,} of {len(slacks):,}" if slacks else "never measured",
                readable_number(min(best), 4) if best else "–",
                f"{readable_number(min(slacks), 4)} to {readable_number(max(slacks), 4)}" if slacks else "–",
            ]
        )
    missing = note(f"No trial has given {quoted(judged.never_given)} yet.") if judged.never_given else ""
    words = f"{judged.n_within:,} of {counted(judged.n_points, 'measured point')} are within all limits."
    head = ["limit", "trials within", "least slack among the best", "slack over all trials (negative: limit exceeded)"]
    return section(
        "limits", "Limits", tag("p", words), missing, table("Limits with their margins", head, rows, "rules")
    )


def readings(facts: Facts) -> Html:
    """Return how noisy readings are, and the points that were measured most; nothing where no point has several."""
    judged = facts.status.judged
    if judged is None or not facts.goals.may_repeat:
        return Html("")
    groups: dict[bytes, list[TrialFact]] = defaultdict(list)
    for trial in facts.kept:
        if trial.row is not None and trial.value is not None:
            groups[trial.row.tobytes()].append(trial)
    noise = [f"{name} {readable_number(sd, 3)}" for name, sd in judged.noise.items() if sd]
    if not noise:
        same = "Several readings of one point have been the same."
        words = same if judged.noise else "No point has been measured several times yet."
        return section("readings", "Readings and noise", note(words))
    several = sorted((g for g in groups.values() if len(g) > 1), key=lambda group: -len(group))[:_MAX_POINTS]
    rows = []
    for group in several:
        values = np.array([trial.value for trial in group], dtype=np.float64)
        assert group[0].row is not None
        rows.append(
            [
                code(in_line(decode(facts.feasible.space, group[0].row))),
                f"{len(group):,}",
                readable_number(float(values.mean()), 5),
                readable_number(float(values.std(ddof=1)), 3),
                f"{readable_number(float(values.min()), 5)} to {readable_number(float(values.max()), 5)}",
            ]
        )
    mean = f"mean of {facts.measured_in(facts.objectives[0])}"
    words = f"The standard deviation of single readings of one point, pooled over all points: {', '.join(noise)}."
    head = ["point", "trials", mean, "standard deviation", "from least to most"]
    shown = table("The points that were measured most", head, rows) if rows else ""
    return section("readings", "Readings and noise", tag("p", words), shown)
