"""What has a result has its pictures: each method draws what the result of this moment draws."""

from __future__ import annotations

import os
from abc import abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Pictured:
    """The pictures and the page of whatever has a `result`."""

    @abstractmethod
    def result(self) -> Any:
        """Return what is known so far."""

    def report(self, path: str | os.PathLike[str], *, title: str = "Optimizer") -> None:
        """Write the page that `hedgerow report` writes, of what is known so far.

        Parameters
        ----------
        path : path
            Where the page goes.
        title : str, optional
            What stands above it.

        Raises
        ------
        HedgerowError
            Where nothing was told yet, or the page cannot be written.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Optimizer(hr.Space({"x": [1, 2, 3]})).report("page.html")
        Traceback (most recent call last):
            ...
        hedgerow.errors.StudyError: The study 'Optimizer' has no trials yet, so there is nothing to report.
        """
        self.result().report(path, title=title)

    def plot_convergence(self, path_or_ax: Any = None, **options: Any) -> Axes:
        """Draw every trial and the best value so far, as `Result.plot_convergence` does.

        Parameters
        ----------
        path_or_ax : path or Matplotlib axes, optional
            As in `Result.plot_convergence`.
        **options
            `outcome`, `optimum`, `title` and `value_label`, as there.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn into.

        Raises
        ------
        HedgerowError
            Where Matplotlib is not installed.

        Examples
        --------
        >>> import hedgerow as hr
        >>> optimizer = hr.Optimizer(hr.Space({"x": [1, 2, 3]}))
        >>> optimizer.tell({"x": 2}, 5.0)
        >>> optimizer.plot_convergence("convergence.png")   # doctest: +SKIP
        """
        axes: Axes = self.result().plot_convergence(path_or_ax, **options)
        return axes

    def plot_effects(self, path: str | os.PathLike[str] | None = None, *, outcome: str | None = None) -> Figure:
        """Draw what each variable does to the predicted value, as `Result.plot_effects` does.

        Parameters
        ----------
        path : path, optional
            A file name; without it, a new pyplot figure.
        outcome : str, optional
            Which outcome; the first objective where none is named.

        Returns
        -------
        matplotlib.figure.Figure
            What was drawn.

        Raises
        ------
        HedgerowError
            Where Matplotlib is not installed, there is no such outcome, or there are too few values to learn from.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Optimizer(hr.Space({"x": [1, 2, 3]})).plot_effects("effects.png")   # doctest: +SKIP
        """
        figure: Figure = self.result().plot_effects(path, outcome=outcome)
        return figure

    def plot_interactions(self, path: str | os.PathLike[str] | None = None, *, outcome: str | None = None) -> Figure:
        """Draw the pairs of variables that do most together, as `Result.plot_interactions` does.

        Parameters
        ----------
        path : path, optional
            A file name; without it, a new pyplot figure.
        outcome : str, optional
            Which outcome; the first objective where none is named.

        Returns
        -------
        matplotlib.figure.Figure
            What was drawn.

        Raises
        ------
        HedgerowError
            Where `plot_effects` raises it, and where no pair interacts.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Optimizer(hr.Space({"x": [1, 2, 3]})).plot_interactions("pairs.png")   # doctest: +SKIP
        """
        figure: Figure = self.result().plot_interactions(path, outcome=outcome)
        return figure

    def plot_parallel(self, path: str | os.PathLike[str] | None = None, *, outcome: str | None = None) -> Figure:
        """Draw every feasible observation as a line across the variables, as `Result.plot_parallel` does.

        Parameters
        ----------
        path : path, optional
            A file name; without it, a new pyplot figure.
        outcome : str, optional
            Which outcome; the first objective where none is named.

        Returns
        -------
        matplotlib.figure.Figure
            What was drawn.

        Raises
        ------
        HedgerowError
            Where Matplotlib is not installed, there is no such outcome, or no trial gave a value at a feasible point.

        Examples
        --------
        >>> import hedgerow as hr
        >>> hr.Optimizer(hr.Space({"x": [1, 2, 3]})).plot_parallel("lines.png")   # doctest: +SKIP
        """
        figure: Figure = self.result().plot_parallel(path, outcome=outcome)
        return figure
