"""Earlier trials of related problems in problem files, in runs with a storage, and in studies of Optuna."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import optuna
import pytest

import hedgerow as hr
from hedgerow.cli.main import main

FILE = """
[space]
x = { type = "integer", low = 0, high = 30 }
k = ["a", "b"]
[rules]
some = "x >= 2 or k == 'a'"
[objective]
command = "echo {x}"
[run]
budget = 1
"""
BEST = {"x": 17, "k": "b"}


def value(point: dict[str, Any]) -> float:
    return float(abs(point["x"] - 17) + 5 * (point["k"] == "a"))


@pytest.fixture(name="folder")
def folder_fixture(tmp_path: Path) -> Path:
    (tmp_path / "old.toml").write_text(FILE)
    points = [{"x": x, "k": k} for x in (2, 9, 17, 25) for k in "ab"]
    for point in points:
        text = f'{{"x": {point["x"]}, "k": "{point["k"]}"}}'
        assert main(["tell", str(tmp_path / "old.toml"), text, str(value(point))]) == 0
    assert main(["export", str(tmp_path / "old.toml"), "-o", str(tmp_path / "old.csv")]) == 0
    optimizer = hr.Optimizer(hr.load_problem(tmp_path / "old.toml").space)
    for point in points:
        optimizer.tell(point, value(point))
    optimizer.save(tmp_path / "old.json")
    return tmp_path


@pytest.mark.parametrize("source", ["old.toml", "old.csv", "old.json"])
def test_a_problem_file_names_earlier_trials(source: str, folder: Path) -> None:
    file = folder / "new.toml"
    file.write_text(FILE + f'prior = ["{source}"]\n')
    assert main(["run", str(file), "--quiet"]) == 0
    study = hr.load_study(file)
    assert [trial.point for trial in study.trials] == [BEST]
    # They are not told: they count as nothing here.
    assert [trial.value for trial in study.trials] == [17.0]


def test_points_that_do_not_fit_are_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / "new.toml"
    file.write_text(FILE.replace("high = 30", "high = 20") + 'prior = ["old.csv"]\n')
    assert main(["run", str(file)]) == 0
    said = capsys.readouterr().err
    assert "hedgerow: 2 of 8 trials of prior 1 do not fit this space and are left out. The first: x = 25" in said
    assert ".py" not in said


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ('["none.csv"]', "'none.csv' in prior cannot be read: "),
        ('["none.toml"]', "'none.toml' in prior: There is no file"),
        ('["old.txt"]', "'old.txt' in prior is none of .csv (a table"),
        ('["odd.csv"]', "'odd.csv' in prior: The table has no column 'value'"),
        ('"old.csv"', "'prior' in [run] is a list of files"),
    ],
)
def test_what_cannot_be_read_is_named(
    prior: str, message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "odd.csv").write_text("x,k\n1,a\n")
    file = folder / "new.toml"
    file.write_text(FILE + f"prior = {prior}\n")
    assert main(["run", str(file)]) == 2
    assert message in capsys.readouterr().err


def test_a_run_with_a_storage_takes_earlier_trials(folder: Path) -> None:
    problem = hr.load_problem(folder / "old.toml")
    earlier = hr.load_study(problem)
    result = hr.minimize(value, problem.space, problem.rules, budget=3, storage=str(folder / "new.db"), prior=[earlier])
    plain = hr.minimize(value, problem.space, problem.rules, budget=3, prior=[earlier])
    assert [seen.point for seen in result.observations] == [seen.point for seen in plain.observations]
    assert result.observations[0].point == BEST


def test_a_sampler_takes_earlier_trials(folder: Path) -> None:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    problem = hr.load_problem(folder / "old.toml")
    sampler = hr.HedgerowSampler(problem.space, problem.rules, prior=[hr.load_study(problem)])
    study = optuna.create_study(sampler=sampler)
    trial = study.ask(sampler.distributions)
    assert trial.params == BEST
    with pytest.raises(hr.HedgerowError, match="prior 1 is a data frame"):
        hr.HedgerowSampler(problem.space, prior=[5])
