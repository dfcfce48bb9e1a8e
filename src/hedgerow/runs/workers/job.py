"""One evaluation of an objective, wherever it takes place: what is asked for, how it is done, what came of it."""

from __future__ import annotations

import errno
import importlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from hedgerow.errors import PointError, ProblemFileError
from hedgerow.runs.workers.outcome import Outcome
from hedgerow.runs.workers.printed import UnclearOutput, number_printed

if TYPE_CHECKING:
    from hedgerow.outcomes.goals import Goals
    from hedgerow.space import Point

__all__ = ["MAX_OUTPUT", "Job", "Outcome", "evaluate", "kill_group", "kill_marked", "load_function", "own_session"]

MAX_OUTPUT = 4000
# So much of the last line that a failing command printed is part of the reason.
MAX_SAID = 200
# What tells the processes of one evaluation from all others: a name in their environment.
MARK = "HEDGEROW_EVALUATION"
# A process may start others while it is looked for.
_ROUNDS = 20
# What the system says where there is no such program, or none that can be executed, and what shells say then.
_NOT_THERE = (errno.ENOENT, errno.EACCES, errno.ENOTDIR, errno.ENOEXEC)
_NO_COMMAND = (126, 127)
# What Python says last where a program needs a module that is not there.
_NO_MODULE = ("ModuleNotFoundError: ", "ImportError: ")


@dataclass(frozen=True)
class Job:
    """What to evaluate: a filled command, or a function given as `module:name` or as itself, with its point."""

    point: Point
    number: int
    command: tuple[str, ...] = ()
    python: str = ""
    function: Callable[[Point], Any] | None = None
    folder: str = ""
    timeout: float | None = None
    # Where the outcome is left for those who come after a killed run; nowhere if empty.
    spool: str = ""
    # Whether the point says which program is run: then one that is not there is the point's doing.
    varies: bool = False
    # The arguments of `Goals` where a trial gives more than one number; else nothing.
    goals: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> str:
        """Return the job as a line; a function given as itself has no text and cannot be sent."""
        return json.dumps({key: value for key, value in vars(self).items() if key != "function"})

    @classmethod
    def from_json(cls, line: str) -> Job:
        """Read a job from its line."""
        data = json.loads(line)
        return cls(**{**data, "command": tuple(data["command"])})


def evaluate(job: Job, on_start: Callable[[subprocess.Popen[bytes]], None] | None = None) -> Outcome:
    """Evaluate a job in this process; nothing that an objective does makes this raise."""
    start = time.monotonic()
    outcome = _run_command(job, on_start) if job.command else _call(job)
    return replace(outcome, seconds=time.monotonic() - start)


def load_function(path: str, folder: str = "") -> Callable[[Point], Any]:
    """Import `package.module:function`, looking in the problem file's folder first."""
    module_name, separator, name = path.partition(":")
    if not separator or not module_name or not name:
        raise ProblemFileError(f"The objective {path!r} is not of the form 'package.module:function'.")
    if folder and folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found: Any = importlib.import_module(module_name)
    except ImportError as error:
        raise ProblemFileError(f"The objective's module '{module_name}' cannot be imported: {error}.") from None
    for part in name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise ProblemFileError(f"The module '{module_name}' has no function '{name}'.")
    function: Callable[[Point], Any] = found
    return function


def _call(job: Job) -> Outcome:
    try:
        function = job.function or load_function(job.python, job.folder)
        returned = function(dict(job.point))
    except (KeyboardInterrupt, SystemExit):
        raise
    except (ProblemFileError, ImportError) as error:
        # The module of the objective, or one that it needs, is not there: no point can be measured here.
        said = str(error).rstrip(".") if isinstance(error, ProblemFileError) else f"{type(error).__name__}: {error}"
        return Outcome(None, said, is_broken=True)
    except BaseException as error:
        return Outcome(None, f"{type(error).__name__}: {error}")
    if job.goals:
        return _by_name(job, lambda _: returned, "the objective returned")
    try:
        value = math.nan if returned is None else float(returned)
    except (TypeError, ValueError, OverflowError):
        return Outcome(None, f"the objective returned {returned!r}, which is not a number")
    return Outcome(value) if math.isfinite(value) else Outcome(None, f"the objective returned {returned!r}")


def _by_name(job: Job, given: Callable[[Goals], Any], who: str) -> Outcome:
    """Return what was measured by name, or why it cannot be read."""
    from hedgerow.outcomes.goals import Goals  # noqa: PLC0415 - processes that measure one number start without it
    from hedgerow.runs.workers.measured import outcome_of  # noqa: PLC0415

    goals = Goals.of(**job.goals, reference=None)
    try:
        return outcome_of(given(goals), goals)
    except (PointError, UnclearOutput) as error:
        return Outcome(None, str(error) if isinstance(error, UnclearOutput) else f"{who} what cannot be read: {error}")


def _run_command(job: Job, on_start: Callable[[subprocess.Popen[bytes]], None] | None) -> Outcome:
    environment = {
        **os.environ,
        "HEDGEROW_TRIAL": str(job.number),
        "HEDGEROW_POINT": json.dumps(job.point),
        MARK: uuid.uuid4().hex,
    }
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(
                job.command,
                cwd=job.folder or None,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=complaints,
                **own_session(),
            )
        except (OSError, ValueError) as error:
            is_broken = isinstance(error, OSError) and error.errno in _NOT_THERE and not job.varies
            return Outcome(None, f"the command could not be started: {error}", is_broken=is_broken)
        if on_start is not None:
            on_start(process)
        has_ended = _wait(process, job.timeout)
        if not has_ended:
            kill_marked(environment[MARK])
        text, errors = _end_of(printed), _end_of(complaints)
        outcome = _told_in(job, printed) if job.goals else _number_in(printed)
    output = (text + (f"\n--- standard error ---\n{errors}" if errors.strip() else "")).strip()[-MAX_OUTPUT:]
    details = {"exit_code": process.returncode} if has_ended and process.returncode else {}
    if not has_ended:
        return Outcome(None, f"stopped after the time limit of {job.timeout:g} s", 0.0, output, details)
    if process.returncode:
        said = (errors.strip().splitlines() or text.strip().splitlines() or [""])[-1].strip()[:MAX_SAID]
        reason = f"the command ended with exit code {process.returncode}{': ' + said if said else ''}"
        is_broken = (process.returncode in _NO_COMMAND or said.startswith(_NO_MODULE)) and not job.varies
        return Outcome(None, reason, 0.0, output, details, is_broken=is_broken)
    return replace(outcome, output=output, details=details)


def _told_in(job: Job, printed: IO[bytes]) -> Outcome:
    """Return what a command printed by name, or why it cannot be read."""
    from hedgerow.runs.workers.measured import told_in  # noqa: PLC0415

    return _by_name(job, lambda goals: told_in(printed, goals, job.point), "the command printed")


def _number_in(printed: IO[bytes]) -> Outcome:
    """Return the value that a command printed, or why there is none."""
    try:
        value = number_printed(printed)
    except UnclearOutput as error:
        return Outcome(None, str(error))
    return Outcome(value, "" if value is not None else "the command printed no finite number")


def _wait(process: subprocess.Popen[bytes], timeout: float | None) -> bool:
    """Wait for a command; one that exceeds its time is killed with everything it started."""
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        kill_group(process)
        process.wait()
        return False
    return True


def own_session() -> dict[str, Any]:
    """Return what starts a process apart from this one's terminal, so that an interrupt there does not reach it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def kill_group(process: subprocess.Popen[Any]) -> None:
    """Kill a process that leads a session, with all its children."""
    if not hasattr(os, "killpg"):
        _kill_tree(process)
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()


def _kill_tree(process: subprocess.Popen[Any]) -> None:
    """Kill a process and what it started, where there are no groups of processes: by psutil, if it is there."""
    with suppress(Exception):
        import psutil  # noqa: PLC0415 - a dependency of those systems alone

        for child in psutil.Process(process.pid).children(recursive=True):
            child.kill()
    process.kill()


def kill_marked(mark: str) -> None:
    """Kill what a command has started in sessions of its own, which its group does not have: by its environment.

    Only Linux shows the environments of others; elsewhere such processes are beyond reach.
    """
    wanted = f"{MARK}={mark}".encode()
    for _ in range(_ROUNDS):
        found = [int(folder.name) for folder in Path("/proc").glob("[0-9]*") if wanted in _environment(folder)]
        for process in found:
            with suppress(OSError):
                os.kill(process, signal.SIGKILL)
        if not found:
            return
        time.sleep(0.01)


def _environment(folder: Path) -> list[bytes]:
    try:
        return (folder / "environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _end_of(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 4 * MAX_OUTPUT))
    return file.read().decode("utf-8", errors="replace")
