"""The result of a run: the best point, everything that was tried, and a picture of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from hedgerow.optimizer import Observation
from hedgerow.space import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Result:
    """What a run found. `stopped` says why it ended: budget, timeout, exhausted or callback."""

    best_point: Point | None
    best_value: float | None
    observations: tuple[Observation, ...]
    stopped: str
    seconds: float
    _is_maximised: bool = False

    @property
    def n_failed(self) -> int:
        """How many trials failed."""
        return sum(observation.failed for observation in self.observations)

    def best_so_far(self) -> list[float]:
        """Return the best value after each trial; NaN before the first success. Directions are as in the run."""
        sign = -1.0 if self._is_maximised else 1.0
        best, history = math.inf, []
        for observation in self.observations:
            if observation.value is not None:
                best = min(best, sign * observation.value)
            history.append(sign * best if math.isfinite(best) else math.nan)
        return history

    def plot_convergence(
        self,
        path_or_ax: str | PathLike[str] | Axes | None = None,
        *,
        optimum: float | None = None,
        title: str = "Convergence",
        value_label: str = "objective value",
    ) -> Axes:
        """Draw every trial and the best value so far; return the Matplotlib axes.

        Give a file name (the ending chooses the format) or axes to draw into; without either, a new pyplot figure is
        made. A known `optimum` becomes a dashed line. Needs Matplotlib (the extra `plots`).
        """
        from hedgerow.study import plots  # noqa: PLC0415 - only for those who draw

        return plots.plot_convergence(self, path_or_ax, optimum=optimum, title=title, value_label=value_label)
