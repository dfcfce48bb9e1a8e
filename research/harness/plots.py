"""The figures of the pages, drawn with Matplotlib, which is loaded here and only when something is drawn.

A figure has a panel per task and a line per name; what a line shows of its runs is one small function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hedgerow.errors import HedgerowError
from research.harness.cell import Cell
from research.harness.row import Row
from research.harness.summary import mean_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Colors that color-blind people can tell apart (Okabe and Ito), and some more.
_COLORS = (
    "#000000",
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
    "#8c6d31",
    "#7f7f7f",
    "#aa3377",
)
_STYLES = ("-", ":", "-.")
_PANEL_WIDTH, _PANEL_HEIGHT = 4.6, 3.2
# A legend's entry: the piece of line with its gaps, a letter of its text, and its height.
_INCHES_OF_A_SAMPLE, _INCHES_OF_A_LETTER, _INCHES_OF_A_LINE = 0.6, 0.075, 0.2
# Runs of up to so many rounds are drawn over a linear axis.
_SHORT = 50


class LineStyle(NamedTuple):
    """How a line looks."""

    color: str
    linestyle: str


Lines = Mapping[str, Sequence[Row]]
Draw = Callable[["Axes", Sequence[Row], LineStyle], None]


def draw_panels(path: Path, panels: Mapping[str, Lines], draw: Draw) -> None:
    """Draw one panel per task, with one legend for all, into a PNG file."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - only for those who draw
    except ImportError:
        raise HedgerowError(
            "Pages with pictures need Matplotlib, which is missing. Install the extra: pip install 'hedgerow[research]'"
        ) from None
    names = list(dict.fromkeys(name for lines in panels.values() for name in lines))
    looks = _looks(names)
    n_columns = min(3, len(panels))
    n_rows = math.ceil(len(panels) / n_columns)
    width = _PANEL_WIDTH * n_columns
    n_legend_columns = _n_legend_columns(names, width)
    height = _PANEL_HEIGHT * n_rows + _INCHES_OF_A_LINE * math.ceil(len(names) / n_legend_columns)
    figure = Figure(figsize=(width, height), layout="constrained")
    grid = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for axes, (task, lines) in zip(grid, panels.items(), strict=False):
        for name, rows in lines.items():
            draw(axes, rows, looks[name])
        axes.set_title(task, loc="left", fontweight="bold")
        axes.grid(visible=True, alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in grid[len(panels) :]:
        axes.set_visible(False)
    _add_legend(figure, looks, n_legend_columns)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def draw_convergence(axes: Axes, rows: Sequence[Row], look: LineStyle) -> None:
    """Draw mean best value over rounds, with the middle half of the runs shaded."""
    mean, low, high = mean_curve(rows)
    rounds = np.arange(1, mean.size + 1)
    axes.fill_between(rounds, low, high, color=look.color, alpha=0.12, linewidth=0)
    axes.plot(rounds, mean, linewidth=1.7, **look._asdict())
    if mean.size > _SHORT:
        axes.set_xscale("log")
    axes.set_xlabel("round")
    axes.set_ylabel("best value")


def draw_rejected(axes: Axes, rows: Sequence[Row], look: LineStyle) -> None:
    """Draw how many suggestions have broken a rule after each round, the mean over the runs."""
    rejected = np.zeros((len(rows), max(row.budget for row in rows)))
    for line, row in zip(rejected, rows, strict=True):
        line[np.array(row.invalid_rounds, dtype=np.int64) - 1] = 1
    axes.plot(
        np.arange(1, rejected.shape[1] + 1), rejected.cumsum(axis=1).mean(axis=0), linewidth=1.7, **look._asdict()
    )
    axes.set_xlabel("round")
    axes.set_ylabel("rejected so far")


def draw_series(key: str, name: str) -> Draw:
    """Return what draws a named curve of trainings over their steps."""

    def draw(axes: Axes, rows: Sequence[Row], look: LineStyle) -> None:
        # Step 0 has no place on a logarithmic axis.
        steps = np.maximum(rows[0].series["steps"], 0.5)
        axes.plot(steps, np.mean([row.series[key] for row in rows], axis=0), linewidth=1.7, **look._asdict())
        axes.set_xscale("log")
        axes.set_xlabel("step of Adam")
        axes.set_ylabel(name)

    return draw


def draw_run_losses(axes: Axes, rows: Sequence[Row], look: LineStyle) -> None:
    """Draw the loss that each training of a run ended with, penalty included, a line per run, over its steps so far."""
    for row in rows:
        weight = float(Cell.parse(row.cell).get("penalty") or 1.0)
        total = np.array(row.series["loss"]) + weight * np.array(row.series["penalty"])
        axes.plot(np.array(row.series["steps"]) / 1000, total, linewidth=1.0, alpha=0.8, **look._asdict())
    axes.set_xlabel("thousands of steps of Adam in the run")
    axes.set_ylabel("squared error + λ penalty")


def draw_sensitivity(setting: str) -> Draw:
    """Return what draws mean best value over a setting, with its standard error."""

    def draw(axes: Axes, rows: Sequence[Row], look: LineStyle) -> None:
        values: dict[float, list[float]] = {}
        for row in rows:
            if row.best is not None:
                values.setdefault(float(Cell.parse(row.cell).get(setting) or 0.0), []).append(row.best)
        places = sorted(values)
        means = [float(np.mean(values[place])) for place in places]
        errors = [float(np.std(values[place]) / math.sqrt(len(values[place]))) for place in places]
        axes.errorbar(places, means, errors, marker="o", markersize=4, linewidth=1.5, capsize=2, **look._asdict())
        axes.set_xscale("symlog", linthresh=min((place for place in places if place > 0), default=1.0))
        axes.set_xlabel(setting.replace("_", " "))
        axes.set_ylabel("best value")

    return draw


def _looks(names: Sequence[str]) -> dict[str, LineStyle]:
    """Give each method a color; its variant -u has that of -c and is dashed, as in the paper."""
    bases = list(dict.fromkeys(name.replace("-u", "-c") for name in names))
    looks = {}
    for name in names:
        place = bases.index(name.replace("-u", "-c"))
        style = "--" if "-u" in name else _STYLES[place // len(_COLORS) % len(_STYLES)]
        looks[name] = LineStyle(_COLORS[place % len(_COLORS)], style)
    return looks


def _n_legend_columns(names: Sequence[str], width: float) -> int:
    """Return how many columns of the longest name fit into so many inches."""
    longest = _INCHES_OF_A_SAMPLE + _INCHES_OF_A_LETTER * max(map(len, names))
    return max(1, min(len(names), int(width / longest)))


def _add_legend(figure: object, looks: Mapping[str, LineStyle], n_legend_columns: int) -> None:
    from matplotlib.lines import Line2D  # noqa: PLC0415

    handles = [Line2D([], [], label=name, **look._asdict()) for name, look in looks.items()]
    figure.legend(  # type: ignore[attr-defined]
        handles=handles, loc="outside lower center", ncols=n_legend_columns, frameon=False, fontsize=9
    )
