"""The pictures of the page: regret over evaluations, seconds per ask over sizes and observations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from research.scale.costs import SIZES, Cost
from research.scale.regret import OURS, Regret

# Below this share of the random method's first regret a curve cannot be told from zero.
_FLOOR = 1e-4


def plot_regrets(path: Path, groups: Sequence[Sequence[Regret]]) -> None:
    """Draw mean regret over evaluations, a panel per task, the middle half of the runs shaded."""
    figure, axes = _panels(len(groups))
    for panel, regrets in zip(axes, groups, strict=False):
        start = max(np.nanmax(regret.curves) for regret in regrets)
        for index, regret in enumerate(regrets):
            _draw_curve(panel, regret, start, f"C{index % 10}")
        panel.set(title=regrets[0].task, xscale="log", yscale="log", xlabel="evaluations", ylabel="regret")
        panel.legend(frameon=False, fontsize=7)
    _save(figure, path)


def _draw_curve(panel: Any, regret: Regret, start: float, color: str) -> None:
    curves = np.maximum(regret.curves, _FLOOR * start)
    evaluations = np.arange(1, curves.shape[1] + 1)
    is_known = ~np.isnan(curves).any(axis=0)
    mean = np.maximum(regret.curves.mean(axis=0), _FLOOR * start)
    low, high = np.quantile(curves[:, is_known], [0.25, 0.75], axis=0)
    panel.fill_between(evaluations[is_known], low, high, color=color, alpha=0.12, linewidth=0)
    width = 2.4 if regret.cell.kind == OURS else 1.2
    panel.plot(evaluations[is_known], mean[is_known], color=color, linewidth=width, label=regret.name)


def plot_costs(path: Path, costs: Sequence[Cost]) -> None:
    """Draw seconds per ask over the size of the space, seconds and memory over the number of observations."""
    figure, (by_size, by_number, memory) = _panels(3)
    for family, label in (("digits-", "4 to 30 variables"), ("levels-", "3 to 1,000 levels")):
        own = [cost for cost in costs if cost.task.startswith(family)]
        sizes = [10**cost.log10_points for cost in own]
        (line,) = by_size.plot(sizes, [cost.seconds for cost in own], "o-", label=label)
        medians = [cost.median for cost in own]
        by_size.plot(sizes, medians, "o:", color=line.get_color(), alpha=0.5, label="the same, median")
    by_size.set(
        xscale="log", yscale="log", xlabel="points in the space", ylabel="seconds per ask", title="100 observations"
    )
    others = [cost for cost in costs if cost.task not in SIZES]
    for task in dict.fromkeys(cost.task for cost in others):
        own = [cost for cost in others if cost.task == task]
        numbers = [cost.n_observations for cost in own]
        by_number.plot(numbers, [cost.seconds for cost in own], "o-", label=task)
        memory.plot(numbers, [cost.peak_mib for cost in own], "o-", label=task)
    by_number.set(xscale="log", yscale="log", xlabel="observations", ylabel="seconds per ask", title="Time")
    memory.set(xscale="log", xlabel="observations", ylabel="peak MiB of the process", title="Memory", ylim=(0, None))
    for panel in (by_size, by_number, memory):
        panel.legend(frameon=False, fontsize=8)
    _save(figure, path)


def _panels(n: int) -> tuple[Any, list[Any]]:
    from matplotlib.figure import Figure  # noqa: PLC0415 - of the extra `plots`

    n_rows = -(-n // 3)
    figure = Figure(figsize=(12.5, 3.8 * n_rows), layout="constrained")
    panels = [figure.add_subplot(n_rows, min(n, 3), index + 1) for index in range(n)]
    for panel in panels:
        panel.grid(alpha=0.25)
        panel.spines[["top", "right"]].set_visible(False)
    return figure, panels


def _save(figure: Any, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
