"""What a machine knows of its evaluations until the storage does: files beside the problem, by trial.

Before a job is handed over, `begun` names the process that will evaluate it, and room for its outcome is taken on the
disk, so that a disk which fills up in the meantime costs no measurement. When the evaluation is over, its outcome
is written, whole or not at all, before anybody is told. A process that sees its run go first, and is itself still well,
leaves `spared`. So whatever is killed at whatever moment, those who come after can tell whether an evaluation never
began, is still going on, left an outcome, was only interrupted, or ended together with its run, which may be its own
doing. None of this depends on how fast anything is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.runs.workers.job import Job, Outcome
from hedgerow.runs.workers.processes import ProcessMark

if TYPE_CHECKING:
    from hedgerow.space import Point

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_SIGNS = (".begun", ".spared", ".draft")
# Bytes for an outcome with all that is kept of its output, at two bytes a letter.
_ROOM = 12_288


class EvaluationState(Enum):
    """What became of an evaluation whose run is gone, as far as can be seen from here."""

    UNSEEN = "it left no sign: it never began here"
    GOING_ON = "its process is still alive here"
    SPARED = "it was well when its run ended, and was stopped for that"
    ENDED = "its process is gone, and nothing says that the run went first"


def begin(job: Job, process: int) -> None:
    """Say which process is about to evaluate a job, before that process knows of it."""
    if job.spool:
        _write(Path(job.spool).with_suffix(".begun"), json.dumps(asdict(ProcessMark.of(process))))
        _write(Path(job.spool).with_suffix(".draft"), " " * _ROOM)


def spare(job: Job) -> None:
    """Say that an evaluation is not what ended its run."""
    if job.spool:
        _write(Path(job.spool).with_suffix(".spared"), "")


def leave(job: Job, outcome: Outcome) -> None:
    """Write an outcome with a value to the job's place, whole or not at all."""
    if job.spool and not outcome.failed:
        place = Path(job.spool)
        draft = place.with_suffix(".draft")
        for told in (outcome, replace(outcome, output="", details={})):
            # On a full disk the value matters more than what was printed beside it.
            if _overwrite(draft, json.dumps({"point": job.point, "outcome": vars(told)})):
                with suppress(OSError):
                    draft.replace(place)
                return


def left(place: str, point: Point) -> Outcome | None:
    """Return the outcome that was left at a place for a point; one of another point is from another life."""
    try:
        found = json.loads(Path(place).read_text(encoding="utf-8"))
        return Outcome(**found["outcome"]) if found["point"] == point else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _overwrite(place: Path, text: str) -> bool:
    """Write into the room that a file has already; where it has none, or is not there, as usual."""
    data = text.encode("utf-8")
    try:
        # White space around JSON means nothing, so the file never needs to grow or shrink.
        with place.open("r+b") as file:
            file.write(data.ljust(_ROOM))
            file.truncate(max(len(data), _ROOM))
        return True
    except FileNotFoundError:
        return _write(place, text)
    except OSError:
        return False


def _write(place: Path, text: str) -> bool:
    """Write a file; a folder that cannot be written to costs this safety net, not the measurement."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("w", encoding="utf-8") as file:
            file.write(text)
            if place.suffix == ".draft":
                # Room is taken when it has reached the disk, and not before.
                file.flush()
                os.fsync(file.fileno())
    except OSError:
        return False
    return True


class Spool:
    """What is known of one study's evaluations, by trial number, in a folder of this machine."""

    def __init__(self, folder: Path | None) -> None:
        # What cannot be written tells nothing.
        self._folder = folder if folder is not None and os.access(folder.parent, os.W_OK) else None

    @property
    def is_kept(self) -> bool:
        """Whether anything is written at all."""
        return self._folder is not None

    def place(self, number: int) -> str:
        """Return where the outcome of a trial goes."""
        return "" if self._folder is None else str(self._folder / f"{number}.json")

    def state(self, number: int) -> EvaluationState:
        """Return what became of the evaluation of a trial."""
        if self._folder is None:
            return EvaluationState.UNSEEN
        if (self._folder / f"{number}.spared").exists() and not self._is_going_on(number):
            return EvaluationState.SPARED
        if not (self._folder / f"{number}.begun").exists():
            return EvaluationState.UNSEEN
        return EvaluationState.GOING_ON if self._is_going_on(number) else EvaluationState.ENDED

    def _is_going_on(self, number: int) -> bool:
        assert self._folder is not None
        try:
            found = json.loads((self._folder / f"{number}.begun").read_text(encoding="utf-8"))
            return ProcessMark(**found).is_surely_alive
        except (OSError, ValueError, TypeError):
            return False

    def take(self, number: int, point: Point) -> Outcome | None:
        """Return the outcome that a trial of a point left, if it did."""
        return left(self.place(number), point)

    def drop(self, number: int) -> None:
        """Remove all that is known of a trial, because the storage has it."""
        if self._folder is not None:
            self.drop_signs(number)
            _remove(self._folder / f"{number}.json")

    def drop_signs(self, number: int) -> None:
        """Remove what is known of a trial besides its outcome, because it has been given up."""
        if self._folder is not None:
            for suffix in _SIGNS:
                _remove(self._folder / f"{number}{suffix}")

    def close(self) -> None:
        """Remove the folder where it is empty."""
        if self._folder is None or not self._folder.is_dir():
            return
        with suppress(OSError):
            if {file.name for file in self._folder.iterdir()} <= {"lock"}:
                _remove(self._folder / "lock")
                self._folder.rmdir()

    def __iter__(self) -> Iterator[int]:
        """Return the trials that left an outcome."""
        if self._folder is None or not self._folder.is_dir():
            return
        for file in sorted(self._folder.iterdir()):
            if file.suffix == ".json" and file.stem.isdigit():
                yield int(file.stem)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other processes of this machine from doing the same at the same time; one that dies lets go."""
        if self._folder is None or not self._folder.is_dir() or fcntl is None:
            yield
            return
        with (self._folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _remove(place: Path) -> None:
    with suppress(OSError):
        place.unlink(missing_ok=True)
