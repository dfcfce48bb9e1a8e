"""Charts as SVG that fits any width: marks stretch, while text, dots and lines keep their size.

The picture is drawn in a square of 1000 by 1000 that the page stretches. Strokes do not scale, a dot is a stroke of no
length with a round end, and labels are text of the page, placed in percent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hedgerow.insight.scale import Tick
from hedgerow.web import Html, join, tag

SIDE = 1000


def at(x: float, y: float) -> str:
    """Return the coordinates of a place given from 0 to 1, with y upwards."""
    return f"{_short(SIDE * x)} {_short(SIDE * (1 - y))}"


def dot(x: float, y: float, kind: str, words: str) -> Html:
    """Return a dot that says something when it is pointed at."""
    return tag("path", tag("title", words), class_=f"dot {kind}", d=f"M{at(x, y)}h0")


def dots(places: Iterable[tuple[float, float]], kind: str) -> Html:
    """Return many dots as one mark."""
    return tag("path", class_=f"dot {kind}", d="".join(f"M{at(x, y)}h0" for x, y in places))


def line(places: Sequence[tuple[float, float]], kind: str) -> Html:
    """Return a line through the places."""
    return tag("path", class_=f"line {kind}", d="M" + "L".join(at(x, y) for x, y in places))


def steps(places: Sequence[tuple[float, float]], kind: str) -> Html:
    """Return a line that keeps its height until the next place."""
    parts = [f"M{at(*places[0])}"]
    parts += [f"H{_short(SIDE * x)}V{_short(SIDE * (1 - y))}" for x, y in places[1:]]
    return tag("path", class_=f"line {kind}", d="".join(parts))


def band(lows: Sequence[tuple[float, float]], highs: Sequence[tuple[float, float]], kind: str) -> Html:
    """Return the area between two lines."""
    return tag("path", class_=f"band {kind}", d="M" + "L".join(at(x, y) for x, y in [*lows, *reversed(highs)]) + "Z")


def rule_across(y: float, kind: str) -> Html:
    """Return a line from side to side."""
    return tag("path", class_=f"line {kind}", d=f"M{at(0, y)}H{SIDE}")


def picture(marks: Iterable[str], words: str, grid: Iterable[Tick] = ()) -> Html:
    """Return the drawn part alone, with what it shows in words."""
    lines = [rule_across(tick.place, "grid") for tick in grid]
    return tag(
        "svg",
        *lines,
        *marks,
        viewBox=f"0 0 {SIDE} {SIDE}",
        preserveAspectRatio="none",
        role="img",
        aria_label=words,
    )


def chart(
    marks: Iterable[str],
    words: str,
    *,
    x_ticks: Sequence[Tick],
    y_ticks: Sequence[Tick],
    x_title: str = "",
    y_title: str = "",
    kind: str = "",
) -> Html:
    """Return a picture with labeled axes."""
    widest = max((tick.label for tick in y_ticks), key=len, default="")
    return tag(
        "div",
        tag("div", y_title, class_="y-title") if y_title else "",
        tag("div", tag("span", widest, class_="sizer"), *labels(y_ticks, "bottom"), class_="y-labels"),
        picture(marks, words, y_ticks),
        tag("div", *labels(x_ticks, "left"), class_="x-labels"),
        tag("div", x_title, class_="x-title") if x_title else "",
        class_=f"chart {kind}".rstrip(),
    )


def legend(entries: Iterable[tuple[str, str]]) -> Html:
    """Return what the kinds of marks mean."""
    return tag("p", join(tag("span", tag("i", class_=kind), words) for kind, words in entries), class_="legend")


def labels(ticks: Sequence[Tick], side: str) -> list[Html]:
    """Return the labels of an axis, placed from its `left` or `bottom`."""

    def where(place: float) -> str | None:
        # Labels at the ends of an axis stay inside it, so that nothing is cut off on a narrow screen.
        return None if side != "left" or 0.06 < place < 0.94 else "first" if place < 0.5 else "last"

    return [
        tag("span", tick.label, class_=where(tick.place), style=f"{side}:{_short(100 * tick.place)}%") for tick in ticks
    ]


def _short(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")
