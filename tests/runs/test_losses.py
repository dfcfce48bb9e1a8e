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

from hedgerow.optuna.trials import INTERRUPTED, LOST, VANISHED
from hedgerow.runs.campaign import Campaign
from hedgerow.runs.leases import Lease
from hedgerow.runs.loop import Pace, run_study
from hedgerow.runs.opened import Asked
from hedgerow.runs.plan import RunPlan, load_plan
from hedgerow.runs.standing import LATE
from hedgerow.runs.workers.job import Outcome
from hedgerow.runs.workers.processes import ProcessMark
from hedgerow.runs.workers.spool import Fate, begin, leave, spare

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


@pytest.fixture(name="plan")
def plan_fixture(tmp_path: Path) -> RunPlan:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    (tmp_path / "loss_objective.py").write_text(OBJECTIVE)
    file = tmp_path / "losses.toml"
    file.write_text(PROBLEM)
    return load_plan(file)


def dead_here() -> Lease:
    return replace(Lease.mine(), process=DEAD)


def ask(campaign: Campaign, lease: Lease) -> Asked:
    asked = campaign.ask(lease)
    assert asked is not None
    return asked


def begun(plan: RunPlan, asked: Asked, process: int = DEAD) -> None:
    job = plan.job(asked.point, asked.number, plan.spool.place(asked.number))
    begin(job, process)


def spared(plan: RunPlan, asked: Asked) -> None:
    begun(plan, asked)
    spare(plan.job(asked.point, asked.number, plan.spool.place(asked.number)))


def reclaim(campaign: Campaign, asked: Asked) -> None:
    campaign.reclaim([trial for trial in campaign.trials() if trial.number == asked.number])


@pytest.mark.parametrize("leave_signs", [lambda plan, asked: None, spared])
def test_a_killed_run_is_never_held_against_its_point(plan: RunPlan, leave_signs: object) -> None:
    campaign = Campaign(plan)
    points = []
    for _ in range(plan.max_losses + 2):
        asked = ask(campaign, dead_here())
        assert callable(leave_signs)
        leave_signs(plan, asked)
        reclaim(campaign, asked)
        points.append(asked.point)
    trials = campaign.trials()
    assert {trial.system_attrs[LOST] for trial in trials} == {INTERRUPTED}
    assert points == [points[0]] * len(points)
    assert campaign.standing().n_failed == 0
    plan.spool.close()
    assert not list(Path(plan.folder).glob(".*.measured"))


def test_a_point_that_vanishes_with_its_workers_is_told_as_failed_in_the_end(plan: RunPlan) -> None:
    campaign = Campaign(plan)
    # Here the evaluation began and is gone; on another machine nobody knows.
    for lease, is_begun in ((dead_here(), True), (replace(dead_here(), machine="another"), False), (dead_here(), True)):
        asked = ask(campaign, lease)
        if is_begun:
            begun(plan, asked)
        reclaim(campaign, asked)
    trials = campaign.trials()
    assert [trial.params for trial in trials] == [trials[0].params] * 3
    assert [trial.system_attrs.get(LOST) for trial in trials] == [VANISHED, VANISHED, None]
    assert "vanished together, 3 times" in trials[2].user_attrs["hedgerow"]["reason"]
    assert ask(campaign, dead_here()).point != trials[0].params


def test_an_evaluation_that_goes_on_is_waited_for_and_told(plan: RunPlan) -> None:
    campaign = Campaign(plan)
    asked = ask(campaign, dead_here())
    begun(plan, asked, os.getpid())
    reclaim(campaign, asked)
    assert plan.spool.fate(asked.number) is Fate.GOING_ON
    assert campaign.trials()[0].state is TrialState.RUNNING
    leave(plan.job(asked.point, asked.number, plan.spool.place(asked.number)), Outcome(4.0))
    mark = Path(plan.spool.place(asked.number)).with_suffix(".begun")
    mark.write_text(json.dumps(asdict(ProcessMark.of(DEAD))))
    reclaim(campaign, asked)
    assert [trial.value for trial in campaign.trials()] == [4.0]
    assert list(plan.spool) == []


def test_a_value_that_comes_late_is_stored_once_whoever_tells_it(plan: RunPlan) -> None:
    campaign = Campaign(plan)
    asked = ask(campaign, dead_here())
    campaign.lose(asked.trial_id, VANISHED)
    job = plan.job(asked.point, asked.number, plan.spool.place(asked.number))
    for _ in range(2):
        leave(job, Outcome(4.0))
        campaign.finish(asked, Outcome(4.0))
        leave(job, Outcome(4.0))
        campaign.recover()
    complete = [trial for trial in campaign.trials() if trial.state is TrialState.COMPLETE]
    assert [(trial.value, trial.system_attrs[LATE]) for trial in complete] == [(4.0, asked.number)]
    assert campaign.standing().n_counted == 0
    assert list(plan.spool) == []


def test_an_outcome_of_another_point_is_not_this_trials(plan: RunPlan) -> None:
    campaign = Campaign(plan)
    asked = ask(campaign, dead_here())
    leave(plan.job({"x": 13}, asked.number, plan.spool.place(asked.number)), Outcome(4.0))
    reclaim(campaign, asked)
    campaign.recover()
    assert [trial.value for trial in campaign.trials()] == [None]
    assert list(plan.spool) == []


def _run(plan: RunPlan) -> None:
    run_study(plan, pace=Pace(look=0.2, show=0.05, wait=0.05))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs of this test are forked")
def test_a_point_that_kills_its_machine_does_not_hold_up_the_study(plan: RunPlan) -> None:
    context = multiprocessing.get_context("fork")
    n_runs = 0
    while n_runs < 6:
        n_runs += 1
        run = context.Process(target=_run, args=(replace(plan, budget=3),))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            run.start()
        run.join()
        if run.exitcode == 0:
            break
    trials = Campaign(plan).trials()
    poison = int((Path(plan.folder) / "poison").read_text())
    assert n_runs == plan.max_losses + 1
    assert [trial.params["x"] for trial in trials].count(poison) == plan.max_losses
    assert sum(trial.state is TrialState.COMPLETE for trial in trials) == 2
