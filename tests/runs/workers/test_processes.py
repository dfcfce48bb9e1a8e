"""Which process is meant, and when it was born, where there is no /proc."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.runs.workers import job, processes


def test_births_are_known_without_proc() -> None:
    pytest.importorskip("psutil", reason="psutil is for systems without /proc")
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    born = processes._born_by_psutil(process.pid)
    assert born
    assert processes._born_by_psutil(process.pid) == born
    process.communicate(b"\n")
    assert processes._born_by_psutil(process.pid) == ""


def test_a_tree_is_killed_without_groups() -> None:
    psutil = pytest.importorskip("psutil", reason="psutil is for systems without /proc")
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    process = subprocess.Popen([sys.executable, "-c", child], stdin=subprocess.PIPE)
    found: list[int] = []
    while not found:
        found = [one.pid for one in psutil.Process(process.pid).children()]
    job._kill_tree(process)
    process.wait()
    for _ in range(500):
        if not psutil.pid_exists(found[0]) or psutil.Process(found[0]).status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.01)
    pytest.fail("a child is alive")


# What Windows lacks, taken away before anything of ours is loaded.
ELSEWHERE = """
import os, signal, sys
# SIGKILL stays: the standard library itself ends processes by it here.
del signal.SIGALRM, os.killpg, os.setsid, os.getsid, os.geteuid, os.getuid, os.fork
sys.modules.update(dict.fromkeys(("fcntl", "pwd", "grp", "resource")))
from hedgerow.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_run_needs_nothing_that_windows_lacks(tmp_path: Path) -> None:
    """A time-out kills what it must where there are no groups of processes; then the budget is used."""
    (tmp_path / "slow.py").write_text("import time\ndef measure(point):\n    time.sleep(30)\n")
    file = tmp_path / "problem.toml"
    limits = "timeout = 0.5\n[run]\nbudget = 1\nworkers = 1\n"
    file.write_text(f'[space]\nx = [1, 2]\n[objective]\npython = "slow:measure"\n{limits}')
    run = [sys.executable, "-c", ELSEWHERE, "run", str(file), "--quiet"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (1, False), done.stderr
    assert "time limit" in str(hr.load_study(file).trials[0].reason)
