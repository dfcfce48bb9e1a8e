"""The result of a run: the best point, everything that was tried, and pictures of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

from hedgerow.expressions import Opaque
from hedgerow.feasible import FeasibleSet
from hedgerow.optimizer import Observation
from hedgerow.space import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Result:
    """What a run found. `stopped` says why it ended: budget, timeout, exhausted or callback."""

    best_point: Point | None
    best_value: float | None
    observations: tuple[Observation, ...]
    stopped: str
    seconds: float
    _is_maximised: bool = False
    # The space and its rules, which pictures of the variables need.
    feasible: FeasibleSet | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return what goes to another process: rules that are Python functions stay behind."""
        state = dict(vars(self))
        if self.feasible is not None and any(isinstance(rule.written, Opaque) for rule in self.feasible.rules):
            state["feasible"] = None
        return state

    def __repr__(self) -> str:
        """Return what one wants to know first; `observations` has the rest."""
        n = len(self.observations)
        failed = f", {self.n_failed} failed" if self.n_failed else ""
        best = f"best_value={self.best_value!r}, best_point={self.best_point!r}"
        found = "no value" if self.best_value is None else best
        return f"Result({found}, {n} trials{failed}, stopped={self.stopped!r})"

    @property
    def is_maximised(self) -> bool:
        """Whether larger values are better."""
        return self._is_maximised

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
        from hedgerow.plots import convergence as plots  # noqa: PLC0415 - only for those who draw

        return plots.plot_convergence(self, path_or_ax, optimum=optimum, title=title, value_label=value_label)

    def plot_effects(self, path: str | PathLike[str] | None = None) -> Figure:
        """Draw what each variable does to the predicted value, averaged over feasible points; return the figure.

        A model of the objective is fitted to all values. The line is the mean prediction at each level, the band the
        middle half of the predictions; the percentage is the share of the variation that the variable explains alone.
        """
        from hedgerow.plots import variables as plot_variables  # noqa: PLC0415 - only for those who draw

        return plot_variables.plot_effects(self, path)

    def plot_interactions(self, path: str | PathLike[str] | None = None) -> Figure:
        """Draw the pairs of variables that do most beyond the sum of their two effects; return the figure."""
        from hedgerow.plots import variables as plot_variables  # noqa: PLC0415

        return plot_variables.plot_interactions(self, path)

    def plot_parallel(self, path: str | PathLike[str] | None = None) -> Figure:
        """Draw every feasible observation as a line across the variables; return the figure."""
        from hedgerow.plots import variables as plot_variables  # noqa: PLC0415

        return plot_variables.plot_parallel(self, path)
