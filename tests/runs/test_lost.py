"""Trials whose workers are gone: tried again as often as it takes, unless their points may be what ends workers."""

from __future__ import annotations

import json
import multiprocessing
import os
import warnings
from dataclasses import asdict, replace
from pathlib import Path

import optuna
import pytest
from optuna.trial import TrialState

from hedgerow.runs.leases import Lease
from hedgerow.runs.loop import Pace, run_study
from hedgerow.runs.problem import Problem, load_problem
from hedgerow.runs.stored import Asked
from hedgerow.runs.study import Study
from hedgerow.runs.workers.job import Outcome
from hedgerow.runs.workers.processes import ProcessMark
from hedgerow.runs.workers.spool import EvaluationState, begin, leave, spare
from hedgerow.schema import INTERRUPTED, LATE, LOST, VANISHED

PROBLEM = """
[space]
x = { type = "integer", low = 0, high = 12 }
[objective]
python = "loss_objective:measure"
[run]
method = "random"
"""
# The first evaluation of all names the point that brings down whatever evaluates it.
OBJECTIVE = """
import os, signal
from pathlib import Path
poison = Path(__file__).with_name("poison")
def measure(point):
    if not poison.exists():
        poison.write_text(str(point["x"]))
    if poison.read_text() == str(point["x"]):
        os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    return point["x"]
"""
DEAD = 2**22 + 5  # no process has this number


@pytest.fixture(name="problem")
def plan_fixture(tmp_path: Path) -> Problem:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    (tmp_path / "loss_objective.py").write_text(OBJECTIVE)
    file = tmp_path / "losses.toml"
    file.write_text(PROBLEM)
    return load_problem(file)


def dead_here() -> Lease:
    return replace(Lease.mine(), process=DEAD)


def ask(study: Study, lease: Lease) -> Asked:
    asked = study.ask(lease)
    assert asked is not None
    return asked


def begun(problem: Problem, asked: Asked, process: int = DEAD) -> None:
    job = problem.job(asked.point, asked.number, problem.spool.place(asked.number))
    begin(job, process)


def spared(problem: Problem, asked: Asked) -> None:
    begun(problem, asked)
    spare(problem.job(asked.point, asked.number, problem.spool.place(asked.number)))


def reclaim(study: Study, asked: Asked) -> None:
    study.reclaim([trial for trial in study.trials() if trial.number == asked.number])


@pytest.mark.parametrize("leave_signs", [lambda problem, asked: None, spared])
def test_a_killed_run_is_never_held_against_its_point(problem: Problem, leave_signs: object) -> None:
    study = Study(problem)
    points = []
    for _ in range(problem.max_lost + 2):
        asked = ask(study, dead_here())
        assert callable(leave_signs)
        leave_signs(problem, asked)
        reclaim(study, asked)
        points.append(asked.point)
    trials = study.trials()
    assert {trial.system_attrs[LOST] for trial in trials} == {INTERRUPTED}
    assert points == [points[0]] * len(points)
    assert study.status().n_failed == 0
    problem.spool.close()
    assert not list(Path(problem.folder).glob(".*.measured"))


def test_a_point_that_vanishes_with_its_workers_is_told_as_failed_in_the_end(problem: Problem) -> None:
    study = Study(problem)
    # Here the evaluation began and is gone; on another machine nobody knows.
    for lease, is_begun in ((dead_here(), True), (replace(dead_here(), machine="another"), False), (dead_here(), True)):
        asked = ask(study, lease)
        if is_begun:
            begun(problem, asked)
        reclaim(study, asked)
    trials = study.trials()
    assert [trial.params for trial in trials] == [trials[0].params] * 3
    assert [trial.system_attrs.get(LOST) for trial in trials] == [VANISHED, VANISHED, None]
    assert "vanished together, 3 times" in trials[2].user_attrs["hedgerow"]["reason"]
    assert ask(study, dead_here()).point != trials[0].params


def test_an_evaluation_that_goes_on_is_waited_for_and_told(problem: Problem) -> None:
    study = Study(problem)
    asked = ask(study, dead_here())
    begun(problem, asked, os.getpid())
    reclaim(study, asked)
    assert problem.spool.state(asked.number) is EvaluationState.GOING_ON
    assert study.trials()[0].state is TrialState.RUNNING
    leave(problem.job(asked.point, asked.number, problem.spool.place(asked.number)), Outcome(4.0))
    mark = Path(problem.spool.place(asked.number)).with_suffix(".begun")
    mark.write_text(json.dumps(asdict(ProcessMark.of(DEAD))))
    reclaim(study, asked)
    assert [trial.value for trial in study.trials()] == [4.0]
    assert list(problem.spool) == []


def test_a_value_that_comes_late_is_stored_once_whoever_tells_it(problem: Problem) -> None:
    study = Study(problem)
    asked = ask(study, dead_here())
    study.lose(asked.trial_id, VANISHED)
    job = problem.job(asked.point, asked.number, problem.spool.place(asked.number))
    for _ in range(2):
        leave(job, Outcome(4.0))
        study.finish(asked, Outcome(4.0))
        leave(job, Outcome(4.0))
        study.recover()
    complete = [trial for trial in study.trials() if trial.state is TrialState.COMPLETE]
    assert [(trial.value, trial.system_attrs[LATE]) for trial in complete] == [(4.0, asked.number)]
    assert study.status().n_counted == 0
    assert list(problem.spool) == []


def test_an_outcome_of_another_point_is_not_this_trials(problem: Problem) -> None:
    study = Study(problem)
    asked = ask(study, dead_here())
    leave(problem.job({"x": 13}, asked.number, problem.spool.place(asked.number)), Outcome(4.0))
    reclaim(study, asked)
    study.recover()
    assert [trial.value for trial in study.trials()] == [None]
    assert list(problem.spool) == []


def _run(problem: Problem) -> None:
    run_study(problem, pace=Pace(watch=0.2, show=0.05, wait=0.05))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs of this test are forked")
def test_a_point_that_kills_its_machine_does_not_hold_up_the_study(problem: Problem) -> None:
    context = multiprocessing.get_context("fork")
    n_runs = 0
    while n_runs < 6:
        n_runs += 1
        run = context.Process(target=_run, args=(replace(problem, budget=3),))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            run.start()
        run.join()
        if run.exitcode == 0:
            break
    trials = Study(problem).trials()
    poison = int((Path(problem.folder) / "poison").read_text())
    assert n_runs == problem.max_lost + 1
    assert [trial.params["x"] for trial in trials].count(poison) == problem.max_lost
    assert sum(trial.state is TrialState.COMPLETE for trial in trials) == 2
