"""What notebooks show of a result: the best point with its margins to the rules, and the front."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedgerow.errors import PointError
from hedgerow.feasible import FeasibleSet
from hedgerow.insight.levels import shown
from hedgerow.insight.meeting import MetRule, meet
from hedgerow.outcomes.observation import Observation
from hedgerow.space.encoding import encode
from hedgerow.web import Html, join, tag
from hedgerow.wording import readable_number

# Rows of a table that are shown; a page is for looking, `observations` and data frames have all of it.
_MAX_ROWS = 24
_MAX_TEXT = 80
_SIGNS = {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}


def best_tables(feasible: FeasibleSet | None, point: Mapping[str, Any]) -> Html:
    """Return a point, and how it meets each rule; those that hold it back come first."""
    values = [[name, _short(repr(value))] for name, value in point.items()]
    return join([_table(["best point", ""], values), _margins(feasible, point)])


def _margins(feasible: FeasibleSet | None, point: Mapping[str, Any]) -> Html:
    if feasible is None or not feasible.rules:
        return Html("")
    try:
        met = meet(feasible, encode(feasible.space, point))
    except PointError:
        return Html("")
    rows = [[rule.name, _sides(rule), _margin(rule)] for rule in sorted(met, key=lambda rule: not rule.binds)]
    return _table(["rule", "there", "margin"], rows)


def _sides(rule: MetRule) -> str:
    parts = [
        f"{_short(shown(side.left))} {_SIGNS.get(side.operator, side.operator)} {_short(shown(side.right))}"
        for side in rule.sides
    ]
    return ", ".join(parts) or "holds"


def _margin(rule: MetRule) -> str:
    slack = rule.least_slack
    words = "" if slack is None else readable_number(slack, 4)
    return f"{words} (binds)".strip() if rule.binds else words


def front_table(front: Sequence[Observation]) -> Html:
    """Return the observations of a front, each with its outcomes and its point; nothing where there are none."""
    if not front:
        return Html("")
    outcomes = list(dict.fromkeys(name for seen in front for name in seen.outcomes))
    names = list(dict.fromkeys(name for seen in front for name in seen.point))
    head = [*outcomes, *names]
    rows = [
        [
            *(readable_number(seen.outcomes[name]) if name in seen.outcomes else "" for name in outcomes),
            # A variable with a condition is in some of the points.
            *(_short(repr(seen.point[name])) if name in seen.point else "" for name in names),
        ]
        for seen in sorted(front, key=lambda seen: tuple(seen.outcomes.get(name, 0.0) for name in outcomes))
    ]
    return _table(head, rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Html:
    top = tag("tr", *(tag("th", cell) for cell in head))
    body = [tag("tr", tag("th", _short(row[0])), *(tag("td", cell) for cell in row[1:])) for row in rows[:_MAX_ROWS]]
    more = len(rows) - _MAX_ROWS
    if more > 0:
        body.append(tag("tr", tag("td", f"and {more:,} more")))
    return tag("table", top, *body)


def _short(text: str) -> str:
    return text if len(text) <= _MAX_TEXT else text[: _MAX_TEXT - 1] + "…"
