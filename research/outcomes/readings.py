"""Readings that vary: noise added to true values, and repeated timings of measured kernels."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.random import Generator

from hedgerow.importers.t1 import load_t1
from hedgerow.space import Point
from research.outcomes.task import OutcomeTask
from research.problems.data_files import data_file

Reading = Callable[[Point, Generator], Mapping[str, float] | None]
KERNELS = {
    "convolution A100": ("convolution_milo", "A100"),
    "convolution A6000": ("convolution_milo", "A6000"),
    "dedispersion A100": ("dedispersion_milo", "A100"),
}


def with_noise(task: OutcomeTask, share: float) -> Reading:
    """Return readings of a task's one objective with Gaussian noise, its deviation a share of the range."""
    best, worst = task.best_and_worst
    name, deviation = next(iter(task.objectives)), share * (worst - best)

    def reading(point: Point, rng: Generator) -> Mapping[str, float] | None:
        given = task.truth(point)
        return None if given is None else {name: given[name] + deviation * rng.normal()}

    return reading


def kernel(name: str) -> tuple[OutcomeTask, Reading]:
    """Return a kernel, whose true time is the median of its repeated timings, and readings, each one of these."""
    space_name, device = KERNELS[name]
    imported = load_t1(data_file(None, f"kernel_tuner/{space_name}.json", "a search space in the T1 format"))
    path = data_file(None, f"kernel_tuner/{space_name}_{device}_T4.json.gz", "measured run times in the T4 format")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        results = json.load(file)["results"]
    parameters = tuple(imported.space)
    times = {tuple(row["configuration"][each] for each in parameters): _timings(row) for row in results}
    truth = partial(_median, times, parameters)
    task = OutcomeTask(name, imported.space, tuple(imported.rules), {"time": "minimize"}, truth)
    return task, partial(_one_of, times, parameters)


def _timings(row: dict[str, Any]) -> list[float]:
    return [float(time) for time in row["times"]["runtimes"]] if row["invalidity"] == "correct" else []


def _median(times: Any, parameters: tuple[str, ...], point: Point) -> Mapping[str, float] | None:
    timings = times.get(tuple(point[name] for name in parameters))
    return {"time": float(np.median(timings))} if timings else None


def _one_of(times: Any, parameters: tuple[str, ...], point: Point, rng: Generator) -> Mapping[str, float] | None:
    timings = times.get(tuple(point[name] for name in parameters))
    return {"time": timings[int(rng.integers(len(timings)))]} if timings else None
