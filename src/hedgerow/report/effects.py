"""What each variable does, as the model sees it: a small chart for each, all to one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hedgerow.insight.effects import Effect, Effects, NoEffects, share_in_words
from hedgerow.insight.levels import LevelGroups
from hedgerow.insight.scale import Scale, Tick, scale_of
from hedgerow.report.chart import band, chart, dot, labels, line, picture
from hedgerow.report.facts import Facts
from hedgerow.report.words import clipped, counted, folded, note, section, shortened
from hedgerow.web import Html, join, tag
from hedgerow.wording import readable_number

_MAX_PANELS = 12
_MAX_ROWS = 12


def main_effects(facts: Facts) -> Html:
    """Return a small chart per variable: the mean prediction at each level, and the middle half of the predictions."""
    titles = [f"What each variable does{facts.said_of(' to', name)}" for name in facts.objectives]
    first, *others = [_effects_on(facts, name) for name in facts.objectives]
    rest = [folded(title, part) for title, part in zip(titles[1:], others, strict=True)]
    return section("effects", titles[0], first, *rest)


def _effects_on(facts: Facts, objective: str) -> Html:
    effects = facts.effects[objective]
    if isinstance(effects, NoEffects):
        return note(effects.reason)
    shown_effects = effects.main[:_MAX_PANELS]
    y = _common_scale(shown_effects)
    hidden = len(effects.main) - len(shown_effects)
    more = f" The {len(shown_effects)} strongest of {len(effects.main):,} are shown." if hidden else ""
    words = (
        f"Predictions{facts.said_of(' of', objective)} by a model of {counted(effects.n_values, 'value')}, averaged "
        f"over {_rows_in_words(effects)}: the mean at each setting (line and dots), and the middle half of the "
        f"predictions (band). {_shares_in_words(effects.main[0].interval is not None)}{more}{_tied(facts)}"
    )
    panels = [_panel(effect, y, facts.maximizes(objective)) for effect in shown_effects]
    return join([note(words), _trust(effects), tag("div", *panels, class_="panels")])


def _shares_in_words(is_of_importance: bool) -> str:
    """Return what the percentages are: two ways to count, which differ by much where little is known."""
    if not is_of_importance:
        return "The percentage is the share of the variation of these predictions that the variable explains alone."
    return (
        "The percentage is the share of the variation that the variable explains alone, with its interval of 90 %, as "
        "importance() of an optimizer gives it: an average over all functions that may be true after these trials. "
        "While little is known it is small, even where the mean prediction rises and falls."
    )


def _tied(facts: Facts) -> str:
    """Return a warning where rules make variables vary together: an average cannot tell whose effect it is."""
    if not facts.feasible.rules:
        return ""
    return " Rules tie variables together, so one may show what another does, and shares may add up to more than 100 %."


def _rows_in_words(effects: Effects) -> str:
    if effects.is_complete:
        return f"all {counted(effects.n_rows, 'feasible point')}"
    return f"{effects.n_rows:,} uniform draws from the feasible points"


def _trust(effects: Effects) -> Html:
    verdict = "well" if effects.trust >= 0.8 else "roughly" if effects.trust >= 0.4 else "poorly, so read it with care"
    return note(
        f"How far to trust it: the model predicts values it was not shown {verdict} ({effects.trust:.0%} of their "
        "variation, each left out in turn)."
    )


def _common_scale(effects: Sequence[Effect]) -> Scale:
    everything = np.concatenate([np.concatenate([each.means, each.lows, each.highs]) for each in effects])
    return scale_of(everything[np.isfinite(everything)].tolist(), may_be_log=False)


def _panel(effect: Effect, y: Scale, is_maximized: bool) -> Html:
    title = tag(
        "h3",
        tag("span", shortened(effect.levels.name, 32), title=effect.levels.name),
        tag("em", share_in_words(effect.share, effect.interval)),
    )
    is_line = effect.levels.is_ordered and effect.levels.n > 2
    return tag("figure", title, _as_line(effect, y) if is_line else _as_rows(effect, y, is_maximized), class_="panel")


def _as_line(effect: Effect, y: Scale) -> Html:
    n = effect.levels.n
    places = [(place, (place + 0.5) / n) for place in range(n) if math.isfinite(effect.means[place])]
    middle = [(x, y.place(effect.means[place])) for place, x in places]
    tick_labels = [
        band(
            [(x, y.place(effect.lows[place])) for place, x in places],
            [(x, y.place(effect.highs[place])) for place, x in places],
            "half",
        ),
        line(middle, "best"),
        *(
            dot(x, up, "mean", f"{effect.levels.labels[place]}: {readable_number(float(effect.means[place]), 4)}")
            for (place, x), (_, up) in zip(places, middle, strict=True)
        ),
    ]
    ticks = [Tick((place + 0.5) / n, clipped(effect.levels.tick_labels[place], 14)) for place in _sparse(effect.levels)]
    return chart(tick_labels, _effect_in_words(effect), x_ticks=ticks, y_ticks=y.ticks(4))


def _sparse(levels: LevelGroups) -> list[int]:
    """Return which levels get a label, so that the labels fit beside each other on a small screen."""
    n = levels.n
    widest = max(len(clipped(mark, 14)) for mark in levels.tick_labels)
    return list(range(0, n, math.ceil(n / max(2, 26 // (widest + 1)))))


def _as_rows(effect: Effect, y: Scale, is_maximized: bool) -> Html:
    """Return a row per category, where its name has room; of very many the best ones."""
    known = [place for place in range(effect.levels.n) if math.isfinite(effect.means[place])]
    best_first = sorted(known, key=lambda place: float(effect.means[place]), reverse=is_maximized)
    listed = sorted(best_first[:_MAX_ROWS])
    rows = []
    for place in listed:
        low, mean, high = (y.place(float(part[place])) for part in (effect.lows, effect.means, effect.highs))
        label = effect.levels.labels[place]
        words = f"{label}: {readable_number(float(effect.means[place]), 4)}"
        tick_labels = [line([(low, 0.5), (high, 0.5)], "whisker"), dot(mean, 0.5, "mean", words)]
        rows.append(join([tag("span", clipped(label, 40), title=label), picture(tick_labels, words)]))
    rest = note(f"and {len(known) - len(listed)} more, which are worse") if len(known) > len(listed) else ""
    return tag(
        "div", *rows, tag("span"), tag("div", *labels(y.ticks(3), "left"), class_="x-labels"), rest, class_="rows"
    )


def _effect_in_words(effect: Effect) -> str:
    known = [place for place in range(effect.levels.n) if math.isfinite(effect.means[place])]
    low = min(known, key=lambda place: float(effect.means[place]))
    high = max(known, key=lambda place: float(effect.means[place]))
    means = [readable_number(float(effect.means[place]), 4) for place in (low, high)]
    return (
        f"Mean prediction by {effect.levels.name}: lowest {means[0]} at {effect.levels.labels[low]}, "
        f"highest {means[1]} at {effect.levels.labels[high]}."
    )
