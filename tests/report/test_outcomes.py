"""The report of studies whose trials give more than one number: the front, limits, readings, failures by value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import optuna
import pytest

import hedgerow as hr
from hedgerow.report.page import render, report_of
from hedgerow.runs.problem import load_problem
from hedgerow.runs.study import Study

FILE = """
[space]
x = { type = "integer", low = 0, high = 9 }
y = { type = "integer", low = 0, high = 9 }
[rules]
total = "x + y <= 14"
"""


@pytest.fixture(autouse=True)
def _quiet() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)


def page_of(folder: Path, more: str, told: list[tuple[dict[str, int], Any]]) -> str:
    file = folder / "study.toml"
    file.write_text(FILE + more)
    problem = load_problem(file)
    study = Study(problem)
    for point, outcome in told:
        study.tell(point, outcome)
    return render(report_of(problem, file))


def measured(x: int, y: int) -> Any:
    if x == 7:
        return hr.Failure("exit code 1: out of <memory>")
    return {"time": float((x - 5) ** 2 + y), "work": float(x * y), "memory": float(x + y)}


GOALS = '[objectives]\ntime = "minimize"\nwork = "maximize"\n[limits]\nfits = "memory <= 9"\n'
TOLD = [({"x": x, "y": y}, measured(x, y)) for x in (1, 3, 5, 7, 9) for y in (0, 2, 5)]


def test_the_front_the_limits_and_failures_by_value_are_shown(tmp_path: Path) -> None:
    page = page_of(tmp_path, GOALS, TOLD)
    assert "Minimize time and maximize work" in page
    assert '<section id="front">' in page
    assert "beyond a limit" in page
    assert "Points of the front" in page
    assert "to spare of fits" in page
    assert "Limits with their margins" in page
    assert "of 12" in page
    assert "Failures by value" in page
    assert "x = 7" in page
    assert "3 of 3" in page
    assert "out of <memory>" not in page
    assert "out of &lt;memory&gt;" in page


def test_what_no_trial_gives_is_told(tmp_path: Path) -> None:
    page = page_of(tmp_path, GOALS, [({"x": 1, "y": 1}, {"tme": 3.0}), ({"x": 2, "y": 1}, {"tme": 2.0})])
    assert "No trial has given &#x27;time&#x27;, &#x27;work&#x27; and &#x27;memory&#x27; yet" in page


def test_readings_and_noise_are_shown(tmp_path: Path) -> None:
    told = [({"x": x, "y": 1}, (x - 2) ** 2 + shift) for x in range(5) for shift in (0.0, 0.5, -0.5)]
    page = page_of(tmp_path, '[run]\nrepeats = "auto"\n', told)
    assert "Readings and noise" in page
    assert "pooled over all points: value 0.5" in page
    assert "single reading" in page
    assert "mean of 3 readings; believed" in page


def test_the_page_of_a_result_shows_the_same(tmp_path: Path) -> None:
    optimizer = hr.Optimizer(
        hr.Space({"x": hr.Integer(0, 9), "y": hr.Integer(0, 9)}),
        ["x + y <= 14"],
        objectives={"time": "minimize", "work": "maximize"},
        limits={"fits": "memory <= 9"},
    )
    for point, outcome in TOLD:
        optimizer.tell(point, outcome)
    hr.write_report(optimizer, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert '<section id="front">' in page
    assert "Limits with their margins" in page
