"""Hedgerow as a strategy of Kernel Tuner, in its simulation mode: on measured kernels, and on a small one."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

kernel_tuner = pytest.importorskip("kernel_tuner", reason="Kernel Tuner is not installed")

from hedgerow.adapters.kernel_tuner import strategy  # noqa: E402

FAILURES = {"compile": "CompilationFailedConfig", "runtime": "RuntimeFailedConfig"}


def cache_file(path: Path, tune_params: dict[str, list[Any]], rows: list[dict[str, Any]]) -> Path:
    """Write a cache of Kernel Tuner, which its simulation mode measures from."""
    times = {"compile_time": 1.0, "verification_time": 0.0, "benchmark_time": 1.0}
    entries = {",".join(str(row[name]) for name in tune_params): {**row, **times} for row in rows}
    head = {"device_name": "toy", "kernel_name": "k", "problem_size": [1], "tune_params_keys": list(tune_params)}
    path.write_text(json.dumps({**head, "tune_params": tune_params, "objective": "time", "cache": entries}))
    return path


def tuned(
    cache: Path, tune_params: dict[str, list[Any]], restrictions: list[Any], **options: Any
) -> list[dict[str, Any]]:
    arguments = {"simulation_mode": True, "cache": str(cache), "quiet": True, "verbose": False, "lang": "C"}
    results, _ = kernel_tuner.tune_kernel(
        "k", "__global__ void k() {}", [1], [], tune_params, restrictions=restrictions, **arguments, **options
    )
    return list(results)


def small(tmp_path: Path) -> tuple[Path, dict[str, list[Any]], list[str]]:
    tune_params: dict[str, list[Any]] = {
        "block_size_x": [16, 32, 64],
        "tile": [1, 2, 4, 8],
        "unroll": [0.5, 2],
        "mode": ["a", "b"],
    }
    rows = [
        {"block_size_x": x, "tile": t, "unroll": u, "mode": m, "time": abs(x - 32) + t + u + (m == "b")}
        for x in tune_params["block_size_x"]
        for t in tune_params["tile"]
        for u in tune_params["unroll"]
        for m in tune_params["mode"]
        if x * t <= 128
    ]
    for row in rows:
        if row["tile"] == 1:
            row["time"] = "RuntimeFailedConfig"
    return cache_file(tmp_path / "cache.json", tune_params, rows), tune_params, ["block_size_x * tile <= 128"]


@pytest.mark.parametrize("form", ["text", "function"])
def test_everything_is_measured_once_and_within_the_restrictions(tmp_path: Path, form: str) -> None:
    cache, tune_params, written = small(tmp_path)
    restrictions: list[Any] = list(written) if form == "text" else [lambda p: p["block_size_x"] * p["tile"] <= 128]
    results = tuned(cache, tune_params, restrictions, strategy=strategy(seed=1))
    assert len(results) == len({tuple(str(row[name]) for name in tune_params) for row in results}) == 36
    assert min(row["time"] for row in results if "__error__" not in row) == 2.5


def test_the_same_seed_measures_the_same_configurations(tmp_path: Path) -> None:
    cache, tune_params, restrictions = small(tmp_path)
    options = {"max_fevals": 8}
    first, again, batched = (
        [row["time"] for row in tuned(cache, tune_params, restrictions, strategy=made, strategy_options=dict(options))]
        for made in (strategy(seed=3), strategy(seed=3), strategy(seed=3, batch_size=4))
    )
    assert first == again
    assert len(first) == len(batched) == 8


def test_several_objectives_are_refused(tmp_path: Path) -> None:
    cache, tune_params, restrictions = small(tmp_path)
    lower = {"objective_higher_is_better": [False, False]}
    with pytest.raises(Exception, match="one objective here, but time, energy"):
        tuned(cache, tune_params, restrictions, strategy=strategy(), objective=["time", "energy"], **lower)


def test_measured_kernels_are_tuned_in_simulation(data_dir: Path, tmp_path: Path) -> None:
    folder = data_dir / "kernel_tuner"
    if not (folder / "convolution_milo_A6000_T4.json.gz").is_file():
        pytest.skip("the measured kernels are missing")
    space = json.loads((folder / "convolution_milo.json").read_text())["ConfigurationSpace"]
    tune_params = {item["Name"]: json.loads(item["Values"]) for item in space["TuningParameters"]}
    with gzip.open(folder / "convolution_milo_A6000_T4.json.gz", "rt") as file:
        measured = json.load(file)["results"]
    rows = [
        {
            **row["configuration"],
            "time": FAILURES.get(row["invalidity"])
            or next(m["value"] for m in row["measurements"] if m["name"] == "time"),
        }
        for row in measured
    ]
    cache = cache_file(tmp_path / "cache.json", tune_params, rows)
    results = tuned(
        cache,
        tune_params,
        [condition["Expression"] for condition in space["Conditions"]],
        strategy=strategy(seed=0),
        strategy_options={"max_fevals": 60},
    )
    values = sorted(row["time"] for row in rows if not isinstance(row["time"], str))
    assert len(results) == 60
    best = min(row["time"] for row in results if "__error__" not in row)
    assert best <= values[len(values) // 100], "60 of 4,362 configurations reach the best percent"
