"""`hedgerow import` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedgerow.cli.main import main

UVL = "features\n  shop\n    optional\n      Integer n\n      cart\n    alternative\n      card\n      bill\n"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "shop.uvl"
    path.write_text(UVL, encoding="utf-8")
    return path


def test_the_written_file_can_be_checked(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "problem.toml"
    assert main(["import", "uvl", str(model), "-o", str(target)]) == 0
    shown = capsys.readouterr()
    assert f"{target}: 3 variables, 0 rules. Next: hedgerow check" in shown.out
    assert "not represented: the value of 'n'" in shown.err
    assert "note: shop is one variable for the alternatives card, bill" in shown.err
    assert main(["check", str(target), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["count"] == 8


def test_without_a_target_the_file_is_printed(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "uvl", str(model)]) == 0
    printed = tmp_path / "printed.toml"
    printed.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["check", str(printed)]) == 0


def test_json_gives_the_facts(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "problem.toml"
    assert main(["import", "uvl", str(model), "-o", str(target), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["name"], facts["variables"], facts["rules"], len(facts["missing"])) == ("shop", 3, 0, 1)
    assert main(["import", "uvl", str(model), "--json"]) == 2
    assert "add -o FILE" in capsys.readouterr().err


def test_levels_and_columns_reach_the_importers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps({"input_parameters": {"x": {"parameter_type": "real", "values": [0, 1]}}}))
    assert main(["import", "baco", str(scenario), "--levels", "3"]) == 0
    assert "levels = 3" in capsys.readouterr().out
    rows = tmp_path / "rows.csv"
    rows.write_text("a,b,time\n1,2,3\n2,1,4\n")
    assert main(["import", "csv", str(rows), "--columns", "a, b"]) == 0
    assert "time" not in capsys.readouterr().out.split("[space]")[1]


def test_bad_files_exit_with_two(tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "t1", str(model)]) == 2
    assert "Not valid JSON" in capsys.readouterr().err
    assert main(["import", "uvl", str(model), "-o", str(tmp_path / "no" / "folder.toml")]) == 2
    assert "cannot be written" in capsys.readouterr().err
