"""A space that changes in the middle of a study: trials are carried over, and what no longer fits is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import hedgerow as hr
from hedgerow.cli.main import main
from hedgerow.runs.problem import load_problem
from hedgerow.runs.snapshot import read_snapshot
from hedgerow.runs.study import Study

FILE = """
[space]
k = ["a", "b", "c"]
x = { type = "integer", low = 0, high = 3 }
[rules]
some = "k != 'a' or x >= 1"
[run]
method = "random"
"""


@pytest.fixture(name="file", params=["sqlite:///{}.db", "journal:{}.log"])
def file_fixture(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    file = tmp_path / "problem.toml"
    file.write_text(FILE + f'storage = "{request.param.format(tmp_path / "study")}"\n')
    study = Study(load_problem(file))
    for k, x in [("a", 1), ("b", 2), ("c", 3)]:
        study.tell({"k": k, "x": x}, float(x))
    return file


def change(file: Path, *pairs: tuple[str, str]) -> Study:
    text = file.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    file.write_text(text)
    return Study(load_problem(file))


def test_values_are_added_and_taken_away(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = change(file, ('["a", "b", "c"]', '["b", "c", "d"]'), ("high = 3", "high = 9"))
    assert len(study.read().told) == 2
    asked = study.ask_by_hand(5)
    assert len({(one.point["k"], one.point["x"]) for one in asked} | {("b", 2), ("c", 3)}) == 7
    assert all(one.point["k"] in "bcd" for one in asked)
    for one in asked:
        study.tell(one.point, 1.0)
    again = Study(load_problem(file))
    assert len(again.read().told) == 7
    assert again.ask_by_hand(1)
    assert main(["status", str(file)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "The space changed after 3 trials: k gained 'd' and no longer has 'a'; x gained 4, 5" in said
    assert "7 trials carried over, 1 trial no longer fits (0)." in said
    # What does not fit is kept, and counts again where the space is changed back.
    back = change(file, ('["b", "c", "d"]', '["a", "b", "c", "d"]'))
    assert len(back.read().told) == 8


def test_a_new_variable_needs_the_value_that_it_had(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    more = ("[rules]", 'pad = { type = "boolean" }\n[rules]')
    with pytest.raises(hr.StudyError, match=r"'pad' is new .* under \[before\], as in pad = "):
        change(file, more)
    study = change(file, ("[run]", "[before]\npad = false\n[run]"))
    told = study.read().told
    assert len(told) == 3
    point = {"k": "a", "x": 1, "pad": True}
    assert study.tell(point, 9.0) == 3
    assert read_snapshot(load_problem(file)).status.best_point == {"k": "a", "x": 1, "pad": False}
    # The value was written down: the study is read without the section, too.
    file.write_text(file.read_text().replace("[before]\npad = false\n", ""))
    assert len(Study(load_problem(file)).read().told) == 4
    assert main(["status", str(file), "--json"]) == 0
    changes = json.loads(capsys.readouterr().out)["space_changes"]
    assert changes[0]["changes"] == ["pad is new"]
    assert changes[0]["before"] == {"pad": False}


def test_what_would_mix_points_up_is_refused(file: Path) -> None:
    with pytest.raises(hr.StudyError, match=r"'k', which the file has no more.*under \[removed\], as in k = "):
        change(file, ('k = ["a", "b", "c"]\n', ""), ("some = \"k != 'a' or x >= 1\"", ""))


def test_a_variable_goes_with_the_value_that_it_has_from_then_on(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Study(load_problem(file)).tell({"k": "b", "x": 0}, 7.0)
    gone = ('k = ["a", "b", "c"]\n', ""), ("some = \"k != 'a' or x >= 1\"", "")
    study = change(file, *gone, ("[run]", '[removed]\nk = "b"\n[run]'))
    assert [(item.number, item.value) for item in study.read().told] == [(1, 2.0), (3, 7.0)]
    # The points of the others are free, and those that were carried over are not asked again.
    assert sorted(one.point["x"] for one in study.ask_by_hand(2)) == [1, 3]
    study.tell({"x": 1}, 0.5)
    assert main(["status", str(file)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "The space changed after 4 trials: k is gone, where it was 'b'. 3 trials carried over" in said
    assert "2 trials no longer fit (0, 2)." in said
    # What was stated is written down: the study opens without the section, too.
    again = change(file, ('[removed]\nk = "b"\n', ""))
    assert len(again.read().told) == 3
    # It comes back, and everything fits again; what was tried without it had the value that was stated.
    back = change(file, ("[space]\n", '[space]\nk = ["a", "b", "c"]\n'))
    assert len(back.read().told) == 5
    assert hr.load_study(file).best is not None
    assert read_snapshot(load_problem(file)).status.best_point == {"k": "b", "x": 1}


@pytest.mark.parametrize(
    ("removed", "message"),
    [('k = "z"', r"\[removed\] in the file: k = 'z' is not"), ("x = 1", "'x' is in \\[space\\]")],
)
def test_bad_values_of_removed_are_named(file: Path, removed: str, message: str) -> None:
    gone = ('k = ["a", "b", "c"]\n', ""), ("some = \"k != 'a' or x >= 1\"", "")
    with pytest.raises(hr.HedgerowError, match=message):
        change(file, *gone, ("[run]", f"[removed]\n{removed}\n[run]"))


def test_a_run_with_the_old_space_stops(file: Path) -> None:
    old = Study(load_problem(file))
    old.check_rules()
    change(file, ("high = 3", "high = 4"))
    with pytest.raises(hr.StudyError, match="with another space now"):
        old.check_rules()


@pytest.mark.parametrize(
    ("before", "message"),
    [("y = 1", "line 8.*no variable 'y'"), ("x = 99", "line 8.*99"), ("x = [1]", "line 8.*x")],
)
def test_bad_values_of_before_are_named(tmp_path: Path, before: str, message: str) -> None:
    file = tmp_path / "problem.toml"
    file.write_text(FILE.replace("[run]", f"[before]\n{before}\n[run]"))
    with pytest.raises(hr.ProblemFileError, match=message):
        load_problem(file)


def test_an_optimizer_is_loaded_into_a_grown_space(tmp_path: Path) -> None:
    optimizer = hr.Optimizer(hr.Space({"k": ["a", "b"], "x": [1, 2]}), ["k != 'a' or x == 1"])
    for k, x in [("a", 1), ("b", 2)]:
        optimizer.tell({"k": k, "x": x}, x)
    optimizer.ask()
    optimizer.save(tmp_path / "saved.json")
    space = hr.Space({"k": ["b", "c"], "x": [1, 2, 3], "pad": bool})
    options: dict[str, Any] = {"space": space, "rules": ["x <= 2 or pad"], "before": {"pad": False}}
    with pytest.warns(hr.TrialWarning, match=r"1 of 2 observations were carried over.*'k': 'a'"):
        grown = hr.Optimizer.load(tmp_path / "saved.json", **options)
    assert grown.observations[0].point == {"k": "b", "x": 2, "pad": False}
    assert grown.pending == ({"k": "b", "x": 1, "pad": False},)
    assert grown.ask() in grown.feasible
