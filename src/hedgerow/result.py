"""The result of a run: the best point, everything that was tried, how it ended, and pictures of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any

from hedgerow.expressions import Opaque
from hedgerow.feasible import FeasibleSet
from hedgerow.frames import to_frame
from hedgerow.insight.display import best_tables, front_table
from hedgerow.observations import Observation
from hedgerow.outcomes.goals import Goals
from hedgerow.space import Point
from hedgerow.space.encoding import encode
from hedgerow.web import Html, tag
from hedgerow.wording import readable_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from hedgerow.insight.importance import Importance


class Stopped(StrEnum):
    """How a run ended; `advice` says what that means and how to go on.

    Examples
    --------
    >>> import hedgerow as hr
    >>> result = hr.minimize(lambda point: point["x"], hr.Space({"x": [1, 2, 3]}))
    >>> result.stopped is hr.Stopped.EXHAUSTED
    True
    >>> print(result.stopped.advice)
    Every feasible point has been tried: the best one is the optimum.
    """

    BUDGET = "budget"
    TIMEOUT = "timeout"
    EXHAUSTED = "exhausted"
    NOTHING_LEFT = "nothing left"
    CALLBACK = "callback"
    INTERRUPTED = "interrupted"
    FAILING = "failing"
    BROKEN = "broken"
    ERROR = "error"
    OPEN = "open"

    @property
    def advice(self) -> str:
        """A sentence for people."""
        return _ADVICE[self]


_GO_ON = "go on with minimize(..., initial=result.observations)"
_ADVICE = {
    Stopped.BUDGET: f"All trials of the budget were made; {_GO_ON}.",
    Stopped.TIMEOUT: f"The time was up; {_GO_ON}.",
    Stopped.EXHAUSTED: "Every feasible point has been tried: the best one is the optimum.",
    Stopped.NOTHING_LEFT: f"Less is expected of all untried points than `least_gain`; {_GO_ON}.",
    Stopped.CALLBACK: f"A callback returned True; {_GO_ON}.",
    Stopped.INTERRUPTED: f"The run was interrupted, nothing is lost; {_GO_ON}.",
    Stopped.FAILING: "Every trial failed, so the objective is broken, not the points; mend it and run again.",
    Stopped.BROKEN: "What measures points cannot be started here; nothing was counted against any point. Run again.",
    Stopped.ERROR: f"The run ended in the exception in `error`, nothing is lost; mend its cause and {_GO_ON}.",
    Stopped.OPEN: "Not ended: the optimizer can be asked and told further.",
}


@dataclass(frozen=True)
class Result:
    """What a run found.

    Attributes
    ----------
    best_point : dict or None
        The best feasible point within the limits; None where no trial gave a value, and with several objectives.
    best_value : float or None
        Its value.
    observations : tuple of Observation
        Everything that was told, in order, failures and points known before included.
    stopped : Stopped
        How the run ended, a text: "budget", "timeout", "exhausted", "callback", "interrupted", "failing",
        "broken" or "error".
    seconds : float
        How long it took.
    is_maximized : bool
        Whether high values are good.
    feasible : FeasibleSet or None
        The space and its rules, which pictures of the variables need.
    error : Exception or None
        What ended the run where `stopped` is "error" or "broken".
    front : tuple of Observation
        The observations that no other dominates, within the limits; with one objective the best ones.
    goals : Goals
        What trials were judged by: objectives, limits and repeats.

    Examples
    --------
    >>> import hedgerow as hr
    >>> space = hr.Space({"x": hr.Integer(0, 9)})
    >>> result = hr.minimize(lambda point: (point["x"] - 4) ** 2, space, budget=20)
    >>> result.best_point, result.best_value, str(result.stopped)
    ({'x': 4}, 0.0, 'exhausted')
    """

    best_point: Point | None
    best_value: float | None
    observations: tuple[Observation, ...]
    stopped: Stopped
    seconds: float
    is_maximized: bool = False
    feasible: FeasibleSet | None = field(default=None, repr=False, compare=False)
    error: Exception | None = field(default=None, repr=False, compare=False)
    front: tuple[Observation, ...] = field(default=(), repr=False)
    goals: Goals = field(default_factory=Goals, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Return what goes to another process: rules that are Python functions stay behind."""
        state = dict(vars(self))
        if self.feasible is not None and any(isinstance(rule.written, Opaque) for rule in self.feasible.rules):
            state["feasible"] = None
        return state

    def __repr__(self) -> str:
        """Return what one wants to know first; `observations` has the rest."""
        best = f"best_value={self.best_value!r}, best_point={self.best_point!r}"
        found = self._without_best() if self.best_value is None else best
        return f"Result({found}, {self._counted()}, stopped={str(self.stopped)!r})"

    def _repr_html_(self) -> Html:
        best = self._without_best() if self.best_value is None else f"best {readable_number(self.best_value)}"
        parts = [tag("strong", f"Result: {best}"), tag("div", f"{self._counted()} in {self.seconds:.3g} s")]
        if self.best_point is not None:
            parts.append(best_tables(self.feasible, self.best_point))
        elif self.front:
            parts.append(front_table(self.front))
        return tag("div", *parts, tag("div", self.stopped.advice))

    def _without_best(self) -> str:
        return f"front of {len(self.front)}" if self.front else "no value"

    def _counted(self) -> str:
        failed = f", {self.n_failed} failed" if self.n_failed else ""
        return f"{len(self.observations)} trials{failed}"

    @property
    def is_maximised(self) -> bool:
        """An earlier spelling of `is_maximized`."""
        return self.is_maximized

    @property
    def n_failed(self) -> int:
        """How many trials failed."""
        return sum(observation.failed for observation in self.observations)

    def best_so_far(self) -> list[float]:
        """Return the best value after each trial. Points that break a rule, which may be told, are never the best.

        Returns
        -------
        list of float
            One number per observation, in the direction of the run; NaN before the first success.

        Examples
        --------
        >>> import hedgerow as hr
        >>> space = hr.Space({"x": [1, 2, 3, 4]})
        >>> known = [({"x": 3}, 30.0), ({"x": 2}, 20.0)]
        >>> hr.minimize(lambda point: 10.0 * point["x"], space, ["x != 2"], budget=1, initial=known).best_so_far()[:2]
        [30.0, 30.0]
        """
        sign = -1.0 if self.is_maximized else 1.0
        best, history = math.inf, []
        for observation in self.observations:
            if observation.value is not None and observation.is_feasible and not observation.broken_limits:
                best = min(best, sign * observation.value)
            history.append(sign * best if math.isfinite(best) else math.nan)
        return history

    def to_pandas(self) -> DataFrame:
        """Return all observations as a data frame. Needs pandas (the extra `pandas`).

        Returns
        -------
        pandas.DataFrame
            One row per observation, in order: a column for each variable (`x[0]`, `x[1]` for a vector), `value` or the
            outcomes by name, `is_feasible`, `failed` and `reason`. `hr.Optimizer(..., data=frame)` reads it again.

        Raises
        ------
        HedgerowError
            Where pandas is not installed.

        Examples
        --------
        >>> import hedgerow as hr
        >>> result = hr.minimize(lambda point: point["x"] ** 2, hr.Space({"x": [1, 2, 3]}))
        >>> sorted(result.to_pandas()["value"])   # doctest: +SKIP
        [1.0, 4.0, 9.0]
        """
        return to_frame(self.observations)

    def report(self, path: str | PathLike[str], *, title: str = "Result") -> None:
        """Write the page that `hedgerow report` writes: one HTML file that needs no other and no network.

        Parameters
        ----------
        path : path
            Where the page goes.
        title : str, optional
            What stands above it.

        Raises
        ------
        HedgerowError
            Where there are no observations, the result does not know its space, or the page cannot be written.

        Examples
        --------
        >>> import hedgerow as hr
        >>> import pathlib, tempfile
        >>> result = hr.minimize(lambda point: point["x"] ** 2, hr.Space({"x": hr.Integer(1, 9)}), budget=5)
        >>> page = pathlib.Path(tempfile.mkdtemp()) / "page.html"
        >>> result.report(page, title="Squares")
        >>> page.stat().st_size > 10_000
        True
        """
        # Pages lie above results, and are loaded when one is asked for.
        import_module("hedgerow.report.from_python").write_report(self, path, title=title)

    def _importance(self, outcome: str) -> Importance | None:
        """Return which variables matter for an outcome, as an optimizer with these observations says."""
        if self.feasible is None:
            return None
        space = self.feasible.space
        told = ((encode(space, seen.point), seen.outcome(self.goals)) for seen in self.observations)
        # Questions lie above results, too.
        importance_after = import_module("hedgerow.questions").importance_after
        found: dict[str, Importance] = importance_after(self.feasible, self.goals, 0, told, [outcome])
        return found.get(outcome)

    def plot_convergence(
        self,
        path_or_ax: str | PathLike[str] | Axes | None = None,
        *,
        outcome: str | None = None,
        optimum: float | None = None,
        title: str = "Convergence",
        value_label: str | None = None,
    ) -> Axes:
        """Draw every trial and the best value so far. Needs Matplotlib (the extra `plots`).

        Where points are measured more than once, the best so far is that of the means of their readings.

        Parameters
        ----------
        path_or_ax : path or Matplotlib axes, optional
            A file name (the ending chooses the format) or axes to draw into; without either, a new pyplot figure.
        outcome : str, optional
            Which outcome; the first objective where none is named.
        optimum : float, optional
            A known optimum, which becomes a dashed line.
        title, value_label : str, optional
            What stands above and beside the picture; beside it, by default, the name of the outcome where it has one.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn into.

        Raises
        ------
        HedgerowError
            Where Matplotlib is not installed, or there is no such outcome.

        Examples
        --------
        >>> import hedgerow as hr
        >>> space = hr.Space({"x": hr.Integer(0, 9)})
        >>> result = hr.minimize(lambda point: (point["x"] - 4) ** 2, space, budget=5)
        >>> result.plot_convergence().get_title(loc="left")   # doctest: +SKIP
        'Convergence'
        """
        from hedgerow.plots import convergence as plots  # noqa: PLC0415 - only for those who draw

        return plots.plot_convergence(
            self, path_or_ax, outcome=outcome, optimum=optimum, title=title, value_label=value_label
        )

    def plot_effects(self, path: str | PathLike[str] | None = None, *, outcome: str | None = None) -> Figure:
        """Draw what each variable does to the predicted value, averaged over feasible points. Needs Matplotlib.

        A model of the objective is fitted to all values. The line is the mean prediction at each level, the band the
        middle half of the predictions; the percentage is the share of the variation that the variable explains alone,
        with its interval of 90 %, as `Optimizer.importance` gives it.

        Parameters
        ----------
        path : path, optional
            A file name (the ending chooses the format); without it, a new pyplot figure.
        outcome : str, optional
            Which outcome; the first objective where none is named.

        Returns
        -------
        matplotlib.figure.Figure
            What was drawn, a panel for each of the strongest variables.

        Raises
        ------
        HedgerowError
            Where Matplotlib is not installed, the result does not know its space and rules, there is no such outcome,
            or there are too few values to learn from.

        Examples
        --------
        >>> import hedgerow as hr
        >>> space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
        >>> result = hr.minimize(lambda point: (point["x"] - 4) ** 2 + point["y"], space, budget=12)
        >>> len(result.plot_effects().axes)   # doctest: +SKIP
        2
        """
        from hedgerow.plots import variables as plot_variables  # noqa: PLC0415 - only for those who draw

        return plot_variables.plot_effects(self, path, outcome, self._importance)

    def plot_interactions(self, path: str | PathLike[str] | None = None, *, outcome: str | None = None) -> Figure:
        """Draw the pairs of variables that do most beyond the sum of their two effects. Needs Matplotlib.

        Parameters
        ----------
        path : path, optional
            A file name (the ending chooses the format); without it, a new pyplot figure.
        outcome : str, optional
            Which outcome; the first objective where none is named.

        Returns
        -------
        matplotlib.figure.Figure
            What was drawn, a map of the mean prediction for each pair; what the rules leave out is hatched.

        Raises
        ------
        HedgerowError
            Where `plot_effects` raises it, and where no pair interacts as far as the trials tell.

        Examples
        --------
        >>> import hedgerow as hr
        >>> space = hr.Space({"x": hr.Integer(0, 4), "y": hr.Integer(0, 4)})
        >>> result = hr.minimize(lambda point: (point["x"] - 2) * (point["y"] - 2), space, budget=12)
        >>> figure = result.plot_interactions()   # doctest: +SKIP
        """
        from hedgerow.plots import variables as plot_variables  # noqa: PLC0415

        return plot_variables.plot_interactions(self, path, outcome, self._importance)

    def plot_parallel(self, path: str | PathLike[str] | None = None, *, outcome: str | None = None) -> Figure:
        """Draw every feasible observation as a line across the variables. Needs Matplotlib.

        Parameters
        ----------
        path : path, optional
            A file name (the ending chooses the format); without it, a new pyplot figure.
        outcome : str, optional
            Which outcome; the first objective where none is named.

        Returns
        -------
        matplotlib.figure.Figure
            What was drawn; the better an observation, the greener its line.

        Raises
        ------
        HedgerowError
            Where Matplotlib is not installed, the result does not know its space and rules, there is no such outcome,
            or no trial gave a value at a feasible point.

        Examples
        --------
        >>> import hedgerow as hr
        >>> space = hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)})
        >>> result = hr.minimize(lambda point: (point["x"] - 4) ** 2 + point["y"], space, budget=5)
        >>> figure = result.plot_parallel()   # doctest: +SKIP
        """
        from hedgerow.plots import variables as plot_variables  # noqa: PLC0415

        return plot_variables.plot_parallel(self, path, outcome)
