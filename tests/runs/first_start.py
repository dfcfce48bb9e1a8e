"""A first start that is killed at its n-th step, for every n: run by the tests as a process of its own.

A step is a statement that SQLite gets, before and after it, each commit, and every file opened, linked or removed
in the study's folder. Kills between which the folder does not change are the same kill, and one of them is made. Each
start is forked, so that the packages are loaded once. Prints what was found as JSON.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import optuna
import sqlalchemy
from sqlalchemy.engine import Engine

from hedgerow.runs.problem import load_problem
from hedgerow.runs.study import Study

PROBLEM = """
[space]
x = [1, 2, 3]
[run]
method = "random"
"""


class Steps:
    """Counts the steps of a start, notes how the folder looks at each, and kills the process at one of them."""

    def __init__(self, folder: Path, fatal: int | None) -> None:
        self._folder, self._fatal = folder, fatal
        self._is_noting = False
        self.states: list[str] = []
        sqlalchemy.event.listen(Engine, "before_cursor_execute", self._step)
        sqlalchemy.event.listen(Engine, "after_cursor_execute", self._step)
        sqlalchemy.event.listen(Engine, "commit", self._step)
        sys.addaudithook(self._audit)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("open", "os.link", "os.remove", "os.rename") and str(self._folder) in str(arguments[0]):
            self._step()

    def _step(self, *_: object) -> None:
        if self._is_noting:
            return
        if len(self.states) == self._fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        self._is_noting = True
        self.states.append("" if self._fatal is not None else _state(self._folder))
        self._is_noting = False


def _state(folder: Path) -> str:
    digest = hashlib.sha256()
    # The index of the log is rebuilt from the log by whoever comes first.
    for path in sorted(path for path in folder.iterdir() if path.suffix != ".db-shm"):
        digest.update(path.suffix.encode() + path.read_bytes())
    return digest.hexdigest()


def in_fork(work: Any) -> bool:
    """Return whether a forked process did the work to its end."""
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        try:
            work()
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitpid(process, 0)[1] == 0


def start(file: Path, fatal: int | None) -> list[str]:
    """Start a study for the first time, and die at a step; return what the folder looked like at each."""
    steps = Steps(file.parent, fatal)
    Study(load_problem(file))
    return steps.states


def go_on(file: Path) -> None:
    """Start twice more: what the first of them was told, the second must find."""
    Study(load_problem(file)).tell({"x": 1}, 0.5)
    found = Study(load_problem(file)).status()
    assert (found.n_complete, found.best_value) == (1, 0.5)
    assert not list(file.parent.glob(".*.draft")), "a draft was left behind"


def new_file(folder: Path) -> Path:
    """Return a problem file in a folder of its own."""
    folder.mkdir()
    file = folder / "problem.toml"
    file.write_text(PROBLEM)
    return file


def main(folder: Path) -> None:
    """Kill at every step, and see that the study goes on."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    listed = folder / "states.json"
    watched = new_file(folder / "watched")
    assert in_fork(lambda: listed.write_text(json.dumps(start(watched, None))))
    states: list[str] = json.loads(listed.read_text())
    fatal = [step for step, state in enumerate(states) if step == 0 or state != states[step - 1]]
    locked: list[int] = []
    for step in fatal:
        file = new_file(folder / str(step))
        assert not in_fork(lambda file=file, step=step: start(file, step))
        if not in_fork(lambda file=file: go_on(file)):
            locked.append(step)
    print(json.dumps({"n_steps": len(states), "n_kills": len(fatal), "locked": locked}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
