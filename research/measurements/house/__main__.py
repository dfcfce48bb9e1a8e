"""The house in numbers, several versions side by side: `python -m research house [CHECKOUT ...]`.

A checkout is a folder that has `src/hedgerow`; without one, this. Sizes are of what a wheel contains; seconds are of
the processor, the least of three new processes, and memory is their peak. Files passed through are those in which a
function is called, once everything is loaded: by `hr.minimize`, and by one more trial of `hedgerow run`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from hedgerow.errors import HedgerowError
from research.harness.page import PageTable, table_text

ROOT = Path(__file__).parents[3]
N_REPEATED = 3
# A module that everything loads would hide its own cost: these are plain commands in processes of their own.
_IMPORT = ["-c", "import hedgerow"]
_COMMAND = ["-c", "import sys; from hedgerow.cli.main import main; sys.exit(main())"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table with a column per checkout."""
    parser = argparse.ArgumentParser(prog="python -m research house", description=__doc__)
    parser.add_argument("checkouts", nargs="*", type=Path, default=[ROOT], metavar="CHECKOUT")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    options = parser.parse_args(arguments)
    found = {str(checkout): numbers(checkout) for checkout in options.checkouts}
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    keys = next(iter(found.values()))
    print(table_text(PageTable(("", *found), [[key, *(each[key] for each in found.values())] for key in keys])))
    return 0


def numbers(checkout: Path) -> dict[str, str]:
    """Return what is measured of a checkout, by name."""
    source = (checkout / "src").resolve()
    if not (source / "hedgerow").is_dir():
        raise HedgerowError(f"{checkout} is no checkout: it has no src/hedgerow.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in ("coating.toml", "coating.py"):
            shutil.copy(ROOT / "examples" / file, folder)
        problem = "coating.toml"
        passed = _passed(source, folder, problem)
        return {
            **sizes(source / "hedgerow"),
            "`import hedgerow`": _cost(source, folder, _IMPORT),
            "`hedgerow check`": _cost(source, folder, [*_COMMAND, "check", problem]),
            "`hedgerow status`": _cost(source, folder, [*_COMMAND, "status", problem]),
            "files `hr.minimize` passes through": str(len(passed["minimize"])),
            "files one trial of `hedgerow run` passes through": str(len(passed["trial"])),
        }


def sizes(package: Path) -> dict[str, str]:
    """Return counts of files and lines of what is in the wheel."""
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sorted(package.rglob("*.py"))}
    longest = max(lines, key=lambda path: lines[path])
    others = [path for path in package.rglob("*") if path.is_file() and path.suffix in (".toml", ".css", ".js")]
    return {
        "Python files in the wheel": f"{len(lines):,}",
        "lines of Python in the wheel": f"{sum(lines.values()):,}",
        "other files with text in it": f"{len(others):,}",
        "median file, lines": f"{statistics.median(lines.values()):g}",
        "longest file, lines": f"{lines[longest]:,} ({longest.relative_to(package)})",
    }


def _environment(source: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{ROOT}"}


def _cost(source: Path, folder: Path, command: Sequence[str]) -> str:
    """Return processor seconds and peak memory of a command, the least of some runs."""
    seconds, peaks = [], []
    for _ in range(N_REPEATED):
        process = subprocess.Popen(
            [sys.executable, *command],
            env=_environment(source),
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        assert process.stderr is not None
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise HedgerowError(f"{command[-2:]} of {source} failed:\n{errors.decode()}")
        seconds.append(usage.ru_utime + usage.ru_stime)
        peaks.append(usage.ru_maxrss / 1024)
    return f"{min(seconds):.2f} s, {min(peaks):.0f} MiB"


def _passed(source: Path, folder: Path, problem: str) -> dict[str, list[str]]:
    command = [sys.executable, "-m", "research.measurements.house.passed", problem]
    done = subprocess.run(command, env=_environment(source), cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise HedgerowError(f"Counting the files of {source} failed:\n{done.stderr}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


if __name__ == "__main__":
    sys.exit(main())
