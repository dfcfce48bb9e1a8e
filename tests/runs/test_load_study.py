"""A study for looking at, and one number for a trial wherever it is named."""

from __future__ import annotations

import csv
import io
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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
command = "sh measure.sh {x} {k}"
[run]
budget = 4
method = "random"
"""
MEASURE = """
if [ $(( $1 % 7 )) = 3 ]; then echo no luck >&2; exit 1; fi
echo $(( $1 + 100 ))
"""


@pytest.fixture(name="file")
def file_fixture(tmp_path: Path) -> str:
    (tmp_path / "measure.sh").write_text(MEASURE)
    file = tmp_path / "problem.toml"
    file.write_text(FILE)
    return str(file)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def test_a_trial_has_one_number_wherever_it_is_named(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", file]) == 0
    lines = capsys.readouterr()
    asked = json.loads(said(capsys, "ask", file, "--json"))
    assert [one["trial"] for one in asked] == [4]
    assert said(capsys, "tell", file, "4", "-5").startswith("Trial 4: -5")
    told = json.loads(said(capsys, "tell", file, '{"x": 29, "k": "b"}', "failed", "--reason", "odd", "--json"))
    assert told["trial"] == 5
    assert said(capsys, "ask", file).splitlines()[4].split("│")[1].strip() == "6"
    rows = list(csv.DictReader(io.StringIO(said(capsys, "export", file))))
    study = hr.load_study(file)
    assert [row["trial"] for row in rows] == [str(trial.number) for trial in study.trials] == list("0123456")
    assert [row["state"] for row in rows] == [trial.state for trial in study.trials]
    assert [trial.point for trial in study.trials if trial.number == 4] == [asked[0]["point"]]
    # The run named the trials that it made by the same numbers: the last best of its lines is the best of the first 4.
    best = min((trial for trial in study.trials[:4] if trial.value is not None), key=lambda trial: trial.value or 0)
    assert re.findall(r"trial (\d+): best", lines.err)[-1] == str(best.number)
    assert f"in trial {best.number}" in lines.out
    status = json.loads(said(capsys, "status", file, "--json", "--trials"))
    assert status["best"]["trial"] == 4
    assert [one["trial"] for one in status["pending"]] == [6]
    assert [one["trial"] for one in status["trials"]] == [0, 1, 2, 3, 4, 5, 6]
    said(capsys, "report", file, "-o", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text()
    failed = [trial.number for trial in study.trials if trial.state == "failed"]
    assert 5 in failed
    assert re.findall(r"<b>Trial (\d+)</b>", page) == [str(number) for number in failed]
    assert "trial 4" in page.lower()


def test_a_loaded_study_has_all_there_is_of_a_trial(file: str) -> None:
    hr.run(file)
    study = hr.load_study(hr.load_problem(file))
    assert study.best is not None
    assert repr(study) == f"<LoadedStudy 'problem': 4 trials, best {study.best.value} in trial {study.best.number}>"
    for trial in study.trials:
        assert trial.began is not None
        assert trial.ended is not None
        assert trial.began <= trial.ended
        assert trial.seconds is not None
        assert trial.is_feasible
        assert trial.asked_with is not None
        assert trial.asked_with.startswith("method random, seed 0")
        assert (trial.state == "failed") == (trial.value is None) == (trial.reason is not None)
        assert dict(trial.outcomes) == ({} if trial.value is None else {"value": trial.value})
    assert {tuple(seen.point.items()) for seen in study.observations} == {
        tuple(trial.point.items()) for trial in study.trials
    }
    pandas = pytest.importorskip("pandas")
    assert isinstance(study.to_pandas(), pandas.DataFrame)
    assert list(study.to_pandas()["trial"]) == [0, 1, 2, 3]
    # What was measured here is earlier knowledge elsewhere.
    other = hr.Optimizer(hr.load_problem(file).space, prior=[study])
    assert other.ask() == study.best.point


def test_readings_and_outcomes_have_their_names(tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    file.write_text('[space]\nx = [1, 2, 3]\n[objectives]\ntime = "minimize"\nsize = "minimize"\n')
    assert main(["tell", str(file), '{"x": 2}', "time=3.5", "size=7"]) == 0
    trial = hr.load_study(file).trials[0]
    assert (trial.value, dict(trial.outcomes), trial.readings) == (None, {"time": 3.5, "size": 7.0}, ())


def test_the_best_of_readings_has_their_mean_and_what_is_believed(tmp_path: Path) -> None:
    file = tmp_path / "problem.toml"
    file.write_text('[space]\nx = { type = "integer", low = 1, high = 5 }\n[run]\nrepeats = "auto"\nbudget = 12\n')
    told = {1: (5.0, 5.4, 5.2), 2: (3.0, 3.3), 3: (2.9, 4.5, 4.4), 4: (6.0, 6.2)}
    for x, values in told.items():
        for value in values:
            assert main(["tell", str(file), f'{{"x": {x}}}', str(value)]) == 0
    study = hr.load_study(file)
    best = study.best
    assert best is not None
    assert best.point == {"x": 2}
    assert best.value == dict(best.outcomes)["value"] == pytest.approx(3.15)
    assert best.readings == ({"value": 3.0}, {"value": 3.3})
    assert best.believed is not None
    assert best.believed.sd > 0
    single = {trial.number: trial for trial in study.trials}[best.number]
    assert (single.value, single.readings, single.believed) == (3.0, (), None)
    result = hr.run(file, objective=lambda point: 4.0, budget=1, executor=ThreadPoolExecutor(1))
    assert hr.load_study(file).best.value == result.best_value  # type: ignore[union-attr]


def test_what_cannot_be_loaded_is_said(file: str) -> None:
    with pytest.raises(hr.StudyError, match="There is no storage"):
        hr.load_study(file)
    with pytest.raises(hr.ArgumentError, match="load_study takes a problem"):
        hr.load_study(3)  # type: ignore[arg-type]
    with pytest.raises(hr.ArgumentError, match=r"the storage 'sqlite:///old.db' was given. Say hr.load_study"):
        hr.load_study("sqlite:///old.db")
