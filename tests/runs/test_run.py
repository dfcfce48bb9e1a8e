"""Runs of problem files: budgets, failures, resuming, joining, and rules that change in between."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.trial import TrialState

import hedgerow as hr
from hedgerow.runs.loop import Pace, RunState, run_study
from hedgerow.runs.problem import Problem, load_problem
from hedgerow.runs.snapshot import read_snapshot
from hedgerow.runs.study import Study
from hedgerow.schema import is_lost

PROBLEM = """
[space]
x = { type = "integer", low = 0, high = 12 }
y = { type = "integer", low = 0, high = 12 }
[rules]
total = "x + y <= 16"
[objective]
python = "run_objective:measure"
timeout = 20
[run]
budget = 10
lease = 5.0
"""
OBJECTIVE = """
import time
def measure(point):
    if (point["x"] + point["y"]) % 7 == 3:
        raise RuntimeError("unlucky")
    time.sleep(point["x"] / 2000)
    return (point["x"] - 7) ** 2 + (point["y"] - 4) ** 2
"""
QUICK = Pace(watch=0.2, show=0.05, wait=0.05)


@pytest.fixture(autouse=True)
def _quiet() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> Path:
    (tmp_path / "run_objective.py").write_text(OBJECTIVE)
    file = tmp_path / "problem.toml"
    file.write_text(PROBLEM)
    return file


def bowl(point: dict[str, Any]) -> float:
    if (point["x"] + point["y"]) % 7 == 3:
        raise RuntimeError("unlucky")
    return float((point["x"] - 7) ** 2 + (point["y"] - 4) ** 2)


def here(problem: Problem) -> Problem:
    """The problem with its function in this process, which saves the start of another."""
    return replace(problem, python="", function=bowl)


def run_here(problem: Problem, **options: Any) -> Any:
    with ThreadPoolExecutor(problem.workers) as pool:
        return run_study(here(problem), executor=pool, pace=QUICK, **options)


def told(problem: Problem) -> list[tuple[dict[str, Any], float | None]]:
    trials = Study(problem).trials()
    return [(trial.params, trial.value) for trial in trials if trial.state.is_finished() and not is_lost(trial)]


def test_a_run_uses_its_budget_and_reports_the_best(file: Path) -> None:
    problem = load_problem(file)
    ticks: list[RunState] = []
    report = run_study(problem, pace=QUICK, view=ticks.append)
    assert (report.stopped, report.n_here) == ("budget", 10)
    status = report.status
    assert status.n_complete + status.n_failed == 10
    assert status.n_failed == sum(value is None for _, value in told(problem))
    assert status.best_value == min(value for _, value in told(problem) if value is not None)
    assert sum(len(state.ended) for state in ticks) == 10
    failed = next(trial for trial in Study(problem).trials() if trial.state is TrialState.FAIL)
    assert "unlucky" in failed.user_attrs["hedgerow"]["reason"]
    assert not list(file.parent.glob(".*.measured"))


def test_a_run_tries_what_minimize_tries(file: Path) -> None:
    problem = load_problem(file, {"budget": 14, "seed": 2})
    run_here(problem)
    result = hr.minimize(bowl, problem.space, rules=problem.rules, budget=14, seed=2)
    assert told(problem) == [(observation.point, observation.value) for observation in result.observations]


def test_running_again_goes_on_to_a_larger_budget(file: Path) -> None:
    assert run_here(load_problem(file, {"budget": 4})).n_here == 4
    assert run_here(load_problem(file, {"budget": 4})).n_here == 0
    assert run_here(load_problem(file, {"budget": 9})).n_here == 5
    whole = load_problem(file, {"budget": 9, "study": "whole"})
    run_here(whole)
    assert told(load_problem(file)) == told(whole)


def test_several_workers_share_a_budget_and_no_point(file: Path) -> None:
    problem = load_problem(file, {"budget": 30, "workers": 3, "method": "random"})
    threads = [threading.Thread(target=run_here, args=(problem,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    points = [tuple(point.items()) for point, _ in told(problem)]
    assert len(points) == len(set(points)) == 30
    assert all(dict(point) in hr.FeasibleSet(problem.space, problem.rules) for point in points)


def test_an_interrupt_lets_evaluations_finish(file: Path) -> None:
    stop = threading.Event()
    ended: list[float] = []

    def slow(point: dict[str, Any]) -> float:
        stop.set()
        time.sleep(0.3)
        ended.append(1.0)
        return 1.0

    problem = replace(load_problem(file), python="", function=slow, workers=2)
    with ThreadPoolExecutor(2) as pool:
        report = run_study(problem, executor=pool, stop=stop, pace=QUICK)
    assert report.stopped == "interrupted"
    assert report.status.n_complete == report.n_here == len(ended) >= 1
    assert report.status.n_running == 0


def test_a_run_whose_trials_all_fail_stops_and_can_go_on_once_mended(file: Path) -> None:
    def broken(point: dict[str, Any]) -> float:
        raise ValueError("the bench is off")

    problem = load_problem(file)
    with ThreadPoolExecutor(1) as pool:
        report = run_study(replace(problem, python="", function=broken), executor=pool, pace=QUICK)
    assert (report.stopped, report.n_here) == ("failing", 5)
    assert read_snapshot(problem).latest_reasons(3) == ["ValueError: the bench is off"]
    assert run_here(problem).stopped == "budget"


def test_giving_up_frees_the_points_that_were_running(file: Path) -> None:
    stop, abandon, release = threading.Event(), threading.Event(), threading.Event()

    def stuck(point: dict[str, Any]) -> float:
        stop.set()
        abandon.set()
        release.wait(10)
        return 1.0

    problem = replace(load_problem(file), python="", function=stuck)
    with ThreadPoolExecutor(1) as pool:
        report = run_study(problem, executor=pool, stop=stop, abandon=abandon, pace=QUICK)
        release.set()
    assert report.stopped == "interrupted"
    run_here(load_problem(file))
    fresh = load_problem(file, {"study": "fresh"})
    run_here(fresh)
    assert told(load_problem(file)) == told(fresh)


def test_every_point_tried_ends_a_run(file: Path) -> None:
    file.write_text(PROBLEM.replace('"x + y <= 16"', '"x + y <= 1"'))
    report = run_here(load_problem(file, {"workers": 2}))
    assert (report.stopped, report.n_here) == ("exhausted", 3)


def test_enqueued_trials_are_evaluated_first(file: Path) -> None:
    problem = load_problem(file, {"budget": 3})
    study = Study(problem)
    study.in_optuna.enqueue_trial({"x": 1, "y": 1})
    study.in_optuna.enqueue_trial({"x": 12})
    run_here(problem)
    points = [point for point, _ in told(problem)]
    assert points[0] == {"x": 1, "y": 1}
    assert points[1]["x"] == 12
    assert all(point in study.sampler.feasible for point in points)


def test_rules_may_change_between_runs(file: Path) -> None:
    run_here(load_problem(file))
    before = Study(load_problem(file)).status()
    file.write_text(PROBLEM.replace("[objective]", 'odd = "x % 2 == 1"\n[objective]'))
    problem = load_problem(file, {"budget": 16})
    report = run_here(problem)
    assert report.n_here == 6
    assert all(point["x"] % 2 == 1 for point, _ in told(problem)[10:])
    assert report.status.n_infeasible == sum(point["x"] % 2 == 0 for point, value in told(problem) if value is not None)
    assert report.status.best_point is not None
    assert report.status.best_point["x"] % 2 == 1
    changes = Study(problem).rule_changes
    assert [list(change["rules"]) for change in changes] == [["total"], ["total", "odd"]]
    assert changes[1]["after_trials"] == 10
    file.write_text(PROBLEM)
    after = Study(load_problem(file)).status()
    assert before.best_value is not None
    assert after.best_value is not None
    assert after.best_value <= before.best_value


def test_another_direction_needs_another_study(file: Path) -> None:
    Study(load_problem(file))
    file.write_text(PROBLEM.replace("timeout = 20", 'direction = "maximize"'))
    with pytest.raises(hr.StudyError, match="was started to minimize"):
        Study(load_problem(file))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("budget = 10", "budget = 0", "'budget' in .run. is a whole number of at least 1"),
        ("lease = 5.0", "lease = -1", "'lease' in .run. is a number of seconds"),
        ("timeout = 20", 'command = "x"', "both 'command' and 'python'"),
        ("timeout = 20", 'direction = "up"', "'minimize' or 'maximize', not 'up'"),
        ("lease = 5.0", 'storage = "what"', "storage URL 'what' cannot be read"),
        ("lease = 5.0", 'storage = "sqlite:////no/such/folder/x.db"', "cannot be opened"),
    ],
)
def test_bad_plans_are_refused_with_a_reason(file: Path, old: str, new: str, message: str) -> None:
    file.write_text(PROBLEM.replace(old, new))
    with pytest.raises(hr.HedgerowError, match=message):
        Study(load_problem(file))


def test_nothing_to_run_and_functions_that_cannot_travel_are_told(file: Path) -> None:
    with pytest.raises(hr.StudyError, match="nothing to run"):
        run_study(replace(load_problem(file), python=""))
    with pytest.raises(hr.StudyError, match="cannot be imported by other processes"):
        run_study(replace(load_problem(file), python="", function=lambda point: 1.0))
