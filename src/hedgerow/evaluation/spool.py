"""Measured and not yet told: outcomes on disk, from the moment they are known until the storage has them.

A run that is killed between the end of an evaluation and the storage's answer finds them here when it comes back.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hedgerow.evaluation.job import Job, Outcome

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def leave(job: Job, outcome: Outcome) -> None:
    """Write an outcome with a value to the job's place, whole or not at all."""
    if not job.spool or outcome.value is None:
        return
    place = Path(job.spool)
    draft = place.with_suffix(".draft")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(json.dumps({"point": job.point, "outcome": vars(outcome)}), encoding="utf-8")
        draft.replace(place)
    except OSError:
        # A folder that cannot be written to costs this safety net, not the measurement.
        return


@contextmanager
def busy(job: Job) -> Iterator[None]:
    """Show other processes of this machine that a job is being evaluated, for as long as this process lives."""
    if not job.spool or fcntl is None:
        yield
        return
    place = Path(job.spool).with_suffix(".busy")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        file = place.open("w")
    except OSError:
        yield
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
        with suppress(OSError):
            place.unlink(missing_ok=True)


class Spool:
    """The outcomes of one study's trials, by trial number, in a folder of this machine."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def place(self, number: int) -> str:
        """Return where the outcome of a trial goes."""
        return "" if self._folder is None else str(self._folder / f"{number}.json")

    def is_busy(self, number: int) -> bool:
        """Return whether a process of this machine is still evaluating a trial."""
        if self._folder is None or fcntl is None:
            return False
        try:
            with Path(self.place(number)).with_suffix(".busy").open("r+") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return False

    def take(self, number: int) -> Outcome | None:
        """Return the outcome that a trial left, if it did."""
        try:
            found = json.loads(Path(self.place(number)).read_text(encoding="utf-8"))
            return Outcome(**found["outcome"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def drop(self, number: int) -> None:
        """Remove an outcome that the storage has."""
        if self._folder is None:
            return
        with suppress(OSError):
            Path(self.place(number)).unlink(missing_ok=True)
            Path(self.place(number)).with_suffix(".busy").unlink(missing_ok=True)

    def close(self) -> None:
        """Remove the folder where it is empty."""
        if self._folder is None or not self._folder.is_dir():
            return
        if {file.name for file in self._folder.iterdir()} <= {"lock"}:
            with suppress(OSError):
                (self._folder / "lock").unlink(missing_ok=True)
                self._folder.rmdir()

    def __iter__(self) -> Iterator[int]:
        if self._folder is None or not self._folder.is_dir():
            return
        for file in sorted(self._folder.iterdir()):
            if file.suffix == ".json" and file.stem.isdigit():
                yield int(file.stem)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes of this machine from looking at the same time; a process that dies lets go."""
        if self._folder is None or not self._folder.is_dir() or fcntl is None:
            yield
            return
        with (self._folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
