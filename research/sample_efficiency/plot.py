"""Best-so-far curves: one picture per task, one curve per method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from research.sample_efficiency.runs import Run
from research.sample_efficiency.tasks import Reference


def plot_curves(folder: Path, reference: Reference, runs_by_method: Mapping[str, Sequence[Run]]) -> Path:
    """Write a picture of the mean best value, with the middle half of the runs shaded; return where it lies.

    A curve ends in a dot where the last of its runs reached the optimum.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - of the extra `plots`
    from matplotlib.ticker import StrMethodFormatter  # noqa: PLC0415

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    for index, (method, runs) in enumerate(runs_by_method.items()):
        curves = curves_of(runs)
        evaluations = np.arange(1, curves.shape[1] + 1)
        is_known = ~np.isnan(curves).any(axis=0)
        low, high = np.quantile(curves[:, is_known], [0.25, 0.75], axis=0)
        axes.fill_between(evaluations[is_known], low, high, step="post", alpha=0.15, color=f"C{index}", linewidth=0)
        mean = curves[:, is_known].mean(axis=0)
        if all(run.reached for run in runs):
            axes.plot(evaluations[-1], mean[-1], "o", color=f"C{index}", markersize=5)
        axes.step(
            evaluations[is_known],
            mean,
            where="post",
            color=f"C{index}",
            label=f"{method} ({len(runs)} runs)",
        )
    if reference.optimum is not None:
        axes.axhline(reference.optimum, color="0.35", linestyle="--", linewidth=1, label="optimum")
    if reference.published is not None:
        published = reference.published
        axes.plot(published.round, published.value, "k*", markersize=10, label=f"published ({published.method})")
    axes.set(title=reference.task, xlabel="evaluations", ylabel="mean best value so far", xscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(StrMethodFormatter("{x:,.6g}"))
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{reference.task}.png"
    figure.savefig(path, dpi=150)
    return path


def curves_of(runs: Sequence[Run]) -> NDArray[np.float64]:
    """Return the best values (n_runs, n_evaluations), NaN before the first; a run that ended stays where it was."""
    longest = max(len(run.best) for run in runs)
    curves = [np.array([np.nan if value is None else value for value in run.best]) for run in runs]
    return np.stack([np.pad(curve, (0, longest - curve.size), mode="edge") for curve in curves])
