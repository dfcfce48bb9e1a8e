"""Orders of items outside the optimizer: reports, data frames, files, stored studies that are killed, Optuna."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import hedgerow as hr
from hedgerow.runs.loop import Pace, run_study
from hedgerow.runs.problem import load_problem

QUICK = Pace(watch=0.2, show=0.05, wait=0.05)
JOBS = ["wash", "cut", "glue", "dry", "pack"]
SPACE = hr.Space({"jobs": hr.Permutation(JOBS), "speed": hr.Integer(1, 3)})
RULES = ["before(jobs, 'glue', 'dry')", "position(jobs, 'pack') >= 3", "speed != 2 or before(jobs, 'wash', 'cut')"]


def cost(point: dict[str, Any]) -> float:
    late = [place * (1 + JOBS.index(job)) for place, job in enumerate(point["jobs"])]
    return float(sum(late) / point["speed"] + point["speed"] ** 2)


def loop(optimizer: hr.Optimizer, n: int) -> list[dict[str, Any]]:
    points = []
    for _ in range(n):
        point = optimizer.ask()
        optimizer.tell(point, cost(point))
        points.append(point)
    return points


def test_a_page_shows_orders(tmp_path: Path) -> None:
    result = hr.minimize(cost, SPACE, RULES, budget=8, seed=1)
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "before(jobs, &#x27;glue&#x27;, &#x27;dry&#x27;)" in page or "before(jobs, 'glue', 'dry')" in page
    assert all(job in page for job in JOBS)


def test_frames_come_back_as_they_went() -> None:
    result = hr.minimize(cost, SPACE, RULES, budget=8, seed=1)
    frame = result.to_pandas()
    again = hr.Optimizer(SPACE, RULES, data=frame, seed=1)
    assert [seen.point for seen in again.observations] == [seen.point for seen in result.observations]
    assert again.ask() in again.feasible


def test_a_saved_optimizer_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    whole = hr.Optimizer(SPACE, RULES, seed=3)
    first = loop(whole, 7)
    halved = hr.Optimizer(SPACE, RULES, seed=3)
    assert loop(halved, 4) == first[:4]
    halved.save(tmp_path / "half.json")
    assert loop(hr.Optimizer.load(tmp_path / "half.json"), 3) == first[4:]


@pytest.mark.parametrize("n_before", [2, 5])
def test_a_study_goes_on_with_the_same_orders(tmp_path: Path, n_before: int) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    alone = hr.minimize(cost, SPACE, RULES, budget=8, seed=2)
    storage = tmp_path / "study.db"
    hr.minimize(cost, SPACE, RULES, budget=n_before, seed=2, storage=storage)
    result = hr.minimize(cost, SPACE, RULES, budget=8, seed=2, storage=storage)
    assert [seen.point for seen in result.observations] == [seen.point for seen in alone.observations]
    hr.write_report(result, tmp_path / "page.html")
    assert "glue" in (tmp_path / "page.html").read_text(encoding="utf-8")


PROBLEM = """
[space]
jobs = { type = "permutation", items = ["wash", "cut", "glue", "dry"] }
[rules]
dry = "before(jobs, 'glue', 'dry')"
[objective]
python = "order_objective:measure"
"""
OBJECTIVE = """
import os
def measure(point):
    if os.path.exists("kill") and open("kill").read() == str(point["jobs"]):
        os.unlink("kill")
        os._exit(9)
    return float(sum(place * len(job) for place, job in enumerate(point["jobs"])))
"""


def test_a_worker_that_dies_with_an_order_is_a_failure_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    (tmp_path / "order_objective.py").write_text(OBJECTIVE)
    (tmp_path / "problem.toml").write_text(PROBLEM)
    feasible = hr.FeasibleSet(hr.Space({"jobs": hr.Permutation(JOBS[:4])}), ["before(jobs, 'glue', 'dry')"])
    (doomed,) = feasible.sample(1, seed=5)
    Path("kill").write_text(str(doomed["jobs"]))
    # All there are.
    run_study(load_problem(tmp_path / "problem.toml", {"budget": 12}), pace=QUICK)
    trials = hr.load_study(tmp_path / "problem.toml").trials
    assert not Path("kill").exists()
    assert sorted(str(trial.point) for trial in trials) == sorted(str(point) for point in feasible)
    assert [trial.point for trial in trials if trial.value is None] == [doomed]


def test_optuna_asks_for_positions() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = hr.HedgerowSampler(SPACE, RULES, seed=4)
    study = optuna.create_study(sampler=sampler)
    feasible = hr.FeasibleSet(SPACE, RULES)
    names = [slot.name for slot in SPACE.slots[: len(JOBS)]]
    for _ in range(6):
        trial = study.ask(sampler.distributions)
        positions = [trial.params[name] for name in names]
        order = [JOBS[place] for place in np.argsort(positions)]
        assert sorted(positions) == [1, 2, 3, 4, 5]
        point = {"jobs": order, "speed": trial.params["speed"]}
        assert point in feasible
        study.tell(trial, cost(point))
    assert len({str(trial.params) for trial in study.trials}) == 6
