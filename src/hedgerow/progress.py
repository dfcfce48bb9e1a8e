"""The progress of a run: best value, evaluations and rate; a bar in a terminal or a notebook, lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from hedgerow.compiled import announce, say_to_log
from hedgerow.optimizer import Optimizer
from hedgerow.web import tag

_NOTHING = "no value yet"
_SECONDS_BETWEEN_PAGES = 0.2


class ProgressBar:
    """Shows each told trial; used as a context manager that gives the function to call."""

    def __init__(self, budget: int) -> None:
        self._progress = Progress(
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
        )
        self._task = self._progress.add_task(_NOTHING, total=budget, rate="")

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def __call__(self, optimizer: Optimizer) -> None:
        """Advance by one trial."""
        task = self._progress.tasks[0]
        rate = f"{(task.completed + 1) / task.elapsed:.1f}/s" if task.elapsed else ""
        self._progress.update(self._task, advance=1, description=_described(optimizer), rate=rate)


class ProgressLines:
    """Prints a line when the best value changes, and one at the end: for logs and pipes."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._console = Console(stderr=True)
        self._n_trials = 0
        self._said = ""
        self._start = time.monotonic()

    def __enter__(self) -> ProgressLines:
        announce(say_to_log)
        self._start = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        seconds = time.monotonic() - self._start
        rate = f", {self._n_trials / seconds:.1f}/s" if seconds else ""
        self._print(f"{self._n_trials}/{self._budget} trials, {self._said or _NOTHING}{rate}")

    def __call__(self, optimizer: Optimizer) -> None:
        """Count a trial."""
        self._n_trials += 1
        described = _described(optimizer)
        if described not in (self._said, _NOTHING):
            self._said = described
            self._print(f"trial {self._n_trials - 1}: {described}")

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


class NotebookBar:
    """Shows a bar, the best value and the rate below the cell, and keeps them up to date while it runs."""

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._n_trials = 0
        self._start = self._shown = time.monotonic()
        self._handle: Any = None

    def __enter__(self) -> NotebookBar:
        from IPython.display import HTML, display  # noqa: PLC0415 - somebody works in a notebook, so it is there

        self._page = HTML
        self._start = self._shown = time.monotonic()
        self._handle = display(HTML(self.page(_NOTHING)), display_id=True)
        announce(self._say)
        return self

    def _say(self, text: str) -> None:
        """Show what a run is busy with, until the next trial."""
        self._said = text
        self._update()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        announce(say_to_log)
        self._update()

    def __call__(self, optimizer: Optimizer) -> None:
        """Count a trial; the page changes a few times a second."""
        self._n_trials += 1
        self._said = _described(optimizer)
        if time.monotonic() - self._shown >= _SECONDS_BETWEEN_PAGES:
            self._shown = time.monotonic()
            self._update()

    _said = _NOTHING

    def _update(self) -> None:
        if self._handle is not None:
            self._handle.update(self._page(self.page(self._said)))

    def page(self, said: str) -> str:
        """Return what is shown: a bar that browsers draw, and a line of text."""
        seconds = time.monotonic() - self._start
        rate = f", {self._n_trials / seconds:.1f}/s" if self._n_trials and seconds else ""
        text = f" {self._n_trials}/{self._budget} trials, {said}{rate}"
        bar = tag("progress", value=str(self._n_trials), max=str(self._budget))
        return str(tag("div", bar, tag("span", text)))


def _described(optimizer: Optimizer) -> str:
    if optimizer.goals.objectives.are_several:
        return f"front of {len(optimizer.front)}" if optimizer.front else _NOTHING
    best = optimizer.best
    return _NOTHING if best is None or best.value is None else f"best {best.value:,.6g}"
