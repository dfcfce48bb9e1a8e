"""Where evaluations run: processes of this machine, any executor of `concurrent.futures`, a Dask or a Ray cluster."""

from __future__ import annotations

import importlib
import os
from concurrent.futures import Executor, Future
from typing import Any, Protocol

from hedgerow.errors import HedgerowError
from hedgerow.runs.workers.job import Job, Outcome, evaluate
from hedgerow.runs.workers.pool import LocalWorkers
from hedgerow.runs.workers.spool import begin


class Evaluator(Protocol):
    """Takes jobs and gives futures of their outcomes."""

    def submit(self, job: Job) -> Future[Outcome]:
        """Start a job."""

    def close(self) -> None:
        """Let go of what was started here; a cluster that was passed in stays up."""


def evaluator_for(executor: object, n_workers: int) -> Evaluator:
    """Return what evaluates on the given executor: None (local processes), an Executor, `dask:...` or `ray:...`.

    A Dask client, or the `ray` module after `ray.init`, may be passed as they are.
    """
    if executor is None:
        return LocalWorkers(n_workers)
    if isinstance(executor, Executor):
        return _OnExecutor(executor)
    if isinstance(executor, str):
        kind, _, address = executor.partition(":")
        if kind == "dask":
            return _OnDask(_module("distributed").Client(address or None), is_mine=True)
        if kind == "ray":
            return _on_ray(address)
        raise HedgerowError(f"There is no executor {executor!r}; known are dask:ADDRESS and ray:ADDRESS.")
    if hasattr(executor, "submit") and type(executor).__module__.partition(".")[0] == "distributed":
        return _OnDask(executor, is_mine=False)
    if getattr(executor, "__name__", "") == "ray":
        return _OnRay(executor, is_mine=False)
    raise HedgerowError(
        f"An executor is a concurrent.futures.Executor, a distributed.Client or the ray module, but {executor!r} "
        "was given."
    )


class _OnExecutor:
    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, job: Job) -> Future[Outcome]:
        # Its threads end with this process, and its processes may take this one with them.
        begin(job, os.getpid())
        return self._executor.submit(evaluate, job)

    def close(self) -> None:
        pass


class _OnDask:
    def __init__(self, client: Any, is_mine: bool) -> None:
        self._client = client
        self._is_mine = is_mine

    def submit(self, job: Job) -> Future[Outcome]:
        # Not pure: a trial that is tried again is evaluated again.
        return _bridged(self._client.submit(evaluate, job, pure=False, retries=0))

    def close(self) -> None:
        if self._is_mine:
            self._client.close()


class _OnRay:
    def __init__(self, ray: Any, is_mine: bool) -> None:
        self._ray = ray
        self._is_mine = is_mine
        self._remote = ray.remote(max_retries=0)(evaluate)

    def submit(self, job: Job) -> Future[Outcome]:
        future: Future[Outcome] = self._remote.remote(job).future()
        return future

    def close(self) -> None:
        if self._is_mine:
            self._ray.shutdown()


def _on_ray(address: str) -> _OnRay:
    ray = _module("ray")
    is_mine = not ray.is_initialized()
    if is_mine:
        ray.init(address=address or None, log_to_driver=False, include_dashboard=False)
    return _OnRay(ray, is_mine)


def _bridged(theirs: Any) -> Future[Outcome]:
    """Return a future of the standard library that ends as another one does."""
    future: Future[Outcome] = Future()

    def hand_over(ended: Any) -> None:
        if ended.cancelled():
            future.set_exception(RuntimeError("the cluster cancelled the evaluation"))
        elif (error := ended.exception()) is not None:
            future.set_exception(error)
        else:
            future.set_result(ended.result())

    future.set_running_or_notify_cancel()
    theirs.add_done_callback(hand_over)
    return future


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise HedgerowError(f"This executor needs the package '{name}'. Install it with: pip install {name}") from None
