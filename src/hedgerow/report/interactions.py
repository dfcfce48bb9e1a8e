"""What pairs of variables do together, as tables with colored cells."""

from __future__ import annotations

import math

import numpy as np

from hedgerow.insight.effects import Effects, Interaction, share_in_words
from hedgerow.report.facts import Facts
from hedgerow.report.words import clipped, code, folded, note, section, shortened
from hedgerow.web import Html, join, tag
from hedgerow.wording import readable_number

_MAX_HEAT_MAPS = 4


def interactions(facts: Facts) -> Html:
    """Return the strongest interactions as tables with colored cells; nothing where there is no model."""
    parts = {
        f"What variables do together{facts.said_of(' to', name)}": _pairs(effects, facts.maximizes(name))
        for name, effects in facts.effects.items()
        if isinstance(effects, Effects)
    }
    if not parts:
        return Html("")
    (title, first), *others = parts.items()
    return section("interactions", title, first, *(folded(*part) for part in others))


def _pairs(effects: Effects, is_maximized: bool) -> Html:
    if not effects.interactions:
        return note("No pair of variables stands out: what they do, they do each by themselves.")
    words = note(
        "The pairs whose mean prediction differs most from the sum of their two effects; the greener, the better. The "
        "percentage is the share of the variation that only the pair explains, counted as for single variables. "
        f"Empty cells hold no {'feasible point' if effects.is_complete else 'feasible point that was drawn'}."
    )
    maps = [_heat_map(each, is_maximized) for each in effects.interactions[:_MAX_HEAT_MAPS]]
    return join([words, tag("div", *maps, class_="heat-maps")])


def _heat_map(pair: Interaction, is_maximized: bool) -> Html:
    low, high = float(np.nanmin(pair.means)), float(np.nanmax(pair.means))
    head = [tag("th", scope="col"), *(tag("th", clipped(name, 16), scope="col") for name in pair.second.labels)]
    body = []
    for place, label in enumerate(pair.first.labels):
        cells = [_cell(float(mean), low, high, is_maximized) for mean in pair.means[place]]
        body.append(tag("tr", tag("th", clipped(label, 16), scope="row"), *cells))
    caption = tag(
        "caption",
        code(shortened(pair.first.name, 40)),
        " (rows) and ",
        code(shortened(pair.second.name, 40)),
        " (columns) ",
        tag("em", share_in_words(pair.share, pair.interval)),
    )
    return tag(
        "div",
        tag("table", caption, tag("thead", tag("tr", *head)), tag("tbody", *body), class_="heat"),
        class_="wide",
        tabindex="0",
        role="region",
        aria_label=f"{pair.first.name} and {pair.second.name}",
    )


def _cell(mean: float, low: float, high: float, is_maximized: bool) -> Html:
    if not math.isfinite(mean):
        return tag("td", class_="empty")
    share = (mean - low) / (high - low) if high > low else 0.5
    good = share if is_maximized else 1 - share
    return tag("td", readable_number(mean, 3), style=f"--good:{100 * good:.0f}%")
