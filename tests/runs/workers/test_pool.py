"""Evaluations in processes: values, failures, hangs, crashes, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.runs.workers.job import Job, Outcome, evaluate, load_function
from hedgerow.runs.workers.pool import LocalWorkers
from hedgerow.runs.workers.spool import Spool, leave

OBJECTIVES = """
import os, sys, time
def good(point):
    print("measuring", point["x"])
    os.write(2, b"low level")
    return point["x"] + 0.5
def raises(point): raise ValueError("no such thing")
def hangs(point): time.sleep(1000)
def dies(point): os._exit(7)
def text(point): return "fast"
def nothing(point): return None
def process(point): return os.getpid()
"""


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> str:
    (tmp_path / "worker_objectives.py").write_text(OBJECTIVES)
    return str(tmp_path)


@pytest.fixture(name="workers")
def workers_fixture() -> Iterator[LocalWorkers]:
    workers = LocalWorkers(1)
    yield workers
    workers.close()


def job(name: str, folder: str, timeout: float | None = None) -> Job:
    return Job({"x": 2}, 0, python=f"worker_objectives:{name}", folder=folder, timeout=timeout)


def test_functions_run_elsewhere_and_whatever_they_do_is_an_outcome(workers: LocalWorkers, folder: str) -> None:
    good = workers.submit(job("good", folder)).result()
    assert (good.value, good.reason) == (2.5, "")
    assert "measuring 2" in good.output
    assert "low level" in good.output
    process = workers.submit(job("process", folder)).result().value
    assert process != os.getpid()
    reasons = {
        name: workers.submit(job(name, folder)).result().reason for name in ("raises", "text", "nothing", "missing")
    }
    assert "no such thing" in reasons["raises"]
    assert "'fast', which is not a number" in reasons["text"]
    assert "None" in reasons["nothing"]
    assert "no function 'missing'" in reasons["missing"]
    assert workers.submit(job("process", folder)).result().value == process
    assert "exit code 7" in workers.submit(job("dies", folder)).result().reason
    assert "time limit of 0.3 s" in workers.submit(job("hangs", folder, 0.3)).result().reason
    assert workers.submit(job("good", folder)).result().value == 2.5


def test_a_command_over_its_time_is_killed_with_its_children(workers: LocalWorkers, tmp_path: Path) -> None:
    script = "sleep 1000 & echo $! > child; wait"
    outcome = workers.submit(Job({}, 0, ("sh", "-c", script), folder=str(tmp_path), timeout=0.5)).result()
    assert "time limit" in outcome.reason
    child = int((tmp_path / "child").read_text())
    assert_gone(child)


def test_a_killed_run_takes_its_evaluation_with_it(tmp_path: Path) -> None:
    code = (
        "from hedgerow.runs.workers.pool import LocalWorkers; from hedgerow.runs.workers.job import Job; "
        "LocalWorkers(1).submit(Job({}, 0, ('sh', '-c', 'echo $$ > started; sleep 1000'), "
        f"folder={str(tmp_path)!r})).result()"
    )
    run = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 60
    while not (tmp_path / "started").exists() or not (tmp_path / "started").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert_gone(int((tmp_path / "started").read_text()))


def assert_gone(process: int) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        stat = Path(f"/proc/{process}/stat")
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.05)
    pytest.fail(f"process {process} is still there")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("sh", "-c", "echo 3; exit 4"), "exit code 4"),
        (("sh", "-c", "echo nothing"), "no finite number"),
        (("/no/such/program",), "could not be started"),
    ],
)
def test_commands_fail_with_a_reason(command: tuple[str, ...], reason: str) -> None:
    outcome = evaluate(Job({}, 0, command))
    assert outcome.value is None
    assert reason in outcome.reason


def test_commands_know_their_trial_and_keep_what_they_print() -> None:
    outcome = evaluate(Job({"x": 1}, 12, ("sh", "-c", 'echo "$HEDGEROW_POINT"; echo oops >&2; echo $HEDGEROW_TRIAL')))
    assert outcome.value == 12.0
    assert '{"x": 1}' in outcome.output
    assert "oops" in outcome.output


@pytest.mark.parametrize("path", ["nocolon", "no_such_module:f", "math:nothing", ":f", "math:pi"])
def test_objectives_that_are_no_functions_are_refused(path: str) -> None:
    with pytest.raises(hr.ProblemFileError):
        load_function(path)


def test_what_was_measured_waits_on_disk_until_it_is_told(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "measured")
    outcome = Outcome(1.5, seconds=2.0, output="text")
    leave(Job({"x": 1}, 3, spool=spool.place(3)), outcome)
    leave(Job({"x": 1}, 4, spool=spool.place(4)), Outcome(None, "failed"))
    assert list(spool) == [3]
    assert spool.take(3, {"x": 1}) == outcome
    assert spool.take(3, {"x": 2}) is None
    assert spool.take(4, {"x": 1}) is None
    with spool.alone():
        spool.drop(3)
    spool.close()
    assert list(tmp_path.iterdir()) == []
