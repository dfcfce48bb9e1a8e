"""The same jobs on every kind of executor, on a real local cluster of each."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.runs.workers.executors import Evaluator, evaluator_for
from hedgerow.runs.workers.job import Job

OBJECTIVE = """
def square(point):
    if point["x"] == 3:
        raise ValueError("three")
    return float(point["x"] ** 2)
"""


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> str:
    (tmp_path / "executor_objective.py").write_text(OBJECTIVE)
    return str(tmp_path)


def check(evaluator: Evaluator, folder: str) -> None:
    jobs = [Job({"x": x}, x, python="executor_objective:square", folder=folder) for x in range(5)]
    futures = [evaluator.submit(job) for job in jobs]
    outcomes = [future.result(timeout=120) for future in futures]
    assert [outcome.value for outcome in outcomes] == [0.0, 1.0, 4.0, None, 16.0]
    assert "three" in outcomes[3].reason
    evaluator.close()


def test_any_standard_executor_evaluates(folder: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        check(evaluator_for(pool, 2), folder)
        assert pool.submit(int, "3").result() == 3


def test_a_dask_cluster_evaluates(folder: str) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        check(evaluator_for(client, 2), folder)
        check(evaluator_for(f"dask:{cluster.scheduler_address}", 2), folder)


def test_a_ray_cluster_evaluates(folder: str) -> None:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        check(evaluator_for(ray, 2), folder)
    finally:
        ray.shutdown()


@pytest.mark.parametrize("executor", ["slurm:here", 3, object()])
def test_what_is_no_executor_is_refused(executor: object) -> None:
    with pytest.raises(hr.HedgerowError, match="executor"):
        evaluator_for(executor, 1)
