"""The progress bar of a run: best value, evaluations and rate."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from hedgerow.optimizer import Optimizer


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
        self._task = self._progress.add_task("no value yet", total=budget, rate="")

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def __call__(self, optimizer: Optimizer) -> None:
        """Advance by one trial."""
        best = optimizer.best
        described = "no value yet" if best is None else f"best {best.value:.6g}"
        task = self._progress.tasks[0]
        rate = f"{(task.completed + 1) / task.elapsed:.1f}/s" if task.elapsed else ""
        self._progress.update(self._task, advance=1, description=described, rate=rate)
