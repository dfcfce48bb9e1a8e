"""What changed in the middle of a study besides its rules and its space: the method, and the files that measure.

Every trial says which method suggested it, so changes of the method are read from the trials. Of the files that take
part in measuring a digest is kept: an edited script may measure something else, which nobody but its author knows, so
it is said and recorded, and the run goes on.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow import schema
from hedgerow.schema import StoredTrial
from hedgerow.wording import counted, quoted

if TYPE_CHECKING:
    from hedgerow.runs.problem import Problem

# Larger files are programs that others build; reading them at every start would be felt.
_MAX_BYTES = 20_000_000
_ASKED_WITH = re.compile(r"method (?P<method>.*), seed \d+, hedgerow \S+", re.DOTALL)


def asked_with(problem: Problem, version: str) -> str:
    """Return what a trial says of who suggested it."""
    return f"method {problem.method}, seed {problem.seed}, hedgerow {version}"


def method_changes(trials: Iterable[StoredTrial], method: object = None) -> list[dict[str, Any]]:
    """Return where the method changed: the first trial of each, from which to which; last the one to come."""
    found: list[tuple[int | None, str]] = []
    for trial in sorted(trials, key=lambda trial: trial.number):
        match = _ASKED_WITH.fullmatch(str(trial.system_attrs.get(schema.ASKED_WITH, "")))
        if match is not None:
            found.append((trial.number, match["method"]))
    if method is not None:
        found.append((None, str(method)))
    return [{"trial": number, "from": old, "to": new} for (_, old), (number, new) in pairwise(found) if old != new]


def measured_files(problem: Problem) -> dict[str, str]:
    """Return a digest of each file beside the problem file that takes part in measuring, by its name."""
    if not problem.folder:
        return {}
    folder = Path(problem.folder)
    if problem.python:
        path = problem.python.partition(":")[0].replace(".", "/")
        names = [f"{path}.py", f"{path}/__init__.py"]
    else:
        names = [] if problem.command is None else [name for name in problem.command.arguments if "{" not in name]
    found = {name: _digest(folder / name) for name in names}
    return {name: digest for name, digest in found.items() if digest}


def _digest(file: Path) -> str:
    """Return a digest of what a file says; nothing where there is no such file. Layout of Python does not count."""
    import hashlib  # noqa: PLC0415 - takes longer to load than a status to read

    try:
        if not file.is_file() or file.stat().st_size > _MAX_BYTES:
            return ""
        content = file.read_bytes()
        if file.suffix == ".py":
            content = ast.dump(ast.parse(content)).encode()
    except OSError:
        return ""
    except (SyntaxError, ValueError, RecursionError):
        pass
    return hashlib.sha256(content).hexdigest()[:16]


def file_changes(problem: Problem, attrs: Mapping[str, Any], n_trials: int) -> list[dict[str, Any]]:
    """Return the files that measure over time, each with when and after how many trials; what is new comes now."""
    recorded = attrs.get(schema.MEASURED_FILES, [])
    before: list[dict[str, Any]] = list(recorded) if isinstance(recorded, list) else []
    files = measured_files(problem)
    if files == (_files(before[-1]) if before else {}):
        return before
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return [*before, {"since": now, "after_trials": n_trials, "files": files}]


def edited(changes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the files that the last entry has with another content than the one before."""
    if len(changes) < 2:
        return []
    before, now = _files(changes[-2]), _files(changes[-1])
    return [name for name, digest in now.items() if before.get(name, digest) != digest]


def edits_in_words(changes: Sequence[Mapping[str, Any]], file: str) -> str | None:
    """Return which files that measure were edited last, and when; None where none were. `file` is the problem file."""
    names = edited(changes)
    if not names:
        return None
    told = counted(int(changes[-1].get("after_trials", 0)), "trial")
    which, what = ("it", "measures") if len(names) == 1 else ("they", "measure")
    forget = f"hedgerow tell {shlex.quote(file or 'FILE')} N forget"
    return (
        f"{quoted(names)} changed after {told}. Where {which} {what} something else now, let trial N of before count "
        f"for nothing with {forget}, or name another study with --study."
    )


def methods_in_words(changes: Sequence[Mapping[str, Any]]) -> str | None:
    """Return how the method changed last; None where it did not."""
    if not changes:
        return None
    last = changes[-1]
    since = "from now on" if last["trial"] is None else f"since trial {last['trial']}"
    return f"The method is {last['to']} {since}; it was {last['from']} before."


def _files(entry: Any) -> dict[str, str]:
    files = entry.get("files") if isinstance(entry, dict) else None
    return files if isinstance(files, dict) else {}
