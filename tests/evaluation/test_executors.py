"""The same jobs on every kind of executor, on a real local cluster of each."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.evaluation.executors import Evaluator, evaluator_for
from hedgerow.evaluation.job import Job


def square(point: dict[str, Any]) -> float:
    if point["x"] == 3:
        raise ValueError("three")
    return float(point["x"] ** 2)


def check(evaluator: Evaluator) -> None:
    futures = [evaluator.submit(Job({"x": x}, x, function=square)) for x in range(5)]
    outcomes = [future.result(timeout=120) for future in futures]
    assert [outcome.value for outcome in outcomes] == [0.0, 1.0, 4.0, None, 16.0]
    assert "three" in outcomes[3].reason
    evaluator.close()


def test_any_standard_executor_evaluates() -> None:
    with ThreadPoolExecutor(2) as pool:
        check(evaluator_for(pool, 2))
        assert pool.submit(int, "3").result() == 3


def test_a_dask_cluster_evaluates() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        check(evaluator_for(client, 2))
        check(evaluator_for(f"dask:{cluster.scheduler_address}", 2))


def test_a_ray_cluster_evaluates() -> None:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        check(evaluator_for(ray, 2))
    finally:
        ray.shutdown()


@pytest.mark.parametrize("executor", ["slurm:here", 3, object()])
def test_what_is_no_executor_is_refused(executor: object) -> None:
    with pytest.raises(hr.HedgerowError, match="executor"):
        evaluator_for(executor, 1)
