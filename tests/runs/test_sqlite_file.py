"""SQLite files whose first start was cut short: every study stays reachable, wherever the kill came."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import optuna
import pytest

from hedgerow.cli.main import main
from hedgerow.errors import StudyError
from hedgerow.runs.problem import load_problem
from hedgerow.runs.storage import open_storage
from hedgerow.runs.study import Study

PROBLEM = """
[space]
x = [1, 2, 3]
[run]
method = "random"
"""


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> Path:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    file = tmp_path / "problem.toml"
    file.write_text(PROBLEM)
    return file


def change(file: Path, *statements: str) -> None:
    connection = sqlite3.connect(file.with_suffix(".db"))
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def names(file: Path) -> list[tuple[int, str]]:
    connection = sqlite3.connect(file.with_suffix(".db"))
    found = connection.execute("SELECT study_id, study_name FROM studies ORDER BY study_id").fetchall()
    connection.close()
    return found


def indexes(file: Path) -> set[str]:
    connection = sqlite3.connect(file.with_suffix(".db"))
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'index'").fetchall()
    connection.close()
    return {name for (name,) in found}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the starts of this test are forked")
def test_a_kill_at_any_step_of_the_first_start_locks_nobody_out(tmp_path: Path) -> None:
    script = Path(__file__).with_name("first_start.py")
    done = subprocess.run([sys.executable, str(script), str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["n_steps"] > 50
    assert report["n_kills"] > 5
    assert report["locked"] == [], done.stderr


def test_an_index_that_is_missing_is_made_at_the_next_start(file: Path) -> None:
    Study(load_problem(file)).tell({"x": 1}, 0.5)
    whole = indexes(file)
    change(file, "DROP INDEX ix_studies_study_name", "DROP INDEX ix_trials_study_id")
    assert Study(load_problem(file)).status().n_complete == 1
    assert indexes(file) == whole
    assert len(names(file)) == 1


def test_trials_are_reachable_again_where_a_second_study_took_the_name(file: Path) -> None:
    Study(load_problem(file)).tell({"x": 1}, 0.5)
    change(
        file,
        "DROP INDEX ix_studies_study_name",
        "INSERT INTO studies (study_id, study_name) VALUES (2, 'problem'), (3, 'problem')",
        "INSERT INTO study_directions (direction, study_id, objective) VALUES ('MINIMIZE', 2, 0), ('MINIMIZE', 3, 0)",
    )
    for verb in ("status", "report"):
        assert main([verb, str(file)]) == 0
    status = Study(load_problem(file)).status()
    assert (status.n_complete, status.best_value) == (1, 0.5)
    assert names(file) == [(1, "problem")]


def test_a_second_study_that_holds_trials_is_renamed_and_not_removed(file: Path) -> None:
    for x in (1, 2):
        Study(load_problem(file)).tell({"x": x}, float(x))
    Study(load_problem(file, {"study": "other"})).tell({"x": 3}, 3.0)
    change(file, "DROP INDEX ix_studies_study_name", "UPDATE studies SET study_name = 'problem'")
    assert Study(load_problem(file)).status().n_complete == 2
    assert names(file) == [(1, "problem"), (2, "problem (study 2)")]
    assert Study(load_problem(file, {"study": "problem (study 2)"})).status().best_value == 3.0


def test_many_first_starts_at_once_end_up_with_one_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    with ThreadPoolExecutor(6) as pool:
        storages = list(pool.map(lambda _: open_storage(url), range(6)))
    storages[0].create_new_study([optuna.study.StudyDirection.MINIMIZE], "made by the first")
    assert [storage.get_study_id_from_name("made by the first") for storage in storages] == [1] * 6
    assert {path.name for path in tmp_path.iterdir()} <= {"new.db", "new.db-wal", "new.db-shm"}


def test_a_draft_of_a_killed_process_is_removed_and_one_of_a_living_process_is_not(file: Path) -> None:
    dead, living = (file.with_name(f".problem.db.{process}.0a.draft") for process in (2**22 + 5, os.getpid()))
    dead.write_bytes(b"half")
    living.write_bytes(b"half")
    Study(load_problem(file))
    assert not dead.exists()
    assert living.exists()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StudyError, match="cannot be opened"):
        open_storage(f"sqlite:///{tmp_path}/nowhere/new.db")
