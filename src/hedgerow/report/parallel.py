"""All observations within the rules as lines across the variables: parallel coordinates."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.insight.coordinates import Axis, coordinates_of
from hedgerow.insight.effects import Effects
from hedgerow.insight.levels import shown
from hedgerow.insight.scale import Scale, scale_of
from hedgerow.report.chart import at, picture
from hedgerow.report.facts import Facts, TrialFact, measured
from hedgerow.report.words import clipped, folded, note, section, shortened
from hedgerow.space import Space
from hedgerow.space.encoding import slot_values
from hedgerow.web import Html, join, tag
from hedgerow.wording import readable_number

_MAX_AXES = 12


def parallel_coordinates(facts: Facts) -> Html:
    """Return a line per feasible observation across the most important variables; nothing before the first one."""
    title = "All observations, across the variables"
    if not facts.goals.objectives.are_several:
        figure = _figure(facts, facts.objectives[0], "the better")
        return section("parallel", title, figure) if figure else Html("")
    parts = {name: figure for name in facts.objectives if (figure := _figure(facts, name, f"the better its {name}"))}
    if not parts:
        return Html("")
    (name, first), *others = parts.items()
    rest = [folded(f"{title} and {other}", part) for other, part in others]
    return section("parallel", f"{title} and {name}", first, *rest)


def _figure(facts: Facts, objective: str, better: str) -> Html:
    kept = [trial for trial in facts.kept if trial.number_of(objective) is not None]
    if not kept:
        return Html("")
    slots = _important_slots(facts, objective)
    codes, values = measured(kept, len(facts.feasible.space.slots), objective)
    lines = coordinates_of(facts.feasible.space, codes, values, facts.maximizes(objective), slots)
    scale = scale_of(values)
    marks = [
        _thread(facts.feasible.space, places, float(good), float(values[index]), scale, kept[index], lines.axes)
        for places, good, index in zip(lines.places, lines.goodness, lines.chosen, strict=True)
    ]
    left_out = f" Of the rest, {lines.n_left_out:,} are left out." if lines.n_left_out else ""
    n_slots = sum(size > 1 for size in facts.feasible.space.sizes)
    which = f" The {len(slots)} most influential of {n_slots:,} variables are shown." if n_slots > len(slots) else ""
    one = "The line is the one observation" if len(kept) == 1 else f"Each line is one of {len(kept):,} observations"
    words = note(f"{one} within the rules; the greener, {better}.{left_out}{which}")
    return join([words, _threads(marks, lines.axes, scale, len(kept), objective)])


def _threads(marks: Sequence[Html], axes: Sequence[Axis], scale: Scale, n: int, objective: str) -> Html:
    """Return the figure; its controls show themselves where scripts run."""
    n_columns = len(axes) + 1
    places = [(place + 0.5) / n_columns for place in range(n_columns)]
    posts = [tag("path", class_="line post", d=f"M{at(x, 0)}V0") for x in places]
    columns = [
        tag(
            "div",
            tag("span", shortened(name, 20), class_="axis-name", title=name),
            *(tag("span", clipped(tick.label, 24), style=f"bottom:{100 * tick.place:.1f}%") for tick in ticks),
            class_="axis",
        )
        for name, ticks in [*((axis.name, axis.ticks) for axis in axes), (objective, tuple(scale.ticks()))]
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
        tag("div", *columns, class_="axes", aria_hidden="true"),
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


def _important_slots(facts: Facts, objective: str) -> list[int]:
    """Return the slots of greatest influence, in the order of the space; without a model the first ones."""
    varying = [slot for slot, size in enumerate(facts.feasible.space.sizes) if size > 1]
    effects = facts.effects[objective]
    if isinstance(effects, Effects) and len(varying) > _MAX_AXES:
        by_share = [effect.levels.slot for effect in effects.main]
        return sorted(by_share[:_MAX_AXES])
    return varying[:_MAX_AXES]
