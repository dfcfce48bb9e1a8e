"""The picture of a run's convergence: every trial, and the best value so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from hedgerow.insight.scale import is_wide
from hedgerow.plots.figures import BAD_COLOR, BEST_COLOR, TRIAL_COLOR, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hedgerow.plots.drawn import Drawn

_SIZE = (7.5, 4.5)


def plot_convergence(
    result: Drawn,
    path_or_ax: str | PathLike[str] | Axes | None,
    *,
    optimum: float | None,
    title: str,
    value_label: str,
) -> Axes:
    """Draw every trial and the best so far, into a file, into given axes, or into a new pyplot figure."""
    ax, figure_to_save = _axes_for(path_or_ax)
    values = [math.nan if seen.value is None else seen.value for seen in result.observations]
    trials = range(1, len(values) + 1)
    known = [value for value in values if not math.isnan(value)]
    kept = [seen.is_feasible for seen in result.observations]
    ax.plot(trials, _where(kept, values), "o", color=TRIAL_COLOR, markersize=5, label="trial")
    if not all(kept):
        # They have a value, and are never the best.
        broken = _where([not each for each in kept], values)
        ax.plot(trials, broken, "o", color=TRIAL_COLOR, fillstyle="none", markersize=5, label="breaks a rule")
    if known:
        best = result.best_so_far()
        ax.step(trials, best, where="post", color=BEST_COLOR, linewidth=2.2, label="best so far", zorder=3)
    if result.best_point is not None:
        _mark_best(ax, result)
    if optimum is not None:
        ax.axhline(optimum, color=BAD_COLOR, linestyle="--", linewidth=1.5, zorder=3.5, label=f"optimum {optimum:,.6g}")
    _mark_failures(ax, [trial for trial, value in zip(trials, values, strict=True) if math.isnan(value)])
    if is_wide(known if optimum is None else [*known, optimum]):
        _make_logarithmic(ax)
    _dress(ax, title, value_label)
    if figure_to_save is not None:
        figure_to_save.savefig(fspath(path_or_ax), dpi=150)  # type: ignore[arg-type]
    return ax


def _axes_for(path_or_ax: str | PathLike[str] | Axes | None) -> tuple[Axes, Any]:
    """The axes to draw into, and the figure to save when a file was asked for."""
    if path_or_ax is None or isinstance(path_or_ax, str | PathLike):
        figure = new_figure(path_or_ax, *_SIZE)
        return figure.subplots(), None if path_or_ax is None else figure
    return path_or_ax, None


def _mark_best(ax: Axes, result: Drawn) -> None:
    """Ring the trial that found the best value."""
    best = result.best_value
    assert best is not None
    trial = 1 + next(
        index
        for index, seen in enumerate(result.observations)
        if seen.value == best and seen.point == result.best_point
    )
    ax.plot(
        trial,
        best,
        "o",
        color="white",
        markeredgecolor=BEST_COLOR,
        markeredgewidth=2.2,
        markersize=9,
        zorder=4,
        label=f"best {best:,.6g}, trial {trial}",
    )


def _where(shown: Sequence[bool], values: Sequence[float]) -> list[float]:
    return [value if each else math.nan for each, value in zip(shown, values, strict=True)]


def _mark_failures(ax: Axes, trials: Sequence[int]) -> None:
    """Put a cross above the axis for each failed trial, which has no height of its own."""
    if trials:
        ax.plot(
            trials,
            [0.03] * len(trials),
            "x",
            transform=ax.get_xaxis_transform(),
            color=BAD_COLOR,
            markersize=6,
            label="failed trial",
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
    ax.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=5, columnspacing=1.4)
