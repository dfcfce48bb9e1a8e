"""Whole runs on real local clusters, and the sampler under Ray Tune."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import optuna
import pytest

import hedgerow as hr
from hedgerow.runs.loop import Pace, RunReport, run_study
from hedgerow.runs.problem import load_problem

PROBLEM = """
[space]
x = { type = "integer", low = 0, high = 12 }
y = { type = "integer", low = 0, high = 12 }
[rules]
total = "x + y <= 16"
[objective]
python = "cluster_objective:measure"
[run]
budget = 8
workers = 2
method = "random"
"""
OBJECTIVE = """
def measure(point):
    return float((point["x"] - 7) ** 2 + (point["y"] - 4) ** 2)
"""


@pytest.fixture(scope="module", name="ray")
def ray_fixture() -> Iterator[Any]:
    ray = pytest.importorskip("ray")
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        configure_logging=False,
        object_store_memory=100 * 2**20,
    )
    yield ray
    ray.shutdown()


def run_on(executor: object, folder: Path) -> RunReport:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    (folder / "cluster_objective.py").write_text(OBJECTIVE)
    (folder / "cluster.toml").write_text(PROBLEM)
    problem = load_problem(folder / "cluster.toml")
    return run_study(problem, executor=executor, pace=Pace(watch=0.2, show=0.05, wait=0.05))


def test_a_run_on_dask_uses_its_budget(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        report = run_on(client, tmp_path)
    assert (report.stopped, report.status.n_complete) == ("budget", 8)


def test_a_run_on_ray_uses_its_budget(ray: Any, tmp_path: Path) -> None:
    report = run_on(ray, tmp_path)
    assert (report.stopped, report.status.n_complete) == ("budget", 8)


def test_under_ray_tune_no_point_breaks_a_rule_or_comes_twice(ray: Any, tmp_path: Path) -> None:
    tune = pytest.importorskip("ray.tune")
    search = pytest.importorskip("ray.tune.search.optuna")
    space, rules = hr.Space({"x": hr.Integer(0, 12), "y": hr.Integer(0, 12)}), ["x + y <= 16"]
    sampler = hr.HedgerowSampler(space, rules=rules, method="random", seed=0)

    def objective(config: dict[str, int]) -> None:
        tune.report({"loss": (config["x"] - 7) ** 2 + (config["y"] - 4) ** 2})

    chooser = search.OptunaSearch(sampler.distributions, sampler=sampler, metric="loss", mode="min")
    tuner = tune.Tuner(
        objective,
        tune_config=tune.TuneConfig(search_alg=chooser, num_samples=6, max_concurrent_trials=2),
        run_config=tune.RunConfig(storage_path=str(tmp_path), verbose=0),
    )
    points = [result.config for result in tuner.fit()]
    assert len({tuple(point.items()) for point in points}) == 6
    assert all(point in sampler.feasible for point in points)
