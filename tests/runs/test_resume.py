"""A run that is killed and resumed is the run that was not killed, bit for bit, wherever the kill came."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import optuna
import pytest

from hedgerow import schema
from hedgerow.runs import storage as optuna_storage
from hedgerow.runs.loop import Pace, run_study
from hedgerow.runs.problem import Problem, load_problem
from hedgerow.runs.same_problem import engine_again
from hedgerow.runs.storage import PatientStorage
from hedgerow.runs.study import Study
from hedgerow.runs.workers.job import Job, Outcome
from hedgerow.runs.workers.processes import ProcessMark
from hedgerow.runs.workers.spool import leave
from hedgerow.schema import is_lost

PROBLEM = """
[space]
x = { type = "integer", low = 0, high = 12 }
y = { type = "integer", low = 0, high = 12 }
[rules]
total = "x + y <= 16"
[objective]
python = "resume_objective:measure"
"""
OBJECTIVE = """
import time
def measure(point):
    if (point["x"] + point["y"]) % 3 == 0:
        raise RuntimeError("unlucky")
    time.sleep(point["x"] / 2000)
    return (point["x"] - 7) ** 2 + (point["y"] - 4) ** 2
"""
QUICK = Pace(watch=0.2, show=0.05, wait=0.05)
DEAD = 2**22 + 5  # no process has this number


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> Path:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "resume_objective.py").write_text(OBJECTIVE)
    file = folder / "problem.toml"
    file.write_text(PROBLEM)
    return file


def told(study: Study) -> list[tuple[dict[str, Any], float | None]]:
    trials = [trial for trial in study.trials() if trial.state.is_finished() and not is_lost(trial)]
    return [(trial.params, trial.value) for trial in trials]


class _OneByOne(Executor):
    """Evaluates at once, leaving its outcome as the processes of a run do, and tells of each step."""

    def __init__(self, step: Callable[[], object] = lambda: None) -> None:
        self._step = step

    def submit(self, function: Callable[[Job], Outcome], job: Job) -> Future[Outcome]:  # type: ignore[override]
        future: Future[Outcome] = Future()
        self._step()
        outcome = function(job)
        self._step()
        leave(job, outcome)
        self._step()
        future.set_result(outcome)
        return future


class _Copies:
    """Copies of a study's folder at each moment where a kill would leave another state."""

    def __init__(self, folder: Path, into: Path) -> None:
        self._folder, self._into = folder, into
        self.all: list[Path] = []

    def take(self) -> None:
        copy = self._into / str(len(self.all))
        shutil.copytree(self._folder, copy)
        self.all.append(copy)


def run_whole(problem: Problem, step: Callable[[], object] = lambda: None) -> Study:
    run_study(problem, executor=_OneByOne(step), pace=QUICK)
    return Study(problem)


@pytest.fixture(name="copies")
def copies_fixture(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Copies]:
    """A study, copied before each write to its storage and around each evaluation, by a process that is now dead."""
    copies = _Copies(file.parent, tmp_path / "copies")
    call = PatientStorage._call

    def watched(storage: PatientStorage, function: Any, *arguments: Any) -> Any:
        if not getattr(optuna_storage._transactions, "only_read", False):
            copies.take()
        return call(storage, function, *arguments)

    with monkeypatch.context() as patch:
        mark = replace(ProcessMark.of(os.getpid()), process=DEAD)
        patch.setattr(ProcessMark, "of", classmethod(lambda cls, process: mark))
        patch.setattr(PatientStorage, "_call", watched)
        run_whole(load_problem(file, {"budget": 5}), copies.take)
    yield copies


def test_a_run_killed_at_any_step_goes_on_as_if_it_had_not_been(file: Path, copies: _Copies) -> None:
    whole = told(Study(load_problem(file, {"budget": 5})))
    assert len(whole) == 5
    assert any(value is None for _, value in whole)
    assert len(copies.all) > 25
    for copy in copies.all:
        resumed = run_whole(load_problem(copy / file.name, {"budget": 5}))
        assert told(resumed) == whole, copy.name
        assert not list(copy.glob(".*.measured"))


def _work(file: Path) -> None:
    run_study(load_problem(file, {"budget": 12}), pace=QUICK)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs of this test are forked")
def test_a_run_killed_again_and_again_is_the_run_that_was_not(file: Path) -> None:
    # So slow that no first life of it, however busy the machine, comes to the end before it is killed; less so once it
    # has been killed twice.
    twice = file.parent / "killed-twice"
    pause = f"0.1 if os.path.exists({str(twice)!r}) else 1.0"
    (file.parent / "resume_objective.py").write_text("import os" + OBJECTIVE.replace('point["x"] / 2000', pause))
    study = Study(load_problem(file, {"budget": 12}))
    rng = random.Random(0)
    context = multiprocessing.get_context("fork")
    n_kills = 0
    while (before := len(told(study))) < 12:
        run = context.Process(target=_work, args=(file,))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            run.start()
        # Now and then before it got any further, as long as the test comes to an end.
        goal = before + (n_kills % 3)
        deadline = time.monotonic() + 60
        while run.is_alive() and len(told(study)) < goal and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(rng.uniform(0, 0.3))
        if run.is_alive() and run.pid is not None:
            os.kill(run.pid, signal.SIGKILL)
            n_kills += 1
        run.join()
        if n_kills >= 2:
            twice.touch()
    twice.touch()
    run_study(load_problem(file, {"budget": 12}), pace=QUICK)
    assert n_kills >= 2
    assert told(study) == told(run_whole(load_problem(file, {"study": "whole", "budget": 12})))


def test_the_engine_that_holds_the_rules_is_kept_with_the_study(file: Path) -> None:
    problem = load_problem(file)
    assert Study(problem)._stored.attrs()[schema.ENGINE] == "diagram"
    # A study from before engines were written down was held by a diagram; so is this one wherever it goes on.
    again = engine_again(problem, {schema.RULES: [{"rules": {"total": "x + y <= 16"}}]})
    assert again == "diagram"
    assert engine_again(problem, {}) == "auto"
    kept = {schema.RULES: [{"rules": {"total": "x + y <= 16"}}], schema.ENGINE: "d-DNNF"}
    assert engine_again(problem, kept) == "d-DNNF"
    assert engine_again(replace(problem, engine="solver"), kept) == "solver"
