"""What must hold when things go wrong outside: long lines, full disks, foreign storages, lost sessions, rivals."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import optuna
import pytest
import sqlalchemy

import hedgerow as hr
from hedgerow import schema
from hedgerow.cli.main import main
from hedgerow.runs.bulk_sql import BulkSql
from hedgerow.runs.loop import run_study
from hedgerow.runs.problem import load_problem
from hedgerow.runs.serve import serve
from hedgerow.runs.storage import PatientStorage, open_storage
from hedgerow.runs.study import Study
from hedgerow.runs.workers.job import Job, Outcome, evaluate
from hedgerow.runs.workers.spool import begin, leave, left

FILE = """
[space]
x = { type = "integer", low = 0, high = 9 }
y = { type = "integer", low = 0, high = 9 }

[rules]
sum = "x + y <= 12"

[objective]
command = "echo {x}"

[run]
budget = 5
lease = 3
method = "random"
"""
DIGITS = "9" * 5_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "problem.toml"
    path.write_text(FILE)
    return path


# --- numbers of thousands of digits ---


def test_a_line_with_a_long_number_is_answered_and_the_next_one_read(file: Path) -> None:
    long, huge = f'{{"op": "tell", "point": {{"x": 1, "y": 1}}, "value": {DIGITS}}}', "9" * 400
    lines = [
        long,
        long.replace('"x": 1', f'"x": {DIGITS}'),
        f'{{"op": "tell", "point": {{"x": 1, "y": 1}}, "value": {huge}}}',
        f'{{"op": "tell", "point": {{"x": {huge}, "y": 1}}, "value": 1}}',
        f'{{"op": "tell", "trial": {huge}, "value": 1}}',
        f'{{"op": "ask", "n": {huge}}}',
        f'{{"op": {huge}}}',
        '{"op": "status"}',
    ]
    answers: list[dict[str, Any]] = []
    serve(Study(load_problem(file)), lines, lambda line: answers.append(json.loads(line)))
    assert len(answers) == len(lines)
    assert all("error" in answer for answer in answers[:-1])
    assert answers[0]["kind"] == "JSONDecodeError"
    assert "that a float can hold" in answers[2]["error"]
    assert answers[-1]["complete"] == 0


@pytest.mark.parametrize("verb", ["tell", "explain"])
@pytest.mark.parametrize("number", [DIGITS, "9" * 400])
def test_long_numbers_in_arguments_give_a_message(
    file: Path, verb: str, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    value = ["1.0"] if verb == "tell" else []
    assert main([verb, str(file), f'{{"x": {number}, "y": 1}}', *value]) == 2
    assert capsys.readouterr().err.startswith("hedgerow: ")


def test_asking_for_very_many_points_is_bounded(file: Path) -> None:
    with pytest.raises(hr.StudyError, match=r"At most 1,000 points .* 100,000 were asked for"):
        Study(load_problem(file)).ask_by_hand(100_000)


# --- a disk that is full ---


def test_a_full_disk_is_not_waited_for(file: Path) -> None:
    problem = load_problem(file)
    study = Study(problem)
    engine = study.storage._storage._backend.engine  # type: ignore[attr-defined]

    def fill(connection: Any, _record: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")

    sqlalchemy.event.listen(engine, "connect", fill)
    engine.dispose()
    start = time.monotonic()
    with pytest.raises(optuna.exceptions.StorageInternalError) as caught:
        for _ in range(300):
            study.ask_by_hand(1)
    assert "full" in str(caught.value.__cause__)
    assert time.monotonic() - start < 60


def test_the_command_ends_with_its_own_exit_code_on_a_full_disk(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise sqlalchemy.exc.OperationalError("INSERT", {}, Exception("database or disk is full"))

    monkeypatch.setattr(BulkSql, "end", full)
    start = time.monotonic()
    assert main(["run", str(file), "--quiet"]) == 3
    assert time.monotonic() - start < 60
    assert "full" in capsys.readouterr().err
    monkeypatch.undo()
    spooled = list(file.parent.glob(".problem-*.measured/*.json"))
    assert len(spooled) == 1, "what was measured waits on the disk"
    measured = json.loads(spooled[0].read_text())
    assert main(["run", str(file), "--quiet"]) == 0
    trials = Study(load_problem(file)).trials()
    assert [t.value for t in trials if t.params == measured["point"]] == [measured["outcome"]["value"]]


def test_room_for_an_outcome_is_taken_before_it_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job({"x": 1}, 3, spool=str(tmp_path / "spool" / "3.json"))
    begin(job, os.getpid())
    size = (tmp_path / "spool" / "3.draft").stat().st_size

    def no_new_file(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", no_new_file)
    leave(job, Outcome(1.5, output="o" * 4_000))
    found = left(job.spool, {"x": 1})
    assert found is not None
    assert (found.value, len(found.output)) == (1.5, 4_000)
    assert (tmp_path / "spool" / "3.json").stat().st_size == size


# --- storages from elsewhere ---


def _two_objectives(path: Path) -> None:
    optuna.create_study(storage=f"sqlite:///{path}", study_name="problem", directions=["minimize", "maximize"])


def _attribute(key: str, value: object) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        study = optuna.create_study(storage=f"sqlite:///{path}", study_name="problem")
        study.set_user_attr(key, value)

    return make


def _broken_json(path: Path) -> None:
    _attribute(schema.SPACE, {})(path)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE study_user_attributes SET value_json = '{\"x\": '")


def _flipped_bytes(path: Path) -> None:
    study = optuna.create_study(storage=f"sqlite:///{path}", study_name="problem")
    study.optimize(lambda trial: trial.suggest_int("x", 0, 9), n_trials=20)
    data = bytearray(path.read_bytes())
    for place in range(4_096, len(data), 97):
        data[place] ^= 0xFF
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("verb", ["status", "ask", "run", "report"])
@pytest.mark.parametrize(
    "make",
    [
        _two_objectives,
        _attribute(schema.SPACE, "text"),
        _attribute(schema.SPACE, None),
        _attribute(schema.RULES, "text"),
        _broken_json,
        _flipped_bytes,
    ],
    ids=["two objectives", "space is text", "space is null", "rules are text", "broken json", "flipped bytes"],
)
def test_a_storage_from_elsewhere_gives_a_message(
    file: Path, verb: str, make: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    make(file.with_suffix(".db"))
    capsys.readouterr()
    assert main([verb, str(file)]) == 2
    assert capsys.readouterr().err.startswith("hedgerow: ")


# --- processes that leave their session ---


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="environments of processes are not shown here")
def test_a_time_out_also_ends_what_has_left_the_session(tmp_path: Path) -> None:
    script = "setsid sleep 60 & echo $! > pid; wait"
    if subprocess.run(["sh", "-c", "command -v setsid"], capture_output=True, check=False).returncode:
        pytest.skip("there is no setsid")
    inner = f"import os, subprocess, time; os.setsid(); subprocess.run(['sh', '-c', {script!r}])"
    program = (
        f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {inner!r}]); import time; time.sleep(60)"
    )
    job = Job({}, 0, (sys.executable, "-c", program), folder=str(tmp_path), timeout=3.0)
    assert "time limit" in evaluate(job).reason
    pid = int((tmp_path / "pid").read_text())
    for _ in range(50):
        if not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2][:3]:
            break
        time.sleep(0.1)
    else:
        pytest.fail("a process outlived its evaluation")


# --- two runs with other rules ---


def test_a_run_stops_when_others_go_on_with_other_rules(file: Path) -> None:
    file.write_text(FILE.replace("echo {x}", "sh -c 'sleep 0.3; echo $1' sh {x}").replace("budget = 5", "budget = 60"))
    problem = load_problem(file)
    errors: list[Exception] = []

    def work() -> None:
        try:
            run_study(problem)
        except hr.StudyError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    while not file.with_suffix(".db").exists() or not _has_trials(problem.storage):
        time.sleep(0.1)
    file.write_text(file.read_text().replace("x + y <= 12", "x + y > 12"))
    Study(load_problem(file))
    thread.join(60)
    assert not thread.is_alive()
    assert "with other rules now; they differ in sum" in str(errors[0])


def _has_trials(url: str) -> bool:
    storage = open_storage(url)
    assert isinstance(storage, PatientStorage)
    return any(storage.get_all_trials(study._study_id) for study in storage.get_all_studies())
