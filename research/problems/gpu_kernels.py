"""GPU kernels to be tuned: spaces and rules from T1 files, and run times by lookup in T4 files where measured.

A configuration that keeps the rules may still fail to compile or run: its evaluation is None, and so is that of a
configuration nobody measured.
"""

from __future__ import annotations

import gzip
import json
from functools import partial
from pathlib import Path
from typing import Any

from hedgerow.errors import HedgerowError
from hedgerow.importers.t1 import load_t1
from hedgerow.space import Point
from research.problems.data_files import data_file
from research.problems.problem import BenchmarkProblem

# Feasible points, and the best measured time in milliseconds.
_KERNELS: dict[str, tuple[int, float | None]] = {
    "convolution_milo": (4362, 0.5536000076681376),
    "dedispersion_milo": (11_130, 68.1165759563446),
    "gemm_milo": (116_928, None),
    "hotspot_milo": (82_984, None),
}
NAMES = tuple(_KERNELS)

Times = dict[tuple[Any, ...], float | None]


def gpu_kernel(name: str, data_dir: str | Path | None = None, device: str = "A100") -> BenchmarkProblem:
    """Return the tuning problem of one kernel; those without measurements have no objective."""
    n_feasible, optimum = _KERNELS[name]
    description = f"a search space in the T1 format of Kernel Tuner for the kernel {name}"
    imported = load_t1(data_file(data_dir, f"kernel_tuner/{name}.json", description))
    parameters = tuple(imported.space)
    times = None if optimum is None else _measured_times(name, device, parameters, data_dir)
    if times is not None and device != "A100":
        optimum = min(time for time in times.values() if time is not None)
    return BenchmarkProblem(
        name=name if device == "A100" else f"{name}_{device}",
        description=f"run time of the GPU kernel {name.removesuffix('_milo')}, {len(parameters)} parameters",
        space=imported.space,
        rules=imported.rules,
        objective=None if times is None else partial(_time, times, parameters),
        optimum=optimum,
        n_feasible=n_feasible,
    )


def _measured_times(name: str, device: str, parameters: tuple[str, ...], data_dir: str | Path | None) -> Times:
    path = data_file(
        data_dir,
        f"kernel_tuner/{name}_{device}_T4.json.gz",
        "measured run times in the T4 format of Kernel Tuner: results with configuration, invalidity and measurements",
    )
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            results = json.load(file)["results"]
        return {tuple(row["configuration"][name] for name in parameters): _time_of(row) for row in results}
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise HedgerowError(
            f"The data file '{path}' cannot be read as run times in the T4 format: {type(error).__name__}: {error}."
        ) from None


def _time_of(row: dict[str, Any]) -> float | None:
    if row["invalidity"] != "correct":
        return None
    return next(float(entry["value"]) for entry in row["measurements"] if entry["name"] == "time")


def _time(times: Times, parameters: tuple[str, ...], point: Point) -> float | None:
    return times.get(tuple(point[name] for name in parameters))
