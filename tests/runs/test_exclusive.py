"""Measurements that must not disturb each other, and values with a unit."""

from __future__ import annotations

from pathlib import Path

import pytest

import hedgerow as hr
from hedgerow.report.page import render, report_of
from hedgerow.runs.problem import load_problem

PROBLEM = """
[space]
x = { type = "integer", low = 0, high = 9 }
[objective]
command = "sh measure.sh {x}"
unit = "ms <b>"
[run]
budget = 6
workers = 3
exclusive = EXCLUSIVE
method = "random"
"""
# Says with its exit code that another one was at it.
MEASURE = """
mkdir busy || exit 9
sleep 0.05
rmdir busy
echo $1
"""


def make(folder: Path, exclusive: str = "true") -> Path:
    file = folder / "problem.toml"
    file.write_text(PROBLEM.replace("EXCLUSIVE", exclusive))
    (folder / "measure.sh").write_text(MEASURE)
    return file


def test_one_at_a_time_is_measured(tmp_path: Path) -> None:
    result = hr.run(make(tmp_path))
    assert (len(result.observations), result.n_failed) == (6, 0)


def test_it_is_true_or_false(tmp_path: Path) -> None:
    with pytest.raises(hr.ProblemFileError, match=r"'exclusive' in \[run\] is true or false, not 1"):
        load_problem(make(tmp_path, "1"))


def test_a_report_names_the_unit(tmp_path: Path) -> None:
    file = make(tmp_path)
    hr.run(file, budget=2)
    page = render(report_of(load_problem(file), file))
    assert "value, ms &lt;b&gt;" in page
    assert " ms &lt;b&gt;</strong>" in page
