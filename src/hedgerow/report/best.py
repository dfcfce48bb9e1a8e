"""The head of the page: what was found, the best points, and how they meet the rules."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hedgerow.feasible.doctor import share_of
from hedgerow.insight.levels import shown
from hedgerow.insight.meeting import MetRule, Sides
from hedgerow.report.facts import BestPoint, Facts
from hedgerow.report.words import clipped, code, counted, note, section, shortened, table
from hedgerow.web import Html, join, tag
from hedgerow.wording import approximate, quoted, readable_number, readable_seconds

_MAX_CHIPS = 24
_MAX_STEPS = 4


def headline(facts: Facts) -> Html:
    """Return the title and the few numbers that matter most."""
    goal = "Higher is better" if facts.is_maximized else "Lower is better"
    if facts.goals.objectives.is_named:
        words = str(facts.goals.objectives)
        goal = words[0].upper() + words[1:]
    made = f"{facts.made_at.day} {facts.made_at:%B %Y, %H:%M} UTC"
    out = [
        f"{counted(n, 'trial')} {words}"
        for n, words in (
            (facts.status.n_running, "still running"),
            (facts.status.n_by_hand, "waiting for values by hand"),
        )
        if n
    ]
    state = tag("span", ", ".join(out), class_="badge") if out else ""
    return tag(
        "header",
        tag("p", "Hedgerow report", class_="eyebrow"),
        tag("h1", facts.problem.study),
        tag("p", " · ".join(filter(None, [goal, facts.file_name, f"{made} "])), state, class_="note"),
        tag("div", *_tiles(facts), class_="tiles"),
        _chips(facts),
    )


def _tiles(facts: Facts) -> list[Html]:
    status = facts.status
    tiles: list[Html] = []
    judged = status.judged
    if judged is not None and facts.goals.objectives.are_several:
        n = counted(len(judged.front), "point")
        tiles.append(_tile("The front", n, "that no other dominates", "main"))
    elif facts.best:
        best = facts.best[0]
        believed = best.believed
        words = f"in trial {best.number}"
        if believed is not None:
            words = f"mean of {counted(best.n_readings, 'reading')}; believed {readable_number(believed.mean, 4)} ± "
            words += f"{readable_number(believed.sd, 2)} (one standard deviation)"
        tiles.append(_tile("Best value", facts.in_unit(best.value), words, "main"))
    else:
        tiles.append(_tile("Best value", "–", "no trial gave a value within the rules yet", "main"))
    others = [
        counted(status.n_failed, "failure") if status.n_failed else "no failures",
        f"{status.n_lost:,} lost and tried again" if status.n_lost else "",
    ]
    tiles.append(_tile("Trials", f"{len(facts.ended):,}", ", ".join(filter(None, others))))
    seconds = [trial.seconds for trial in facts.trials if trial.seconds is not None and trial.state != "lost"]
    if seconds:
        tiles.append(_tile("Time in trials", readable_seconds(sum(seconds)), _period(facts)))
    tiles.append(_space_tile(facts))
    return tiles


def _tile(name: str, value: str, words: str, kind: str = "") -> Html:
    return tag(
        "div",
        tag("span", name, class_="name"),
        tag("strong", value),
        tag("span", words, class_="note"),
        class_=f"tile {kind}".rstrip(),
    )


def _period(facts: Facts) -> str:
    moments = [trial.ended for trial in facts.trials if trial.ended is not None]
    if len(moments) < 2:
        return ""
    return f"first to last result: {readable_seconds((max(moments) - min(moments)).total_seconds())}"


def _space_tile(facts: Facts) -> Html:
    size = approximate(facts.feasible.space.size)
    rules = counted(len(facts.feasible.rules), "rule")
    if facts.feasible.space.reals:
        return _tile("Feasible part", share_of(facts.feasible.volume), f"of the space, under {rules}")
    if not facts.feasible.is_exact:
        return _tile("Points", size, f"{rules}; how many satisfy them is not known exactly")
    return _tile("Feasible points", approximate(facts.feasible.count), f"of {size}, under {rules}")


def _chips(facts: Facts) -> Html:
    if not facts.best or facts.goals.objectives.are_several:
        return Html("")
    listed = list(facts.best[0].point.items())
    chips = [
        tag("li", tag("span", shortened(name, 40), class_="name"), " ", tag("b", clipped(shown(value), 80)))
        for name, value in listed[:_MAX_CHIPS]
    ]
    if len(listed) > _MAX_CHIPS:
        chips.append(tag("li", f"and {len(listed) - _MAX_CHIPS:,} more, in the table below"))
    return tag("ul", *chips, class_="chips", aria_label="Best point")


def best_points(facts: Facts) -> Html:
    """Return the best points side by side."""
    title = "Points of the front" if facts.goals.objectives.are_several else "Best points"
    if not facts.best:
        limits = " and is within the limits" if facts.goals.limits else ""
        return section("best", title, note(f"No trial has given a value at a point that satisfies the rules{limits}."))
    rows = _given(facts)
    rows.append(["trial", *(str(best.number) for best in facts.best)])
    for name in facts.feasible.space:
        cells = [shown(best.point.get(name)) for best in facts.best]
        rows.append([code(name), *(_compared(cell, cells[0], place) for place, cell in enumerate(cells))])
    head = ["", *_places(facts)]
    words = note(f"Values that differ from the {head[1]} point's are in bold.") if len(facts.best) > 1 else ""
    kind = "points tall" if len(rows) > 20 else "points"
    return section("best", title, words, table(title, head, rows, kind))


def _given(facts: Facts) -> list[list[str]]:
    """Return what the best points gave: a value, or each outcome, and how far within the limits they are."""
    if facts.goals.is_plain or not facts.best[0].outcomes:
        rows = [_numbers(facts.measured_in("value", facts.objectives[0]), [best.value for best in facts.best])]
    else:
        names = [*facts.objectives, *(name for best in facts.best for name in best.outcomes)]
        rows = [
            _numbers(facts.measured_in(name), [best.outcomes.get(name) for best in facts.best])
            for name in dict.fromkeys(names)
        ]
    if facts.goals.may_repeat:
        rows.append(["readings", *(str(best.n_readings) for best in facts.best)])
    for limit in facts.goals.limits:
        rows.append(_numbers(f"slack of {limit.name}", [best.slacks.get(limit.name) for best in facts.best]))
    return rows


def _numbers(name: str, numbers: Sequence[float | None]) -> list[str]:
    """Return a row of numbers, of which those that differ from the first are marked."""
    cells = ["–" if number is None or math.isnan(number) else readable_number(number) for number in numbers]
    return [name, *(_compared(cell, cells[0], place) for place, cell in enumerate(cells))]


def _compared(cell: str, first: str, place: int) -> Html:
    return tag("td", cell, class_="differs" if place and cell != first else None)


def _places(facts: Facts) -> list[str]:
    first = "first" if facts.goals.objectives.are_several else "best"
    return [first, *(f"no. {place}" for place in range(2, len(facts.best) + 1))]


def rules_at_best(facts: Facts) -> Html:
    """Return how the best points meet each rule, and what binds there; nothing without rules or points."""
    if not facts.best or not facts.feasible.rules:
        return Html("")
    first = facts.best[0]
    are_several = facts.goals.objectives.are_several
    where = "at the first point of the front" if are_several else "at the best point"
    binding = [rule for rule in first.rules if rule.binds]
    names = quoted(clipped(rule.name, 60) for rule in binding)
    says = (
        f"{len(binding)} of {counted(len(first.rules), 'rule')} bind{'s' * (len(binding) == 1)} {where}: {names}."
        if binding
        else f"No rule binds {where}: none alone forbids a step to a neighboring value."
    )
    order = sorted(range(len(first.rules)), key=lambda place: not first.rules[place].binds)
    rows = [_rule_row(facts.best, place) for place in order]
    meaning = (
        "A rule binds (●) where an inequality has no slack, or where a step to a neighboring value would break "
        "this rule alone. Each cell shows the sides of the rule's comparisons and the slack that is left."
    )
    kind = "rules tall" if len(rows) > 20 else "rules"
    return section(
        "rules",
        "Rules at the points of the front" if are_several else "Rules at the best points",
        tag("p", says),
        _blocked(binding),
        table("How the best points meet each rule", ["rule", *_places(facts)], rows, kind),
        note(meaning),
    )


def _rule_row(best: Sequence[BestPoint], place: int) -> list[str]:
    rule = best[0].rules[place]
    label = [tag("span", clipped(rule.name, 80), class_="rule-name")]
    if rule.text != rule.name:
        label += [tag("br"), code(clipped(rule.text, 300))]
    return [join(label), *(_met(each.rules[place]) for each in best)]


def _met(rule: MetRule) -> Html:
    mark = tag("span", "● binds", class_="binds") if rule.binds else tag("span", "holds", class_="holds")
    lines = [mark, *(tag("span", line, class_="sides") for side in rule.sides for line in _compare(side))]
    return tag("td", join(lines, tag("br")))


def _compare(side: Sides) -> list[str]:
    sides = f"{clipped(shown(side.left), 24)} {_SIGNS[side.operator]} {clipped(shown(side.right), 24)}"
    return [sides] if side.slack is None else [sides, f"slack {readable_number(side.slack, 4)}"]


_SIGNS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠", "<": "<", ">": ">"}


def _blocked(binding: Sequence[MetRule]) -> Html:
    """Return which steps from the best point the binding rules forbid."""
    entries = []
    for rule in binding:
        if rule.blocked:
            steps = [
                join([code(step.name), f" {clipped(shown(step.before), 40)} → {clipped(shown(step.after), 40)}"])
                for step in rule.blocked[:_MAX_STEPS]
            ]
            more = len(rule.blocked) - len(steps)
            rest = f" and {counted(more, 'other step')}" if more else ""
            entries.append(tag("li", tag("b", clipped(rule.name, 60)), " alone forbids ", join(steps, ", "), rest))
    return tag("ul", *entries, class_="steps") if entries else Html("")
