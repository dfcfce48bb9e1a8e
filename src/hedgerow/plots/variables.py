"""Pictures of what the variables do: effects, interactions and parallel coordinates of a result."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.arrays import Codes, Column
from hedgerow.errors import HedgerowError
from hedgerow.insight.coordinates import coordinates_of
from hedgerow.insight.effects import Effect, Effects, Interaction, NoEffects, effects_of, share_in_words
from hedgerow.insight.importance import Importance
from hedgerow.insight.levels import LevelGroups
from hedgerow.insight.scale import scale_of
from hedgerow.plots.drawn import DrawnOutcome, outcome_of
from hedgerow.plots.figures import BEST_COLOR, FAINT_COLOR, FilePath, finished, grid_of, new_figure, plain
from hedgerow.space.encoding import encode_many

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hedgerow.feasible import FeasibleSet
    from hedgerow.plots.drawn import Drawn

_MAX_PANELS = 12
_MAX_AXES = 12
_MAX_LABEL = 18
# Lets the lines under a label be guessed, and the label be read.
_CLEAR = {"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 0.8}


# Which variables matter for an outcome, None where that is not known.
KnowsImportance = Callable[[str], Importance | None]


def plot_effects(result: Drawn, path: FilePath | None, outcome: str | None, known: KnowsImportance) -> Figure:
    """Draw a panel per variable: the mean prediction at each level, and the middle half of the predictions."""
    drawn = outcome_of(result, outcome)
    effects = _effects(result, drawn, known)
    shown = effects.main[:_MAX_PANELS]
    n_columns = min(3, len(shown))
    figure = new_figure(path, 3.4 * n_columns, 2.6 * math.ceil(len(shown) / n_columns) + 0.6)
    figure.suptitle(
        f"Mean prediction{_of(drawn)} by variable, with the middle half "
        f"(trust: {effects.trust:.0%} of left-out variation)",
        fontsize=10,
    )
    everything = np.concatenate([np.concatenate([each.lows, each.highs, each.means]) for each in shown])
    scale = scale_of(everything[np.isfinite(everything)].tolist(), may_be_log=False)
    for place, (axes, effect) in enumerate(zip(grid_of(figure, len(shown), n_columns), shown, strict=True)):
        _draw_effect(axes, effect)
        axes.set_ylim(scale.low, scale.high)
        if drawn.is_named and place % n_columns == 0:
            axes.set_ylabel(_clipped(drawn.name, 30), fontsize=9)
    return finished(figure, path)


def plot_interactions(result: Drawn, path: FilePath | None, outcome: str | None, known: KnowsImportance) -> Figure:
    """Draw the strongest interactions as heat maps of the mean prediction."""
    drawn = outcome_of(result, outcome)
    effects = _effects(result, drawn, known)
    if not effects.interactions:
        raise HedgerowError("No pair of variables interacts, as far as these trials tell, so there is nothing to draw.")
    n_columns = min(2, len(effects.interactions))
    n_rows = math.ceil(len(effects.interactions) / n_columns)
    figure = new_figure(path, 5.0 * n_columns, 3.8 * n_rows)
    if drawn.is_named:
        figure.suptitle(f"Mean prediction{_of(drawn)} by pairs of variables", fontsize=10)
    for axes, pair in zip(grid_of(figure, len(effects.interactions), n_columns), effects.interactions, strict=True):
        _draw_pair(figure, axes, pair, drawn.is_maximized)
    return finished(figure, path)


def _of(drawn: DrawnOutcome) -> str:
    return f" of {_clipped(drawn.name, 30)}" if drawn.is_named else ""


def plot_parallel(result: Drawn, path: FilePath | None, outcome: str | None) -> Figure:
    """Draw each feasible observation as a line across the variables and its value."""
    drawn = outcome_of(result, outcome)
    feasible, codes, values = _measured(result, drawn)
    keeps = feasible.codes.accepts(codes)
    if not keeps.any():
        raise HedgerowError("No trial gave a value at a point that satisfies the rules, so there is nothing to draw.")
    slots = _slots(result, drawn, feasible)
    lines = coordinates_of(feasible.space, codes[keeps], values[keeps], drawn.is_maximized, slots)
    scale = scale_of(values[keeps].tolist())
    figure = new_figure(path, max(5.0, 1.1 * (len(slots) + 1)), 4.5)
    axes = figure.subplots()
    places = np.arange(len(slots) + 1)
    for line, good, index in zip(lines.places, lines.goodness, lines.chosen, strict=True):
        heights = [*line, scale.place(float(values[keeps][index]))]
        axes.plot(places, heights, color=_between(float(good)), linewidth=1.0 + good, alpha=0.35 + 0.55 * good)
    named = [*((axis.name, axis.ticks) for axis in lines.axes), (drawn.label("value"), scale.ticks())]
    for place, (_, ticks) in enumerate(named):
        axes.axvline(place, color=FAINT_COLOR, linewidth=0.8, zorder=0)
        for tick in ticks:
            axes.text(
                place + 0.04, tick.place, _clipped(tick.label), fontsize=7, va="center", color="#5b6773", bbox=_CLEAR
            )
    axes.set_xticks(places, [_clipped(name) for name, _ in named], fontsize=8)
    axes.set_yticks([])
    axes.set_xlim(-0.2, len(slots) + 0.6)
    axes.spines[:].set_visible(False)
    better = f"better{f' the {_clipped(drawn.name, 30)}' * drawn.is_named}" if drawn.is_objective else "lower"
    axes.set_title(f"Observations within the rules, the {better} the greener", loc="left", fontsize=10)
    return finished(figure, path)


def _measured(result: Drawn, drawn: DrawnOutcome) -> tuple[FeasibleSet, Codes, Column]:
    feasible = result.feasible
    if feasible is None:
        raise HedgerowError(
            "This result does not know its space and rules: it was made by hand, or came from another process with "
            "rules that are Python functions. Draw it where minimize or maximize returned it."
        )
    told = ((seen.point, drawn.number(seen)) for seen in result.observations)
    known = [(point, value) for point, value in told if value is not None]
    codes = encode_many(feasible.space, [point for point, _ in known])
    return feasible, codes, np.array([value for _, value in known], dtype=np.float64)


def _effects(result: Drawn, drawn: DrawnOutcome, known: KnowsImportance) -> Effects:
    feasible, codes, values = _measured(result, drawn)
    effects = effects_of(feasible, codes, values, drawn.is_maximized, importance=known(drawn.name))
    if isinstance(effects, NoEffects):
        raise HedgerowError(f"There are no effects to draw. {effects.reason}")
    return effects


def _slots(result: Drawn, drawn: DrawnOutcome, feasible: FeasibleSet) -> list[int]:
    varying = [slot for slot, size in enumerate(feasible.space.sizes) if size > 1]
    if len(varying) <= _MAX_AXES:
        return varying
    _, codes, values = _measured(result, drawn)
    effects = effects_of(feasible, codes, values, drawn.is_maximized)
    strongest = [each.levels.slot for each in effects.main] if isinstance(effects, Effects) else varying
    return sorted(strongest[:_MAX_AXES])


def _draw_effect(axes: Axes, effect: Effect) -> None:
    known = np.flatnonzero(np.isfinite(effect.means))
    means, lows, highs = effect.means[known], effect.lows[known], effect.highs[known]
    if effect.levels.is_ordered and effect.levels.n > 2:
        axes.fill_between(known, lows, highs, color=BEST_COLOR, alpha=0.16, linewidth=0)
        axes.plot(known, means, "o-", color=BEST_COLOR, markersize=4, linewidth=1.8)
    else:
        axes.vlines(known, lows, highs, color=BEST_COLOR, alpha=0.25, linewidth=6)
        axes.plot(known, means, "o", color=BEST_COLOR, markersize=5)
    axes.set_xlim(-0.5, effect.levels.n - 0.5)
    _label_levels(axes.xaxis, effect.levels, 24)
    axes.set_title(
        f"{_clipped(effect.levels.name, 30)}   {share_in_words(effect.share, effect.interval)}", loc="left", fontsize=9
    )
    axes.tick_params(labelsize=8)
    plain(axes)


def _draw_pair(figure: Figure, axes: Axes, pair: Interaction, is_maximized: bool) -> None:
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415

    # What the rules leave out is hatched.
    axes.patch.set(facecolor="white", hatch="////", edgecolor="#d9dee4")
    colors = ["#edf1f0", BEST_COLOR] if is_maximized else [BEST_COLOR, "#edf1f0"]
    drawn = axes.imshow(
        pair.means,
        cmap=LinearSegmentedColormap.from_list("goodness", colors),
        aspect="auto",
        origin="lower",
    )
    _label_levels(axes.xaxis, pair.second, 30)
    _label_levels(axes.yaxis, pair.first, 60)
    axes.set_xlabel(_clipped(pair.second.name, 30), fontsize=9)
    axes.set_ylabel(_clipped(pair.first.name, 30), fontsize=9)
    axes.tick_params(labelsize=8)
    axes.set_title(f"{share_in_words(pair.share, pair.interval)} beyond the two alone", loc="left", fontsize=9)
    figure.colorbar(drawn, ax=axes, shrink=0.85).ax.tick_params(labelsize=8)


def _label_levels(axis: Any, levels: LevelGroups, room: int) -> None:
    """Label as many levels as have room beside each other, counted in characters; categories all, on a slant."""
    widest = max(len(_clipped(mark)) for mark in levels.tick_labels)
    step = math.ceil(levels.n / max(2, room // (widest + 1)))
    if step > 1 and not levels.is_ordered:
        labels = [_clipped(mark) for mark in levels.tick_labels]
        axis.set_ticks(list(range(levels.n)), labels, rotation=25, ha="right", rotation_mode="anchor")
        return
    marked = list(range(0, levels.n, step))
    axis.set_ticks(marked, [_clipped(levels.tick_labels[place]) for place in marked])


def _between(good: float) -> tuple[float, float, float]:
    """Return a color between faint and best."""
    ends = [[int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)] for color in (FAINT_COLOR, BEST_COLOR)]
    red, green, blue = ((1 - good) * a + good * b for a, b in zip(*ends, strict=True))
    return red, green, blue


def _clipped(text: str, limit: int = _MAX_LABEL) -> str:
    # A dollar sign would begin a formula.
    short = text if len(text) <= limit else f"{text[: limit // 2]}…{text[-(limit // 2 - 1) :]}"
    return short.replace("$", r"\$")
