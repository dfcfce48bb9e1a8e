"""One evaluation of an objective, wherever it takes place: what is asked for, how it is done, what came of it."""

from __future__ import annotations

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
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from hedgerow.errors import ProblemFileError
from hedgerow.runs.workers.printed import UnclearOutput, number_printed

if TYPE_CHECKING:
    from hedgerow.space import Point

MAX_OUTPUT = 4000
# So much of the last line that a failing command printed is part of the reason.
MAX_SAID = 200
# What tells the processes of one evaluation from all others: a name in their environment.
MARK = "HEDGEROW_EVALUATION"
# A process may start others while it is looked for.
_ROUNDS = 20


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

    def to_json(self) -> str:
        """Return the job as a line; a function given as itself has no text and cannot be sent."""
        return json.dumps({key: value for key, value in vars(self).items() if key != "function"})

    @classmethod
    def from_json(cls, line: str) -> Job:
        """Read a job from its line."""
        data = json.loads(line)
        return cls(**{**data, "command": tuple(data["command"])})


@dataclass(frozen=True)
class Outcome:
    """What came of it: a value, or the reason why there is none; the end of what was printed."""

    value: float | None
    reason: str = ""
    seconds: float = 0.0
    output: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the parts that say something."""
        return {key: value for key, value in asdict(self).items() if value not in ("", None, {})}


def evaluate(job: Job, on_start: Callable[[subprocess.Popen[bytes]], None] | None = None) -> Outcome:
    """Evaluate a job in this process; nothing that an objective does makes this raise."""
    start = time.monotonic()
    value, reason, output, details = _run_command(job, on_start) if job.command else _call(job)
    return Outcome(value, reason, time.monotonic() - start, output, details)


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


_Result = tuple[float | None, str, str, dict[str, Any]]


def _call(job: Job) -> _Result:
    try:
        function = job.function or load_function(job.python, job.folder)
        returned = function(dict(job.point))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return None, f"{type(error).__name__}: {error}", "", {}
    try:
        value = math.nan if returned is None else float(returned)
    except (TypeError, ValueError, OverflowError):
        return None, f"the objective returned {returned!r}, which is not a number", "", {}
    return (value, "", "", {}) if math.isfinite(value) else (None, f"the objective returned {returned!r}", "", {})


def _run_command(job: Job, on_start: Callable[[subprocess.Popen[bytes]], None] | None) -> _Result:
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
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return None, f"the command could not be started: {error}", "", {}
        if on_start is not None:
            on_start(process)
        has_ended = _wait(process, job.timeout)
        if not has_ended:
            kill_marked(environment[MARK])
        text, errors = _end_of(printed), _end_of(complaints)
        value, unclear = _number_in(printed)
    output = (text + (f"\n--- standard error ---\n{errors}" if errors.strip() else "")).strip()[-MAX_OUTPUT:]
    details = {"exit_code": process.returncode} if has_ended and process.returncode else {}
    if not has_ended:
        return None, f"stopped after the time limit of {job.timeout:g} s", output, details
    if process.returncode:
        said = (errors.strip().splitlines() or text.strip().splitlines() or [""])[-1].strip()[:MAX_SAID]
        reason = f"the command ended with exit code {process.returncode}{': ' + said if said else ''}"
        return None, reason, output, details
    return value, unclear, output, details


def _number_in(printed: IO[bytes]) -> tuple[float | None, str]:
    """Return the value that a command printed, or why there is none."""
    try:
        value = number_printed(printed)
    except UnclearOutput as error:
        return None, str(error)
    return value, "" if value is not None else "the command printed no finite number"


def _wait(process: subprocess.Popen[bytes], timeout: float | None) -> bool:
    """Wait for a command; one that exceeds its time is killed with everything it started."""
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        kill_group(process)
        process.wait()
        return False
    return True


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a session, with all its children."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
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
