"""Parts of the page that several sections use: sections, tables, and values in the page's words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hedgerow.insight.levels import shown
from hedgerow.web import Html, join, tag

_MAX_IN_LINE = 12


def section(name: str, title: str, *content: str) -> Html:
    """Return a section of the page with its heading."""
    return tag("section", tag("h2", title), *content, id=name)


def folded(title: str, *content: str, is_open: bool = False) -> Html:
    """Return a part of a section under a title of its own, which a reader may open."""
    return tag("details", tag("summary", tag("b", title)), *content, class_="part", open="" if is_open else None)


def note(*words: str) -> Html:
    """Return a quiet paragraph."""
    return tag("p", *words, class_="note")


def code(text: str) -> Html:
    """Return text as a user wrote it."""
    return tag("code", text)


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> Html:
    """Return a table whose first column names its rows; wide ones scroll inside the page."""
    top = tag("tr", *(tag("th", cell, scope="col") for cell in head))
    body = [tag("tr", tag("th", row[0], scope="row"), *(as_cell(cell) for cell in row[1:])) for row in rows]
    return tag(
        "div",
        tag("table", tag("caption", caption), tag("thead", top), tag("tbody", *body), class_=kind or None),
        class_="wide",
        tabindex="0",
        role="region",
        aria_label=caption,
    )


def as_cell(content: str) -> Html:
    """Return a cell; one that is a cell already stays as it is."""
    return content if isinstance(content, Html) and content.startswith("<td") else tag("td", content)


def pairs(entries: Mapping[str, str]) -> Html:
    """Return names with what belongs to them."""
    return tag("dl", *(join([tag("dt", name), tag("dd", words)]) for name, words in entries.items()))


def in_line(point: Mapping[str, Any]) -> str:
    """Return a point in one line; of very many variables the first ones."""
    parts = [f"{name} = {clipped(shown(value), 60)}" for name, value in list(point.items())[:_MAX_IN_LINE]]
    more = len(point) - len(parts)
    return ", ".join(parts) + (f" and {more} more" if more else "")


def clipped(text: str, limit: int) -> str:
    """Return a text of at most so many characters."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def counted(n: int, thing: str, things: str = "") -> str:
    """Return a number with its noun."""
    return f"{n:,} {thing if n == 1 else things or thing + 's'}"


def shortened(name: str, limit: int) -> str:
    """Return a name of at most so many characters; long names often differ at their ends, so those are kept."""
    if len(name) <= limit:
        return name
    n_last = (limit - 1) // 2
    return f"{name[: limit - 1 - n_last]}…{name[-n_last:]}"
