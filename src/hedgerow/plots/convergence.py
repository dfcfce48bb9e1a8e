"""The picture of a run's convergence: every trial, and the best value so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from hedgerow.insight.scale import is_wide
from hedgerow.outcomes.goals import Goals
from hedgerow.outcomes.observation import Observation, pooled
from hedgerow.plots.drawn import DrawnOutcome, outcome_of
from hedgerow.plots.figures import BAD_COLOR, BEST_COLOR, TRIAL_COLOR, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hedgerow.plots.drawn import Drawn

_SIZE = (7.5, 4.5)


@dataclass(frozen=True)
class _Best:
    """A value with the place of the trial that gave it, and how many readings it is the mean of."""

    value: float
    place: int
    n_readings: int


def plot_convergence(
    result: Drawn,
    path_or_ax: str | PathLike[str] | Axes | None,
    *,
    outcome: str | None,
    optimum: float | None,
    title: str,
    value_label: str | None,
) -> Axes:
    """Draw every trial and the best so far, into a file, into given axes, or into a new pyplot figure."""
    shown = outcome_of(result, outcome)
    ax, figure_to_save = _axes_for(path_or_ax)
    values = [math.nan if (value := shown.number(seen)) is None else value for seen in result.observations]
    known = [value for value in values if not math.isnan(value)]
    _draw_trials(ax, result, shown, values)
    if known and shown.is_objective:
        _draw_best(ax, result, shown)
    if optimum is not None:
        ax.axhline(optimum, color=BAD_COLOR, linestyle="--", linewidth=1.5, zorder=3.5, label=f"optimum {optimum:,.6g}")
    if is_wide(known if optimum is None else [*known, optimum]):
        _make_logarithmic(ax)
    _dress(ax, title, shown.label("objective value") if value_label is None else value_label)
    if figure_to_save is not None:
        figure_to_save.savefig(fspath(path_or_ax), dpi=150)  # type: ignore[arg-type]
    return ax


def _axes_for(path_or_ax: str | PathLike[str] | Axes | None) -> tuple[Axes, Any]:
    """The axes to draw into, and the figure to save when a file was asked for."""
    if path_or_ax is None or isinstance(path_or_ax, str | PathLike):
        figure = new_figure(path_or_ax, *_SIZE)
        return figure.subplots(), None if path_or_ax is None else figure
    return path_or_ax, None


def _draw_trials(ax: Axes, result: Drawn, shown: DrawnOutcome, values: Sequence[float]) -> None:
    """Draw a dot for each value, hollow where it can never be the best, and a cross for each trial without one."""
    trials = range(1, len(values) + 1)
    kept = [_is_able(seen) for seen in result.observations]
    ax.plot(trials, _where(kept, values), "o", color=TRIAL_COLOR, markersize=5, label="trial")
    if not all(kept):
        broken = _where([not each for each in kept], values)
        label = "breaks a rule or a limit" if result.goals.limits else "breaks a rule"
        ax.plot(trials, broken, "o", color=TRIAL_COLOR, fillstyle="none", markersize=5, label=label)
    lacking = [
        (trial, seen)
        for trial, seen, value in zip(trials, result.observations, values, strict=True)
        if math.isnan(value)
    ]
    _mark(ax, [trial for trial, seen in lacking if seen.failed], BAD_COLOR, "failed trial")
    _mark(ax, [trial for trial, seen in lacking if not seen.failed], TRIAL_COLOR, f"gave no {shown.name}")


def _is_able(seen: Observation) -> bool:
    """Whether an observation can be the best; one that failed breaks nothing that is drawn."""
    return seen.failed or (seen.is_feasible and not seen.broken_limits)


def _draw_best(ax: Axes, result: Drawn, shown: DrawnOutcome) -> None:
    """Draw the best so far as steps, and ring the trial that found the best value."""
    found = _best_after_each(result, shown)
    values = [math.nan if best is None else best.value for best in found]
    trials = range(1, len(found) + 1)
    label = "best mean so far" if result.goals.may_repeat else "best so far"
    ax.step(trials, values, where="post", color=BEST_COLOR, linewidth=2.2, label=label, zorder=3)
    best = _named_best(result) or found[-1]
    if best is None:
        return
    told = f"trial {best.place + 1}" if best.n_readings == 1 else f"mean of {best.n_readings} readings"
    ax.plot(
        best.place + 1,
        best.value,
        "o",
        color="white",
        markeredgecolor=BEST_COLOR,
        markeredgewidth=2.2,
        markersize=9,
        zorder=4,
        label=f"best {best.value:,.6g}, {told}",
    )


def _named_best(result: Drawn) -> _Best | None:
    """Return the best point of readings taken together, at its latest reading; nothing where each trial stands alone.

    Under noise the best is what is believed to be, which need not have the best mean.
    """
    if not result.goals.may_repeat or result.best_value is None:
        return None
    own = [
        place
        for place, seen in enumerate(result.observations)
        if seen.value is not None and seen.point == result.best_point
    ]
    n_readings = sum(result.observations[place].n_readings for place in own)
    return _Best(result.best_value, own[-1], n_readings) if own else None


def _best_after_each(result: Drawn, shown: DrawnOutcome) -> list[_Best | None]:
    """Return the best after each trial; where points repeat, by the mean of the readings that each has had by then."""
    sign = -1.0 if shown.is_maximized else 1.0
    groups: dict[object, list[Observation]] = {}
    standing: dict[object, _Best] = {}
    history: list[_Best | None] = []
    best: _Best | None = None
    for place, seen in enumerate(result.observations):
        key: object = repr(seen.point) if result.goals.may_repeat else place
        now = _together(groups.setdefault(key, []), seen, result.goals)
        value = None if now is None or not _is_able(now) else shown.number(now)
        if value is None:
            standing.pop(key, None)
        elif not seen.failed:
            standing[key] = _Best(value, place, now.n_readings if now is not None else 1)
        if result.goals.may_repeat:
            best = min(standing.values(), key=lambda each: sign * each.value, default=None)
        elif value is not None and (best is None or sign * value < sign * best.value):
            best = standing[key]
        history.append(best)
    return history


def _together(group: list[Observation], seen: Observation, goals: Goals) -> Observation | None:
    """Add an observation to those of its point, and return them as one; None while all have failed."""
    group.append(seen)
    return next(iter(pooled(((0, each) for each in group), goals)), None)


def _where(shown: Sequence[bool], values: Sequence[float]) -> list[float]:
    return [value if each else math.nan for each, value in zip(shown, values, strict=True)]


def _mark(ax: Axes, trials: Sequence[int], color: str, label: str) -> None:
    """Put a cross above the axis for each of these trials, which have no height of their own."""
    if trials:
        ax.plot(
            trials,
            [0.03] * len(trials),
            "x",
            transform=ax.get_xaxis_transform(),
            color=color,
            markersize=6,
            label=label,
        )


def _make_logarithmic(ax: Axes) -> None:
    """Use a logarithmic axis with plain numbers at its ticks."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter  # noqa: PLC0415

    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.yaxis.set_major_formatter(StrMethodFormatter("{x:,.6g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())


def _dress(ax: Axes, title: str, value_label: str) -> None:
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    ax.set_title(title, loc="left", fontweight="bold")
    ax.set_xlabel("trials")
    ax.margins(x=0.03)
    ax.set_ylabel(value_label)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    plain(ax)
    # Below the axes: inside, it would hide trials.
    n_entries = len(ax.get_legend_handles_labels()[1])
    # A row wider than the axes would make them narrower.
    n_columns = n_entries if n_entries < 5 else 3
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=n_columns, columnspacing=1.4)
