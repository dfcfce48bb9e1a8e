"""Count the files of the package that a call passes through, and print them as JSON.

Run with the source to be looked at on the path. Everything is done twice, and counted the second time, when nothing is
loaded and compiled any more; only this process and its threads are looked at, not those that evaluate.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import hedgerow as hr
from hedgerow.cli.main import main as hedgerow_command

_PACKAGE = str(Path(hr.__file__).parent)
# Some points are drawn first; the method has its say from then on.
_N_TRIALS = 6


def minimized() -> None:
    """Minimize something small under a rule."""
    space = hr.Space({"x": hr.Integer(0, 20), "y": hr.Integer(0, 20), "kind": ["a", "b"]})
    hr.minimize(lambda point: point["x"] - point["y"], space, rules=["x + y >= 9"], budget=_N_TRIALS, seed=0)


def passed(call: Callable[[], object]) -> list[str]:
    """Return the files of the package in which a function was called."""
    names: set[str] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(_PACKAGE):
            names.add(frame.f_code.co_filename[len(_PACKAGE) + 1 :])

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return sorted(names)


def main(problem: str) -> None:
    """Print the files of `hr.minimize` and of one more trial of a run."""

    def run(budget: int) -> int:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return hedgerow_command(["run", problem, "--budget", str(budget), "--quiet", "--workers", "1"])

    minimized()
    run(_N_TRIALS)
    print(json.dumps({"minimize": passed(minimized), "trial": passed(lambda: run(_N_TRIALS + 1))}))


if __name__ == "__main__":
    main(sys.argv[1])
