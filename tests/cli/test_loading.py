"""What a verb loads: asking about a problem or a study stays quick and small."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hedgerow.cli.main import VERBS, main

PROBLEM = """
[space]
x = [1, 2, 3]
[rules]
small = "x <= 2"
[run]
method = "catd"
"""
HEAVY = ("numba", "llvmlite", "scipy", "optuna", "sqlalchemy", "alembic", "pandas", "matplotlib", "hedgerow.importers")
# Peak memory of the process in MB.
MOST = 80


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> Path:
    file = tmp_path / "problem.toml"
    file.write_text(PROBLEM)
    return file


def loaded(*arguments: str) -> tuple[list[str], float]:
    """Return the heavy modules that a call of the command loads, and its peak memory in MB."""
    code = (
        "import contextlib, io, json, pathlib, sys\n"
        "from hedgerow.cli.main import main\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        "    code = main(sys.argv[1:])\n"
        f"found = [name for name in {HEAVY!r} if name in sys.modules]\n"
        "status = pathlib.Path('/proc/self/status').read_text()\n"
        "print(json.dumps([code, found, int(status.partition('VmHWM:')[2].split()[0]) / 1024]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    exit_code, found, memory = json.loads(done.stdout)
    assert exit_code == 0
    return found, memory


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of the memory is read from /proc")
@pytest.mark.parametrize("verb", ["check", "status"])
def test_asking_loads_nothing_heavy(file: Path, verb: str) -> None:
    main(["tell", str(file), '{"x": 1}', "0.5", "--method", "random"])
    found, memory = loaded(verb, str(file))
    assert found == []
    assert memory < MOST


def test_every_verb_explains_itself(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for verb in VERBS:
        with pytest.raises(SystemExit) as ended:
            main([verb, "--help"])
        assert ended.value.code == 0
        shown = capsys.readouterr().out
        assert f"hedgerow {verb}" in shown
        assert len(shown.splitlines()) > 5
        assert max(map(len, shown.splitlines())) <= 80
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert all(verb in shown and summary.split(",")[0] in shown for verb, (summary, _) in VERBS.items())


def test_a_status_makes_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", str(file)]) == 0
    assert "no trials yet" in capsys.readouterr().out
    assert {path.name for path in file.parent.iterdir()} == {"problem.toml"}
