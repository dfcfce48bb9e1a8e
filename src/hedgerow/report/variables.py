"""What the variables do, as the model sees it: main effects, interactions, and all observations across the variables."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hedgerow.insight.coordinates import Axis, coordinates_of
from hedgerow.insight.effects import Effect, Effects, Interaction, NoEffects
from hedgerow.insight.levels import Levels, shown
from hedgerow.insight.scale import Scale, Tick, scale_of
from hedgerow.report.chart import at, band, chart, dot, line, picture
from hedgerow.report.facts import Facts, TrialFact, measured
from hedgerow.report.words import clipped, code, counted, note, section
from hedgerow.space import Space
from hedgerow.space.encoding import slot_values
from hedgerow.web import Html, join, tag
from hedgerow.wording import readable_number

_MAX_PANELS = 12
_MAX_ROWS = 12
_MAX_AXES = 12
_MAX_HEAT_MAPS = 4


def parallel_coordinates(facts: Facts) -> Html:
    """Return a line per feasible observation across the most important variables."""
    title = "All observations, across the variables"
    kept = facts.kept
    if not kept:
        return section("parallel", title, note("No trial has given a value at a point that satisfies the rules."))
    slots = _important_slots(facts)
    codes, values = measured(kept, len(facts.feasible.space.slots))
    lines = coordinates_of(facts.feasible.space, codes, values, facts.is_maximised, slots)
    scale = scale_of(values)
    marks = [
        _thread(facts.feasible.space, places, float(good), float(values[index]), scale, kept[index], lines.axes)
        for places, good, index in zip(lines.places, lines.goodness, lines.chosen, strict=True)
    ]
    left_out = f" Of the rest, {lines.n_left_out:,} are left out." if lines.n_left_out else ""
    n_slots = sum(size > 1 for size in facts.feasible.space.sizes)
    which = f" The {len(slots)} most influential of {n_slots:,} variables are shown." if n_slots > len(slots) else ""
    words = note(
        f"Each line is one of {counted(len(kept), 'observation')} within the rules; the greener, the better.{left_out}{which}"
    )
    return section("parallel", title, words, _threads(marks, lines.axes, scale, len(kept)))


def _threads(marks: Sequence[Html], axes: Sequence[Axis], scale: Scale, n: int) -> Html:
    """Return the figure; its controls show themselves where scripts run."""
    n_columns = len(axes) + 1
    places = [(place + 0.5) / n_columns for place in range(n_columns)]
    posts = [tag("path", class_="line post", d=f"M{at(x, 0)}V0") for x in places]
    labels = [
        tag(
            "div",
            tag("span", clipped(name, 60), class_="axis-name", title=name),
            *(tag("span", clipped(tick.label, 24), style=f"bottom:{100 * tick.place:.1f}%") for tick in ticks),
            class_="axis",
        )
        for name, ticks in [*((axis.name, axis.ticks) for axis in axes), ("value", tuple(scale.ticks()))]
    ]
    controls = tag(
        "div",
        tag("label", "Show the best ", tag("input", type="range", min=1, max=n, value=n), tag("output", f"{n} of {n}")),
        class_="controls",
        hidden="",
    )
    readout = tag("p", "Point at a line to read it.", class_="readout", hidden="", aria_live="polite")
    drawn = tag(
        "div",
        picture([*posts, *marks], f"{n} observations as lines across {len(axes)} variables and their value."),
        tag("div", *labels, class_="axes", aria_hidden="true"),
        class_="threads",
        style=f"--columns:{n_columns}",
    )
    return tag("figure", controls, tag("div", drawn, class_="wide"), readout, class_="parallel")


def _thread(
    space: Space,
    places: Sequence[float],
    good: float,
    value: float,
    scale: Scale,
    trial: TrialFact,
    axes: Sequence[Axis],
) -> Html:
    n_columns = len(axes) + 1
    points = [*places, scale.place(value)]
    path = "M" + "L".join(at((place + 0.5) / n_columns, y) for place, y in enumerate(points))
    values = [slot_values(space, trial.row)[axis.slot] for axis in axes] if trial.row is not None else []
    listed = ", ".join(f"{axis.name} {clipped(shown(each), 40)}" for axis, each in zip(axes, values, strict=True))
    words = f"Trial {trial.number}: {readable_number(value)} with {listed}"
    return tag("path", tag("title", words), class_="line thread", d=path, style=f"--good:{100 * good:.0f}%")


def _important_slots(facts: Facts) -> list[int]:
    """Return the slots of greatest influence, in the order of the space; without a model the first ones."""
    varying = [slot for slot, size in enumerate(facts.feasible.space.sizes) if size > 1]
    if isinstance(facts.effects, Effects) and len(varying) > _MAX_AXES:
        by_share = [effect.levels.slot for effect in facts.effects.main]
        return sorted(by_share[:_MAX_AXES])
    return varying[:_MAX_AXES]


def main_effects(facts: Facts) -> Html:
    """Return a small chart per variable: the mean prediction at each level, and the middle half of the predictions."""
    title = "What each variable does"
    effects = facts.effects
    if isinstance(effects, NoEffects):
        return section("effects", title, note(effects.reason))
    shown_effects = effects.main[:_MAX_PANELS]
    y = _common_scale(shown_effects)
    hidden = len(effects.main) - len(shown_effects)
    more = f" The {len(shown_effects)} strongest of {len(effects.main):,} are shown." if hidden else ""
    words = (
        f"Predictions of a model of {counted(effects.n_values, 'value')}, averaged over {_rows_in_words(effects)}: the "
        "mean at each setting (line and dots), and the middle half of the predictions (band). The percentage is the share "
        f"of the variation that the variable explains alone.{more}"
    )
    panels = [_panel(effect, y) for effect in shown_effects]
    return section("effects", title, note(words), _trust(effects), tag("div", *panels, class_="panels"))


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


def _panel(effect: Effect, y: Scale) -> Html:
    title = tag(
        "h3",
        tag("span", effect.levels.name, title=effect.levels.name),
        tag("em", f"{effect.share:.0%}" if effect.share >= 0.005 else "< 1%"),
    )
    drawn = _as_line(effect, y) if effect.levels.is_ordered and effect.levels.n > 2 else _as_rows(effect, y)
    return tag("figure", title, drawn, class_="panel")


def _as_line(effect: Effect, y: Scale) -> Html:
    n = effect.levels.n
    places = [(place, (place + 0.5) / n) for place in range(n) if math.isfinite(effect.means[place])]
    middle = [(x, y.place(effect.means[place])) for place, x in places]
    marks = [
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
    ticks = [Tick((place + 0.5) / n, clipped(effect.levels.labels[place], 14)) for place in _sparse(effect.levels)]
    return chart(marks, _effect_in_words(effect), x_ticks=ticks, y_ticks=y.ticks(4))


def _sparse(levels: Levels) -> list[int]:
    """Return which levels get a label, so that the labels fit beside each other on a small screen."""
    n = levels.n
    widest = max(len(clipped(label, 14)) for label in levels.labels)
    return list(range(0, n, math.ceil(n / max(2, 26 // (widest + 1)))))


def _as_rows(effect: Effect, y: Scale) -> Html:
    """Return a row per category, whose name has room; of very many the best-known order is that of the means."""
    known = [place for place in range(effect.levels.n) if math.isfinite(effect.means[place])]
    listed = known[:_MAX_ROWS]
    rows = []
    for place in listed:
        low, mean, high = (y.place(float(part[place])) for part in (effect.lows, effect.means, effect.highs))
        label = effect.levels.labels[place]
        words = f"{label}: {readable_number(float(effect.means[place]), 4)}"
        marks = [line([(low, 0.5), (high, 0.5)], "whisker"), dot(mean, 0.5, "mean", words)]
        rows.append(join([tag("span", clipped(label, 40), title=label), picture(marks, words)]))
    ends = [tag("span", tick.label, style=f"left:{100 * tick.place:.1f}%") for tick in y.ticks(3)]
    rest = note(f"and {len(known) - len(listed)} more") if len(known) > len(listed) else ""
    return tag("div", *rows, tag("span"), tag("div", *ends, class_="x-labels"), rest, class_="rows")


def _effect_in_words(effect: Effect) -> str:
    known = [place for place in range(effect.levels.n) if math.isfinite(effect.means[place])]
    low = min(known, key=lambda place: float(effect.means[place]))
    high = max(known, key=lambda place: float(effect.means[place]))
    means = [readable_number(float(effect.means[place]), 4) for place in (low, high)]
    return (
        f"Mean prediction by {effect.levels.name}: lowest {means[0]} at {effect.levels.labels[low]}, highest {means[1]} "
        f"at {effect.levels.labels[high]}."
    )


def interactions(facts: Facts) -> Html:
    """Return the strongest interactions as tables with coloured cells."""
    title = "What variables do together"
    effects = facts.effects
    if isinstance(effects, NoEffects):
        return section("interactions", title, note(effects.reason))
    if not effects.interactions:
        return section(
            "interactions", title, note("No pair of variables does together what the two do not do by themselves.")
        )
    words = note(
        "The pairs whose mean prediction differs most from the sum of their two effects; the greener, the better. The "
        "percentage is the share of the variation that only the pair explains. "
        f"Empty cells hold no {'feasible point' if effects.is_complete else 'feasible point that was drawn'}."
    )
    maps = [_heat_map(each, facts.is_maximised) for each in effects.interactions[:_MAX_HEAT_MAPS]]
    return section("interactions", title, words, tag("div", *maps, class_="heat-maps"))


def _heat_map(pair: Interaction, is_maximised: bool) -> Html:
    low, high = float(np.nanmin(pair.means)), float(np.nanmax(pair.means))
    head = [tag("th", scope="col"), *(tag("th", clipped(name, 16), scope="col") for name in pair.second.labels)]
    body = []
    for place, label in enumerate(pair.first.labels):
        cells = [_cell(float(mean), low, high, is_maximised) for mean in pair.means[place]]
        body.append(tag("tr", tag("th", clipped(label, 16), scope="row"), *cells))
    caption = tag(
        "caption",
        code(clipped(pair.first.name, 40)),
        " (rows) and ",
        code(clipped(pair.second.name, 40)),
        " (columns) ",
        tag("em", f"{pair.share:.1%}"),
    )
    return tag(
        "div",
        tag("table", caption, tag("thead", tag("tr", *head)), tag("tbody", *body), class_="heat"),
        class_="wide",
        tabindex="0",
        role="region",
        aria_label=f"{pair.first.name} and {pair.second.name}",
    )


def _cell(mean: float, low: float, high: float, is_maximised: bool) -> Html:
    if not math.isfinite(mean):
        return tag("td", class_="empty")
    share = (mean - low) / (high - low) if high > low else 0.5
    good = share if is_maximised else 1 - share
    return tag("td", readable_number(mean, 3), style=f"--good:{100 * good:.0f}%")
