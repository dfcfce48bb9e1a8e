"""Running what an experiment still lacks, on all cores, with progress and the time that is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from research.harness.cell import Cell
from research.harness.pool import run_all
from research.harness.row import Row
from research.harness.run import Work, run_once
from research.harness.spec import Experiment
from research.harness.store import Store
from research.harness.version import missing_libraries, version_of


@dataclass(frozen=True)
class Execution:
    """How many runs there are, how many of them were stored before or came now, and what went wrong."""

    n_wanted: int
    n_stored: int
    n_finished: int
    troubles: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        """Whether no run is missing."""
        return self.n_stored + self.n_finished == self.n_wanted


def default_store(name: str, folder: Path) -> Store:
    """Return where the rows of an experiment are kept: a journal beside the published table."""
    return Store(folder / "journals" / f"{name}.jsonl", folder / f"{name}.csv.gz")


def execute(experiment: Experiment, store: Store, n_workers: int, *, redo_changed: bool, console: Console) -> Execution:
    """Run what is missing; with `redo_changed` also what other code made."""
    works = list(dict.fromkeys(experiment.works()))
    done = store.read()
    if redo_changed:
        done = {job: row for job, row in done.items() if row.version == version_of(Cell.parse(row.cell).kind)}
    waiting = [work for work in works if work.job not in done]
    missing = _not_installed(waiting)
    possible = [work for work in waiting if Cell.parse(work.job.cell).kind not in missing]
    troubles = [f"{kind} is left out: {', '.join(names)} is not installed." for kind, names in missing.items()]
    n_stored, n_finished = len(works) - len(waiting), 0
    with _bar(console) as progress:
        task = progress.add_task(experiment.name, total=n_stored + len(possible), completed=n_stored)

        def keep(row: Row) -> None:
            nonlocal n_finished
            store.append(row)
            n_finished += 1
            progress.advance(task)

        if possible:
            troubles += run_all(possible, min(n_workers, len(possible)), keep, run_once, _described)
    return Execution(len(works), n_stored, n_finished, tuple(troubles))


def _not_installed(works: Sequence[Work]) -> dict[str, list[str]]:
    kinds = dict.fromkeys(Cell.parse(work.job.cell).kind for work in works)
    return {kind: missing for kind in kinds if (missing := missing_libraries(kind))}


def _described(work: Work) -> str:
    return f"{work.job.task}, {work.job.cell}, seed {work.job.seed}"


def _bar(console: Console) -> Progress:
    return Progress(
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("runs, elapsed"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
    )
