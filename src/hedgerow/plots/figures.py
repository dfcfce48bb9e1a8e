"""Figures of Matplotlib, which is loaded here and only when something is drawn: where they come from and go to."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from hedgerow.errors import HedgerowError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FilePath = str | PathLike[str]
TRIAL_COLOR, BEST_COLOR, BAD_COLOR, FAINT_COLOR = "#9aa5b1", "#1b7f4d", "#b3532f", "#c3cad1"


def new_figure(path: FilePath | None, width: float, height: float) -> Figure:
    """Return a figure: one of pyplot's where it is to be looked at, one of its own where it goes into a file."""
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - only for those who draw
    except ImportError:
        raise HedgerowError(
            "Plots need Matplotlib, which is missing. Install the extra: pip install 'hedgerow[plots]'"
        ) from None
    if path is not None:
        # A figure of its own needs no display and leaves no global state behind.
        return Figure(figsize=(width, height), layout="constrained")
    from matplotlib import pyplot as plt  # noqa: PLC0415 - the one case that wants a window or a notebook

    return plt.figure(figsize=(width, height), layout="constrained")


def finished(figure: Figure, path: FilePath | None) -> Figure:
    """Save a figure where a file was asked for, and return it in the form in which a notebook shows it once."""
    if path is not None:
        figure.savefig(fspath(path), dpi=150)
        return figure
    import matplotlib as mpl  # noqa: PLC0415
    from matplotlib import pyplot as plt  # noqa: PLC0415

    if "inline" in mpl.get_backend():
        # The notebook shows what a cell returns; pyplot would show it a second time.
        plt.close(figure)
    return figure


def grid_of(figure: Figure, n: int, n_columns: int) -> list[Any]:
    """Return n axes in rows of so many columns."""
    n_rows = -(-n // n_columns)
    grid = list(figure.subplots(n_rows, n_columns, squeeze=False).ravel())
    for axes in grid[n:]:
        axes.set_visible(False)
    return grid[:n]


def plain(axes: Axes) -> None:
    """Take away what a reader does not need."""
    axes.grid(visible=True, alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
