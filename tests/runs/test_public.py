"""`hr.load_problem` and `hr.run`: what the command line does, from Python."""

from __future__ import annotations

import doctest
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.optuna import sampler as sampler_module
from hedgerow.runs import problem as problem_module
from hedgerow.runs import run as run_module

PROBLEM = """
[space]
x = { type = "integer", low = 0, high = 9 }
y = [1, 2, 3]
[rules]
cap = "x * y <= 18"
[objective]
command = "echo {x} {y} "
direction = "maximize"
[run]
budget = 6
method = "random"
"""


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> Path:
    file = tmp_path / "problem.toml"
    file.write_text(PROBLEM)
    return file


def total(point: dict[str, Any]) -> float:
    if point["x"] == 0:
        raise RuntimeError("empty")
    return float(point["x"] * point["y"])


def test_a_problem_is_run_and_gone_on_with(file: Path) -> None:
    problem = hr.load_problem(file)
    first = hr.run(problem, workers=2)
    assert first.stopped == "budget"
    assert len(first.observations) == 6
    assert first.best_value == max(observation.value or 0 for observation in first.observations)
    more = hr.run(problem, budget=9)
    assert more.observations[:6] == first.observations
    assert len(more.observations) == 9
    assert all(observation.is_feasible for observation in more.observations)
    assert more.is_maximized
    assert more.best_so_far()[-1] == more.best_value


def test_a_function_takes_the_place_of_the_objective(file: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        result = hr.run(str(file), objective=total, budget=40, workers=2, executor=pool, study="mine")
    assert result.stopped == "exhausted"
    assert (result.best_point, result.best_value) in [({"x": x, "y": 18 // x}, 18.0) for x in (6, 9)]
    assert result.n_failed == 3
    # The study of the file itself is another one, and has not begun.
    assert len(hr.run(file, budget=1).observations) == 1


def test_a_storage_of_ones_own_is_used(file: Path, tmp_path: Path) -> None:
    hr.run(file, storage=f"journal:{tmp_path}/trials.log", budget=2)
    assert (tmp_path / "trials.log").exists()
    assert not file.with_suffix(".db").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": 0}, "budget is a whole number of at least 1"),
        ({"workers": True}, "workers is a whole number"),
        ({"seed": -1}, "seed is a whole number"),
        ({"storage": 3}, "storage is text"),
        ({"method": "bst"}, "no method 'bst'"),
        ({"objective": 5}, "objective is a function"),
        ({"storage": "nothing"}, "cannot be read"),
    ],
)
def test_bad_arguments_are_told_before_anything_runs(file: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(hr.HedgerowError, match=message):
        hr.run(file, **options)
    assert not file.with_suffix(".db").exists()


def test_a_problem_without_an_objective_is_not_run(file: Path) -> None:
    file.write_text(PROBLEM.partition("[objective]")[0])
    with pytest.raises(hr.StudyError, match="nothing to run"):
        hr.run(file)
    with pytest.raises(hr.HedgerowError, match="takes a problem"):
        hr.run(5)  # type: ignore[arg-type]


def test_an_interrupt_returns_what_was_measured(file: Path) -> None:
    code = (
        "import sys, hedgerow as hr\n"
        "result = hr.run(sys.argv[1], budget=1000)\n"
        "print(result.stopped, len(result.observations) > 0)"
    )
    file.write_text(PROBLEM.replace('"echo {x} {y} "', "\"sh -c 'echo . >> begun; sleep 0.3; echo 1'\""))
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE, text=True, env=environment
    )
    waiting = threading.Event()
    for _ in range(600):
        if (file.parent / "begun").exists():
            break
        waiting.wait(0.1)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    assert out.split() == ["interrupted", "True"]


def test_the_examples_of_the_docstrings_run() -> None:
    for module in (run_module, problem_module, sampler_module):
        found = doctest.testmod(module)
        assert found.attempted > 4
        assert found.failed == 0


def test_importers_are_public() -> None:
    assert "dimacs" in hr.importers.FORMATS
    assert {"importers", "load_problem", "run"} <= set(dir(hr))
