"""Which process is meant, and when it was born, where there is no /proc."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
    assert not psutil.pid_exists(found[0]) or psutil.Process(found[0]).status() == psutil.STATUS_ZOMBIE
