"""Kernel Tuner's strategies on measured kernels, in its own simulation mode: what its users would have got.

The measurements are handed over as the cache file of a finished tuning; nothing is compiled. Kernel Tuner counts
configurations that it has not met before, and so do we: the first occurrences, in the order of its results.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import tempfile
import time
import warnings
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.space import Point
from research.harness.cell import Cell
from research.harness.row import Row, RunKey
from research.harness.tasks import Task, load_task
from research.harness.version import made_by

_KERNEL = "replayed"
_SOURCE = f"__global__ void {_KERNEL}() {{}}"
# How a configuration that did not compile or run is written in Kernel Tuner's cache.
_FAILED = "RuntimeFailedConfig"


def run_strategy(job: RunKey) -> Row:
    """Run a strategy until the budget of different configurations is spent."""
    task = load_task(job.task)
    begin = time.process_time()
    results = _tune(task, str(Cell.parse(job.cell).get("strategy")), job)
    seconds = time.process_time() - begin
    improvements: list[tuple[int, float]] = []
    infeasible: list[int] = []
    first_met: dict[str, Point] = {}
    for result in results:
        point = {name: result[name] for name in task.problem.space}
        if first_met.setdefault(str(point), point) is not point:
            continue
        number = len(first_met)
        if not task.feasible.explain(point).is_feasible:
            infeasible.append(number)
            continue
        value = task.objective(point)
        if value is not None and (not improvements or value < improvements[-1][1]):
            improvements.append((number, value))
    return Row(
        **asdict(job),
        n_rounds=len(first_met),
        stopped="budget",
        improvements=tuple(improvements),
        invalid_rounds=tuple(infeasible),
        n_repeated=len(results) - len(first_met),
        seconds=seconds,
        **made_by("kernel-tuner"),
        series={},
    )


def _tune(task: Task, strategy: str, job: RunKey) -> list[dict[str, Any]]:
    tune_kernel = import_module("kernel_tuner").tune_kernel
    levels = {slot.name: list(slot.variable.values) for slot in task.problem.space.slots}
    rules = [rule.text for rule in task.feasible.rules]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        # Its own seed does not reach all strategies, which draw from the global generators.
        random.seed(job.seed)
        np.random.seed(job.seed)  # noqa: NPY002
        cache = Path(folder) / "cache.json"
        cache.write_text(json.dumps(_finished_tuning(task, levels)), encoding="utf-8")
        results, _ = tune_kernel(
            _KERNEL,
            _SOURCE,
            (1, 1),
            [],
            levels,
            restrictions=rules,
            strategy=strategy,
            strategy_options={"max_fevals": job.budget},
            cache=str(cache),
            simulation_mode=True,
            quiet=True,
            seed=job.seed,
            lang="CUDA",
        )
    return list(results)


def _finished_tuning(task: Task, levels: dict[str, list[Any]]) -> dict[str, Any]:
    """Return the content of a cache file."""
    times = {",".join(str(point[name]) for name in levels): (point, task.objective(point)) for point in task.feasible}
    return {
        "device_name": "replay",
        "kernel_name": _KERNEL,
        "problem_size": [1, 1],
        "tune_params_keys": list(levels),
        "tune_params": levels,
        "objective": "time",
        "cache": {key: {**point, "time": _FAILED if time is None else time} for key, (point, time) in times.items()},
    }
